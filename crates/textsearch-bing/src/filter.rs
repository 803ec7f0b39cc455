//! Translates a filter into Bing's advanced operators and request parameters.
//!
//! Operators are words in the query; see the
//! [list](https://support.microsoft.com/topic/b92e25f1-0085-4271-bdf9-14aaea720930).

use std::{cell::RefCell, collections::BTreeMap, net::IpAddr};

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::{Comparison, FilterOperator, FilterValue, PushDown, Pushed},
    web::{Site, is_address, without_quotes},
};

use crate::{CONNECTOR, parameters};

/// Bing reads only the first ten terms of a query and would ignore further conditions.
const MAX_CONDITIONS: usize = 10;

/// Changes only the ranking, so it can't be negated.
const PREFER: &str = "prefer";

const WORDS: &[(&str, &str)] = &[
    ("site", "Only pages of this domain and its subdomains, such as docs.rs"),
    ("intitle", "Only pages with these words in their title"),
    ("inbody", "Only pages with these words in their body"),
    ("inanchor", "Only pages with these words in the anchor of a link"),
    ("url", "Only the page with this address"),
    ("domain", "Only pages of this domain and its subdomains"),
    ("ip", "Only pages of sites at this IP address"),
    ("language", "Only pages in this language, such as en"),
    ("loc", "Only pages from this country or region, such as GB"),
    ("location", "Only pages from this country or region, such as GB"),
    ("filetype", "Only documents of this type, such as pdf"),
    ("ext", "Only documents with this file name extension, such as docx"),
    ("contains", "Only pages that link to files of this type, such as mp3"),
    ("feed", "Only RSS or Atom feeds about these words"),
    ("hasfeed", "Only pages that link to a feed about these words"),
    (PREFER, "Ranks pages with these words higher; it leaves none out"),
];

/// Words whose value is a phrase.
const PHRASES: &[&str] = &["intitle", "inbody", "inanchor", "feed", "hasfeed", PREFER];

const PARAMETERS: &[(&str, &str)] = &[
    ("mkt", "The market that results come from, such as en-US"),
    ("safeSearch", "How adult content is treated: Off, Moderate or Strict"),
    ("freshness", "The age of results: Day, Week or Month"),
    ("sortBy", "The order of news: Date or Relevance"),
    ("since", "Only news discovered after so many seconds since 1970"),
];

const OFFERED: &[&str] = &["site", "intitle", "language", "filetype", "freshness", "sortBy"];

pub(crate) fn fields(is_news: bool) -> Vec<FilterableField> {
    let parameters = PARAMETERS.iter().filter(|(name, _)| parameters::belongs(name, is_news));
    let field = |(name, about): &(&str, &str)| {
        FilterableField::string(*name, *about)
            .with_operators(operators(name))
            .offered_to_model(OFFERED.contains(name))
    };
    WORDS.iter().chain(parameters).map(field).collect()
}

fn word(field: &str) -> Option<&'static str> {
    WORDS.iter().map(|(name, _)| *name).find(|name| *name == field)
}

fn operators(field: &str) -> &'static [FilterOperator] {
    use FilterOperator::{Contains, Eq, In, Ne};
    match word(field) {
        None | Some(PREFER) => &[Eq],
        // Bing matches the words anywhere in the field.
        Some(word) if PHRASES.contains(&word) => &[Contains],
        Some(_) => &[Eq, Ne, In],
    }
}

/// A filter in Bing's terms.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) words: String,
    pub(crate) parameters: BTreeMap<String, String>,
}

/// `None`: nothing can match.
pub(crate) fn translate(filter: &Filter, is_news: bool) -> Result<Option<Translation>> {
    filter.check(CONNECTOR, &fields(is_news))?;
    let bing = Bing { is_news, refusal: RefCell::default() };
    let pushed = filter.push_down(&bing);
    if let Some(error) = bing.refusal.into_inner() {
        return Err(error);
    }
    // Without a refusal, all of the filter is in the terms.
    let parts = match pushed {
        Pushed::Never => return Ok(None),
        Pushed::Exact(Term::All(parts)) => parts,
        pushed => pushed.into_condition().into_iter().collect(),
    };
    let (mut parameters, mut words) = (BTreeMap::new(), Vec::new());
    for part in parts {
        let Term::Parameter { name, value } = part else {
            words.push(part);
            continue;
        };
        let earlier = parameters.insert(name.clone(), value.clone());
        // A parameter takes one value only.
        if earlier.is_some_and(|earlier| earlier != value) {
            return Err(unsupported(&name, FilterOperator::And));
        }
    }
    let count = words.iter().map(Term::count).sum::<usize>();
    if count > MAX_CONDITIONS {
        let allowed = format!("at most {MAX_CONDITIONS} conditions");
        return Err(Error::invalid_options(CONNECTOR, "filter", count, allowed));
    }
    Ok(Some(Translation { words: joined(&words, " "), parameters }))
}

/// Builds terms. Keeps the first error.
struct Bing {
    is_news: bool,
    refusal: RefCell<Option<Error>>,
}

enum Term {
    Word { field: &'static str, text: String, is_negated: bool },
    Parameter { name: String, value: String },
    All(Vec<Term>),
    Any(Vec<Term>),
}

impl PushDown for Bing {
    type Condition = Term;

