//! The part of a filter that the server checks, as an expression.
//!
//! The client checks each record again. So a condition may let too many records through, but never
//! too few.

use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue, FloatBound, IntegerBound, PushDown, Pushed, any_equal},
    vector::{DataKind, KeyKind},
};

use crate::{
    columns::{Columns, signed},
    literal,
};

/// Each value costs the server time.
const MAX_VALUES: usize = 10_000;

/// Each condition costs the server time, too; a list is one.
const MAX_CONDITIONS: usize = 256;

/// Every page of a scan sends the expression again.
const MAX_BYTES: usize = 1 << 20;

/// The server's parsers recurse.
const DEEPEST: usize = 12;

/// The records that a filter may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Candidates {
    None,
    All,
    /// An expression.
    Those(String),
}

/// Candidates, and whether all of them match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) candidates: Candidates,
    pub(crate) is_exact: bool,
}

impl Condition {
    pub(crate) fn new(filter: Option<&Filter>, columns: &Columns) -> Self {
        let Some(filter) = filter else {
            return Self { candidates: Candidates::All, is_exact: true };
        };
        let pushed = filter.push_down(&Expressions(columns));
        let mut is_exact = pushed.is_exact();
        let candidates = match pushed {
            Pushed::Never => Candidates::None,
            Pushed::Always | Pushed::Unknown => Candidates::All,
            Pushed::Exact(expression) | Pushed::Superset(expression) => {
                if expression.is_small() {
                    Candidates::Those(expression.is)
                } else {
                    is_exact = false;
                    Candidates::All
                }
            }
        };
        Self { candidates, is_exact }
    }

    /// Returns the expression, which is empty for all records.
    pub(crate) fn expression(&self) -> &str {
        match &self.candidates {
            Candidates::Those(expression) => expression,
            Candidates::None | Candidates::All => "",
        }
    }
}

/// Returns an expression for records that both expressions select. An empty one selects all.
pub(crate) fn both(first: &str, second: &str) -> String {
    match (first, second) {
        ("", only) | (only, "") => only.to_owned(),
        _ => format!("({first}) and ({second})"),
    }
}

/// A condition and its opposite. A comparison with null is neither true nor false, so that `not`
/// alone isn't the opposite.
#[derive(Debug)]
struct Expression {
    is: String,
    is_not: String,
    depth: usize,
    values: usize,
    conditions: usize,
}

impl Expression {
    /// `column` is null in records that lack the field.
    fn new(column: &str, is: String) -> Self {
        let is_not = format!("(not ({is}) or {column} is null)");
        Self { is, is_not, depth: 1, values: 1, conditions: 1 }
    }

    fn is_set(column: &str) -> Self {
        let is = format!("{column} is not null");
        let is_not = format!("{column} is null");
        Self { is, is_not, depth: 1, values: 1, conditions: 1 }
    }

    fn joined(parts: Vec<Self>, is: &str, is_not: &str) -> Self {
        let join = |word: &str, text: fn(&Self) -> &str| {
            let texts: Vec<&str> = parts.iter().map(text).collect();
            format!("({})", texts.join(word))
        };
        Self {
            is: join(is, |part| &part.is),
            is_not: join(is_not, |part| &part.is_not),
            depth: parts.iter().map(|part| part.depth).max().unwrap_or_default() + 1,
            values: parts.iter().map(|part| part.values).sum(),
            conditions: parts.iter().map(|part| part.conditions).sum(),
        }
    }

    /// Returns whether the server should check it.
    fn is_small(&self) -> bool {
        self.depth <= DEEPEST
            && self.values <= MAX_VALUES
            && self.conditions <= MAX_CONDITIONS
            && self.is.len() <= MAX_BYTES
    }
}

struct Expressions<'a>(&'a Columns);

enum Target<'a> {
    TextKey(&'a str),
    IntegerKey(&'a str),
    Column(&'a str, DataKind),
    Unknown,
}

impl Expressions<'_> {
    fn target(&self, field: &str) -> Target<'_> {
        let Self(columns) = self;
        if let Some(data) = columns.data(field) {
            return Target::Column(&data.column, data.kind);
        }
        match columns.key_kind {
            _ if crate::names::encode(field) != columns.key => Target::Unknown,
            KeyKind::Integer => Target::IntegerKey(&columns.key),
            _ => Target::TextKey(&columns.key),
        }
    }
}

