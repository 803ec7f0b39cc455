//! Refuses keys inside a file.

use serde_json::{Map, Value};
use textsearch_core::{Error, Result};

use super::Settings;
use crate::{CONNECTOR, shown::shown};

/// Names of settings that hold secrets, in lower case and without separators.
const SECRET_NAMES: &[&str] = &[
    "accesskey",
    "accesstoken",
    "accountkey",
    "adminkey",
    "apikey",
    "apitoken",
    "authorization",
    "bearer",
    "clientsecret",
    "connectionstring",
    "credential",
    "credentials",
    "headers",
    "key",
    "passphrase",
    "password",
    "passwd",
    "primarykey",
    "privatekey",
    "pwd",
    "querykey",
    "sastoken",
    "secondarykey",
    "secret",
    "secretkey",
    "serviceaccount",
    "subscriptionkey",
    "token",
];

pub(crate) const ALLOWED: &str = "no key in the file: put it into the environment";

/// Each is read by its own rules.
const EXEMPT: [&str; 2] = ["connection", "field_mapping"];

/// # Errors
/// Returns `InvalidOptions`, naming the setting and its line, if a setting of the section `path`
/// has a name of secrets and a value.
pub(crate) fn refuse_secrets(path: &str, settings: &Settings) -> Result<()> {
    for (name, setting) in settings {
        if EXEMPT.contains(&name.as_str()) {
            continue;
        }
        if let Some(secret_path) = secret_at(&within(path, name), name, &setting.value) {
            return Err(refused(&secret_path, setting.referenced.line()));
        }
    }
    Ok(())
}

/// Returns the path of the first secret among the fields of the setting `path`, except `allowed`.
pub(crate) fn find_secret(
    path: &str,
    fields: &Map<String, Value>,
    allowed: Option<&str>,
) -> Option<String> {
    let mut fields = fields.iter().filter(|(name, _)| Some(name.as_str()) != allowed);
    fields.find_map(|(name, value)| secret_at(&within(path, name), name, value))
}

fn secret_at(path: &str, name: &str, value: &Value) -> Option<String> {
    if is_secret(name) && !is_empty(value) {
        return Some(path.to_owned());
    }
    match value {
        Value::Object(fields) => find_secret(path, fields, None),
        Value::Array(items) => items.iter().find_map(|item| secret_at(path, "", item)),
        _ => None,
    }
}

fn within(path: &str, name: &str) -> String {
    let name = shown(name);
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    SECRET_NAMES.contains(&plain.as_str())
        || ["apikey", "password", "secret"].iter().any(|end| plain.ends_with(end))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn refused(path: &str, line: u64) -> Error {
    let allowed = ALLOWED;
    let actual = format_args!("set (line {line})");
    Error::invalid_options(CONNECTOR, path, actual, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_recognized_in_any_spelling() {
        for name in ["key", "api_key", "API-Key", "openai_api_key", "clientSecret", "db_password"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["kind", "model", "max_tokens", "partition_key", "key_vault", "monkey"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
