//! `model.safetensors`: tensors by name, as 32-bit floats.

use std::fmt;

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use textsearch_core::{Error, Result};

use super::Folder;

const FILE: &str = "model.safetensors";

#[derive(Debug)]
pub(crate) struct Weights<'a> {
    folder: &'a Folder,
    tensors: SafeTensors<'a>,
    /// The prefix of every name.
    prefix: String,
}

impl<'a> Weights<'a> {
    pub(crate) fn bytes(folder: &Folder) -> Result<Vec<u8>> {
        if !folder.path(FILE).exists() {
            let other = ["model.safetensors.index.json", "pytorch_model.bin"]
                .into_iter()
                .find(|other| folder.path(other).exists());
            return Err(folder.error(
                FILE,
                match other {
                    None => "is missing".to_owned(),
                    Some(other) => {
                        format!(
                            "is missing: save the model in `{other}` again, as one file in this format"
                        )
                    }
                },
            ));
        }
        folder.bytes(FILE)
    }

    /// `suffix` is a name that the model has once. The text before it is the prefix of all names.
    pub(crate) fn new(folder: &'a Folder, bytes: &'a [u8], suffix: &str) -> Result<Self> {
        let Self { tensors, .. } = Self::without_prefix(folder, bytes)?;
        let names = tensors.names();
        let mut prefixes: Vec<&str> =
            names.into_iter().filter_map(|name| name.strip_suffix(suffix)).collect();
        // The file does not store names in any order.
        prefixes.sort_unstable();
        match prefixes[..] {
            [prefix] => {
                let prefix = prefix.to_owned();
                Ok(Self { folder, tensors, prefix })
            }
            [] => Err(folder.error(FILE, format_args!("has no tensor `{suffix}`"))),
            [first, second, ..] => Err(folder.error(
                FILE,
                format_args!(
                    "has the tensors `{first}{suffix}` and `{second}{suffix}`: save one model alone"
                ),
            )),
        }
    }

    pub(crate) fn without_prefix(folder: &'a Folder, bytes: &'a [u8]) -> Result<Self> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| {
            folder.unreadable(FILE, "is not in the format of safetensors", error)
        })?;
        Ok(Self { folder, tensors, prefix: String::new() })
    }

    /// Fails before memory is reserved for layers that the file cannot hold.
    pub(crate) fn check_layers(&self, layers: usize) -> Result<()> {
        match self.tensors.len() {
            tensors if tensors < layers => Err(self.error(format_args!(
                "has {tensors} tensors, where `config.json` asks for {layers} layers"
            ))),
            _ => Ok(()),
        }
    }

    /// The tensor must have this shape.
    pub(crate) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        // Older names of a normalisation's vectors.
        let old = name
            .strip_suffix("LayerNorm.weight")
            .map(|start| format!("{start}LayerNorm.gamma"))
            .or_else(|| {
                name.strip_suffix("LayerNorm.bias").map(|start| format!("{start}LayerNorm.beta"))
            });
        let prefixed = |name: &str| format!("{}{name}", self.prefix);
        let mut names = [Some(name.to_owned()), old].into_iter().flatten();
        let tensor = names.find_map(|name| self.tensors.tensor(&prefixed(&name)).ok());
        self.checked(&prefixed(name), tensor, shape)
    }

    /// Returns zeros for a missing bias that isn't required.
    pub(crate) fn bias(&self, name: &str, size: usize, is_required: bool) -> Result<Vec<f32>> {
        let name = format!("{name}.bias");
        if is_required || self.shape(&name).is_some() {
            self.values(&name, &[size])
        } else {
            Ok(vec![0.0; size])
        }
    }

    /// The shape of the tensor, if there is one.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        Some(self.tensors.tensor(&format!("{}{name}", self.prefix)).ok()?.shape().to_vec())
    }

    /// The numbers of the tensor, if there is one, of any of the types that model2vec uses.
    pub(crate) fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>> {
        let Ok(tensor) = self.tensors.tensor(&format!("{}{name}", self.prefix)) else {
            return Ok(None);
        };
        let (words, _) = tensor.data().as_chunks::<4>();
        let (long_words, _) = tensor.data().as_chunks::<8>();
        let numbers = match tensor.dtype() {
            Dtype::I32 => words.iter().map(|bytes| i32::from_le_bytes(*bytes).into()).collect(),
            Dtype::I64 => {
                long_words.iter().map(|bytes| i64::from_le_bytes(*bytes) as f64).collect()
            }
            Dtype::F64 => long_words.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
            _ => {
                let floats = self.values(name, tensor.shape())?;
                floats.into_iter().map(f64::from).collect()
            }
        };
        Ok(Some(numbers))
    }

    pub(crate) fn folder(&self) -> &Folder {
        self.folder
    }

    pub(crate) fn error(&self, what: impl fmt::Display) -> Error {
        self.folder.error(FILE, what)
    }

    fn checked(
        &self,
        name: &str,
        tensor: Option<TensorView<'_>>,
        shape: &[usize],
    ) -> Result<Vec<f32>> {
        let invalid =
            |what: fmt::Arguments<'_>| self.error(format_args!("the tensor `{name}` {what}"));
        let tensor = tensor.ok_or_else(|| invalid(format_args!("is missing")))?;
        if tensor.shape() != shape {
            return Err(invalid(format_args!(
                "has the shape {:?}, where `config.json` asks for {shape:?}",
                tensor.shape()
            )));
        }
        let values = floats(&tensor).ok_or_else(|| {
            let dtype = tensor.dtype();
            invalid(format_args!("is of type {dtype:?}: supported are F32, F16, BF16"))
        })?;
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(invalid(format_args!("has a value that isn't a finite number")))
        }
    }
}

fn floats(tensor: &TensorView<'_>) -> Option<Vec<f32>> {
    let halves = || tensor.data().as_chunks::<2>().0.iter();
    match tensor.dtype() {
        Dtype::F32 => {
            let (floats, _) = tensor.data().as_chunks::<4>();
            Some(floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        }
        Dtype::F16 => Some(halves().map(|bytes| f16::from_le_bytes(*bytes).to_f32()).collect()),
        Dtype::BF16 => Some(halves().map(|bytes| bf16::from_le_bytes(*bytes).to_f32()).collect()),
        _ => None,
    }
}
