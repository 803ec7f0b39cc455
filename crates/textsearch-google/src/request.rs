//! Builds the request for one page of results.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, FilterableField, Result, SearchOptions,
    filter::FilterOperator,
    http::HttpRequest,
    web::{FixedSites, quoted_query, term, without_quotes},
};

use crate::{CONNECTOR, GoogleConfig, filter};

const LARGEST_PAGE: usize = 10;

pub(crate) const MOST_RESULTS: usize = 100;

/// Google's own operators.
const MORE_OPERATORS: &[&str] = &["AROUND"];

struct Parameter {
    name: &'static str,
    form: Form,
    /// Description as a filter field and whether models see it. `None`: a setting only.
    field: Option<(&'static str, bool)>,
}

/// Format of a value. Keeps values from becoming operators.
#[derive(Clone, Copy)]
enum Form {
    /// A phrase; its content has no special meaning.
    Phrase,
    /// Words added to the query, with operators quoted.
    Words,
    /// Words added to the query, one of which must match.
    AnyWord,
    OneOf(&'static [&'static str]),
    /// A text that the function accepts; described for errors.
    Text(fn(&str) -> bool, &'static str),
    /// Like `Text`, several separated by `|`.
    Several(fn(&str) -> bool, &'static str),
}

const PARAMETERS: &[Parameter] = &[
    parameter("exactTerms", Form::Phrase, Some(("Only pages with this very phrase", true))),
    parameter("excludeTerms", Form::Words, Some(("Only pages without these words", true))),
    parameter("orTerms", Form::AnyWord, Some(("Only pages with one of these words", true))),
    parameter("hq", Form::Words, Some(("Only pages with these words, beside the query", false))),
    parameter(
        "fileType",
        Form::Text(is_code, "a file name extension such as pdf"),
        Some(("Only files with this extension, such as pdf", true)),
    ),
    parameter(
        "dateRestrict",
        Form::Text(is_age, "d, w, m or y with a number, such as m6"),
        Some((
            "Only pages of the past days, weeks, months or years, such as d7, w2, m6 or y1",
            true,
        )),
    ),
    parameter(
        "gl",
        Form::Text(is_country, "a country of two letters such as de"),
        Some(("The country of the user, such as de", false)),
    ),
    parameter(
        "hl",
        Form::Text(is_locale, "a language such as en or zh-CN"),
        Some(("The language of the user, such as en", false)),
    ),
    parameter(
        "lr",
        Form::Several(is_language, "a language such as lang_en"),
        Some(("Only pages in this language, such as lang_en", true)),
    ),
    parameter(
        "cr",
        Form::Several(is_country_restrict, "a country such as countryDE"),
        Some(("Only pages from this country, such as countryDE", false)),
    ),
    parameter(
        "rights",
        Form::Several(is_rights, RIGHTS_ALLOWED),
        Some(("Only pages with this licence, such as cc_publicdomain", false)),
    ),
    parameter(
        "linkSite",
        Form::Text(is_address, "an address such as example.com/page"),
        Some(("Only pages with a link to this address", false)),
    ),
    parameter(
        "relatedSite",
        Form::Text(is_address, "an address such as example.com/page"),
        Some(("Only pages that are like this one", false)),
    ),
    parameter(
        "lowRange",
        Form::Text(is_number, "a number"),
        Some(("The lower end of a range of numbers on the page", false)),
    ),
    parameter(
        "highRange",
        Form::Text(is_number, "a number"),
        Some(("The upper end of a range of numbers on the page", false)),
    ),
    parameter(
        "safe",
        Form::OneOf(&["active", "off"]),
        Some(("Whether adult content is left out: active or off", false)),
    ),
    parameter(
        "sort",
        Form::Text(is_order, "an order such as date"),
        Some(("The order of pages, such as date", false)),
    ),
    parameter("filter", Form::OneOf(&["0", "1"]), None),
    parameter("c2coff", Form::OneOf(&["0", "1"]), None),
    parameter("searchType", Form::OneOf(&["image"]), None),
    parameter(
        "imgSize",
        Form::OneOf(&["huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"]),
        None,
    ),
    parameter(
        "imgType",
        Form::OneOf(&["clipart", "face", "lineart", "stock", "photo", "animated"]),
        None,
    ),
    parameter("imgColorType", Form::OneOf(&["color", "gray", "mono", "trans"]), None),
    parameter("imgDominantColor", Form::OneOf(COLORS), None),
];

const COLORS: &[&str] = &[
    "black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white",
    "yellow",
];

const RIGHTS_ALLOWED: &str =
    "cc_publicdomain, cc_attribute, cc_sharealike, cc_noncommercial or cc_nonderived";

const fn parameter(
    name: &'static str,
    form: Form,
    field: Option<(&'static str, bool)>,
) -> Parameter {
    Parameter { name, form, field }
}

impl Parameter {
    fn operators(&self) -> Vec<FilterOperator> {
        match self.form {
            Form::Phrase => vec![FilterOperator::Contains],
            Form::AnyWord | Form::Several(..) => vec![FilterOperator::Eq, FilterOperator::In],
            _ => vec![FilterOperator::Eq],
        }
    }

    fn value<S: AsRef<str>>(&self, values: &[S]) -> Result<String> {
        let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
        let joined = values.join("|");
        let text = match self.form {
            Form::Phrase => without_quotes(&joined),
            Form::Words => quoted_query(&joined, MORE_OPERATORS),
            Form::AnyWord => any_word(&values),
            _ => joined,
        };
        if self.is_valid(&text) {
            return Ok(text);
        }
        let found = format!("{:?}", values.join(", "));
        Err(Error::invalid_options(CONNECTOR, self.name, found, self.allowed()))
    }

    fn is_valid(&self, text: &str) -> bool {
        match self.form {
            Form::Phrase | Form::Words | Form::AnyWord => text.contains(char::is_alphanumeric),
            Form::OneOf(allowed) => allowed.contains(&text),
            Form::Text(is_valid, _) => is_valid(text),
            Form::Several(is_valid, _) => {
                let parts = text.split(['|', '.']);
                parts.map(|part| part.trim_matches(['(', ')', '-'])).all(is_valid)
            }
        }
    }

    fn allowed(&self) -> String {
        match self.form {
            Form::Phrase | Form::Words | Form::AnyWord => "at least one word".to_owned(),
            Form::OneOf(allowed) => allowed.join(", "),
            Form::Text(_, allowed) => allowed.to_owned(),
            Form::Several(_, allowed) => format!("{allowed}; separate several with `|`"),
        }
    }
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric())
}

fn is_age(text: &str) -> bool {
    let number = text.strip_prefix(['d', 'w', 'm', 'y']);
    number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number > 0)
}

fn is_country(text: &str) -> bool {
    text.len() == 2 && text.chars().all(|one| one.is_ascii_alphabetic())
}

fn is_locale(text: &str) -> bool {
    let is_part = |part: &str| {
        (2..=4).contains(&part.len()) && part.chars().all(|one| one.is_ascii_alphabetic())
    };
    text.split('-').all(is_part)
}

fn is_language(text: &str) -> bool {
    text.strip_prefix("lang_").is_some_and(is_locale)
}

fn is_country_restrict(text: &str) -> bool {
    text.strip_prefix("country").is_some_and(is_country)
}

fn is_rights(text: &str) -> bool {
    let kinds = ["publicdomain", "attribute", "sharealike", "noncommercial", "nonderived"];
    text.strip_prefix("cc_").is_some_and(|kind| kinds.contains(&kind))
}

fn is_address(text: &str) -> bool {
    let is_plain = |one: char| one.is_alphanumeric() || "-._/~%:?=#@!+,;".contains(one);
    text.starts_with(char::is_alphanumeric) && text.chars().all(is_plain)
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_order(text: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || ":,-_.".contains(one);
    !text.is_empty() && text.chars().all(is_plain)
}

pub(crate) fn filterable_parameters() -> impl Iterator<Item = FilterableField> {
    PARAMETERS.iter().filter_map(|parameter| {
        let (description, is_offered) = parameter.field?;
        let field = FilterableField::string(parameter.name, description);
        Some(field.with_operators(parameter.operators()).offered_to_model(is_offered))
    })
}

/// As [`parameter_of`], for values that are single ones: no list, group or negation.
pub(crate) fn filter_parameter_of(name: &str, values: &[String]) -> Result<(&'static str, String)> {
    let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name);
    if let Some(Parameter { form: Form::Several(is_valid, allowed), .. }) = parameter
        && let Some(value) = values.iter().find(|value| !is_valid(value))
    {
        return Err(Error::invalid_options(CONNECTOR, name, format!("{value:?}"), *allowed));
    }
    parameter_of(name, values)
}

pub(crate) fn parameter_of<S: AsRef<str>>(
    name: &str,
    values: &[S],
) -> Result<(&'static str, String)> {
    match PARAMETERS.iter().find(|parameter| parameter.name == name) {
        Some(parameter) => Ok((parameter.name, parameter.value(values)?)),
        None => Err(Error::unsupported_filter(CONNECTOR, name, FilterOperator::Eq, &[])),
    }
}

pub(crate) fn check(config: &GoogleConfig) -> Result<()> {
    let empty = |option, allowed| Err(Error::invalid_options(CONNECTOR, option, "empty", allowed));
    if config.api_key.is_empty() {
        return empty("api_key", "an API key");
    }
    if config.search_engine_id.trim().is_empty() {
        return empty("search_engine_id", "the id of a programmable search engine");
    }
    for (name, value) in &config.parameters {
        parameter_of(name, std::slice::from_ref(value))?;
    }
    let is_image = |name: &&&str| name.starts_with("img");
    if let Some(name) = config.parameters.keys().find(is_image)
        && !config.parameters.contains_key("searchType")
    {
        let allowed = "an image search (`with_images`)";
        return Err(Error::invalid_options(CONNECTOR, *name, "set for a page search", allowed));
    }
    config.url().map(drop)
}

#[derive(Debug)]
pub(crate) struct Plan {
    query: String,
    parameters: BTreeMap<&'static str, String>,
    count: usize,
    /// First result of the first page, counted from 1.
    pub(crate) start: usize,
    /// Results to skip, from the first page on.
    pub(crate) skip: usize,
    pub(crate) sites: FixedSites,
}

impl Plan {
    pub(crate) fn new(
        config: &GoogleConfig,
        query: &str,
        options: &SearchOptions,
        fields: &[FilterableField],
    ) -> Result<Option<Self>> {
        let last = options.skip.saturating_add(options.top);
        if last > MOST_RESULTS {
            let wanted = format!("{} + {}", options.skip, options.top);
            let allowed = format!("at most {MOST_RESULTS}");
            return Err(Error::invalid_options(CONNECTOR, "skip + top", wanted, allowed));
        }
        let translation = match options.filter() {
            Some(filter) => filter::translate(&filter, fields)?,
            None => filter::Translation::default(),
        };
        let is_idle = options.top == 0 && !options.include_total_count;
        if is_idle || translation.is_never {
            return Ok(None);
        }
        let query = match options.fixed_filter() {
            Some(_) => quoted_query(query, MORE_OPERATORS),
            None => query.trim().to_owned(),
        };
        if query.is_empty() {
            return Err(Error::invalid_options(CONNECTOR, "query", "empty", "at least one word"));
        }
        let mut parameters = config.parameters.clone();
        parameters.extend(translation.parameters);
        // An exact `skip` has to read all pages before it.
        let skipped = if config.skip_unread { options.skip.min(MOST_RESULTS - 1) } else { 0 };
        let skip = options.skip - skipped;
        let count = skip.saturating_add(options.top).clamp(1, LARGEST_PAGE);
        let sites = FixedSites::new(CONNECTOR, options, filter::SITE_FIELDS);
        Ok(Some(Self { query, parameters, count, start: skipped + 1, skip, sites }))
    }

