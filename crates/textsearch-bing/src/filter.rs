//! Translates a filter into Bing's advanced operators and request parameters.
//!
//! Operators are words in the query; see the
//! [list](https://support.microsoft.com/topic/b92e25f1-0085-4271-bdf9-14aaea720930).

use std::{collections::BTreeMap, net::IpAddr};

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::{Comparison, FilterOperator, FilterValue},
    web::{Site, without_quotes},
};

use crate::{CONNECTOR, request};

/// Fields checked against a result's link.
pub(crate) const SITE_FIELDS: &[&str] = &["site", "domain"];

/// Bing reads only the first ten terms of a query and would ignore further conditions.
const MOST_CONDITIONS: usize = 10;

struct Word {
    name: &'static str,
    form: Form,
    is_offered: bool,
    description: &'static str,
}

/// Format of a value. Keeps values from becoming operators.
#[derive(Clone, Copy)]
enum Form {
    Site,
    Phrase,
    Address,
    Ip,
    Code,
}

const WORDS: &[Word] = &[
    word("site", Form::Site, true, "Only pages of this domain and its subdomains, such as docs.rs"),
    word("intitle", Form::Phrase, true, "Only pages with these words in their title"),
    word("inbody", Form::Phrase, false, "Only pages with these words in their body"),
    word("inanchor", Form::Phrase, false, "Only pages with these words in the anchor of a link"),
    word("url", Form::Address, false, "Only the page with this address"),
    word("domain", Form::Site, false, "Only pages of this domain and its subdomains"),
    word("ip", Form::Ip, false, "Only pages of sites at this IP address"),
    word("language", Form::Code, true, "Only pages in this language, such as en"),
    word("loc", Form::Code, false, "Only pages from this country or region, such as GB"),
    word("location", Form::Code, false, "Only pages from this country or region, such as GB"),
    word("filetype", Form::Code, true, "Only documents of this type, such as pdf"),
    word("ext", Form::Code, false, "Only documents with this file name extension, such as docx"),
    word("contains", Form::Code, false, "Only pages that link to files of this type, such as mp3"),
    word("feed", Form::Phrase, false, "Only RSS or Atom feeds about these words"),
    word("hasfeed", Form::Phrase, false, "Only pages that link to a feed about these words"),
    word(PREFER, Form::Phrase, false, "Ranks pages with these words higher; it leaves none out"),
];

/// Changes only the ranking, so it can't be negated.
const PREFER: &str = "prefer";

const fn word(name: &'static str, form: Form, is_offered: bool, description: &'static str) -> Word {
    Word { name, form, is_offered, description }
}

impl Word {
    fn operators(&self) -> Vec<FilterOperator> {
        use FilterOperator::{Contains, Eq, In, Ne};
        match self.form {
            _ if self.name == PREFER => vec![Eq],
            // Bing matches the words anywhere in the field.
            Form::Phrase => vec![Contains],
            _ => vec![Eq, Ne, In],
        }
    }

    fn field(&self) -> FilterableField {
        FilterableField::string(self.name, self.description)
            .with_operators(self.operators())
            .offered_to_model(self.is_offered)
    }
}

