//! Filters as operators in a query.

use super::{Condition, Sites};

/// The words that a filter adds to a query, for engines with operators such as `filetype:pdf`.
///
/// Values must be single terms, as [`term`](super::term) and [`Site`](super::Site) write them.
///
/// ```
/// use textsearch_core::{Filter, FilterableField, filter::FilterOperator::{Eq, In}, web::{Conditions, FilterWords}};
///
/// let kind = FilterableField::string("kind", "The kind").with_operators([Eq, In]);
/// let filter = Filter::is_in("kind", ["pdf", "doc"]);
/// let mut words = FilterWords::default();
/// for condition in Conditions::of("example", &filter, &[kind])?.all {
///     words.narrow("filetype", &condition, condition.values.clone());
/// }
/// assert_eq!(words.with_query("rust"), "(filetype:pdf OR filetype:doc) rust");
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterWords {
    /// Operators whose values exclude each other.
    exclusive: Vec<(&'static str, Vec<String>)>,
    others: Vec<String>,
}

impl FilterWords {
    /// Adds a condition on a property with several values per record, such as the words of a title.
    /// `values` are the condition's values in the engine's spelling.
    pub fn add(&mut self, operator: &'static str, condition: &Condition, values: &[String]) {
        match condition.is_negated {
            true => self.exclude(operator, values),
            false => self.others.push(any_of(operator, values)),
        }
    }

    /// As [`add`](Self::add), for a property with one value per record, such as its language: drops
    /// values that an earlier condition excludes.
    pub fn narrow(&mut self, operator: &'static str, condition: &Condition, values: Vec<String>) {
        if condition.is_negated {
            return self.exclude(operator, &values);
        }
        match self.exclusive.iter_mut().find(|(known, _)| *known == operator) {
            Some((_, known)) => known.retain(|value| values.contains(value)),
            None => self.exclusive.push((operator, values)),
        }
    }

    /// Adds the sites to search and to leave out.
    pub fn add_sites(&mut self, operator: &'static str, sites: &Sites) {
        let names =
            |sites: &[super::Site]| sites.iter().map(ToString::to_string).collect::<Vec<_>>();
        if let Some(included) = &sites.included {
            self.exclusive.push((operator, names(included)));
        }
        self.exclude(operator, &names(&sites.excluded));
    }

    /// Returns whether an operator has no value left, so that nothing can match.
    pub fn are_never_met(&self) -> bool {
        self.exclusive.iter().any(|(_, values)| values.is_empty())
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.exclusive.is_empty() && self.others.is_empty()
    }

    /// Puts the words before a query. A query with alternatives (`OR` or `|`) goes into parentheses,
    /// which it can't leave: otherwise the words would apply to the first alternative only.
    ///
    /// ```
    /// use textsearch_core::web::{FilterWords, Site, Sites};
    ///
    /// let mut words = FilterWords::default();
    /// words.add_sites("site", &Sites::new(vec![Site::domain("example", "site", "docs.rs")?], vec![]));
    /// assert_eq!(words.with_query("rust OR go"), "site:docs.rs (rust OR go)");
    /// assert_eq!(words.with_query("rust) OR (go"), "site:docs.rs (rust  OR  go)");
    /// # Ok::<(), textsearch_core::Error>(())
    /// ```
    pub fn with_query(&self, query: &str) -> String {
        let query = query.trim();
        let exclusive = self.exclusive.iter().map(|(operator, values)| any_of(operator, values));
        let mut words: Vec<String> = exclusive.chain(self.others.iter().cloned()).collect();
        if !words.is_empty() && has_alternatives(query) {
            words.push(format!("({})", closed(query)));
        } else if !query.is_empty() {
            words.push(query.to_owned());
        }
        words.join(" ")
    }

    fn exclude(&mut self, operator: &str, values: &[String]) {
        self.others.extend(values.iter().map(|value| format!("-{operator}:{value}")));
    }
}

fn any_of(operator: &str, values: &[String]) -> String {
    let words: Vec<String> = values.iter().map(|value| format!("{operator}:{value}")).collect();
    match words.as_slice() {
        [word] => word.clone(),
        _ => format!("({})", words.join(" OR ")),
    }
}

fn has_alternatives(query: &str) -> bool {
    let mut tokens = query.split(|one: char| !one.is_alphanumeric());
    query.contains('|') || tokens.any(|token| token == "OR")
}

/// Makes a query safe to enclose in parentheses, whether or not the engine reads parentheses inside
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Filter, FilterableField,
        filter::FilterOperator::{Eq, In, Ne},
        web::{Conditions, Site},
    };

    fn words(filters: &[Filter]) -> FilterWords {
        let field = |name| FilterableField::string(name, name).with_operators([Eq, In, Ne]);
        let fields = [field("kind"), field("title")];
        let mut words = FilterWords::default();
        for filter in filters {
            for condition in Conditions::of("example", filter, &fields).unwrap().all {
                match condition.field.as_str() {
                    "kind" => words.narrow("filetype", &condition, condition.values.clone()),
                    _ => words.add("intitle", &condition, &condition.values),
                }
            }
        }
        words
    }

    #[test]
    fn alternatives_stay_inside_their_parentheses() {
        let words = words(&[Filter::eq("kind", "pdf")]);
        let cases = [
            ("a OR (b c)", "filetype:pdf (a OR (b c))"),
            ("a) OR (b", "filetype:pdf (a  OR  b)"),
            ("a OR \"b", "filetype:pdf (a OR \"b\")"),
            ("a|b", "filetype:pdf (a|b)"),
            ("\"(\" ) OR b", "filetype:pdf (\" \"   OR b)"),
            ("\"(\" OR b \")\"", "filetype:pdf (\" \" OR b \" \")"),
            ("(a)OR(b)", "filetype:pdf ((a)OR(b))"),
            (" a b ", "filetype:pdf a b"),
            ("", "filetype:pdf"),
        ];
        for (query, expected) in cases {
            assert_eq!(words.with_query(query), expected);
        }
        assert_eq!(FilterWords::default().with_query("a) OR (b"), "a) OR (b");
    }

    #[test]
    fn one_value_of_an_exclusive_operator_is_left() {
        let either = Filter::is_in("kind", ["pdf", "doc"]);
        let words_of = |other| words(&[either.clone(), other]);
        assert_eq!(words_of(Filter::eq("kind", "doc")).with_query("x"), "filetype:doc x");
        assert!(words_of(Filter::eq("kind", "txt")).are_never_met());
        let without = words_of(Filter::ne("kind", "txt"));
        assert_eq!(without.with_query("x"), "(filetype:pdf OR filetype:doc) -filetype:txt x");
        assert!(!without.are_never_met() && !without.is_empty());
    }

    #[test]
    fn values_of_other_operators_add_up() {
        let both = words(&[Filter::eq("title", "a"), Filter::is_in("title", ["b", "c"])]);
        assert_eq!(both.with_query("x"), "intitle:a (intitle:b OR intitle:c) x");
    }

    #[test]
    fn sites_are_included_and_excluded() {
        let site = |name| vec![Site::domain("example", "site", name).unwrap()];
        let mut words = FilterWords::default();
        words.add_sites("site", &Sites::new(site("docs.rs"), site("old.docs.rs")));
        assert_eq!(words.with_query("x"), "site:docs.rs -site:old.docs.rs x");
        words.add_sites("site", &Sites { included: Some(Vec::new()), ..Sites::default() });
        assert!(words.are_never_met());
    }
}
