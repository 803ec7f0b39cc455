//! Values in [OData](https://learn.microsoft.com/azure/search/query-odata-filter-orderby-syntax).

/// Quotes end a text unless they are doubled. No other character has a meaning in it.
pub(super) fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// `value` is finite.
pub(super) fn float(value: f64) -> String {
    // Adding 0 makes -0 positive, as in the index. `Debug` always writes a point or an exponent.
    format!("{:?}", value + 0.0)
}

/// Returns a condition for documents whose `field` equals any of `values`: one clause if possible.
pub(crate) fn any_text(field: &str, values: &[&str]) -> String {
    let separator =
        SEPARATORS.into_iter().find(|one| !values.iter().any(|value| value.contains(*one)));
    let (Some(separator), true) = (separator, values.len() > 1) else {
        let equal: Vec<String> =
            values.iter().map(|value| format!("{field} eq {}", text(value))).collect();
        return if equal.len() == 1 { equal.concat() } else { format!("({})", equal.join(" or ")) };
    };
    let separator = separator.to_string();
    format!("search.in({field}, {}, {})", text(&values.join(&separator)), text(&separator))
}

const SEPARATORS: [char; 5] = [',', '|', ';', '\u{1f}', '\u{1e}'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(text("a' or '1' eq '1"), "'a'' or ''1'' eq ''1'");
        assert_eq!(text("'"), "''''");
        assert_eq!(text("\\' -- \n\u{0}日本"), "'\\'' -- \n\u{0}日本'");
    }

    #[test]
    fn floats_are_never_written_as_integers() {
        let cases = [(1.0, "1.0"), (-0.0, "0.0"), (1e300, "1e300"), (-2.5e-7, "-2.5e-7")];
        for (value, expected) in cases {
            assert_eq!(float(value), expected);
        }
    }

    #[test]
    fn lists_use_a_separator_that_no_value_holds() {
        assert_eq!(any_text("f", &["a"]), "f eq 'a'");
        assert_eq!(any_text("f", &["a", "b"]), "search.in(f, 'a,b', ',')");
        assert_eq!(any_text("f", &["a,b", "c'"]), "search.in(f, 'a,b|c''', '|')");
        let every: String = SEPARATORS.iter().collect();
        let equal = format!("(f eq '{every}' or f eq 'a')");
        assert_eq!(any_text("f", &[&every, "a"]), equal);
    }
}
