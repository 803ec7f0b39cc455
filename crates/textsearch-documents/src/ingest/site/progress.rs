//! Progress of a walk.

/// The progress of a walk through a site, after a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteProgress<'a> {
    /// The URL of the page.
    pub url: &'a str,
    /// Pages visited so far.
    pub pages: usize,
    /// Known links that are left.
    pub links: usize,
    /// Bytes received so far.
    pub bytes: u64,
}
