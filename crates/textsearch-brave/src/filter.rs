//! Translates a filter into Brave's query operators and request parameters.

use textsearch_core::{
    Error, FilterableField, Result, SearchOptions,
    filter::{DateTime, FilterOperator},
    serde_json::json,
    web::{Condition, Conditions, Site, Sites, day, term},
};

use crate::{CONNECTOR, check};

/// Fields checked against a result's link.
pub(crate) const SITE_FIELDS: &[&str] = &["site"];

const PUBLISHED: &str = "published";
/// Start of date ranges without a start.
const FIRST_DAY: &str = "1970-01-01";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Translation {
    pub(crate) words: Vec<String>,
    /// Request parameters that override the configuration.
    pub(crate) parameters: Vec<(&'static str, String)>,
}

pub(crate) fn fields() -> Vec<FilterableField> {
    use FilterOperator::{Contains, Eq, Ge, In, Le, Ne};
    let text = |name, description| FilterableField::string(name, description);
    let one_of = |name, description, values: &[&str]| {
        let schema = json!({ "type": "string", "enum": values });
        FilterableField::new(name, description, schema).with_operators([Eq])
    };
    vec![
        text("site", "Only pages of this site and its subdomains, such as docs.rs")
            .with_operators([Eq, Ne, In]),
        text("filetype", "Only documents of this type, such as pdf").with_operators([Eq, Ne, In]),
        text("language", "Only pages in this language, by its two-letter code, such as en")
            .with_operators([Eq, Ne, In]),
        text("location", "Only pages from this country, by its two-letter code, such as DE")
            .with_operators([Eq, Ne, In])
            .offered_to_model(false),
        text("intitle", "Only pages with this word or phrase in their title")
            .with_operators([Contains]),
        text("inbody", "Only pages with this word or phrase in their body")
            .with_operators([Contains])
            .offered_to_model(false),
        text("inpage", "Only pages with this word or phrase in their title or body")
            .with_operators([Contains]),
        FilterableField::new(
            PUBLISHED,
            "Only pages published on or between these days, such as 2025-03-31",
            json!({ "type": "string", "format": "date" }),
        )
        .with_operators([Ge, Le])
        // Brave takes either this or `freshness`. Models see `freshness`, which needs no calendar.
        .offered_to_model(false),
        one_of(
            "freshness",
            "Only pages of the past day (pd), week (pw), month (pm) or year (py)",
            check::PERIODS,
        ),
        one_of(
            "country",
            "The country to search from, by its two-letter code, or ALL",
            check::COUNTRIES,
        )
        .offered_to_model(false),
        one_of(
            "search_lang",
            "The language to prefer, by its code, such as en or zh-hans",
            check::SEARCH_LANGUAGES,
        )
        .offered_to_model(false),
        one_of("safesearch", "How much adult content is left out", check::SAFE_SEARCH)
            .offered_to_model(false),
    ]
}

/// Returns `None` if no page can match.
pub(crate) fn translate(
    options: &SearchOptions,
    fields: &[FilterableField],
) -> Result<Option<Translation>> {
    let Some(filter) = options.filter() else { return Ok(Some(Translation::default())) };
    let conditions = Conditions::of(CONNECTOR, &filter, fields)?;
    let mut draft = Draft::default();
    conditions.all.iter().try_for_each(|condition| draft.add(condition))?;
    let translation = draft.finish()?;
    Ok(translation.filter(|_| !conditions.are_never_met))
}

#[derive(Default)]
struct Draft {
    sites: Sites,
    words: Vec<String>,
    parameters: Vec<(&'static str, String)>,
    /// Per operator, values that exclude each other: a page has one type and one language.
    exclusive: Vec<(&'static str, Vec<String>)>,
    from: Option<String>,
    to: Option<String>,
    is_impossible: bool,
}

impl Draft {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow_by(CONNECTOR, condition),
            "filetype" => self.add_exclusive("filetype", condition, check::file_type),
            "language" => self.add_exclusive("lang", condition, check::page_language),
            "location" => self.add_exclusive("loc", condition, check::page_country),
            "intitle" => self.add_text("intitle", condition),
            "inbody" => self.add_text("inbody", condition),
            "inpage" => self.add_text("inpage", condition),
            PUBLISHED => self.add_day(condition),
            "freshness" => self.add_parameter("freshness", condition, check::period),
            "country" => self.add_parameter("country", condition, check::country),
            "search_lang" => self.add_parameter("search_lang", condition, check::search_language),
            "safesearch" => self.add_parameter("safesearch", condition, check::safe_search),
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    fn add_exclusive(
        &mut self,
        operator: &'static str,
        condition: &Condition,
        check: fn(&str, &str) -> Result<String>,
    ) -> Result<()> {
        let values = condition.values.iter().map(|value| check(&condition.field, value));
        let values = values.collect::<Result<Vec<_>>>()?;
        if condition.is_negated {
            self.words.extend(values.iter().map(|value| format!("-{operator}:{value}")));
            return Ok(());
        }
        match self.exclusive.iter_mut().find(|(known, _)| *known == operator) {
            Some((_, known)) => known.retain(|value| values.contains(value)),
            None => self.exclusive.push((operator, values)),
        }
        Ok(())
    }

    fn add_text(&mut self, operator: &str, condition: &Condition) -> Result<()> {
        let words = condition.values.iter().map(|value| match term(value, &[]) {
            Some(value) => Ok(format!("{operator}:{value}")),
            None => {
                let found = format!("`{value}`");
                let allowed = "text with letters or digits";
                Err(Error::invalid_options(CONNECTOR, &condition.field, found, allowed))
            }
        });
        let words = words.collect::<Result<Vec<_>>>()?;
        if condition.is_negated {
            self.words.extend(words.iter().map(|word| format!("-{word}")));
        } else {
            self.words.push(any_of(&words));
        }
        Ok(())
    }

    fn add_day(&mut self, condition: &Condition) -> Result<()> {
        let (operator, value) = condition.compared()?;
        let day = day(CONNECTOR, PUBLISHED, value)?;
        if operator == FilterOperator::Ge {
            self.from = self.from.take().max(Some(day));
        } else {
            self.to = Some(self.to.take().map_or(day.clone(), |known| known.min(day)));
        }
        Ok(())
    }

    fn add_parameter(
        &mut self,
        name: &'static str,
        condition: &Condition,
        check: fn(&str, &str) -> Result<String>,
    ) -> Result<()> {
        let value = check(&condition.field, condition.single()?)?;
        match self.parameters.iter().find(|(known, _)| *known == name) {
            Some((_, known)) => self.is_impossible |= *known != value,
            None => self.parameters.push((name, value)),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Option<Translation>> {
        if let Some(range) = self.range()? {
            self.parameters.push(("freshness", range));
        }
        if let Some(included) = self.sites.included.take() {
            self.exclusive.push(("site", included.iter().map(Site::to_string).collect()));
        }
        if self.is_impossible || self.exclusive.iter().any(|(_, values)| values.is_empty()) {
            return Ok(None);
        }
        let one_of = self.exclusive.iter().map(|(operator, values)| {
            any_of(&values.iter().map(|value| format!("{operator}:{value}")).collect::<Vec<_>>())
        });
        let excluded = self.sites.excluded.iter().map(|site| format!("-site:{site}"));
        let words = one_of.chain(excluded).chain(self.words).collect();
        Ok(Some(Translation { words, parameters: self.parameters }))
    }

    /// Brave requires both ends of a range.
    fn range(&mut self) -> Result<Option<String>> {
        let (from, to) = match (self.from.take(), self.to.take()) {
            (None, None) => return Ok(None),
            (Some(from), Some(to)) if from > to => {
                let found = format!("from `{from}` to `{to}`");
                let allowed = "a first day that is not after the last";
                return Err(Error::invalid_options(CONNECTOR, PUBLISHED, found, allowed));
            }
            (from, to) => (from.unwrap_or_else(|| FIRST_DAY.to_owned()), to.unwrap_or_else(today)),
        };
        if self.parameters.iter().any(|(name, _)| *name == "freshness") {
            let found = "used together with `freshness`";
            return Err(Error::invalid_options(CONNECTOR, PUBLISHED, found, "only one of them"));
        }
        self.is_impossible |= from > to;
        Ok(Some(format!("{from}to{to}")))
    }
}

fn any_of(words: &[String]) -> String {
    match words {
        [word] => word.clone(),
        _ => format!("({})", words.join(" OR ")),
    }
}

fn today() -> String {
    DateTime::from(std::time::SystemTime::now()).to_string().chars().take(10).collect()
}
