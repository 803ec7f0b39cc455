//! A filter as Tavily understands it: parameters of the request.

use serde_json::{Map, Value, json};
use textsearch_core::{Filter, FilterOperator, FilterableField, Result, SearchOptions};

use crate::{
    check::{self, one_of, refused},
    conditions::{Condition, Conditions, unsupported},
    sites::Sites,
};

/// The field that dates are compared with.
const PUBLISHED: &str = "published";

/// The most domains to search, and the most to leave out.
const MOST_INCLUDED: usize = 300;
const MOST_EXCLUDED: usize = 150;

/// What a filter may name.
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
        .with_operators([Ge, Le]),
        one_of(
            "time_range",
            "Only pages of the past day, week, month or year",
            &["day", "week", "month", "year"],
        ),
        one_of("topic", "The kind of pages: general, news or finance", check::TOPICS),
    ]
}

/// The parameters for all filters of a search on the sites of the settings; `None` where nothing could ever match.
///
/// # Errors
/// `UnsupportedFilter` for what Tavily cannot do, `InvalidOptions` for a value that is not one of the field.
pub(crate) fn translate(
    options: &SearchOptions,
    fields: &[FilterableField],
    sites: Sites,
) -> Result<Option<Map<String, Value>>> {
    let mut draft = Draft { fields, sites, parameters: Map::new(), is_impossible: false };
    if let Some(filter) = options.filter() {
        let conditions = Conditions::of(&filter, fields)?;
        conditions.all.iter().try_for_each(|condition| draft.add(condition))?;
        draft.is_impossible |= conditions.are_never_met;
    }
    draft.finish()
}

/// The sites of a filter, for the check of the links that come back.
pub(crate) fn sites_of(filter: &Filter, fields: &[FilterableField]) -> Result<Sites> {
    let mut sites = Sites::default();
    let conditions = Conditions::of(filter, fields)?;
    let mut on_sites = conditions.all.iter().filter(|condition| condition.field == "site");
    on_sites.try_for_each(|condition| sites.narrow(condition))?;
    Ok(sites)
}

/// What is collected before it becomes parameters.
struct Draft<'fields> {
    fields: &'fields [FilterableField],
    sites: Sites,
    parameters: Map<String, Value>,
    is_impossible: bool,
}

impl Draft<'_> {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow(condition),
            PUBLISHED => self.add_day(condition),
            "time_range" => self.add_choice(condition, check::TIME_RANGES),
            "topic" => self.add_choice(condition, check::TOPICS),
            field => Err(unsupported(field, condition.operator, self.fields)),
        }
    }

    fn add_day(&mut self, condition: &Condition) -> Result<()> {
        let day = check::day(PUBLISHED, self.single(condition)?)?;
        let is_start = condition.operator == FilterOperator::Ge;
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
        let value = self.single(condition)?;
        one_of(&condition.field, value, allowed)?;
        let known = self.parameters.insert(condition.field.clone(), Value::from(value));
        self.is_impossible |= known.is_some_and(|known| known != value);
        Ok(())
    }

    /// The value of a condition that the request can say once and not deny.
    fn single<'value>(&self, condition: &'value Condition) -> Result<&'value str> {
        match (condition.values.as_slice(), condition.is_negated) {
            ([value], false) => Ok(value),
            (_, true) => Err(unsupported(&condition.field, FilterOperator::Not, self.fields)),
            _ => Err(unsupported(&condition.field, FilterOperator::Or, self.fields)),
        }
    }

    fn finish(mut self) -> Result<Option<Map<String, Value>>> {
        let day = |name: &str| self.parameters.get(name).and_then(Value::as_str);
        let is_empty =
            matches!((day("start_date"), day("end_date")), (Some(start), Some(end)) if start > end);
        let Sites { included, excluded } = &self.sites;
        if self.is_impossible || is_empty || included.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
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
            self.parameters.insert(name.to_owned(), json!(sites));
        }
        Ok(Some(self.parameters))
    }
}
