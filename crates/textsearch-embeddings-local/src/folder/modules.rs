//! `modules.json` and the pooling's `config.json`.

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::Result;

use super::Folder;

const FILE: &str = "modules.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolingMode {
    First,
    Last,
    Max,
    Mean,
    /// The sum divided by the square root of the number of tokens.
    MeanSquareRoot,
    /// Weighted by each token's position, counted from 1.
    WeightedMean,
}

/// New and old names in the reference implementation.
const MODES: &[(&str, &str, PoolingMode)] = &[
    ("cls", "pooling_mode_cls_token", PoolingMode::First),
    ("lasttoken", "pooling_mode_lasttoken", PoolingMode::Last),
    ("max", "pooling_mode_max_tokens", PoolingMode::Max),
    ("mean", "pooling_mode_mean_tokens", PoolingMode::Mean),
    ("mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", PoolingMode::MeanSquareRoot),
    ("weightedmean", "pooling_mode_weightedmean_tokens", PoolingMode::WeightedMean),
];

impl PoolingMode {
    /// ModernBERT's configuration may ask for the mean; others take the first token.
    pub(crate) fn for_classifier(folder: &Folder) -> Result<Self> {
        let config: Map<String, Value> = folder.json("config.json")?;
        let text = |name: &str| config.get(name).and_then(Value::as_str);
        let refused = |what: &str| Err(folder.error("config.json", what));
        if let Some(other) = text("classifier_activation").filter(|name| *name != "gelu") {
            return refused(&format!("`classifier_activation` is `{other}`: supported is `gelu`"));
        }
        match text("classifier_pooling") {
            None | Some("cls") => Ok(Self::First),
            Some("mean") => Ok(Self::Mean),
            Some(other) => {
                refused(&format!("`classifier_pooling` is `{other}`: supported are `cls`, `mean`"))
            }
        }
    }
}

/// The steps from tokens to a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Modules {
    pub(crate) source: Source,
    pub(crate) pooling: PoolingMode,
    /// Whether the prefix of a text is pooled.
    pub(crate) pools_prefix: bool,
    /// Folders of the matrices that the vector is multiplied by.
    pub(crate) dense: Vec<String>,
    pub(crate) normalizes: bool,
}

/// Where the vectors of tokens come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Transformer,
    /// A table in this folder.
    Static(String),
}

#[derive(Debug, Deserialize)]
pub(super) struct Module {
    #[serde(default)]
    pub(super) path: String,
    r#type: String,
}

/// `config.json` of model2vec.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Model2Vec {
    model_type: Option<String>,
    normalize: bool,
}

impl Modules {
    /// Without the file, the mean is used, as in the reference implementation.
    pub(crate) fn read(folder: &Folder) -> Result<Self> {
        let mean = Self {
            source: Source::Transformer,
            pooling: PoolingMode::Mean,
            pools_prefix: true,
            dense: Vec::new(),
            normalizes: false,
        };
        let Some(modules) = list(folder)? else {
            let model2vec: Model2Vec = folder.optional_json("config.json")?.unwrap_or_default();
            let is_static = model2vec.model_type.as_deref() == Some("model2vec");
            let source = if is_static { Source::Static(String::new()) } else { mean.source };
            let normalizes = is_static && model2vec.normalize;
            return Ok(Self { source, normalizes, ..mean });
        };
        let unsupported = || {
            let kinds = kinds(&modules);
            folder.error(
                FILE,
                format_args!(
                    "the modules are {}: supported are Transformer and Pooling, or StaticEmbedding; then any number of \
                     Dense, and Normalize",
                    kinds.join(", ")
                ),
            )
        };
        let (first, rest) = modules.split_first().ok_or_else(unsupported)?;
        let (source, pooling, rest) = match (first.kind(), rest) {
            ("StaticEmbedding", rest) => (Source::Static(first.path.clone()), None, rest),
            ("Transformer", [pooling, rest @ ..]) if pooling.kind() == "Pooling" => {
                check_path(folder, first)?;
                (Source::Transformer, Some(pooling), rest)
            }
            _ => return Err(unsupported()),
        };
        let (normalizes, dense) = match rest {
            [dense @ .., last] if last.kind() == "Normalize" => (true, dense),
            dense => (false, dense),
        };
        if dense.iter().any(|module| module.kind() != "Dense") {
            return Err(unsupported());
        }
        let pooling = pooling.map(|module| pooling_of(folder, &module.path)).transpose()?;
        let (pooling, pools_prefix) = pooling.unwrap_or((mean.pooling, mean.pools_prefix));
        let dense = dense.iter().map(|module| module.path.clone()).collect();
        Ok(Self { source, pooling, pools_prefix, dense, normalizes })
    }
}

