//! The address of a service.

use std::fmt;

use url::{ParseError, Url};

use super::displayable;
use crate::{Error, Result};

/// The address of a service, checked on use and printed without user, password and query.
///
/// ```
/// use textsearch_core::http::Endpoint;
///
/// let endpoint = Endpoint::from("https://me:secret@example.com/search?key=secret");
/// assert_eq!(format!("{endpoint:?}"), "Endpoint(https://example.com/search)");
/// assert_eq!(endpoint.url("example", "https://example.com")?.host_str(), Some("example.com"));
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    address: String,
    // Parsed once for all searches.
    url: std::result::Result<Url, url::ParseError>,
}

impl Endpoint {
    /// Returns the address if it is a web address. The error shows `example` as a valid one.
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if it is not a URL, or its scheme is
    /// neither `http` nor `https`. The error does not repeat the address, which may hold a key.
    pub fn url(&self, connector: &str, example: &str) -> Result<Url> {
        let refused = |fault: &str| {
            let allowed = format!("an address such as {example}");
            Error::invalid_options(connector, "endpoint", fault, allowed)
        };
        let url = self.url.as_ref().map_err(|error| match error {
            ParseError::RelativeUrlWithoutBase => refused("not absolute"),
            other => refused(&other.to_string()),
        })?;
        match url.scheme() {
            "http" | "https" => Ok(url.clone()),
            _ => Err(refused("neither http nor https")),
        }
    }

    /// Returns the address as given, secrets included.
    pub fn as_str(&self) -> &str {
        &self.address
    }
}

impl<T: Into<String>> From<T> for Endpoint {
    fn from(address: T) -> Self {
        let address = address.into();
        let url = Url::parse(address.trim());
        Self { address, url }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.url {
            Ok(url) => write!(formatter, "Endpoint({})", displayable(url)),
            Err(_) => formatter.write_str("Endpoint(not an address)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_the_web_is_an_endpoint() {
        let refusal = |address: &str| {
            Endpoint::from(address).url("example", "https://a.com").unwrap_err().to_string()
        };
        let allowed = "expected an address such as https://a.com";
        let ftp = refusal("ftp://me:rosebud@a.com");
        assert_eq!(ftp, format!("example: `endpoint` is neither http nor https; {allowed}"));
        let none = refusal("a.com?key=rosebud");
        assert_eq!(none, format!("example: `endpoint` is not absolute; {allowed}"));
        assert!(Endpoint::from(" http://127.0.0.1:8080 ").url("example", "").is_ok());
    }

    #[test]
    fn debug_of_an_endpoint_hides_secrets() {
        for address in ["https://me:rosebud@a.com/?key=rosebud#rosebud", "rosebud"] {
            assert!(!format!("{:?}", Endpoint::from(address)).contains("rosebud"), "{address}");
        }
    }
}
