//! Translates a filter into Bing's advanced operators and request parameters.
//!
//! Operators are words in the query; see the
//! [list](https://support.microsoft.com/topic/b92e25f1-0085-4271-bdf9-14aaea720930).

use std::{collections::BTreeMap, net::IpAddr};

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::{Comparison, FilterOperator, FilterValue},
    web::{Site, is_address, valid, without_quotes},
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

fn operators(field: &str) -> &'static [FilterOperator] {
    use FilterOperator::{Contains, Eq, In, Ne};
    match field {
        PREFER => &[Eq],
        // Bing matches the words anywhere in the field.
        _ if PHRASES.contains(&field) => &[Contains],
        _ if WORDS.iter().any(|(name, _)| *name == field) => &[Eq, Ne, In],
        _ => &[Eq],
    }
}

/// A filter in Bing's terms.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) words: String,
    pub(crate) parameters: BTreeMap<String, String>,
    conditions: usize,
    is_news: bool,
}

/// A part of a filter. All parts must hold.
struct Part {
    /// Empty for a parameter.
    text: String,
    /// A field that Bing applies to the whole query, so that the part can't be in an `OR`.
    unfit: Option<String>,
}

/// `None`: nothing can match.
pub(crate) fn translate(filter: &Filter, is_news: bool) -> Result<Option<Translation>> {
    filter.check(CONNECTOR, &fields(is_news))?;
    let mut translation = Translation { is_news, ..Translation::default() };
    let Some(parts) = translation.parts(filter, false)? else { return Ok(None) };
    let count = translation.conditions;
    let allowed = format!("at most {MAX_CONDITIONS} conditions");
    valid(CONNECTOR, "filter", count, count <= MAX_CONDITIONS, &allowed)?;
    translation.words = joined(&parts);
    Ok(Some(translation))
}

impl Translation {
    /// Moves negations down to the comparisons. `None`: nothing can match.
    fn parts(&mut self, filter: &Filter, negated: bool) -> Result<Option<Vec<Part>>> {
        let is_and = matches!(filter, Filter::And(_)) != negated;
        let mut all = Vec::new();
        let mut any = Vec::new();
        match filter {
            Filter::Not(inner) => return self.parts(inner, !negated),
            Filter::In { field, values } => {
                let equal = values.iter().map(|value| Filter::eq(field, value.clone()));
                return self.parts(&Filter::any(equal), negated);
            }
            Filter::Compare { field, operator, value } => {
                let is_ne = *operator == Comparison::Ne;
                all.push(self.compare(field, value, negated != is_ne)?);
            }
            Filter::And(parts) | Filter::Or(parts) if is_and => {
                for part in parts {
                    let Some(more) = self.parts(part, negated)? else { return Ok(None) };
                    all.extend(more);
                }
            }
            Filter::And(parts) | Filter::Or(parts) => {
                for part in parts {
                    any.extend(self.parts(part, negated)?);
                }
                if any.len() < 2 || any.iter().any(Vec::is_empty) {
                    return Ok(any.into_iter().min_by_key(Vec::len));
                }
                all.push(either(&any)?);
            }
            other => {
                let field = other.fields().next().unwrap_or_default();
                return Err(unsupported(field, FilterOperator::Exists));
            }
        }
        Ok(Some(all))
    }

    fn compare(&mut self, field: &str, value: &FilterValue, negated: bool) -> Result<Part> {
        let FilterValue::String(value) = value else {
            return Err(Error::invalid_options(CONNECTOR, field, "not a string", "a string"));
        };
        let is_word = WORDS.iter().any(|(name, _)| *name == field);
        if negated && (!is_word || field == PREFER) {
            return Err(unsupported(field, FilterOperator::Not));
        }
        let unfit = (!is_word || negated || field == PREFER).then(|| field.to_owned());
        if is_word {
            self.conditions += 1;
            let sign = if negated { "-" } else { "" };
            return Ok(Part { text: format!("{sign}{field}:{}", operand(field, value)?), unfit });
        }
        parameters::check(field, value, self.is_news)?;
        let earlier = self.parameters.insert(field.to_owned(), value.clone());
        // A parameter takes one value only.
        if earlier.is_some_and(|earlier| earlier != *value) {
            return Err(unsupported(field, FilterOperator::And));
        }
        Ok(Part { text: String::new(), unfit })
    }
}

fn either(alternatives: &[Vec<Part>]) -> Result<Part> {
    if let Some(field) = alternatives.iter().flatten().find_map(|part| part.unfit.as_deref()) {
        let reason = "Bing applies it to the whole query, not to one part of an `or`; run one \
                      search per part";
        let or = FilterOperator::Or;
        let supported = operators(field);
        return Err(Error::unsupported_filter_because(CONNECTOR, field, or, supported, reason));
    }
    let texts = alternatives.iter().map(|parts| match parts.as_slice() {
        [part] => part.text.clone(),
        parts => format!("({})", joined(parts)),
    });
    let text = format!("({})", texts.collect::<Vec<_>>().join(" OR "));
    Ok(Part { text, unfit: None })
}

fn joined(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| part.text.as_str()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join(" ")
}

/// Writes a value so that nothing in it becomes an operator.
fn operand(word: &str, value: &str) -> Result<String> {
    let (is_valid, allowed) = match word {
        "site" | "domain" => {
            return Site::new(CONNECTOR, word, value).map(|site| site.to_string());
        }
        "url" => (is_address(value), "an address such as example.com/page"),
        "ip" => (value.parse::<IpAddr>().is_ok(), "an IP address such as 192.0.2.1"),
        _ if PHRASES.contains(&word) => {
            // Bing has no escape for quotes and ignores punctuation, so quotes are removed.
            let words = without_quotes(value);
            let is_valid = words.contains(char::is_alphanumeric);
            valid(CONNECTOR, word, value, is_valid, "at least one word")?;
            return Ok(format!("\"{words}\""));
        }
        _ => (is_code(value), "letters, digits, `-` and `_`"),
    };
    valid(CONNECTOR, word, value, is_valid, allowed)?;
    Ok(value.to_owned())
}

fn is_code(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    value.starts_with(|c: char| c.is_ascii_alphanumeric()) && value.chars().all(is_plain)
}

fn unsupported(field: &str, operator: FilterOperator) -> Error {
    Error::unsupported_filter(CONNECTOR, field, operator, operators(field))
}