impl Module {
    pub(super) fn kind(&self) -> &str {
        last_name(&self.r#type)
    }
}

fn kinds(modules: &[Module]) -> Vec<&str> {
    modules.iter().map(Module::kind).collect()
}

fn check_path(folder: &Folder, transformer: &Module) -> Result<()> {
    if transformer.path.is_empty() {
        return Ok(());
    }
    let path = &transformer.path;
    let what = format_args!("the transformer is in `{path}`: supported is the folder itself");
    Err(folder.error(FILE, what))
}

/// Returns `None` without the file.
pub(super) fn list(folder: &Folder) -> Result<Option<Vec<Module>>> {
    folder.optional_json(FILE)
}

/// Without the file, the folder holds the transformer alone.
pub(super) fn check_classifier(folder: &Folder) -> Result<()> {
    let Some(modules) = list(folder)? else { return Ok(()) };
    match modules.as_slice() {
        [module] if module.kind() == "Transformer" && module.path.is_empty() => Ok(()),
        _ => Err(folder.error(
            FILE,
            format_args!(
                "the modules are {}: supported is one Transformer, in the folder itself, \
                 alone (a cross-encoder) or before Dense or MultiVectorMask (late interaction); \
                 a model of embeddings can't rerank",
                kinds(&modules).join(", ")
            ),
        )),
    }
}

/// The path before the last name changed between versions.
pub(super) fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn pooling_of(folder: &Folder, path: &str) -> Result<(PoolingMode, bool)> {
    let file = if path.is_empty() {
        "1_Pooling/config.json".to_owned()
    } else {
        format!("{path}/config.json")
    };
    let config: Map<String, Value> = folder.json(&file)?;
    let mode = match mode_names(&config).as_slice() {
        [] => PoolingMode::Mean,
        [name] => mode_named(name).ok_or_else(|| {
            let supported: Vec<&str> = MODES.iter().map(|(name, ..)| *name).collect();
            folder.error(
                &file,
                format_args!(
                    "the pooling mode is `{name}`: supported are {}",
                    supported.join(", ")
                ),
            )
        })?,
        several => {
            return Err(folder.error(
                &file,
                format_args!(
                    "the pooling modes are {}: supported is one of them",
                    several.join(" and ")
                ),
            ));
        }
    };
    Ok((mode, config.get("include_prompt") != Some(&Value::Bool(false))))
}

fn mode_names(config: &Map<String, Value>) -> Vec<String> {
    match config.get("pooling_mode") {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(several)) => {
            several.iter().map(|name| name.as_str().unwrap_or("no text").to_owned()).collect()
        }
        _ => {
            let flags = config.iter().filter(|(_, value)| **value == Value::Bool(true));
            let names = flags.map(|(name, _)| name).filter(|name| name.starts_with("pooling_mode"));
            names.cloned().collect()
        }
    }
}

fn mode_named(name: &str) -> Option<PoolingMode> {
    let entry = MODES.iter().find(|(new, old, _)| *new == name || *old == name);
    entry.map(|(.., mode)| *mode)
}
