//! Translates a filter into Tavily's request parameters.

use serde_json::{Map, Value, json};
use textsearch_core::{
    FilterableField, Result, SearchOptions,
    filter::FilterOperator,
    web::{Condition, Conditions, Site, Sites, day},
};

use crate::{
    CONNECTOR,
    check::{self, one_of, refused},
};

/// Fields checked against a result's link.
pub(crate) const SITE_FIELDS: &[&str] = &["site"];

const PUBLISHED: &str = "published";

const MOST_INCLUDED: usize = 300;
const MOST_EXCLUDED: usize = 150;

pub(crate) fn fields() -> Vec<FilterableField> {
    use FilterOperator::{Eq, Ge, In, Le, Ne};
    let one_of = |name, description, values: &[&str]| {
        let schema = json!({ "type": "string", "enum": values });
        FilterableField::new(name, description, schema).with_operators([Eq])
    };
    vec![
        FilterableField::string(
            "site",
            "Only pages of this domain and its subdomains, such as docs.rs",
        )
        .with_operators([Eq, Ne, In]),
        FilterableField::new(
            PUBLISHED,
            "Only pages published on or between these days, such as 2025-03-31",
            json!({ "type": "string", "format": "date" }),
        )
        .with_operators([Ge, Le])
        // Tavily takes either this or `time_range`. Models see the latter: it needs no calendar.
        .offered_to_model(false),
        one_of(
            "time_range",
            "Only pages of the past day, week, month or year",
            &["day", "week", "month", "year"],
        ),
        one_of("topic", "The kind of pages: general, news or finance", check::TOPICS),
    ]
}

/// Narrows `sites`, the configured domains. Returns `None` if no page can match.
pub(crate) fn translate(
    options: &SearchOptions,
    fields: &[FilterableField],
    sites: Sites,
) -> Result<Option<Map<String, Value>>> {
    let mut draft = Draft { sites, parameters: Map::new(), is_impossible: false };
    if let Some(filter) = options.filter() {
        let conditions = Conditions::of(CONNECTOR, &filter, fields)?;
        conditions.all.iter().try_for_each(|condition| draft.add(condition))?;
        draft.is_impossible |= conditions.are_never_met;
    }
    draft.finish()
}

struct Draft {
    sites: Sites,
    parameters: Map<String, Value>,
    is_impossible: bool,
}

impl Draft {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow_by(CONNECTOR, condition),
            PUBLISHED => self.add_day(condition),
            "time_range" => self.add_choice(condition, check::TIME_RANGES),
            "topic" => self.add_choice(condition, check::TOPICS),
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    fn add_day(&mut self, condition: &Condition) -> Result<()> {
        let (operator, value) = condition.compared()?;
        let day = day(CONNECTOR, PUBLISHED, value)?;
        let is_start = operator == FilterOperator::Ge;
        let name = if is_start { "start_date" } else { "end_date" };
        let day = match self.parameters.get(name).and_then(Value::as_str) {
            Some(known) if is_start => day.max(known.to_owned()),
            Some(known) => day.min(known.to_owned()),
            None => day,
        };
        self.parameters.insert(name.to_owned(), Value::from(day));
        Ok(())
    }

    fn add_choice(&mut self, condition: &Condition, allowed: &[&str]) -> Result<()> {
        let value = condition.single()?;
        one_of(&condition.field, value, allowed)?;
        let known = self.parameters.insert(condition.field.clone(), Value::from(value));
        self.is_impossible |= known.is_some_and(|known| known != value);
        Ok(())
    }

    fn finish(mut self) -> Result<Option<Map<String, Value>>> {
        check::period(|name| self.parameters.get(name))?;
        if self.is_impossible || self.sites.are_none() {
            return Ok(None);
        }
        let Sites { included, excluded, .. } = &self.sites;
        let lists = [
            ("include_domains", included.as_ref(), MOST_INCLUDED),
            ("exclude_domains", Some(excluded).filter(|sites| !sites.is_empty()), MOST_EXCLUDED),
        ];
        for (name, sites, most) in lists {
            let Some(sites) = sites else { continue };
            if sites.len() > most {
                let found = format!("{} domains", sites.len());
                return Err(refused(name, &found, &format!("at most {most}")));
            }
            let names: Vec<String> = sites.iter().map(Site::to_string).collect();
            self.parameters.insert(name.to_owned(), names.into());
        }
        Ok(Some(self.parameters))
    }
}
