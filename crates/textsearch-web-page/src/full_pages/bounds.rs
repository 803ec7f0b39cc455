//! Confines redirects while a fixed filter applies.

use textsearch_core::{
    Filter,
    http::Url,
    web::{Site, contradicts},
};

/// Fields that web connectors use for the site of a result.
const SITE_FIELDS: &[&str] = &["site", "domain"];

const NOWHERE: &str = "https://nowhere.invalid/";

/// Pages of other sites don't match a fixed filter that names a site.
#[derive(Debug)]
pub(crate) struct Bounds(Option<Filter>);

impl Bounds {
    pub(crate) fn new(fixed_filter: Option<&Filter>) -> Self {
        Self(fixed_filter.cloned())
    }

    /// Without a redirect, the search vouches for the link.
    pub(crate) fn check(&self, link: &Url, came: &Url) -> Result<(), String> {
        let Some(filter) = &self.0 else { return Ok(()) };
        if came == link {
            return Ok(());
        }
        let is_outside = |url: &str| contradicts(filter, SITE_FIELDS, url);
        // In a store, a field `site` may be unrelated to the link.
        let is_about_links = !is_outside(link.as_str());
        if is_about_links && is_outside(came.as_str()) {
            return Err("the link redirects out of the site of a fixed filter".to_owned());
        }
        let names_its_sites = is_about_links && is_outside(NOWHERE);
        if names_its_sites || is_same_site(link, came) {
            return Ok(());
        }
        let host = came.host_str().unwrap_or_default();
        Err(format!("the link redirects to another site, `{host}`, despite a fixed filter"))
    }
}

/// Whether a page is on the link's host or on a subdomain.
fn is_same_site(link: &Url, came: &Url) -> bool {
    let host = link.host_str().unwrap_or_default();
    let domain = host.strip_prefix("www.").unwrap_or(host);
    let site = Site::domain("web-page", "link", domain);
    link.host() == came.host() || site.is_ok_and(|site| site.contains(came))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "http://www.docs.rs/tokio/1";

    fn admits(filter: Filter, came: &str) -> bool {
        let link = Url::parse(LINK).unwrap();
        let came = Url::parse(came).unwrap();
        Bounds::new(Some(&filter)).check(&link, &came).is_ok()
    }

    #[test]
    fn a_filter_on_a_folder_confines_redirects_to_it() {
        let folder = || Filter::eq("site", "docs.rs/tokio");
        assert!(admits(folder(), "https://docs.rs/tokio/latest"));
        for came in [
            "https://docs.rs/serde",
            "https://docs.rs/Tokio/latest",
            "https://docs.rs/tokio/..%2fserde",
            "https://docs.rs.evil.example/tokio/latest",
        ] {
            assert!(!admits(folder(), came), "{came}");
            assert!(!admits(folder().and(Filter::eq("language", "en")), came), "{came}");
            assert!(!admits(Filter::eq("domain", "docs.rs/tokio"), came), "{came}");
        }
    }

    #[test]
    fn redirects_between_sites_of_a_filter_are_allowed() {
        let filter = || Filter::is_in("site", ["docs.rs", "crates.io"]);
        assert!(admits(filter(), "https://crates.io/crates/tokio"));
        assert!(!admits(filter(), "https://lib.rs/crates/tokio"));
    }

    #[test]
    fn without_named_sites_redirects_stay_on_the_host() {
        for filter in [
            Filter::eq("language", "en"),
            Filter::ne("site", "crates.io"),
            Filter::eq("site", "docs.rs").or(Filter::eq("language", "en")),
            Filter::eq("site", "a building in Berlin"),
        ] {
            assert!(admits(filter.clone(), "https://new.docs.rs/serde"), "{filter}");
            assert!(!admits(filter.clone(), "https://crates.io/"), "{filter}");
            assert!(!admits(filter.clone(), "https://lib.rs/"), "{filter}");
        }
    }

    #[test]
    fn a_link_without_redirect_is_always_allowed() {
        assert!(admits(Filter::eq("site", "crates.io"), LINK));
    }
}
