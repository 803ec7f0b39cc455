//! From scopes to rights.

use serde_json::{Map, Value};

use crate::Right;

/// Where providers put scopes: RFC 9068, and others.
const CLAIMS: [&str; 2] = ["scope", "scp"];

impl Right {
    /// Returns the scope that gives the right.
    pub(crate) const fn scope(self) -> &'static str {
        match self {
            Self::Search => "textsearch:search",
            Self::Prompt => "textsearch:prompt",
            Self::Answer => "textsearch:answer",
            Self::Upsert => "textsearch:upsert",
            Self::Metrics => "textsearch:metrics",
        }
    }
}

/// Returns the rights that the scopes of a token give. A scope that isn't ours gives none.
pub(super) fn rights(claims: &Map<String, Value>) -> Vec<Right> {
    let scopes: Vec<&str> =
        CLAIMS.iter().filter_map(|name| claims.get(*name)).flat_map(words).collect();
    Right::ALL.iter().copied().filter(|right| scopes.contains(&right.scope())).collect()
}

/// A list, or a text with spaces.
fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.split(' ').collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rights_of(claims: Value) -> Vec<Right> {
        rights(claims.as_object().unwrap())
    }

    #[test]
    fn scopes_give_rights_in_each_form() {
        let expected = [Right::Search, Right::Upsert];
        for claims in [
            json!({ "scope": "openid textsearch:upsert textsearch:search" }),
            json!({ "scp": ["textsearch:search", "textsearch:upsert"] }),
            json!({ "scp": "textsearch:search", "scope": "textsearch:upsert" }),
        ] {
            assert_eq!(rights_of(claims), expected);
        }
    }

    #[test]
    fn other_scopes_give_no_right() {
        for claims in [
            json!({}),
            json!({ "scope": "search textsearch: textsearch:searches TEXTSEARCH:SEARCH" }),
            json!({ "scope": 1, "scp": [1, null] }),
        ] {
            assert_eq!(rights_of(claims), []);
        }
    }
}
