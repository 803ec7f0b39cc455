//! Builds query texts, with or without Brave's operators.

use textsearch_core::web::plain_query;

pub(crate) fn with_operators(words: &[String], query: &str) -> String {
    let query = query.trim();
    if words.is_empty() {
        return query.to_owned();
    }
    let mut tokens = query.split(|one: char| !one.is_alphanumeric());
    let has_alternatives = query.contains('|') || tokens.any(|token| token == "OR");
    if has_alternatives {
        // Without parentheses, the filter would apply to the first alternative only.
        format!("{} ({})", words.join(" "), closed(query))
    } else {
        joined(words, query)
    }
}

/// Makes a query safe to enclose in parentheses, whether or not Brave reads parentheses inside
/// quotes: closes an open quote and removes parentheses inside quotes, plus all others if they
/// don't match.
fn closed(query: &str) -> String {
    let (mut is_quoted, mut depth, mut is_matched) = (false, 0_i64, true);
    let mut closed = String::with_capacity(query.len() + 1);
    for one in query.chars() {
        is_quoted ^= one == '"';
        let is_parenthesis = matches!(one, '(' | ')');
        if is_parenthesis && !is_quoted {
            depth += if one == '(' { 1 } else { -1 };
            is_matched &= depth >= 0;
        }
        closed.push(if is_parenthesis && is_quoted { ' ' } else { one });
    }
    if is_quoted {
        closed.push('"');
    }
    if is_matched && depth == 0 { closed } else { closed.replace(['(', ')'], " ") }
}

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
    fn alternatives_stay_inside_their_parentheses() {
        let words = ["site:docs.rs".to_owned()];
        let cases = [
            ("a OR (b c)", "site:docs.rs (a OR (b c))"),
            ("a) OR (b", "site:docs.rs (a  OR  b)"),
            ("a OR \"b", "site:docs.rs (a OR \"b\")"),
            ("a|b", "site:docs.rs (a|b)"),
            ("\"(\" ) OR b", "site:docs.rs (\" \"   OR b)"),
            ("\"(\" OR b \")\"", "site:docs.rs (\" \" OR b \" \")"),
            ("(a)OR(b)", "site:docs.rs ((a)OR(b))"),
            ("a b", "site:docs.rs a b"),
        ];
        for (query, expected) in cases {
            assert_eq!(with_operators(&words, query), expected);
        }
    }
}
