//! Translates a filter into Brave's query operators and request parameters.

use std::{collections::BTreeMap, time::SystemTime};

use textsearch_core::{
    Error, FilterableField, Result,
    filter::{DateTime, FilterOperator},
    web::{Bounds, Condition, FilterWords, Sites, published_field},
};

use crate::{CONNECTOR, values};

const PUBLISHED: &str = "published";
/// Start of date ranges without a start.
const FIRST_DAY: &str = "1970-01-01";

pub(crate) fn fields() -> Vec<FilterableField> {
    use FilterOperator::{Contains, Eq, In, Ne};
    let code = |name, about| FilterableField::string(name, about).with_operators([Eq, Ne, In]);
    let text = |name, about| FilterableField::string(name, about).with_operators([Contains]);
    let one_of = FilterableField::one_of;
    let freshness = "Only pages of the past day (pd), week (pw), month (pm) or year (py)";
    let country = "The country to search from, by its two-letter code, or ALL";
    let search_lang = "The language to prefer, by its code, such as en or zh-hans";
    let mut fields = vec![
        code("site", "Only pages of this site and its subdomains, such as docs.rs"),
        code("filetype", "Only documents of this type, such as pdf"),
        code("language", "Only pages in this language, by its two-letter code, such as en"),
        code("location", "Only pages from this country, by its two-letter code, such as DE"),
        text("intitle", "Only pages with this word or phrase in their title"),
        text("inbody", "Only pages with this word or phrase in their body"),
        text("inpage", "Only pages with this word or phrase in their title or body"),
        published_field(),
        one_of("freshness", freshness, values::PERIODS),
        one_of("country", country, values::COUNTRIES),
        one_of("search_lang", search_lang, values::SEARCH_LANGUAGES),
        one_of("safesearch", "How much adult content is left out", values::SAFE_SEARCH),
    ];
    // Brave takes either `published` or `freshness`. Models see `freshness`, which needs no calendar.
    let offered = ["site", "filetype", "language", "intitle", "inpage", "freshness"];
    for field in &mut fields {
        field.offered_to_model = offered.contains(&field.name.as_str());
    }
    fields
}

/// Returns words of the query, and request parameters that override the configuration. `None`: no
/// page can match.
pub(crate) fn translate(
    conditions: &[Condition],
) -> Result<Option<(FilterWords, BTreeMap<String, String>)>> {
    let mut words = FilterWords::default();
    let mut parameters = BTreeMap::new();
    let mut sites = Sites::default();
    let mut days = Bounds::default();
    for condition in conditions {
        match condition.field.as_str() {
            "site" => sites.narrow_by(CONNECTOR, condition)?,
            "filetype" => words.narrow("filetype", condition, values::file_type)?,
            "language" => words.narrow("lang", condition, values::letters)?,
            "location" => words.narrow("loc", condition, values::letters)?,
            "intitle" => words.add(CONNECTOR, "intitle", condition)?,
            "inbody" => words.add(CONNECTOR, "inbody", condition)?,
            "inpage" => words.add(CONNECTOR, "inpage", condition)?,
            PUBLISHED => days.narrow(condition)?,
            name => {
                let value = values::parameter(name, condition.single()?)?;
                parameters.insert(name.to_owned(), value);
            }
        }
    }
    words.add_sites("site", &sites);
    if let Some((first, last)) = period(days)? {
        let range = format!("{first}to{last}");
        if parameters.insert("freshness".to_owned(), range).is_some() {
            let value = "used together with `freshness`";
            return Err(Error::invalid_options(CONNECTOR, PUBLISHED, value, "only one of them"));
        }
        if first > last {
            return Ok(None);
        }
    }
    Ok((!words.are_never_met()).then_some((words, parameters)))
}

/// Brave requires both ends of a range.
pub(crate) fn period(days: Bounds) -> Result<Option<(String, String)>> {
    let Bounds { lowest, highest, .. } = days;
    if let (Some(first), Some(last)) = (&lowest, &highest)
        && first > last
    {
        let value = format!("from `{first}` to `{last}`");
        let allowed = "days in order";
        return Err(Error::invalid_options(CONNECTOR, PUBLISHED, value, allowed));
    }
    let is_open = lowest.is_none() && highest.is_none();
    let first = lowest.unwrap_or_else(|| FIRST_DAY.to_owned());
    Ok((!is_open).then(|| (first, highest.unwrap_or_else(today))))
}

fn today() -> String {
    DateTime::from(SystemTime::now()).to_string().chars().take(10).collect()
}
