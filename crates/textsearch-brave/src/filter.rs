//! Translates a filter into Brave's query operators and request parameters.

use std::{collections::BTreeMap, time::SystemTime};

use textsearch_core::{
    Error, FilterableField, Result,
    filter::{DateTime, FilterOperator},
    web::{Bounds, Condition, FilterWords, Sites, term},
};

use crate::{CONNECTOR, values};

const PUBLISHED: &str = "published";
/// Start of date ranges without a start.
const FIRST_DAY: &str = "1970-01-01";

pub(crate) fn fields() -> Vec<FilterableField> {
    use FilterOperator::{Contains, Eq, Ge, In, Le, Ne};
    let code = |name, about| FilterableField::string(name, about).with_operators([Eq, Ne, In]);
    let text = |name, about| FilterableField::string(name, about).with_operators([Contains]);
    let one_of = FilterableField::one_of;
    let published = "Only pages published on or between these days, such as 2025-03-31";
    let mut fields = vec![
        code("site", "Only pages of this site and its subdomains, such as docs.rs"),
        code("filetype", "Only documents of this type, such as pdf"),
        code("language", "Only pages in this language, by its two-letter code, such as en"),
        code("location", "Only pages from this country, by its two-letter code, such as DE"),
        text("intitle", "Only pages with this word or phrase in their title"),
        text("inbody", "Only pages with this word or phrase in their body"),
        text("inpage", "Only pages with this word or phrase in their title or body"),
        FilterableField::day(PUBLISHED, published).with_operators([Ge, Le]),
        one_of(
            "freshness",
            "Only pages of the past day (pd), week (pw), month (pm) or year (py)",
            values::PERIODS,
        ),
        one_of(
            "country",
            "The country to search from, by its two-letter code, or ALL",
            values::COUNTRIES,
        ),
        one_of(
            "search_lang",
            "The language to prefer, by its code, such as en or zh-hans",
            values::SEARCH_LANGUAGES,
        ),
        one_of("safesearch", "How much adult content is left out", values::SAFE_SEARCH),
    ];
    // Brave takes either `published` or `freshness`. Models see `freshness`, which needs no calendar.
    let offered = ["site", "filetype", "language", "intitle", "inpage", "freshness"];
    for field in &mut fields {
        field.offered_to_model = offered.contains(&field.name.as_str());
    }
    fields
}

#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) words: FilterWords,
    /// Request parameters that override the configuration.
    pub(crate) parameters: BTreeMap<String, String>,
    sites: Sites,
    days: Bounds,
    is_impossible: bool,
}

impl Translation {
    /// Returns `None` if no page can match.
    pub(crate) fn new(conditions: &[Condition]) -> Result<Option<Self>> {
        let mut translation = Self::default();
        conditions.iter().try_for_each(|condition| translation.add(condition))?;
        translation.add_range()?;
        translation.words.add_sites("site", &translation.sites);
        let is_impossible = translation.is_impossible || translation.words.are_never_met();
        Ok((!is_impossible).then_some(translation))
    }

    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow_by(CONNECTOR, condition),
            "filetype" => self.add_code("filetype", condition, values::file_type),
            "language" => self.add_code("lang", condition, values::letters),
            "location" => self.add_code("loc", condition, values::letters),
            "intitle" => self.add_text("intitle", condition),
            "inbody" => self.add_text("inbody", condition),
            "inpage" => self.add_text("inpage", condition),
            PUBLISHED => self.days.narrow(condition),
            _ => self.add_parameter(condition),
        }
    }

    fn add_code(
        &mut self,
        operator: &'static str,
        condition: &Condition,
        code: fn(&str, &str) -> Result<String>,
    ) -> Result<()> {
        let codes = condition.values.iter().map(|value| code(&condition.field, value));
        self.words.narrow(operator, condition, codes.collect::<Result<_>>()?);
        Ok(())
    }

    fn add_text(&mut self, operator: &'static str, condition: &Condition) -> Result<()> {
        let terms = condition.values.iter().map(|value| {
            let allowed = "text with letters or digits";
            let error =
                || Error::invalid_options(CONNECTOR, operator, format!("`{value}`"), allowed);
            term(value, &[]).ok_or_else(error)
        });
        self.words.add(operator, condition, &terms.collect::<Result<Vec<_>>>()?);
        Ok(())
    }

    fn add_parameter(&mut self, condition: &Condition) -> Result<()> {
        let value = values::parameter(&condition.field, condition.single()?)?;
        let earlier = self.parameters.insert(condition.field.clone(), value.clone());
        self.is_impossible |= earlier.is_some_and(|earlier| earlier != value);
        Ok(())
    }

    /// Brave requires both ends of a range.
    fn add_range(&mut self) -> Result<()> {
        let refused =
            |found, allowed| Err(Error::invalid_options(CONNECTOR, PUBLISHED, found, allowed));
        let (first, last) = match std::mem::take(&mut self.days) {
            Bounds { lowest: None, highest: None, .. } => return Ok(()),
            Bounds { lowest: Some(first), highest: Some(last), .. } if first > last => {
                let found = format!("from `{first}` to `{last}`");
                return refused(found, "a first day that is not after the last");
            }
            Bounds { lowest, highest, .. } => {
                (lowest.unwrap_or_else(|| FIRST_DAY.to_owned()), highest.unwrap_or_else(today))
            }
        };
        if self.parameters.contains_key("freshness") {
            return refused("used together with `freshness`".to_owned(), "only one of them");
        }
        self.is_impossible |= first > last;
        self.parameters.insert("freshness".to_owned(), format!("{first}to{last}"));
        Ok(())
    }
}

fn today() -> String {
    DateTime::from(SystemTime::now()).to_string().chars().take(10).collect()
}
