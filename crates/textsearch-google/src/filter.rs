//! A filter as parameters of the request, and what a link says about a filter.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Filter, FilterOperator, FilterValue, FilterableField, Result, filter::Comparison,
    http::Url,
};

use crate::{CONNECTOR, request};

const SITE: &str = "site";

/// The fields that a filter may name.
pub(crate) fn fields() -> Vec<FilterableField> {
    let description = "Only pages of this domain and its subdomains, such as docs.rs";
    let site = FilterableField::string(SITE, description).with_operators(operators_of(SITE));
    std::iter::once(site).chain(request::filterable_parameters()).collect()
}

fn operators_of(field: &str) -> Vec<FilterOperator> {
    match field {
        SITE => vec![FilterOperator::Eq, FilterOperator::Ne],
        field => request::operators_of(field),
    }
}

/// What a filter adds to a request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Conditions {
    pub(crate) parameters: BTreeMap<&'static str, String>,
    /// Whether no result could match, so that there is nothing to ask.
    pub(crate) is_never: bool,
}

/// Translates a filter.
pub(crate) fn translate(filter: &Filter) -> Result<Conditions> {
    filter.check(CONNECTOR, &fields())?;
    let mut conditions = Conditions::default();
    let parts = match Expression::of(filter, true)? {
        Expression::Never => return Ok(Conditions { is_never: true, ..conditions }),
        Expression::All(parts) => parts,
        one => vec![one],
    };
    for part in parts {
        if let Expression::Condition { field, parameters } = part {
            conditions.add(&field, parameters)?;
        }
    }
    let has = |name| conditions.parameters.contains_key(name);
    if has("lowRange") != has("highRange") {
        let allowed = "both ends of a range";
        return Err(Error::invalid_options(CONNECTOR, "lowRange", "without its like", allowed));
    }
    Ok(conditions)
}