impl PushDown for Expressions<'_> {
    type Condition = Expression;

    fn compare(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<Expression> {
        match (self.target(field), value) {
            (Target::Unknown, _) | (_, FilterValue::DateTime(_)) => Pushed::Unknown,
            (Target::TextKey(column) | Target::Column(column, DataKind::String), value) => {
                compare_texts(column, operator, value)
            }
            // The upper half of the keys is negative on the server.
            (Target::IntegerKey(column), value) => match (operator, key(value)) {
                (Comparison::Eq, Some(key)) => exactly(column, format!("{column} == {key}")),
                _ => Pushed::Unknown,
            },
            (Target::Column(column, DataKind::Integer), value) => {
                compare_integers(column, operator, value)
            }
            (Target::Column(column, DataKind::Number), value) => {
                compare_floats(column, operator, value)
            }
            (Target::Column(column, DataKind::Boolean), FilterValue::Bool(value)) => match operator
            {
                Comparison::Eq => exactly(column, format!("{column} == {value}")),
                _ => Pushed::Never,
            },
            (Target::Column(column, DataKind::Strings), value) => match (operator, value) {
                (Comparison::Contains, FilterValue::String(text)) => {
                    exactly(column, format!("array_contains({column}, {})", literal::text(text)))
                }
                (_, FilterValue::List(_)) => Pushed::Unknown,
                _ => Pushed::Never,
            },
            (Target::Column(_, DataKind::Boolean), _) => Pushed::Never,
            (Target::Column(..), _) => Pushed::Unknown,
        }
    }

    fn exists(&self, field: &str) -> Pushed<Expression> {
        match self.target(field) {
            Target::TextKey(_) | Target::IntegerKey(_) => Pushed::Always,
            Target::Column(column, _) => Pushed::Exact(Expression::is_set(column)),
            Target::Unknown => Pushed::Unknown,
        }
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<Expression> {
        let (column, literals): (&str, Option<Vec<String>>) = match self.target(field) {
            Target::TextKey(column) | Target::Column(column, DataKind::String) => {
                let texts = values.iter().filter_map(|value| match value {
                    FilterValue::String(text) => Some(Some(literal::text(text))),
                    FilterValue::DateTime(_) => Some(None),
                    _ => None,
                });
                (column, texts.collect())
            }
            Target::IntegerKey(column) => {
                let keys = values.iter().map(|value| Some(key(value)?.to_string()));
                (column, keys.collect())
            }
            Target::Column(column, DataKind::Integer) => {
                let whole = values.iter().filter_map(|value| {
                    match IntegerBound::new(Comparison::Eq, value) {
                        IntegerBound::Equal(number) => Some(number),
                        _ => None,
                    }
                });
                // The smallest integer can't be written in a list.
                let literal = |number: i64| (number != i64::MIN).then(|| number.to_string());
                (column, whole.map(literal).collect())
            }
            _ => return any_equal(self, field, values),
        };
        match literals {
            None => Pushed::Unknown,
            Some(literals) if literals.is_empty() => Pushed::Never,
            Some(literals) => {
                let values = literals.len();
                let expression =
                    Expression::new(column, format!("{column} in {}", literal::list(literals)));
                Pushed::Exact(Expression { values, ..expression })
            }
        }
    }

    fn all(&self, conditions: Vec<Expression>) -> Expression {
        Expression::joined(conditions, " and ", " or ")
    }

    fn any(&self, conditions: Vec<Expression>) -> Expression {
        Expression::joined(conditions, " or ", " and ")
    }

    fn not(&self, condition: Expression) -> Expression {
        let Expression { is, is_not, depth, .. } = condition;
        Expression { is: is_not, is_not: is, depth: depth + 1, ..condition }
    }
}

fn exactly(column: &str, is: String) -> Pushed<Expression> {
    Pushed::Exact(Expression::new(column, is))
}

fn sign(operator: Comparison) -> Option<&'static str> {
    match operator {
        Comparison::Eq => Some("=="),
        Comparison::Lt => Some("<"),
        Comparison::Le => Some("<="),
        Comparison::Gt => Some(">"),
        Comparison::Ge => Some(">="),
        _ => None,
    }
}

