//! Translates a filter into Google's request parameters.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::FilterOperator,
    web::{Condition, Conditions, Site},
};

use crate::{CONNECTOR, request};

const SITE: &str = "site";

/// Fields checked against a result's link.
pub(crate) const SITE_FIELDS: &[&str] = &[SITE];

pub(crate) fn fields() -> Vec<FilterableField> {
    let description = "Only pages of this domain and its subdomains, such as docs.rs";
    let site = FilterableField::string(SITE, description)
        .with_operators([FilterOperator::Eq, FilterOperator::Ne]);
    std::iter::once(site).chain(request::filterable_parameters()).collect()
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Translation {
    pub(crate) parameters: BTreeMap<&'static str, String>,
    pub(crate) is_never: bool,
}

pub(crate) fn translate(filter: &Filter, fields: &[FilterableField]) -> Result<Translation> {
    let conditions = Conditions::of(CONNECTOR, filter, fields)?;
    let mut translation = Translation { is_never: conditions.are_never_met, ..Default::default() };
    conditions.all.iter().try_for_each(|condition| translation.add(condition))?;
    let has = |name| translation.parameters.contains_key(name);
    if has("lowRange") != has("highRange") {
        let allowed = "`lowRange` and `highRange` together";
        return Err(Error::invalid_options(CONNECTOR, "lowRange", "set alone", allowed));
    }
    Ok(translation)
}

impl Translation {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        if condition.field == SITE {
            let value = match condition.values.as_slice() {
                [value] => value,
                _ => return Err(condition.unsupported(FilterOperator::Or)),
            };
            let site = Site::new(CONNECTOR, SITE, value)?.to_string();
            self.set("siteSearch", site, condition)?;
            let filter = if condition.is_negated { "e" } else { "i" };
            return self.set("siteSearchFilter", filter.to_owned(), condition);
        }
        let (name, value) = match condition.operator {
            FilterOperator::Contains => {
                let (_, phrase) = condition.compared()?;
                request::parameter_of(&condition.field, &[phrase])?
            }
            _ => request::filter_parameter_of(&condition.field, condition.listed()?)?,
        };
        self.set(name, value, condition)
    }

    /// A parameter takes one value only.
    fn set(&mut self, name: &'static str, value: String, condition: &Condition) -> Result<()> {
        match self.parameters.insert(name, value.clone()) {
            Some(earlier) if earlier != value => Err(condition.unsupported(FilterOperator::And)),
            _ => Ok(()),
        }
    }
}
