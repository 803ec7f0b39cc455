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

/// Returns a condition for documents whose `field` equals any of `values`, and its number
/// of clauses: one if possible.
pub(crate) fn any_text(field: &str, values: &[&str]) -> (String, usize) {
    let separator = SEPARATORS
        .into_iter()
        .find(|separator| !values.iter().any(|value| value.contains(*separator)));
    let (Some(separator), true) = (separator, values.len() > 1) else {
        let equal: Vec<String> =
            values.iter().map(|value| format!("{field} eq {}", text(value))).collect();
        let odata =
            if equal.len() == 1 { equal.concat() } else { format!("({})", equal.join(" or ")) };
        return (odata, equal.len());
    };
    let separator = separator.to_string();
    let list = text(&values.join(&separator));
    (format!("search.in({field}, {list}, {})", text(&separator)), 1)
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
        let single = |odata: &str| (odata.to_owned(), 1);
        assert_eq!(any_text("f", &["a"]), single("f eq 'a'"));
        assert_eq!(any_text("f", &["a", "b"]), single("search.in(f, 'a,b', ',')"));
        assert_eq!(any_text("f", &["a,b", "c'"]), single("search.in(f, 'a,b|c''', '|')"));
        let every: String = SEPARATORS.iter().collect();
        let equal = format!("(f eq '{every}' or f eq 'a')");
        assert_eq!(any_text("f", &[&every, "a"]), (equal, 2));
    }
}
