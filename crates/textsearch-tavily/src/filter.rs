//! Translates a filter into Tavily's request parameters.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    FilterableField, Result,
    web::{Bounds, Condition, Site, Sites, one_of, published_field, site_field},
};

use crate::{CONNECTOR, config};

const PUBLISHED: &str = "published";
const TOPICS: &[&str] = &["general", "news", "finance"];
const TIME_RANGES: &[&str] = &["day", "week", "month", "year", "d", "w", "m", "y"];

pub(crate) fn fields() -> Vec<FilterableField> {
    let age = "Only pages of the past day, week, month or year";
    let topic = "The kind of pages: general, news or finance";
    vec![
        site_field(),
        // Tavily takes either this or `time_range`. Models see the latter: it needs no calendar.
        published_field().offered_to_model(false),
        FilterableField::one_of("time_range", age, &["day", "week", "month", "year"]),
        FilterableField::one_of("topic", topic, TOPICS),
    ]
}

/// Narrows `sites`, the configured domains. Returns `None` if no page can match.
pub(crate) fn translate(
    conditions: &[Condition],
    sites: Sites,
) -> Result<Option<BTreeMap<&'static str, Value>>> {
    let days = Bounds::default();
    let parameters = BTreeMap::new();
    let mut draft = Draft { sites, days, parameters, impossible: false };
    conditions.iter().try_for_each(|condition| draft.add(condition))?;
    draft.finish()
}

struct Draft {
    sites: Sites,
    days: Bounds,
    parameters: BTreeMap<&'static str, Value>,
    impossible: bool,
}

impl Draft {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow_by(CONNECTOR, condition),
            PUBLISHED => self.days.narrow(condition),
            "time_range" => self.add_choice("time_range", condition, TIME_RANGES),
            "topic" => self.add_choice("topic", condition, TOPICS),
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    fn add_choice(
        &mut self,
        name: &'static str,
        condition: &Condition,
        allowed: &[&str],
    ) -> Result<()> {
        let value = condition.single()?;
        one_of(CONNECTOR, name, value, allowed)?;
        let known = self.parameters.insert(name, Value::from(value));
        self.impossible |= known.is_some_and(|known| known != value);
        Ok(())
    }

    fn finish(mut self) -> Result<Option<BTreeMap<&'static str, Value>>> {
        let days = [("start_date", self.days.lowest), ("end_date", self.days.highest)];
        for (name, day) in days.into_iter().filter_map(|(name, day)| Some((name, day?))) {
            self.parameters.insert(name, day.into());
        }
        config::check_period(|name| self.parameters.get(name))?;
        if self.impossible || self.sites.are_none() {
            return Ok(None);
        }
        let Sites { included, excluded, .. } = &self.sites;
        let lists = [
            ("include_domains", included.as_ref(), 300),
            ("exclude_domains", Some(excluded).filter(|sites| !sites.is_empty()), 150),
        ];
        for (name, sites, max) in lists {
            let Some(sites) = sites else { continue };
            if sites.len() > max {
                let value = format!("{} domains", sites.len());
                return Err(config::refused(name, &value, &format!("at most {max}")));
            }
            let names: Vec<String> = sites.iter().map(Site::to_string).collect();
            self.parameters.insert(name, names.into());
        }
        Ok(Some(self.parameters))
    }
}
