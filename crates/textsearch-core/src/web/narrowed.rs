//! Conditions on one field, merged.

use super::{Condition, Conditions, Site, Sites};
use crate::Result;

impl Conditions {
    /// Merges the `=` conditions on one field into one, with the values that all of them allow. On
    /// `site_fields` a site allows what lies within it.
    pub(super) fn narrowed(self, site_fields: &[&str]) -> Result<Self> {
        let Self { all, mut are_never_met } = self;
        let mut narrowed: Vec<Condition> = Vec::with_capacity(all.len());
        for condition in all {
            let is_on_one_field = |other: &&mut Condition| {
                let is_equality =
                    |candidate: &Condition| candidate.equality().is_ok() && !candidate.negated;
                other.field == condition.field && is_equality(other) && is_equality(&condition)
            };
            let Some(earlier) = narrowed.iter_mut().find(is_on_one_field) else {
                narrowed.push(condition);
                continue;
            };
            if site_fields.contains(&condition.field.as_str()) {
                let mut sites = Sites::default();
                sites.narrow(sites_of(earlier)?, false);
                sites.narrow(sites_of(&condition)?, false);
                earlier.values = sites.included.iter().flatten().map(Site::to_string).collect();
            } else {
                earlier.values.retain(|value| condition.values.contains(value));
            }
            are_never_met |= earlier.values.is_empty();
        }
        Ok(Self { all: narrowed, are_never_met })
    }
}

fn sites_of(condition: &Condition) -> Result<Vec<Site>> {
    let sites = condition.values.iter();
    sites.map(|value| Site::new(&condition.connector, &condition.field, value)).collect()
}
