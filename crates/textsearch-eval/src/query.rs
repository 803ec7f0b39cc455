//! The queries of a test collection.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    error::{EvalError, Result},
    lines::read_lines,
};

const EXAMPLE: &str = "{\"_id\": \"q1\", \"text\": \"…\"}";

/// A query of a test collection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Query {
    /// The id that judgements use.
    pub id: String,
    /// The text to search for.
    pub text: String,
    /// The user's earlier questions in the same conversation, oldest first. Empty for most queries.
    pub history: Vec<String>,
    /// The question as a person would ask it without the conversation.
    pub rewrite: Option<String>,
}

impl Query {
    /// Returns a query.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), history: Vec::new(), rewrite: None }
    }

    /// Puts the question before this one into the text, on a line of its own. A context provider
    /// with two recent messages searches for the same.
    ///
    /// ```
    /// use textsearch_eval::Query;
    ///
    /// let lines = r#"{"_id": "q2", "text": "and in winter?", "history": ["When is high water?"]}"#;
    /// let query = Query::parse_all(lines)?.remove(0);
    /// assert_eq!(query.joined().text, "When is high water?\nand in winter?");
    /// # Ok::<(), textsearch_eval::EvalError>(())
    /// ```
    #[must_use]
    pub fn joined(mut self) -> Self {
        if let Some(previous) = self.history.last() {
            self.text = format!("{previous}\n{}", self.text);
        }
        self
    }

    /// Replaces the text by the rewrite. Measures the best that rewriting follow-ups can reach.
    ///
    /// # Errors
    ///
    /// Returns [`NoRewrite`](crate::EvalError::NoRewrite) for a query with a history and without a
    /// rewrite.
    pub fn rewritten(mut self) -> Result<Self> {
        match self.rewrite.clone() {
            Some(rewrite) => self.text = rewrite,
            None if self.history.is_empty() => {}
            None => return Err(EvalError::NoRewrite { query: self.id }),
        }
        Ok(self)
    }

    /// Reads queries in BEIR's form: JSON Lines with `_id` (or `id`) and `text`. A line of a
    /// conversation may have `history`, a list of the user's earlier questions, and `rewrite`.
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
    /// Returns [`Line`](crate::EvalError::Line) if a line has no id or text, an id occurs twice, or
    /// `history` or `rewrite` has another type.
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
    let history = match object.get("history") {
        None | Some(Value::Null) => Vec::new(),
        Some(history) => serde_json::from_value(history.clone()).map_err(|_| {
            format!("`history` of the query `{id}` must be a list of texts: try [\"…\"]")
        })?,
    };
    let rewrite = match object.get("rewrite") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
        Some(_) => {
            return Err(format!("`rewrite` of the query `{id}` must be a text that is not empty"));
        }
    };
    Ok(Query { id, text, history, rewrite })
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
    fn follow_up_has_its_history_and_rewrite() {
        let text = r#"{"_id":"a","text":"and in winter?","history":["When?","Where?"],"rewrite":"Tides in winter?"}"#;
        let query = Query::parse_all(text).unwrap().remove(0);
        assert_eq!(query.clone().joined().text, "Where?\nand in winter?");
        assert_eq!(query.rewritten().unwrap().text, "Tides in winter?");
    }

    #[test]
    fn first_question_is_searched_as_it_is() {
        let query = Query::new("a", "When is high water?");
        assert_eq!(query.clone().joined(), query);
        assert_eq!(query.clone().rewritten().unwrap(), query);
    }

    #[test]
    fn follow_up_without_a_rewrite_is_named() {
        let text = r#"{"_id":"a","text":"and now?","history":["When?"]}"#;
        let error = Query::parse_all(text).unwrap().remove(0).rewritten().unwrap_err();
        let expected = "the query `a` has a history and no rewrite: add `rewrite` to its line";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn wrong_history_or_rewrite_is_named() {
        assert_eq!(
            failure(r#"{"_id":"a","text":"x","history":"y"}"#),
            "line 1: `history` of the query `a` must be a list of texts: try [\"…\"]"
        );
        assert_eq!(
            failure(r#"{"_id":"a","text":"x","rewrite":" "}"#),
            "line 1: `rewrite` of the query `a` must be a text that is not empty"
        );
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