fn compare_texts(column: &str, operator: Comparison, value: &FilterValue) -> Pushed<Expression> {
    let FilterValue::String(text) = value else { return Pushed::Never };
    let (pattern, is_exact) = match operator {
        Comparison::Contains | Comparison::StartsWith if text.is_empty() => {
            return Pushed::Exact(Expression::is_set(column));
        }
        Comparison::Contains => literal::pattern("%", text, "%"),
        Comparison::StartsWith => literal::pattern("", text, "%"),
        other => {
            let Some(sign) = sign(other) else { return Pushed::Unknown };
            return exactly(column, format!("{column} {sign} {}", literal::text(text)));
        }
    };
    let expression = Expression::new(column, format!("{column} like {pattern}"));
    if is_exact { Pushed::Exact(expression) } else { Pushed::Superset(expression) }
}

/// Returns the number of an integer key on the server.
fn key(value: &FilterValue) -> Option<i64> {
    let number = match value {
        FilterValue::Integer(value) => u64::try_from(*value).ok(),
        // The cast of a number of more than 64 bits saturates.
        FilterValue::Float(value) => {
            Some(*value as u64).filter(|number| *number as f64 == *value && *number < u64::MAX)
        }
        _ => None,
    };
    number.map(signed)
}

fn compare_integers(column: &str, operator: Comparison, value: &FilterValue) -> Pushed<Expression> {
    let (sign, number) = match IntegerBound::new(operator, value) {
        IntegerBound::Never => return Pushed::Never,
        IntegerBound::Any => return Pushed::Exact(Expression::is_set(column)),
        IntegerBound::Equal(number) => ("==", number),
        IntegerBound::AtMost(number) => ("<=", number),
        IntegerBound::AtLeast(number) => (">=", number),
    };
    exactly(column, format!("{column} {sign} {}", integer(number)))
}

/// The sign isn't part of a number, and the smallest one without it has 65 bits.
fn integer(number: i64) -> String {
    if number == i64::MIN { format!("({} - 1)", number + 1) } else { number.to_string() }
}

