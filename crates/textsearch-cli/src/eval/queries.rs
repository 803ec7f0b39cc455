//! The queries of a test collection.

use std::{collections::HashSet, path::Path};

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use crate::json_lines::JsonObjects;

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    /// What judgements call it.
    pub(super) id: String,
    /// What is searched for.
    pub(super) text: String,
}

/// The queries in a file of JSON Lines, in its order.
///
/// # Errors
///
/// For a line that is no query, and for an id that is used twice.
pub(super) fn read(location: &Path) -> Result<Vec<Query>> {
    let path = location.display().to_string();
    let mut objects = JsonObjects::open(location, &path)?;
    let (mut queries, mut ids) = (Vec::new(), HashSet::new());
    while let Some(query) = objects.read(|object, _| read_query(&object, &mut ids))? {
        queries.push(query);
    }
    Ok(queries)
}

fn read_query(object: &Map<String, Value>, ids: &mut HashSet<String>) -> Result<Query> {
    const EXAMPLE: &str = "{\"_id\": \"q1\", \"text\": \"…\"}";
    let id = match object.get("_id").or_else(|| object.get("id")) {
        Some(Value::String(id)) if !id.trim().is_empty() => id.trim().to_owned(),
        Some(Value::Number(id)) => id.to_string(),
        _ => bail!("a query needs an `_id` that is a text or a number: try {EXAMPLE}"),
    };
    let text = match object.get("text") {
        Some(Value::String(text)) if !text.trim().is_empty() => text.clone(),
        _ => bail!("the query `{id}` needs a `text` that is not empty: try {EXAMPLE}"),
    };
    if !ids.insert(id.clone()) {
        bail!("the id `{id}` is that of another query: try an `_id` of its own for each");
    }
    Ok(Query { id, text })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read_text(text: &str) -> Result<Vec<Query>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        read(file.path())
    }

    fn failure(text: &str) -> String {
        let message = format!("{:#}", read_text(text).unwrap_err());
        message.split_once("` ").unwrap().1.to_owned()
    }

    #[test]
    fn queries_come_in_the_order_of_the_file_with_ids_that_are_texts_or_numbers() {
        let text = "\u{feff}{\"_id\":\"b\",\"text\":\"x\",\"metadata\":{}}\r\n\r\n{\"_id\":7,\"text\":\"y\"}\r\n{\"id\":\"a\",\"text\":\"z\"}";
        let queries = read_text(text).unwrap();
        let ids: Vec<(&str, &str)> =
            queries.iter().map(|query| (query.id.as_str(), query.text.as_str())).collect();
        assert_eq!(ids, [("b", "x"), ("7", "y"), ("a", "z")]);
    }

    #[test]
    fn an_empty_file_holds_no_queries() {
        assert_eq!(read_text("").unwrap(), []);
        assert_eq!(read_text("\u{feff}\r\n\n").unwrap(), []);
    }

    #[test]
    fn an_id_that_is_used_twice_is_named_with_its_line() {
        assert_eq!(
            failure("{\"_id\":7,\"text\":\"x\"}\n{\"_id\":\"7\",\"text\":\"y\"}\n"),
            "line 2: the id `7` is that of another query: try an `_id` of its own for each"
        );
    }

    #[test]
    fn a_line_that_is_no_query_is_named_with_what_would_be_right() {
        let right = "try {\"_id\": \"q1\", \"text\": \"…\"}";
        let no_id = format!("line 1: a query needs an `_id` that is a text or a number: {right}");
        for text in
            ["{\"text\":\"x\"}", "{\"_id\":\" \",\"text\":\"x\"}", "{\"_id\":[1],\"text\":\"x\"}"]
        {
            assert_eq!(failure(text), no_id, "{text}");
        }
        let no_text = format!("line 2: the query `b` needs a `text` that is not empty: {right}");
        for text in
            ["{\"_id\":\"b\"}", "{\"_id\":\"b\",\"text\":\" \"}", "{\"_id\":\"b\",\"text\":1}"]
        {
            assert_eq!(failure(&format!("\n{text}")), no_text, "{text}");
        }
        assert!(failure("q1\tx").starts_with("line 1: this is no JSON"));
    }
}
