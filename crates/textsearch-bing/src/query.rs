//! Combines a query with a filter's operators.

use textsearch_core::web::quoted_query;

/// Bing's own operators.
pub(crate) const OPERATORS: &[&str] = &["NEAR"];

/// Puts conditions before the query because Bing reads only the first ten terms. A plain query has
/// no operators.
pub(crate) fn combined(query: &str, conditions: &str, is_plain: bool) -> String {
    let query = match query.trim() {
        query if is_plain || conditions.is_empty() => query.to_owned(),
        query => grouped(query),
    };
    format!("{conditions} {query}").trim().to_owned()
}

/// Turns the query into one term. Otherwise an `OR` would apply the conditions to one side only.
fn grouped(query: &str) -> String {
    let is_or = |word: &str| word == "OR" || word.contains(['|', '(', ')']);
    match query.split_whitespace().any(is_or) {
        false if query.matches('"').count().is_multiple_of(2) => query.to_owned(),
        true if is_balanced(query) => format!("({query})"),
        _ => quoted_query(query, OPERATORS),
    }
}

/// Whether quotes and parentheses match, so the query can't escape its group.
fn is_balanced(query: &str) -> bool {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for one in query.chars() {
        match one {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0 && !is_quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_apply_to_both_sides_of_an_or() {
        let words = |query| combined(query, "site:docs.rs", false);
        assert_eq!(words("rust OR go"), "site:docs.rs (rust OR go)");
        assert_eq!(words("rust -java"), "site:docs.rs rust -java");
        assert_eq!(words("a) OR (b"), "site:docs.rs \"a)\" \"OR\" \"(b\"");
        assert_eq!(combined(" rust OR go ", "", false), "rust OR go");
    }
}
