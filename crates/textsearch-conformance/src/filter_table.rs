//! Checks the table of filters in a README.

use std::collections::{BTreeMap, BTreeSet};

use textsearch_core::{FilterableField, filter::FilterOperator};

const HEADING: &str = "### Filters";

/// The operators of each field, as filters write them.
type Operators<'a> = BTreeMap<&'a str, BTreeSet<&'static str>>;

/// Compares the table below `### Filters` in a README with the fields that a connector declares.
///
/// The first column names one or several fields. The second one names their operators, as filters
/// write them: `` `=` ``. Other words in it are ignored.
///
/// ```
/// use textsearch_conformance::{assert_filter_table, core::FilterableField};
///
/// let readme = "### Filters\n\n| field | operators |\n|---|---|\n| `site` | `=`, with a domain |\n";
/// assert_filter_table(readme, &[FilterableField::string("site", "The site")]);
/// ```
///
/// # Panics
///
/// Panics if only the README or only the connector names a field, if their operators differ, or if two
/// rows name the same field.
#[track_caller]
pub fn assert_filter_table(readme: &str, fields: &[FilterableField]) {
    let complaints = complaints(readme, fields);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn complaints(readme: &str, fields: &[FilterableField]) -> Vec<String> {
    let (written, mut complaints) = read(readme);
    let declared: Operators<'_> = fields
        .iter()
        .map(|field| {
            (field.name.as_str(), field.operators.iter().map(|operator| text(*operator)).collect())
        })
        .collect();
    let names: BTreeSet<_> = written.keys().chain(declared.keys()).collect();
    complaints.extend(names.into_iter().filter_map(|name| {
        let [written, declared] = [&written, &declared].map(|operators| {
            let operators = operators.get(name)?.iter().copied();
            Some(operators.collect::<Vec<_>>().join(", "))
        });
        (written != declared).then(|| {
            let [written, declared] = [written, declared]
                .map(|operators| operators.unwrap_or_else(|| "no row".to_owned()));
            format!("the README has `{written}` for `{name}`; the connector declares `{declared}`")
        })
    }));
    complaints
}

/// Returns the rows, and a complaint about each field in several of them.
fn read(readme: &str) -> (Operators<'_>, Vec<String>) {
    let mut operators = Operators::new();
    let mut complaints = Vec::new();
    let lines = readme.lines().skip_while(|line| *line != HEADING).skip(1);
    for line in lines.take_while(|line| !line.starts_with('#')) {
        let mut cells = line.strip_prefix("| ").into_iter().flat_map(|row| row.split(" | "));
        let (Some(names), Some(text)) = (cells.next(), cells.next()) else { continue };
        let listed: BTreeSet<_> = codes(text).filter_map(operator).collect();
        for name in codes(names) {
            if operators.insert(name, listed.clone()).is_some() {
                complaints.push(format!("the README has several rows for `{name}`"));
            }
        }
    }
    (operators, complaints)
}

fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn operator(code: &str) -> Option<&'static str> {
    FilterOperator::ALL_COMPARISONS
        .iter()
        .map(|operator| text(*operator))
        .find(|text| *text == code)
}

fn text(operator: FilterOperator) -> &'static str {
    match operator {
        FilterOperator::Eq => "=",
        FilterOperator::Ne => "!=",
        FilterOperator::Lt => "<",
        FilterOperator::Le => "<=",
        FilterOperator::Gt => ">",
        FilterOperator::Ge => ">=",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# acme\n\n| `site` | `in` |\n\n### Filters\n\n| field | operators | sent as |\n\
        |---|---|---|\n| `site`, `host` | `=`, `!=` | `q` |\n\
        | `day` | `>=`, `<=`, a day; without `site` | `d` |\n\n## Limits\n\n| `other` | `=` |\n";

    fn fields() -> Vec<FilterableField> {
        use FilterOperator::{Eq, Ge, Le, Ne};
        let field = |name: &str| FilterableField::string(name, "A field");
        vec![
            field("site").with_operators([Ne, Eq]),
            field("host").with_operators([Eq, Ne]),
            field("day").with_operators([Ge, Le]),
        ]
    }

    #[test]
    fn a_table_matches_the_declared_fields() {
        assert_filter_table(README, &fields());
    }

    #[test]
    fn another_operator_or_field_is_named() {
        for (from, to, complaint) in [
            ("`!=`", "`in`", "the README has `=, in` for `host`; the connector declares `!=, =`"),
            ("`, `host", "", "the README has `no row` for `host`; the connector declares `!=, =`"),
            (
                "`host`",
                "`host`, `port`",
                "the README has `!=, =` for `port`; the connector declares `no row`",
            ),
            ("| `day`", "| `host`, `day`", "the README has several rows for `host`"),
        ] {
            let complaints = complaints(&README.replace(from, to), &fields());
            assert_eq!(complaints.first().map(String::as_str), Some(complaint));
        }
    }
}