type Parameters = Vec<(&'static str, String)>;

impl Conditions {
    /// A parameter has one value: a second one, such as another site, is more than Google can be asked.
    fn add(&mut self, field: &str, parameters: Parameters) -> Result<()> {
        for (name, value) in parameters {
            match self.parameters.insert(name, value.clone()) {
                Some(earlier) if earlier != value => {
                    return Err(cannot(field, FilterOperator::And));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A filter with its negations at the leaves.
enum Expression {
    Always,
    Never,
    Condition { field: String, parameters: Parameters },
    All(Vec<Expression>),
}

impl Expression {
    fn of(filter: &Filter, is_wanted: bool) -> Result<Self> {
        let children = |filters: &[Filter]| -> Result<Vec<Self>> {
            filters.iter().map(|one| Self::of(one, is_wanted)).collect()
        };
        match filter {
            Filter::Compare { field, operator, value } => {
                let is_equal = *operator != Comparison::Ne;
                condition(field, std::slice::from_ref(value), is_wanted == is_equal)
            }
            Filter::In { values, .. } if values.is_empty() => {
                Ok(if is_wanted { Self::Never } else { Self::Always })
            }
            Filter::In { field, values } => condition(field, values, is_wanted),
            Filter::And(filters) => combined(children(filters)?, is_wanted),
            Filter::Or(filters) => combined(children(filters)?, !is_wanted),
            Filter::Not(inner) => Self::of(inner, !is_wanted),
            Filter::Exists { field } => Err(cannot(field, FilterOperator::Exists)),
            // A kind of filter that a later version of the core adds.
            other => {
                let field = other.fields().next().unwrap_or_default().to_owned();
                Err(cannot(&field, FilterOperator::And))
            }
        }
    }

    fn field(&self) -> Option<&str> {
        match self {
            Self::Condition { field, .. } => Some(field),
            Self::All(parts) => parts.iter().find_map(Self::field),
            Self::Always | Self::Never => None,
        }
    }
}

/// All of the parts, or any of them, which parameters cannot say unless there is just one.
fn combined(parts: Vec<Expression>, are_all: bool) -> Result<Expression> {
    let mut kept = Vec::new();
    for part in parts {
        match part {
            Expression::Always if are_all => {}
            Expression::Never if !are_all => {}
            Expression::Always | Expression::Never => return Ok(part),
            Expression::All(parts) if are_all => kept.extend(parts),
            part => kept.push(part),
        }
    }
    match kept.len() {
        0 if are_all => Ok(Expression::Always),
        0 => Ok(Expression::Never),
        1 => Ok(kept.remove(0)),
        _ if are_all => Ok(Expression::All(kept)),
        _ => {
            let field = kept.iter().find_map(Expression::field).unwrap_or_default();
            Err(cannot(field, FilterOperator::Or))
        }
    }
}

fn condition(field: &str, values: &[FilterValue], is_wanted: bool) -> Result<Expression> {
    let values = values.iter().map(|value| match value {
        FilterValue::String(value) => Ok(value.as_str()),
        _ => Err(Error::invalid_options(CONNECTOR, field, "not a string", "a string")),
    });
    let values: Vec<&str> = values.collect::<Result<_>>()?;
    let parameters = if field == SITE {
        let value = values.first().copied().unwrap_or_default();
        let site = site(value).ok_or_else(|| {
            let allowed = "a domain such as docs.rs, or one with a folder";
            Error::invalid_options(CONNECTOR, SITE, format!("{value:?}"), allowed)
        })?;
        let filter = if is_wanted { "i" } else { "e" };
        vec![("siteSearch", site), ("siteSearchFilter", filter.to_owned())]
    } else if is_wanted {
        vec![request::parameter_of(field, &values)?]
    } else {
        return Err(cannot(field, FilterOperator::Not));
    };
    Ok(Expression::Condition { field: field.to_owned(), parameters })
}

fn cannot(field: &str, operator: FilterOperator) -> Error {
    Error::unsupported_filter(CONNECTOR, field, operator, &operators_of(field))
}

fn site(value: &str) -> Option<String> {
    let is_plain = |one: char| one.is_alphanumeric() || "-._/~%".contains(one);
    let is_site = value.starts_with(char::is_alphanumeric) && value.chars().all(is_plain);
    (is_site && site_url(value).is_some()).then(|| value.trim_end_matches('/').to_lowercase())
}

/// Whether a result with this link cannot match the filter, whatever the rest of the result may be.
pub(crate) fn contradicts(filter: &Filter, link: &str) -> bool {
    truth(filter, Url::parse(link).ok().as_ref()) == Some(false)
}

/// True, false, or unknown where the link does not tell.
fn truth(filter: &Filter, link: Option<&Url>) -> Option<bool> {
    let folded = |filters: &[Filter], neutral: bool| {
        let mut truths = filters.iter().map(|one| truth(one, link));
        let folded = truths.try_fold(Some(neutral), |sum, one| match one {
            Some(one) if one != neutral => Err(one),
            Some(_) => Ok(sum),
            None => Ok(None),
        });
        folded.unwrap_or_else(Some)
    };
    match filter {
        Filter::Compare { field, operator, value } if field == SITE => {
            Some(lies_in(link, value) == (*operator != Comparison::Ne))
        }
        Filter::And(filters) => folded(filters, true),
        Filter::Or(filters) => folded(filters, false),
        Filter::Not(inner) => truth(inner, link).map(|is_true| !is_true),
        _ => None,
    }
}

fn lies_in(link: Option<&Url>, site: &FilterValue) -> bool {
    let FilterValue::String(site) = site else { return false };
    let (Some(link), Some(site)) = (link, site_url(site)) else { return false };
    let (Some(host), Some(wanted)) = (link.host_str(), site.host_str()) else { return false };
    let below = host.strip_suffix(wanted);
    let is_host = below.is_some_and(|below| below.is_empty() || below.ends_with('.'));
    let (path, folder) = (link.path().to_lowercase(), site.path().trim_end_matches('/'));
    let rest = path.strip_prefix(folder);
    is_host && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Parsed as an address, a site has its host in the form that links have.
fn site_url(site: &str) -> Option<Url> {
    Url::parse(&format!("https://{}", site.to_lowercase())).ok()
}
