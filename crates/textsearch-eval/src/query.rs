//! The queries of a test collection.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{error::Result, lines::read_lines};

const EXAMPLE: &str = "{\"_id\": \"q1\", \"text\": \"…\"}";

/// A query of a test collection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Query {
    /// The id that judgements use.
    pub id: String,
    /// The text to search for.
    pub text: String,
}

impl Query {
    /// Returns a query.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into() }
    }

    /// Reads queries in BEIR's form: JSON Lines with `_id` (or `id`) and `text`.
    ///
    /// ```
    /// use textsearch_eval::Query;
    ///
    /// let queries = Query::parse_all("{\"_id\": \"q1\", \"text\": \"What is nDCG?\"}\n")?;
    /// assert_eq!(queries, [Query::new("q1", "What is nDCG?")]);
    /// # Ok::<(), textsearch_eval::EvalError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Line`](crate::EvalError::Line) if a line has no id or text, or an id occurs twice.
    pub fn parse_all(json_lines: &str) -> Result<Vec<Self>> {
        let mut queries = Vec::new();
        let mut ids = HashSet::new();
        read_lines(json_lines, |line| {
            queries.push(read_query(&object(line)?, &mut ids)?);
            Ok(())
        })?;
        Ok(queries)
    }
}

fn object(line: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("a line must hold one JSON object, such as {EXAMPLE}")),
        Err(error) => {
            let message = error.to_string();
            let reason = message.split(" at line ").next().unwrap_or_default();
            Err(format!("this isn't JSON: {reason} at column {}", error.column()))
        }
    }
}

fn read_query(object: &Map<String, Value>, ids: &mut HashSet<String>) -> Result<Query, String> {
    let id = match object.get("_id").or_else(|| object.get("id")) {
        Some(Value::String(id)) if !id.trim().is_empty() => id.trim().to_owned(),
        Some(Value::Number(id)) => id.to_string(),
        _ => {
            return Err(format!(
                "a query needs an `_id` that is a text or a number: try {EXAMPLE}"
            ));
        }
    };
    let text = match object.get("text") {
        Some(Value::String(text)) if !text.trim().is_empty() => text.clone(),
        _ => {
            return Err(format!(
                "the query `{id}` needs a `text` that is not empty: try {EXAMPLE}"
            ));
        }
    };
    if !ids.insert(id.clone()) {
        return Err(format!(
            "the id `{id}` is used by another query: give each query its own `_id`"
        ));
    }
    Ok(Query { id, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> String {
        Query::parse_all(text).unwrap_err().to_string()
    }

    #[test]
    fn parses_queries_in_order_with_text_or_number_ids() {
        let text = "\u{feff}{\"_id\":\"b\",\"text\":\"x\",\"metadata\":{}}\r\n\r\n{\"_id\":7,\"text\":\"y\"}\r\n{\"id\":\"a\",\"text\":\"z\"}";
        let queries = Query::parse_all(text).unwrap();
        let ids: Vec<(&str, &str)> =
            queries.iter().map(|query| (query.id.as_str(), query.text.as_str())).collect();
        assert_eq!(ids, [("b", "x"), ("7", "y"), ("a", "z")]);
    }

    #[test]
    fn an_empty_file_holds_no_queries() {
        assert_eq!(Query::parse_all("").unwrap(), []);
        assert_eq!(Query::parse_all("\u{feff}\r\n\n").unwrap(), []);
    }

    #[test]
    fn repeated_id_is_named_with_its_line() {
        assert_eq!(
            failure("{\"_id\":7,\"text\":\"x\"}\n{\"_id\":\"7\",\"text\":\"y\"}\n"),
            "line 2: the id `7` is used by another query: give each query its own `_id`"
        );
    }

    #[test]
    fn invalid_query_line_is_named_with_an_example() {
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
        assert!(failure("q1\tx").starts_with("line 1: this isn't JSON"));
    }
}
