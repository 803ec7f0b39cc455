//! Translates a filter into request parameters, and checks their values.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, FilterableField, Result,
    filter::FilterOperator,
    web::{
        Condition, Site, is_address, is_letters, is_locale, one_of, quoted_query, site_field, term,
        valid, without_quotes,
    },
};

use crate::CONNECTOR;

pub(crate) const SITE: &str = "site";

/// Google's own operators.
pub(crate) const OPERATORS: &[&str] = &["AROUND"];

const LICENCES: &[&str] =
    &["cc_publicdomain", "cc_attribute", "cc_sharealike", "cc_noncommercial", "cc_nonderived"];

pub(crate) fn fields() -> Vec<FilterableField> {
    use FilterOperator::{Contains, Eq, In, Ne};
    let offered = |name, about| FilterableField::string(name, about);
    let hidden = |name, about| FilterableField::string(name, about).offered_to_model(false);
    let age = "Only pages of the past days, weeks, months or years, such as d7, w2, m6 or y1";
    let licence = "Only pages with this licence, such as cc_publicdomain";
    vec![
        site_field().with_operators([Eq, Ne]),
        offered("exactTerms", "Only pages with this very phrase").with_operators([Contains]),
        offered("excludeTerms", "Only pages without these words"),
        offered("orTerms", "Only pages with one of these words").with_operators([Eq, In]),
        hidden("hq", "Only pages with these words, beside the query"),
        offered("fileType", "Only files with this extension, such as pdf"),
        offered("dateRestrict", age),
        hidden("gl", "The country of the user, such as de"),
        hidden("hl", "The language of the user, such as en"),
        offered("lr", "Only pages in this language, such as lang_en").with_operators([Eq, In]),
        hidden("cr", "Only pages from this country, such as countryDE").with_operators([Eq, In]),
        hidden("rights", licence).with_operators([Eq, In]),
        hidden("linkSite", "Only pages with a link to this address"),
        hidden("relatedSite", "Only pages that are like this one"),
        hidden("lowRange", "The lower end of a range of numbers on the page"),
        hidden("highRange", "The upper end of a range of numbers on the page"),
        hidden("safe", "Whether adult content is left out: active or off"),
        hidden("sort", "The order of pages, such as date"),
    ]
}

pub(crate) fn translate(conditions: &[Condition]) -> Result<BTreeMap<String, String>> {
    let mut parameters = BTreeMap::new();
    for condition in conditions {
        for (name, value) in translate_one(condition)? {
            let earlier = parameters.insert(name.to_owned(), value.clone());
            // A parameter takes one value only.
            if earlier.is_some_and(|earlier| earlier != value) {
                return Err(condition.unsupported(FilterOperator::And));
            }
        }
    }
    if parameters.contains_key("lowRange") == parameters.contains_key("highRange") {
        return Ok(parameters);
    }
    let allowed = "`lowRange` and `highRange` together";
    Err(Error::invalid_options(CONNECTOR, "lowRange", "set alone", allowed))
}

fn translate_one(condition: &Condition) -> Result<Vec<(&str, String)>> {
    if condition.field == SITE {
        let [site] = condition.values.as_slice() else {
            return Err(condition.unsupported(FilterOperator::Or));
        };
        let site = Site::new(CONNECTOR, SITE, site)?.to_string();
        let effect = if condition.negated { "e" } else { "i" };
        return Ok(vec![("siteSearch", site), ("siteSearchFilter", effect.to_owned())]);
    }
    match condition.operator {
        FilterOperator::Contains => condition.compared().map(drop)?,
        _ => condition.listed().map(drop)?,
    }
    Ok(vec![(&condition.field, written(&condition.field, &condition.values)?)])
}

/// Writes values so that nothing in them becomes an operator.
fn written(name: &str, values: &[String]) -> Result<String> {
    values.iter().try_for_each(|value| check(name, value))?;
    let joined = values.join("|");
    Ok(match name {
        "exactTerms" => without_quotes(&joined),
        "excludeTerms" | "hq" => quoted_query(&joined, OPERATORS),
        "orTerms" => any_word(values),
        _ => joined,
    })
}

/// Each of several values is one term. A single value is split into words.
fn any_word(values: &[String]) -> String {
    if let [words] = values {
        return quoted_query(words, OPERATORS);
    }
    let terms = values.iter().filter_map(|value| term(value, OPERATORS));
    terms.collect::<Vec<_>>().join(" ")
}

/// Checks a setting, which may combine values, as in `(countryDE|countryAT).(-countryCH)`.
pub(crate) fn check_setting(name: &str, value: &str) -> Result<()> {
    if !["lr", "cr", "rights"].contains(&name) {
        return check(name, value);
    }
    let mut parts = value.split(['|', '.']).map(|part| part.trim_matches(['(', ')', '-']));
    parts.try_for_each(|part| check(name, part))
}

fn check(name: &str, value: &str) -> Result<()> {
    let is_country = |text| is_letters(text, 2..=2);
    let (is_valid, allowed) = match name {
        "fileType" => (is_made_of(value, ""), "a file name extension such as pdf"),
        "dateRestrict" => (is_age(value), "d, w, m or y with a number, such as m6"),
        "gl" => (is_country(value), "a country of two letters such as de"),
        "hl" => (is_locale(value), "a language such as en or zh-CN"),
        "lr" => (value.strip_prefix("lang_").is_some_and(is_locale), "a language such as lang_en"),
        "cr" => {
            (value.strip_prefix("country").is_some_and(is_country), "a country such as countryDE")
        }
        "rights" => return one_of(CONNECTOR, name, value, LICENCES),
        "safe" => return one_of(CONNECTOR, name, value, &["active", "off"]),
        "linkSite" | "relatedSite" => (is_address(value), "an address such as example.com/page"),
        "lowRange" | "highRange" => (value.parse().is_ok_and(f64::is_finite), "a number"),
        "sort" => (is_made_of(value, ":,-_."), "an order such as date"),
        _ => (value.contains(char::is_alphanumeric), "at least one word"),
    };
    valid(CONNECTOR, name, value, is_valid, allowed)
}

fn is_made_of(text: &str, others: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || others.contains(c);
    !text.is_empty() && text.chars().all(is_allowed)
}

fn is_age(text: &str) -> bool {
    let number = text.strip_prefix(['d', 'w', 'm', 'y']);
    number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number > 0)
}
