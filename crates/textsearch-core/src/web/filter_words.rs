//! Filters as operators in a query.

use super::{Condition, Sites, query::is_quote, term, valid};
use crate::Result;

/// The words that a filter adds to a query, for engines with operators such as `filetype:pdf`.
///
/// ```
/// use textsearch_core::{Filter, FilterableField, filter::FilterOperator::{Eq, In}, web::{Conditions, FilterWords}};
///
/// let kind = FilterableField::string("kind", "The kind").with_operators([Eq, In]);
/// let filter = Filter::is_in("kind", ["pdf", "doc"]);
/// let mut words = FilterWords::default();
/// for condition in Conditions::of("example", &filter, &[kind])?.all {
///     words.narrow("filetype", &condition, |_, value| Ok(value.to_lowercase()))?;
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
    /// Each value becomes one [`term`].
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for a value without letters and digits.
    pub fn add(
        &mut self,
        connector: &str,
        operator: &'static str,
        condition: &Condition,
    ) -> Result<()> {
        let terms = condition.values.iter().map(|value| {
            let term = term(value, &[]);
            let allowed = "text with letters or digits";
            valid(connector, &condition.field, value, term.is_some(), allowed)?;
            Ok(term.unwrap_or_default())
        });
        let values: Vec<String> = terms.collect::<Result<_>>()?;
        if condition.negated {
            self.exclude(operator, &values);
        } else {
            self.others.push(any_of(operator, &values));
        }
        Ok(())
    }

    /// As [`add`](Self::add), for a property with one value per record, such as its language: drops
    /// values that an earlier condition excludes. `spelled` checks a value of the field, and writes it
    /// as one term in the engine's spelling.
    ///
    /// # Errors
    /// Errors of `spelled`.
    pub fn narrow(
        &mut self,
        operator: &'static str,
        condition: &Condition,
        spelled: impl Fn(&str, &str) -> Result<String>,
    ) -> Result<()> {
        let values = condition.values.iter().map(|value| spelled(&condition.field, value));
        let values: Vec<String> = values.collect::<Result<_>>()?;
        if condition.negated {
            self.exclude(operator, &values);
            return Ok(());
        }
        match self.exclusive.iter_mut().find(|(known, _)| *known == operator) {
            Some((_, known)) => known.retain(|value| values.contains(value)),
            None => self.exclusive.push((operator, values)),
        }
        Ok(())
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

    /// Puts the words before a query, as [`words_before`].
    ///
    /// ```
    /// use textsearch_core::web::{FilterWords, Site, Sites};
    ///
    /// let mut words = FilterWords::default();
    /// words.add_sites("site", &Sites::new(vec![Site::domain("example", "site", "docs.rs")?], vec![]));
    /// assert_eq!(words.with_query("rust OR go"), "site:docs.rs (rust OR go)");
    /// # Ok::<(), textsearch_core::Error>(())
    /// ```
    pub fn with_query(&self, query: &str) -> String {
        let exclusive = self.exclusive.iter().map(|(operator, values)| any_of(operator, values));
        let words: Vec<String> = exclusive.chain(self.others.iter().cloned()).collect();
        words_before(&words.join(" "), query)
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

/// Puts words of a filter before a query. A query with alternatives (`OR` or `|`) goes into
/// parentheses, which it can't leave: otherwise the words would apply to the first alternative only.
///
/// ```
/// use textsearch_core::web::words_before;
///
/// assert_eq!(words_before("site:docs.rs", "rust OR go"), "site:docs.rs (rust OR go)");
/// assert_eq!(words_before("site:docs.rs", "rust) OR (go"), "site:docs.rs (rust  OR  go)");
/// assert_eq!(words_before("site:docs.rs", "a OR b）OR（c"), "site:docs.rs (a OR b OR c)");
/// assert_eq!(words_before("site:docs.rs", "“\" OR \"” a"), "site:docs.rs (“\" OR \"” a)");
/// ```
pub fn words_before(words: &str, query: &str) -> String {
    match query.trim() {
        query if words.is_empty() => query.to_owned(),
        "" => words.to_owned(),
        query if has_alternatives(query) => format!("{words} ({})", closed(query)),
        query => format!("{words} {query}"),
    }
}

/// Quoted text counts only if an engine may read it as unquoted, for want of a closing quote or because
/// of other characters that it takes for quotes.
fn has_alternatives(query: &str) -> bool {
    let is_closed = query.matches('"').count().is_multiple_of(2)
        && !query.contains(|c| c != '"' && is_quote(c));
    let parts = query.split('"').step_by(if is_closed { 2 } else { 1 });
    parts.into_iter().any(|part| {
        let mut tokens = part.split(|c: char| !c.is_alphanumeric());
        part.contains('|') || tokens.any(|token| token == "OR")
    })
}

/// Makes a query safe to enclose in parentheses, whether or not the engine reads parentheses inside
/// quotes: closes an open quote and removes parentheses inside quotes, plus all others if they
/// don't match.
fn closed(query: &str) -> String {
    let mut is_quoted = false;
    let mut depth = 0_i64;
    let mut is_matched = true;
    let mut closed = String::with_capacity(query.len() + 1);
    // An engine may read full-width parentheses as the others.
    for character in query.chars().map(|c| if matches!(c, '（' | '）') { ' ' } else { c }) {
        is_quoted ^= character == '"';
        let is_parenthesis = matches!(character, '(' | ')');
        if is_parenthesis && !is_quoted {
            depth += if character == '(' { 1 } else { -1 };
            is_matched &= depth >= 0;
        }
        closed.push(if is_parenthesis && is_quoted { ' ' } else { character });
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
                    "kind" => words.narrow("filetype", &condition, |_, kind| Ok(kind.to_owned())),
                    _ => words.add("example", "intitle", &condition),
                }
                .unwrap();
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
            ("a \"OR\" b", "filetype:pdf a \"OR\" b"),
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
