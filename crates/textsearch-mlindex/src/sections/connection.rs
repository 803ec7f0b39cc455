//! How a section says where its key comes from.

use serde_json::{Map, Value};
use textsearch_core::Result;

use crate::{
    place::Place,
    yaml::{SECRET_REFUSED, find_secret},
};

/// How a section gets its key: always from the environment. Identifiers of connections aren't
/// kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The environment variable that the file names (`connection.key`). Only the variable of the
    /// section's kind is allowed: see [`Service`](crate::Service).
    pub variable: Option<String>,
}

const KEY: &str = "key";

const TYPE: &str = "connection_type";

const ENVIRONMENT: &str = "environment";

/// Connections of an Azure workspace. Their keys aren't fetched.
const WORKSPACE: [&str; 2] = ["workspace_connection", "workspace_keyvault"];

const INLINE: &str = "inline";

impl Connection {
    pub(super) fn read(
        place: &Place,
        kind: Option<&str>,
        settings: Option<&Map<String, Value>>,
    ) -> Result<Self> {
        // In the environment and in a vault, `key` is the name of a key.
        let name = if kind == Some(WORKSPACE[0]) { None } else { Some(KEY) };
        if let Some(path) = settings.and_then(|settings| find_secret("", settings, name)) {
            return Err(place.inside("connection").invalid(&path, "set", SECRET_REFUSED));
        }
        match kind {
            None | Some(ENVIRONMENT) => Self::of_environment(place, settings),
            Some(kind) if WORKSPACE.contains(&kind) => {
                tracing::debug!(section = place.path(), kind, "the key comes from the environment");
                Ok(Self::default())
            }
            Some(INLINE) => {
                let allowed =
                    "`environment`: a key goes into an environment variable, not into the file";
                Err(place.invalid(TYPE, "`inline`", allowed))
            }
            // It may be a key, so don't repeat it.
            Some(_) => {
                let allowed = "`environment`, `workspace_connection` or `workspace_keyvault`";
                Err(place.invalid(TYPE, "another type", allowed))
            }
        }
    }

    fn of_environment(place: &Place, settings: Option<&Map<String, Value>>) -> Result<Self> {
        let variable = settings.and_then(|settings| settings.get(KEY));
        match variable {
            None | Some(Value::Null) => Ok(Self::default()),
            Some(Value::String(name)) if is_variable(name) => {
                Ok(Self { variable: Some(name.clone()) })
            }
            // It may be a key, so don't repeat it.
            Some(_) => {
                let allowed = "the name of an environment variable, such as OPENAI_API_KEY";
                Err(place.inside("connection").invalid(KEY, "no name of a variable", allowed))
            }
        }
    }
}

/// Keys of providers have lower-case letters or hyphens.
fn is_variable(name: &str) -> bool {
    let is_in_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    (1..=64).contains(&name.len())
        && name.chars().all(is_in_name)
        && name.starts_with(|c: char| c.is_ascii_uppercase())
}