    pub(crate) fn is_for_images(&self) -> bool {
        self.parameters.get("searchType").is_some_and(|kind| kind == "image")
    }

    /// Requests nothing beyond the service's last result.
    pub(crate) fn count_at(&self, start: usize) -> usize {
        self.count.min((MOST_RESULTS + 1).saturating_sub(start))
    }

    pub(crate) fn request(&self, config: &GoogleConfig, start: usize) -> Result<HttpRequest> {
        let mut request = HttpRequest::get(config.url()?)
            .with_query("cx", &config.search_engine_id)
            .with_query("q", &self.query)
            .with_query("num", &self.count_at(start).to_string())
            .with_query("start", &start.to_string());
        for (name, value) in &self.parameters {
            request = request.with_query(name, value);
        }
        Ok(if config.key_in_query {
            request.with_secret_query("key", &config.api_key)
        } else {
            request.with_secret_header("X-Goog-Api-Key", &config.api_key)
        })
    }
}

/// Each of several values is one term. A single value is split into words.
fn any_word(values: &[&str]) -> String {
    if let [words] = values {
        return quoted_query(words, MORE_OPERATORS);
    }
    let terms = values.iter().filter_map(|value| term(value, MORE_OPERATORS));
    terms.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_values_become_one_term_each() {
        assert_eq!(any_word(&["two words", "one", "-not"]), "\"two words\" one \"-not\"");
        assert_eq!(any_word(&["a b"]), "a b");
    }
}
