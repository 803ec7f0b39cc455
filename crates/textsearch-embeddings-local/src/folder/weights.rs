//! `model.safetensors`: tensors by name, as 32-bit floats.

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use textsearch_core::Result;

use super::Folder;
use crate::failure;

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

    /// `known` is a name suffix that every model has.
    pub(crate) fn new(folder: &'a Folder, bytes: &'a [u8], known: &str) -> Result<Self> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| {
            failure::unreadable(&folder.path(FILE), "is not in the format of safetensors", error)
        })?;
        let names = tensors.names();
        let mut prefixes: Vec<&str> =
            names.into_iter().filter_map(|name| name.strip_suffix(known)).collect();
        // The file does not store names in any order.
        prefixes.sort_unstable();
        match prefixes[..] {
            [prefix] => {
                let prefix = prefix.to_owned();
                Ok(Self { folder, tensors, prefix })
            }
            [] => Err(folder.error(FILE, format_args!("has no tensor `{known}`"))),
            [first, second, ..] => Err(folder.error(
                FILE,
                format_args!(
                    "has the tensors `{first}{known}` and `{second}{known}`: save one model alone"
                ),
            )),
        }
    }

    /// The tensor must have this shape.
    pub(crate) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let tensor = self.tensor(name)?;
        if tensor.shape() != shape {
            return Err(self.invalid_tensor(
                name,
                format_args!(
                    "has the shape {:?}, where `config.json` asks for {shape:?}",
                    tensor.shape()
                ),
            ));
        }
        let values = floats(&tensor).ok_or_else(|| {
            self.invalid_tensor(
                name,
                format_args!("is of type {:?}: supported are F32, F16, BF16", tensor.dtype()),
            )
        })?;
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(self.invalid_tensor(name, "has a value that isn't a finite number")),
        }
    }

    fn tensor(&self, name: &str) -> Result<TensorView<'_>> {
        // Older names of a normalisation's vectors.
        let old = name
            .strip_suffix("LayerNorm.weight")
            .map(|start| format!("{start}LayerNorm.gamma"))
            .or_else(|| {
                name.strip_suffix("LayerNorm.bias").map(|start| format!("{start}LayerNorm.beta"))
            });
        let mut names = [Some(name.to_owned()), old].into_iter().flatten();
        names
            .find_map(|name| self.tensors.tensor(&format!("{}{name}", self.prefix)).ok())
            .ok_or_else(|| self.invalid_tensor(name, "is missing"))
    }

    fn invalid_tensor(&self, name: &str, what: impl std::fmt::Display) -> textsearch_core::Error {
        self.folder.error(FILE, format_args!("the tensor `{}{name}` {what}", self.prefix))
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