pub(crate) fn fields(is_news: bool) -> Vec<FilterableField> {
    let words = WORDS.iter().map(Word::field);
    words.chain(request::filterable_parameters(is_news)).collect()
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Conditions {
    pub(crate) words: String,
    pub(crate) parameters: BTreeMap<&'static str, String>,
    pub(crate) is_never: bool,
}

pub(crate) fn translate(filter: &Filter, is_news: bool) -> Result<Conditions> {
    filter.check(CONNECTOR, &fields(is_news))?;
    let mut conditions = Conditions::default();
    let parts = match Expression::of(filter, true, is_news)? {
        Expression::Never => return Ok(Conditions { is_never: true, ..conditions }),
        Expression::All(parts) => parts,
        one => vec![one],
    };
    let mut words = Vec::new();
    for part in &parts {
        match part {
            Expression::Parameter { name, value } => conditions.set(name, value)?,
            part => words.push(part),
        }
    }
    let count = words.iter().map(|part| part.count()).sum::<usize>();
    if count > MOST_CONDITIONS {
        let allowed = format!("at most {MOST_CONDITIONS} conditions");
        return Err(Error::invalid_options(CONNECTOR, "filter", count, allowed));
    }
    conditions.words = words.iter().map(|part| part.text()).collect::<Vec<_>>().join(" ");
    Ok(conditions)
}

impl Conditions {
    /// A parameter takes one value only.
    fn set(&mut self, name: &'static str, value: &str) -> Result<()> {
        match self.parameters.insert(name, value.to_owned()) {
            Some(earlier) if earlier != value => Err(cannot(name, FilterOperator::And)),
            _ => Ok(()),
        }
    }
}

/// A filter with its negations moved to the leaves.
enum Expression {
    Always,
    Never,
    Word { field: &'static str, text: String, is_negated: bool },
    Parameter { name: &'static str, value: String },
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    fn of(filter: &Filter, is_wanted: bool, is_news: bool) -> Result<Self> {
        let children = |filters: &[Filter]| -> Result<Vec<Self>> {
            filters.iter().map(|one| Self::of(one, is_wanted, is_news)).collect()
        };
        match filter {
            Filter::Compare { field, operator, value } => {
                let is_wanted = is_wanted == (*operator != Comparison::Ne);
                leaf(field, value, is_wanted, is_news)
            }
            Filter::In { field, values } => {
                let leaves = values.iter().map(|value| leaf(field, value, is_wanted, is_news));
                combined(leaves.collect::<Result<_>>()?, !is_wanted)
            }
            Filter::And(filters) => combined(children(filters)?, is_wanted),
            Filter::Or(filters) => combined(children(filters)?, !is_wanted),
            Filter::Not(inner) => Self::of(inner, !is_wanted, is_news),
            Filter::Exists { field } => Err(cannot(field, FilterOperator::Exists)),
            // A kind of filter from a later version of the core.
            other => {
                let field = other.fields().next().unwrap_or_default().to_owned();
                Err(cannot(&field, FilterOperator::And))
            }
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::count).sum(),
            Self::Word { .. } => 1,
            Self::Always | Self::Never | Self::Parameter { .. } => 0,
        }
    }

    fn text(&self) -> String {
        let joined = |parts: &[Self], between: &str| {
            let texts: Vec<String> = parts.iter().map(Self::text).collect();
            format!("({})", texts.join(between))
        };
        match self {
            Self::Word { text, is_negated: false, .. } => text.clone(),
            Self::Word { text, is_negated: true, .. } => format!("-{text}"),
            Self::All(parts) => joined(parts, " "),
            Self::Any(parts) => joined(parts, " OR "),
            Self::Always | Self::Never | Self::Parameter { .. } => String::new(),
        }
    }

    /// Bing applies exclusions and parameters to the whole query, so they can't be in an `OR`.
    fn unfit_for_any(&self) -> Option<&'static str> {
        match self {
            Self::Word { field, is_negated: true, .. } => Some(field),
            Self::Word { field, .. } if *field == PREFER => Some(field),
            Self::Parameter { name, .. } => Some(name),
            Self::All(parts) | Self::Any(parts) => parts.iter().find_map(Self::unfit_for_any),
            _ => None,
        }
    }
}

/// Folds parts that are always or never true.
fn combined(parts: Vec<Expression>, are_all: bool) -> Result<Expression> {
    let mut kept = Vec::new();
    for part in parts {
        match part {
            Expression::Always if are_all => {}
            Expression::Never if !are_all => {}
            Expression::Always | Expression::Never => return Ok(part),
            Expression::All(parts) if are_all => kept.extend(parts),
            part => kept.push(part),
        }
    }
    match kept.len() {
        0 if are_all => return Ok(Expression::Always),
        0 => return Ok(Expression::Never),
        1 => return Ok(kept.remove(0)),
        _ if are_all => return Ok(Expression::All(kept)),
        _ => {}
    }
    match kept.iter().find_map(Expression::unfit_for_any) {
        Some(field) => {
            let reason = "Bing applies it to the whole query, not to one part of an `or`; run one search per part";
            let supported = supported(field);
            let or = FilterOperator::Or;
            Err(Error::unsupported_filter_because(CONNECTOR, field, or, &supported, reason))
        }
        None => Ok(Expression::Any(kept)),
    }
}

fn leaf(field: &str, value: &FilterValue, is_wanted: bool, is_news: bool) -> Result<Expression> {
    let FilterValue::String(value) = value else {
        return Err(Error::invalid_options(CONNECTOR, field, "not a string", "a string"));
    };
    let Some(word) = WORDS.iter().find(|word| word.name == field) else {
        let name = request::checked(field, value, is_news)?;
        let parameter = Expression::Parameter { name, value: value.clone() };
        return if is_wanted { Ok(parameter) } else { Err(cannot(name, FilterOperator::Not)) };
    };
    if !is_wanted && word.name == PREFER {
        return Err(cannot(word.name, FilterOperator::Not));
    }
    let text = format!("{}:{}", word.name, operand(word, value)?);
    Ok(Expression::Word { field: word.name, text, is_negated: !is_wanted })
}

fn operand(word: &Word, value: &str) -> Result<String> {
    let (found, allowed) = match word.form {
        Form::Site => return Site::new(CONNECTOR, word.name, value).map(|site| site.to_string()),
        Form::Phrase => (phrase(value), "at least one word"),
        Form::Address => (address(value), "an address such as example.com/page"),
        Form::Ip => (
            value.parse::<IpAddr>().ok().map(|ip| ip.to_string()),
            "an IP address such as 192.0.2.1",
        ),
        Form::Code => (code(value), "letters, digits, `-` and `_`"),
    };
    found.ok_or_else(|| Error::invalid_options(CONNECTOR, word.name, format!("{value:?}"), allowed))
}

/// Bing has no escape for quotes and ignores punctuation, so quotes are removed.
fn phrase(value: &str) -> Option<String> {
    let words = without_quotes(value);
    words.contains(char::is_alphanumeric).then(|| format!("\"{words}\""))
}

fn address(value: &str) -> Option<String> {
    let is_plain = |one: char| one.is_alphanumeric() || "-._/~%:?=#@!+,;".contains(one);
    (value.starts_with(char::is_alphanumeric) && value.chars().all(is_plain))
        .then(|| value.to_owned())
}

fn code(value: &str) -> Option<String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    let is_code = value.starts_with(|one: char| one.is_ascii_alphanumeric());
    (is_code && value.chars().all(is_plain)).then(|| value.to_owned())
}

fn cannot(field: &str, operator: FilterOperator) -> Error {
    Error::unsupported_filter(CONNECTOR, field, operator, &supported(field))
}

fn supported(field: &str) -> Vec<FilterOperator> {
    let word = WORDS.iter().find(|word| word.name == field);
    word.map_or_else(|| vec![FilterOperator::Eq], Word::operators)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_cannot_escape_their_operator(value in "(\\PC|OR|site:| |\"|\\(|\\)|-|\\|){0,20}") {
            for word in WORDS {
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