fn compare_floats(column: &str, operator: Comparison, value: &FilterValue) -> Pushed<Expression> {
    let Some(bound) = FloatBound::new(operator, value) else { return Pushed::Never };
    let Some(sign) = sign(bound.operator) else { return Pushed::Never };
    let number = literal::float(bound.value);
    bound.pushed(Expression::new(column, format!("{column} {sign} {number}")))
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, RecordDefinition};

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::number("size").filterable())
            .with_data(DataField::boolean("open").filterable())
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::date_time("changed").filterable())
    }

    fn condition(filter: &str) -> Condition {
        Condition::new(Some(&filter.parse().unwrap()), &Columns::new(&definition()))
    }

    fn check(filter: &str, expected: &str, is_exact: bool) {
        let condition = condition(filter);
        assert_eq!((condition.expression(), condition.is_exact), (expected, is_exact), "{filter}");
    }

    #[test]
    fn comparisons_become_expressions() {
        check(
            r#"title = "a\" or \"" and year >= 2020"#,
            r#"(title == "a\" or \"" and year >= 2020)"#,
            true,
        );
        check(
            r#"title contains "b" or open = true"#,
            r#"(title like "%b%" or open == true)"#,
            true,
        );
        check(r#"tags contains "x\"""#, r#"array_contains(tags, "x\"")"#, true);
        check("size > 1", "size > 1.0", true);
        check("title exists", "title is not null", true);
        check(r#"title in ["a", 1, "b"]"#, r#"title in ["a", "b"]"#, true);
        check("year in [1, 2.0, 2.5]", "year in [1, 2]", true);
        check(r#"id starts_with "a""#, r#"id like "a%""#, true);
    }

    #[test]
    fn opposites_hold_for_records_without_the_field() {
        check("year != 1", "(not (year == 1) or year is null)", true);
        check(
            r#"not (year < 1 or tags contains "x")"#,
            r#"((not (year <= 0) or year is null) and (not (array_contains(tags, "x")) or tags is null))"#,
            true,
        );
        check("not (title exists)", "title is null", true);
    }

    #[test]
    fn integers_compare_exactly_with_any_number() {
        check("year < 2020.5", "year <= 2020", true);
        check("year >= 2020.5", "year >= 2021", true);
        check("year >= -9223372036854775808", "year >= (-9223372036854775807 - 1)", true);
        check("year <= 1e300", "year is not null", true);
        assert_eq!(condition("year = 2020.5").candidates, Candidates::None);
        assert_eq!(condition("year > 1e300").candidates, Candidates::None);
        assert_eq!(condition(r#"year = "2020""#).candidates, Candidates::None);
    }

    #[test]
    fn rounded_numbers_and_wildcards_let_too_many_through() {
        check("size < 9007199254740993", "size <= 9007199254740992.0", false);
        check(r#"title contains "50%""#, r#"title like "%50_%""#, false);
        check(
            r#"title != "a" and title starts_with "a_""#,
            r#"((not (title == "a") or title is null) and title like "a_%")"#,
            false,
        );
    }

    #[test]
    fn unknown_parts_are_left_out() {
        check(r#"changed > date "2024-01-01T00:00:00Z" and year = 1"#, "year == 1", false);
        check(r#"changed > date "2024-01-01T00:00:00Z" or year = 1"#, "", false);
        check(r#"not (title contains "%")"#, "", false);
    }

    #[test]
    fn long_and_deep_filters_are_checked_here() {
        let list: Vec<String> = (0..=MAX_VALUES).map(|number| number.to_string()).collect();
        check(&format!("year in [{}]", list.join(", ")), "", false);
        let deep = (0..DEEPEST).fold("year = 1".to_owned(), |inner, level| {
            let word = if level % 2 == 0 { "and" } else { "or" };
            format!("({inner} {word} open = true)")
        });
        check(&deep, "", false);
    }

    fn written(filter: &Filter) -> (usize, bool) {
        let condition = Condition::new(Some(filter), &Columns::new(&definition()));
        (condition.expression().len(), condition.is_exact)
    }

    #[test]
    fn expressions_beyond_a_mebibyte_are_checked_here() {
        let around = r#"title == """#.len();
        let titled = |length: usize| Filter::eq("title", "a".repeat(length - around));
        assert_eq!(written(&titled(MAX_BYTES)), (MAX_BYTES, true));
        assert_eq!(written(&titled(MAX_BYTES + 1)), (0, false));
        let texts: Vec<String> = (0..20).map(|digit| digit.to_string().repeat(60_000)).collect();
        assert_eq!(written(&Filter::is_in("title", texts)), (0, false));
    }

    #[test]
    fn many_conditions_side_by_side_are_checked_here() {
        let exists = Filter::Exists { field: "title".to_owned() };
        for part in [exists, Filter::eq("open", true), Filter::is_in("year", [1, 2])] {
            let repeated = |count| written(&Filter::Or(vec![part.clone(); count]));
            let (length, is_exact) = repeated(MAX_CONDITIONS);
            assert!(length > 0 && is_exact, "{part}");
            assert_eq!(repeated(MAX_CONDITIONS + 1), (0, false), "{part}");
        }
    }

    #[test]
    fn integer_keys_compare_by_their_number_on_the_server() {
        let definition = definition().with_key_kind(KeyKind::Integer);
        let written = |filter: Filter| {
            let condition = Condition::new(Some(&filter), &Columns::new(&definition));
            (condition.expression().to_owned(), condition.is_exact)
        };
        assert_eq!(written(Filter::eq("id", 7)), ("id == 7".to_owned(), true));
        assert_eq!(
            written(Filter::eq("id", 1.844_674_407_370_955e19)),
            ("id == -2048".to_owned(), true)
        );
        assert_eq!(written(Filter::ge("id", 7)), (String::new(), false));
        assert_eq!(written(Filter::is_in("id", [1, 2])), ("id in [1, 2]".to_owned(), true));
    }
}
