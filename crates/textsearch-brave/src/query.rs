//! The words of a query: with Brave's operators, or as plain text without any.

use textsearch_core::web::plain_query;

/// The filter's words and then the query, whose own operators stay what they are.
pub(crate) fn with_operators(words: &[String], query: &str) -> String {
    let query = query.trim();
    let mut tokens = query.split(|one: char| !one.is_alphanumeric());
    let has_alternatives = query.contains('|') || tokens.any(|token| token == "OR");
    if words.is_empty() {
        query.to_owned()
    } else if has_alternatives {
        // Without parentheses the filter would be one more word of the first alternative only.
        format!("{} ({})", words.join(" "), closed(query))
    } else {
        joined(words, query)
    }
}

/// The query with its last quote closed, and without parentheses where they do not match: neither may end or swallow
/// those around it.
fn closed(query: &str) -> String {
    let is_odd = query.matches('"').count() % 2 == 1;
    let query = if is_odd { format!("{query}\"") } else { query.to_owned() };
    let mut depth = 0_i64;
    let is_matched = query.chars().all(|one| {
        depth += i64::from(one == '(') - i64::from(one == ')');
        depth >= 0
    });
    if is_matched && depth == 0 { query } else { query.replace(['(', ')'], " ") }
}

/// The filter's words and then the query as plain text, in which nothing is an operator.
pub(crate) fn as_plain_text(words: &[String], query: &str) -> String {
    joined(words, &plain_query(query))
}

fn joined(words: &[String], query: &str) -> String {
    let words = words.iter().map(String::as_str).chain([query]);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_cannot_leave_the_parentheses_around_them() {
        let words = ["site:docs.rs".to_owned()];
        let cases = [
            ("a OR (b c)", "site:docs.rs (a OR (b c))"),
            ("a) OR (b", "site:docs.rs (a  OR  b)"),
            ("a OR \"b", "site:docs.rs (a OR \"b\")"),
            ("a|b", "site:docs.rs (a|b)"),
            ("(a)OR(b)", "site:docs.rs ((a)OR(b))"),
            ("a b", "site:docs.rs a b"),
        ];
        for (query, expected) in cases {
            assert_eq!(with_operators(&words, query), expected);
        }
    }
}
