//! Files of tokens.

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::{Filter, secret::Secret};

use super::{AccessToken, Right};
use crate::{Result, ServerError};

const EXPECTED: &str = "expected a list `tokens` of objects with `name`, `token` and optionally \
                        `rights` and `filter`";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tokens: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    token: Secret,
    rights: Option<Vec<String>>,
    filter: Option<Value>,
}

impl AccessToken {
    /// Reads tokens from a TOML file.
    ///
    /// ```
    /// use textsearch_server::{AccessToken, Right};
    ///
    /// let tokens = AccessToken::from_toml(r#"
    /// [[tokens]]
    /// name = "acme"
    /// token = "a-long-random-token"
    /// rights = ["search", "upsert"]
    /// filter = 'tenant = "acme"'
    /// "#)?;
    /// assert_eq!(tokens[0].rights, [Right::Search, Right::Upsert]);
    /// # Ok::<(), textsearch_server::ServerError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidTokens`](ServerError::InvalidTokens) with the position. It doesn't repeat
    /// the file, which holds tokens.
    pub fn from_toml(text: &str) -> Result<Vec<Self>> {
        let file = toml::from_str::<File>(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            ServerError::tokens(format!("line {line}: {EXPECTED}"))
        })?;
        file.read()
    }

    /// Reads tokens from a JSON file: an object with a list `tokens`, as in
    /// [`from_toml`](Self::from_toml). A filter may also be an object.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_toml`](Self::from_toml).
    pub fn from_json(text: &str) -> Result<Vec<Self>> {
        let file = serde_json::from_str::<File>(text).map_err(|error| {
            let line = error.line();
            let column = error.column();
            ServerError::tokens(format!("line {line}, column {column}: {EXPECTED}"))
        })?;
        file.read()
    }
}

impl File {
    fn read(self) -> Result<Vec<AccessToken>> {
        self.tokens.into_iter().map(Entry::read).collect()
    }
}

impl Entry {
    fn read(self) -> Result<AccessToken> {
        let Self { name, token, rights, filter } = self;
        let mut read = AccessToken::new(name, token);
        if let Some(rights) = rights {
            let rights: Option<Vec<Right>> = rights.iter().map(|name| right(name)).collect();
            read.rights = rights.ok_or_else(|| {
                let known: Vec<&str> = Right::ALL.iter().map(|right| right.name()).collect();
                let message =
                    format!("`{}` has an unknown right; expected {}", read.name, known.join(", "));
                ServerError::tokens(message)
            })?;
        }
        if let Some(filter) = filter {
            read.fixed_filter = Some(read_filter(&filter).map_err(|message| {
                ServerError::tokens(format!("the filter of `{}`: {message}", read.name))
            })?);
        }
        Ok(read)
    }
}

fn right(name: &str) -> Option<Right> {
    Right::ALL.iter().copied().find(|right| right.name() == name)
}

/// Reads the text form or the serde form.
pub(crate) fn read_filter(value: &Value) -> Result<Filter, String> {
    match value {
        Value::String(text) => text.parse::<Filter>().map_err(|error| error.to_string()),
        other => Filter::deserialize(other).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_repeat_nothing_but_names() {
        let texts = [
            "[[tokens]]\nname = \"a\"\ntoken = [\"s3cret-s3cret-s3cret\"]",
            "[[tokens]]\nname = \"a\"\ntoken = \"s3cret-s3cret-s3cret\"\nrights = \"s3cret\"",
            "[[tokens]]\nname = \"a\"\ntoken = \"s3cret-s3cret-s3cret\"\nrights = [\"s3cret\"]",
            "tokens = \"s3cret",
        ];
        for text in texts {
            let error = AccessToken::from_toml(text).unwrap_err();
            let printed = format!("{error} {error:?}");
            assert!(!printed.contains("s3cret"), "{printed}");
        }
        let error = AccessToken::from_json(r#"{"tokens": ["s3cret"]}"#).unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
        assert!(error.to_string().contains("line 1, column"), "{error}");
    }

    #[test]
    fn json_and_toml_read_the_same() {
        let toml = "[[tokens]]\nname = \"a\"\ntoken = \"0123456789abcdef\"\nfilter = 'x = 1'";
        let json = r#"{"tokens": [{"name": "a", "token": "0123456789abcdef",
            "filter": {"field": "x", "operator": "eq", "value": 1}}]}"#;
        let filters = [AccessToken::from_toml(toml), AccessToken::from_json(json)]
            .map(|tokens| tokens.unwrap()[0].fixed_filter.clone());
        assert_eq!(filters[0], Some(Filter::eq("x", 1)));
        assert_eq!(filters[0], filters[1]);
    }
}
