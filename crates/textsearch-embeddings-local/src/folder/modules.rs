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

/// The steps after the transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modules {
    pub(crate) pooling: PoolingMode,
    /// Whether the prefix of a text is pooled.
    pub(crate) pools_prefix: bool,
    pub(crate) normalizes: bool,
}

#[derive(Debug, Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    r#type: String,
}

impl Modules {
    /// Without the file, the mean is used, as in the reference implementation.
    pub(crate) fn read(folder: &Folder) -> Result<Self> {
        let Some(modules) = folder.optional_json::<Vec<Module>>(FILE)? else {
            return Ok(Self { pooling: PoolingMode::Mean, pools_prefix: true, normalizes: false });
        };
        let kinds: Vec<&str> = modules.iter().map(|module| last_name(&module.r#type)).collect();
        let (transformer, pooling, normalizes) = match (kinds.as_slice(), modules.as_slice()) {
            (["Transformer", "Pooling"], [transformer, pooling]) => (transformer, pooling, false),
            (["Transformer", "Pooling", "Normalize"], [transformer, pooling, _]) => {
                (transformer, pooling, true)
            }
            _ => {
                return Err(folder.error(
                    FILE,
                    format_args!(
                        "the modules are {}: supported are Transformer, Pooling and, if there is a third, Normalize",
                        kinds.join(", ")
                    ),
                ));
            }
        };
        if !transformer.path.is_empty() {
            return Err(folder.error(
                FILE,
                format_args!(
                    "the transformer is in `{}`: supported is the folder itself",
                    transformer.path
                ),
            ));
        }
        let (pooling, pools_prefix) = pooling_of(folder, &pooling.path)?;
        Ok(Self { pooling, pools_prefix, normalizes })
    }
}

/// Without the file, the folder holds the transformer alone.
pub(super) fn check_classifier(folder: &Folder) -> Result<()> {
    let Some(modules) = folder.optional_json::<Vec<Module>>(FILE)? else { return Ok(()) };
    match modules.as_slice() {
        [module] if last_name(&module.r#type) == "Transformer" && module.path.is_empty() => Ok(()),
        _ => {
            let kinds: Vec<&str> = modules.iter().map(|module| last_name(&module.r#type)).collect();
            Err(folder.error(
                FILE,
                format_args!(
                    "the modules are {}: supported is one Transformer, in the folder itself",
                    kinds.join(", ")
                ),
            ))
        }
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
    let mode = match chosen(&config).as_slice() {
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

fn chosen(config: &Map<String, Value>) -> Vec<String> {
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
