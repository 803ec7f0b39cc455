//! Where a page may come from while a fixed filter holds.

use textsearch_core::{
    Filter,
    http::Url,
    web::{Site, contradicts},
};

/// The fields by which connectors of web engines know the site of a result.
const SITE_FIELDS: &[&str] = &["site", "domain"];

/// A link that lies in no site.
const NOWHERE: &str = "https://nowhere.invalid/";

/// What a redirect must not lead out of: a fixed filter may stand for a site, and what another site says is not inside.
#[derive(Debug)]
pub(super) struct Bounds(Option<Filter>);

impl Bounds {
    pub(super) fn new(fixed_filter: Option<&Filter>) -> Self {
        Self(fixed_filter.cloned())
    }

    /// Refuses a page that came from outside. A link that leads to where it says is the search's own to vouch for.
    pub(super) fn check(&self, link: &Url, came: &Url) -> Result<(), String> {
        let Some(filter) = &self.0 else { return Ok(()) };
        if came == link {
            return Ok(());
        }
        let is_outside = |url: &str| contradicts(filter, SITE_FIELDS, url);
        // A record of a store may have a field `site` that is about something else than its link.
        let is_about_links = !is_outside(link.as_str());
        if is_about_links && is_outside(came.as_str()) {
            return Err("the link leads out of the site that a fixed filter names".to_owned());
        }
        let names_its_sites = is_about_links && is_outside(NOWHERE);
        if names_its_sites || is_same_site(link, came) {
            return Ok(());
        }
        let host = came.host_str().unwrap_or_default();
        Err(format!("the link leads to another site, `{host}`, while a fixed filter holds"))
    }
}

/// Whether a page is on the host of the link or on one below it.
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
        let (link, came) = (Url::parse(LINK).unwrap(), Url::parse(came).unwrap());
        Bounds::new(Some(&filter)).check(&link, &came).is_ok()
    }

    #[test]
    fn a_filter_on_a_folder_holds_a_redirect_to_the_folder() {
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
    fn a_redirect_from_one_site_of_a_filter_to_another_stays_inside() {
        let filter = || Filter::is_in("site", ["docs.rs", "crates.io"]);
        assert!(admits(filter(), "https://crates.io/crates/tokio"));
        assert!(!admits(filter(), "https://lib.rs/crates/tokio"));
    }

    #[test]
    fn a_filter_that_names_no_sites_to_stay_in_holds_a_redirect_to_its_host() {
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
    fn a_link_that_is_not_redirected_is_the_search_s_own_to_vouch_for() {
        assert!(admits(Filter::eq("site", "crates.io"), LINK));
    }
}