    fn compare(&self, field: &str, _: Comparison, value: &FilterValue) -> Pushed<Term> {
        self.term(field, value).map_or_else(|error| self.refuse(error), Pushed::Exact)
    }

    fn exists(&self, field: &str) -> Pushed<Term> {
        self.refuse(unsupported(field, FilterOperator::Exists))
    }

    fn all(&self, terms: Vec<Term>) -> Term {
        let parts = terms.into_iter().flat_map(|term| match term {
            Term::All(parts) => parts,
            other => vec![other],
        });
        Term::All(parts.collect())
    }

    fn any(&self, terms: Vec<Term>) -> Term {
        if let Some(field) = terms.iter().find_map(Term::unfit_for_any) {
            let reason = "Bing applies it to the whole query, not to one part of an `or`; run one \
                          search per part";
            let (or, supported) = (FilterOperator::Or, operators(field));
            self.refuse(Error::unsupported_filter_because(CONNECTOR, field, or, supported, reason));
        }
        Term::Any(terms)
    }

    fn not(&self, term: Term) -> Term {
        match term {
            Term::Word { field, text, is_negated } if field != PREFER => {
                Term::Word { field, text, is_negated: !is_negated }
            }
            Term::Any(terms) => self.all(terms.into_iter().map(|term| self.not(term)).collect()),
            Term::All(terms) => self.any(terms.into_iter().map(|term| self.not(term)).collect()),
            Term::Word { field, .. } => {
                self.refuse(unsupported(field, FilterOperator::Not));
                term
            }
            Term::Parameter { ref name, .. } => {
                self.refuse(unsupported(name, FilterOperator::Not));
                term
            }
        }
    }
}

impl Bing {
    fn refuse(&self, error: Error) -> Pushed<Term> {
        self.refusal.borrow_mut().get_or_insert(error);
        Pushed::Unknown
    }

    fn term(&self, field: &str, value: &FilterValue) -> Result<Term> {
        let FilterValue::String(value) = value else {
            return Err(Error::invalid_options(CONNECTOR, field, "not a string", "a string"));
        };
        if let Some(field) = word(field) {
            let text = format!("{field}:{}", operand(field, value)?);
            return Ok(Term::Word { field, text, is_negated: false });
        }
        parameters::check(field, value, self.is_news)?;
        Ok(Term::Parameter { name: field.to_owned(), value: value.clone() })
    }
}

impl Term {
    fn count(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::count).sum(),
            Self::Word { .. } => 1,
            Self::Parameter { .. } => 0,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Word { text, is_negated: false, .. } => text.clone(),
            Self::Word { text, is_negated: true, .. } => format!("-{text}"),
            Self::All(parts) => format!("({})", joined(parts, " ")),
            Self::Any(parts) => format!("({})", joined(parts, " OR ")),
            Self::Parameter { .. } => String::new(),
        }
    }

    /// Bing applies exclusions and parameters to the whole query, so they can't be in an `OR`.
    fn unfit_for_any(&self) -> Option<&str> {
        match self {
            Self::Word { field, is_negated, .. } => {
                (*is_negated || *field == PREFER).then_some(field)
            }
            Self::Parameter { name, .. } => Some(name),
            Self::All(parts) | Self::Any(parts) => parts.iter().find_map(Self::unfit_for_any),
        }
    }
}

fn joined(terms: &[Term], separator: &str) -> String {
    terms.iter().map(Term::text).collect::<Vec<_>>().join(separator)
}

/// Writes a value so that nothing in it becomes an operator.
fn operand(word: &str, value: &str) -> Result<String> {
    let (found, allowed) = match word {
        "site" | "domain" => {
            return Site::new(CONNECTOR, word, value).map(|site| site.to_string());
        }
        "url" => {
            (is_address(value).then(|| value.to_owned()), "an address such as example.com/page")
        }
        "ip" => (
            value.parse::<IpAddr>().ok().map(|ip| ip.to_string()),
            "an IP address such as 192.0.2.1",
        ),
        _ if PHRASES.contains(&word) => (phrase(value), "at least one word"),
        _ => (is_code(value).then(|| value.to_owned()), "letters, digits, `-` and `_`"),
    };
    found.ok_or_else(|| Error::invalid_options(CONNECTOR, word, format!("{value:?}"), allowed))
}

/// Bing has no escape for quotes and ignores punctuation, so quotes are removed.
fn phrase(value: &str) -> Option<String> {
    let words = without_quotes(value);
    words.contains(char::is_alphanumeric).then(|| format!("\"{words}\""))
}

fn is_code(value: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    value.starts_with(|one: char| one.is_ascii_alphanumeric()) && value.chars().all(is_plain)
}

fn unsupported(field: &str, operator: FilterOperator) -> Error {
    Error::unsupported_filter(CONNECTOR, field, operator, operators(field))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_cannot_escape_their_operator(value in "(\\PC|OR|site:| |\"|\\(|\\)|-|\\|){0,20}") {
            for (word, _) in WORDS {
                let Ok(operand) = operand(word, &value) else { continue };
                let inner = operand.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                match inner {
                    Some(phrase) => prop_assert!(!phrase.contains('"'), "{}", operand),
                    None => prop_assert!(!operand.contains([' ', '"', '(', ')', '|']), "{}", operand),
                }
            }
        }
    }
}
