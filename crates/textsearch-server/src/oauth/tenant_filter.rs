//! From the claim that names a tenant to the tenant's filter.

use serde_json::{Map, Value};
use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue},
};

use crate::problem::{Answer, Kind, Problem};

const MAX_BYTES: usize = 256;

/// A filter with a placeholder in its texts. A claim's value is put into the parsed filter, so it can't
/// change the filter's structure.
pub(crate) struct TenantFilter {
    claim: String,
    placeholder: String,
    filter: Filter,
    /// Whether a value is a folder of a path, so `/` would lead into another one.
    is_folder: bool,
}

impl TenantFilter {
    pub(super) fn new(claim: &str, filter: &Filter) -> Result<Self, String> {
        let placeholder = format!("{{{claim}}}");
        let mut template =
            Self { claim: claim.to_owned(), placeholder, filter: filter.clone(), is_folder: false };
        let placeholder = &template.placeholder;
        let conditions = template.conditions(filter);
        if claim.is_empty() || conditions.is_empty() {
            return Err(format!("`tenant_filter` has no text with `{placeholder}`: expected one"));
        }
        let mut is_folder = false;
        for condition in conditions {
            match condition {
                Filter::Compare { operator: Comparison::Eq, .. } | Filter::In { .. } => {}
                Filter::Compare {
                    operator: Comparison::StartsWith,
                    value: FilterValue::String(text),
                    ..
                } if text.split(placeholder).skip(1).all(|rest| rest.starts_with('/')) => {
                    is_folder = true;
                }
                // A value would also match longer values: those of other tenants.
                _ => {
                    return Err(format!(
                        "`tenant_filter` has the condition `{condition}`, which doesn't keep tenants apart: \
                         expected `=`, `in`, or `starts_with` with `{placeholder}/`"
                    ));
                }
            }
        }
        template.is_folder = is_folder;
        Ok(template)
    }

    /// Returns the tenant that the claims name.
    pub(crate) fn tenant<'c>(&self, claims: &'c Map<String, Value>) -> Answer<&'c str> {
        let claim = &self.claim;
        let is_forbidden = |letter: char| letter.is_control() || self.is_folder && letter == '/';
        let refused = |fault: String| Err(Problem::new(Kind::Forbidden, fault));
        match claims.get(claim).map(Value::as_str) {
            None => refused(format!("the token has no claim `{claim}`, which names the tenant")),
            Some(Some(name))
                if !name.trim().is_empty()
                    && name.len() <= MAX_BYTES
                    && !name.chars().any(is_forbidden) =>
            {
                Ok(name)
            }
            Some(_) => refused(format!(
                "the token's claim `{claim}` names no tenant: \
                 expected a text of 1 to {MAX_BYTES} bytes without control characters{}",
                if self.is_folder { " and `/`" } else { "" }
            )),
        }
    }

    /// Returns the filter of the tenant `name`.
    pub(crate) fn filter_for(&self, name: &str) -> Filter {
        self.filled(&self.filter, name)
    }

    /// Returns the conditions with the placeholder.
    fn conditions<'f>(&self, filter: &'f Filter) -> Vec<&'f Filter> {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().flat_map(|filter| self.conditions(filter)).collect()
            }
            _ if self.filled(filter, "a") == self.filled(filter, "b") => Vec::new(),
            _ => vec![filter],
        }
    }

    fn filled(&self, filter: &Filter, name: &str) -> Filter {
        let mut filter = filter.clone();
        self.fill(&mut filter, name);
        filter
    }

    fn fill(&self, filter: &mut Filter, name: &str) {
        match filter {
            Filter::Compare { value, .. } => self.fill_value(value, name),
            Filter::In { values, .. } => {
                values.iter_mut().for_each(|value| self.fill_value(value, name));
            }
            Filter::Exists { .. } => {}
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter_mut().for_each(|filter| self.fill(filter, name));
            }
            Filter::Not(filter) => self.fill(filter, name),
        }
    }

    fn fill_value(&self, value: &mut FilterValue, name: &str) {
        match value {
            FilterValue::String(text) => *text = text.replace(&self.placeholder, name),
            FilterValue::List(values) => {
                values.iter_mut().for_each(|value| self.fill_value(value, name));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(filter: &str) -> Result<TenantFilter, String> {
        TenantFilter::new("org", &filter.parse().unwrap())
    }

    #[test]
    fn a_claim_is_a_value_and_never_syntax() {
        let template = template(r#"tenant = "{org}" and path starts_with "docs/{org}/""#).unwrap();
        let evil = r#"acme" or tenant != ""#;
        let expected =
            Filter::eq("tenant", evil).and(Filter::starts_with("path", format!("docs/{evil}/")));
        assert_eq!(template.filter_for(evil), expected);
    }

    #[test]
    fn a_filter_without_the_claim_is_refused() {
        for filter in [r#"tenant = "org""#, r#"tenant = "{other}""#, "year = 1"] {
            assert!(template(filter).is_err(), "{filter}");
        }
    }

    #[test]
    fn a_filter_that_matches_longer_values_is_refused() {
        for filter in [
            r#"path starts_with "tenants/{org}""#,
            r#"path starts_with "{org}/{org}-""#,
            r#"tenant contains "{org}""#,
            r#"tenant != "{org}""#,
            r#"tenant >= "{org}""#,
            r#"not tenant = "{org}""#,
            r#"year = 1 or (tenant = "{org}" and path starts_with "{org}")"#,
        ] {
            let error = template(filter).err().unwrap();
            assert!(error.contains("doesn't keep tenants apart"), "{error}");
        }
        for filter in [r#"tenant in ["{org}", "all"]"#, r#"not draft = true and tenant = "{org}""#]
        {
            assert!(template(filter).is_ok(), "{filter}");
        }
    }

    #[test]
    fn a_claim_cannot_name_a_folder_of_another_tenant() {
        let claims = Map::from_iter([("org".to_owned(), json!("acme/board"))]);
        let folder = template(r#"path starts_with "tenants/{org}/""#).unwrap();
        assert!(folder.tenant(&claims).is_err());
        let value = template(r#"tenant = "{org}""#).unwrap();
        assert_eq!(value.tenant(&claims).ok(), Some("acme/board"));
    }

    #[test]
    fn a_claim_that_names_no_tenant_is_refused() {
        let template = template(r#"tenant = "{org}""#).unwrap();
        let long = "x".repeat(MAX_BYTES + 1);
        for org in
            [json!(""), json!(" "), json!(1), json!(null), json!(["a"]), json!("a\n"), json!(long)]
        {
            let claims = Map::from_iter([("org".to_owned(), org)]);
            assert!(template.tenant(&claims).is_err(), "{claims:?}");
        }
        assert!(template.tenant(&Map::new()).is_err());
    }
}
