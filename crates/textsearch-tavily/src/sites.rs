//! Sites as filters name them: which ones are left when several filters hold, and which links are on them.

use textsearch_core::{Error, Result, http::Url};

use crate::{CONNECTOR, conditions::Condition};

/// The longest name of a host that there can be.
const LONGEST: usize = 253;

/// The sites to search and those to leave out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sites {
    /// `None` is the whole web, and an empty list is nothing at all.
    pub(crate) included: Option<Vec<String>>,
    pub(crate) excluded: Vec<String>,
}

impl Sites {
    /// The sites of the settings; to include none of them is to include all there are.
    ///
    /// # Errors
    /// `InvalidOptions` for a value that is not the name of a site.
    pub(crate) fn new(included: &[String], excluded: &[String]) -> Result<Self> {
        let named = |option: &'static str, sites: &[String]| {
            sites.iter().map(|value| site(option, value)).collect::<Result<Vec<_>>>()
        };
        let included = named("include_domains", included)?;
        let excluded = named("exclude_domains", excluded)?;
        Ok(Self { included: Some(included).filter(|sites| !sites.is_empty()), excluded })
    }

    /// Narrows the sites by one more condition on them.
    ///
    /// # Errors
    /// `InvalidOptions` for a value that is not the name of a site.
    pub(crate) fn narrow(&mut self, condition: &Condition) -> Result<()> {
        let sites = condition.values.iter().map(|value| site(&condition.field, value));
        let sites = sites.collect::<Result<Vec<_>>>()?;
        if condition.is_negated {
            self.excluded.extend(sites);
        } else {
            self.included = Some(match self.included.take() {
                Some(included) => in_both(&included, &sites),
                None => sites,
            });
        }
        Ok(())
    }

    /// Whether a page with this link may be among the results.
    pub(crate) fn allow(&self, link: &str) -> bool {
        let Ok(url) = Url::parse(link) else { return self.included.is_none() };
        let Some(host) = url.host_str() else { return self.included.is_none() };
        let is_on = |site: &String| is_within(host, &ascii(site));
        self.included.as_ref().is_none_or(|sites| sites.iter().any(is_on))
            && !self.excluded.iter().any(is_on)
    }
}

/// The narrower site of each pair of which one is within the other.
fn in_both(left: &[String], right: &[String]) -> Vec<String> {
    let narrower =
        |one: &String, other: &String| match (is_within(one, other), is_within(other, one)) {
            (true, _) => Some(one.clone()),
            (_, true) => Some(other.clone()),
            _ => None,
        };
    let mut both: Vec<String> =
        left.iter().flat_map(|one| right.iter().filter_map(|other| narrower(one, other))).collect();
    both.sort();
    both.dedup();
    both
}

/// Whether `host` is the site or a subdomain of it.
fn is_within(host: &str, site: &str) -> bool {
    let Some(before) = host.strip_suffix(site) else { return false };
    before.is_empty() || before.ends_with('.')
}

/// The site as hosts in links are written: a name with other letters has another form there.
fn ascii(site: &str) -> String {
    let url = Url::parse(&format!("https://{site}"));
    let host = url.ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_else(|| site.to_owned())
}

/// A name that can stand in a query without becoming anything else.
fn site(field: &str, value: &str) -> Result<String> {
    let name = value.trim().trim_end_matches('.').to_lowercase();
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label
                .chars()
                .all(|character| character.is_alphanumeric() || "-_".contains(character))
    };
    if name.len() <= LONGEST && name.split('.').all(is_label) {
        return Ok(name);
    }
    let found = format!("`{value}`");
    Err(Error::invalid_options(CONNECTOR, field, found, "the name of a site, such as docs.rs"))
}
