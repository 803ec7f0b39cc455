//! The address rules for untrusted URLs.

mod ip;
mod name;
mod port;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

use url::{Host, Url};

use crate::{Error, Result};

// Reasons to refuse a URL even if its host is allowed.
const FOREIGN_SCHEME: &str = "in a URL that is neither http nor https";
const WITH_USER: &str = "in a URL with a user or a password";
const MISSING: &str = "missing in the URL";

/// The rules for fetching URLs that others wrote, which may point into your own network.
///
/// They allow `http` and `https` URLs without user and password whose host is a public address, in
/// any spelling, or a name that resolves to public addresses whenever the client connects.
///
/// They refuse loopback, private, link-local, shared, multicast, documentation and reserved
/// addresses, addresses of cloud metadata services, and the IPv6 forms of all of them. They also
/// refuse names that are local by convention, and the [ports that browsers
/// block](https://fetch.spec.whatwg.org/#port-blocking), such as 22 and 25.
///
/// ```
/// use textsearch_core::http::{AddressPolicy, Url};
///
/// let policy = AddressPolicy::public_only();
/// policy.check_url(&Url::parse("https://www.rust-lang.org/learn")?)?;
///
/// let refused = policy.check_url(&Url::parse("http://0x7f.1/")?).unwrap_err();
/// assert_eq!(refused.to_string(), "`127.0.0.1` is a loopback address: not allowed");
///
/// let policy = policy.with_allowed_host("127.0.0.1:8080")?;
/// policy.check_url(&Url::parse("http://localhost:8080/")?).unwrap_err();
/// policy.check_url(&Url::parse("http://127.0.0.1:8080/")?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    allowed: Vec<AllowedHost>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowedHost {
    host: Host<String>,
    /// `None` allows any port.
    port: Option<u16>,
}

impl AddressPolicy {
    /// Creates a policy that allows only public addresses.
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Allows a host of your own: `intranet.example`, `10.0.0.7:8080`, `[fd00::1]:80`. Without a
    /// port, all its ports are allowed.
    ///
    /// The host is compared as written. An allowed name may resolve to any address. Other names and
    /// addresses of the same machine stay refused.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if `host` is not a host with
    /// or without a port.
    pub fn with_allowed_host(mut self, host: impl Into<String>) -> Result<Self> {
        let host = host.into();
        let parsed = AllowedHost::parse(&host).ok_or_else(|| {
            let allowed = "a host with or without a port, such as `intranet.example:8080`";
            Error::invalid_options("address policy", "allowed host", format!("`{host}`"), allowed)
        })?;
        self.allowed.push(parsed);
        Ok(self)
    }

    /// Checks a URL without resolving its name.
    ///
    /// A name must also resolve to allowed addresses when connecting:
    /// `HttpClient::for_untrusted_urls` checks both.
    ///
    /// # Errors
    /// An [`AddressRefused`] that names the host and the rule.
    pub fn check_url(&self, url: &Url) -> Result<(), AddressRefused> {
        let refused = |rule| Err(AddressRefused::new(url.host_str().unwrap_or_default(), rule));
        if !matches!(url.scheme(), "http" | "https") {
            return refused(FOREIGN_SCHEME);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused(WITH_USER);
        }
        if self.allows_by_name(url) {
            return Ok(());
        }
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_ip(address.into())?,
            Some(Host::Ipv6(address)) => self.check_ip(address.into())?,
            Some(Host::Domain(name)) => name::rule_against(name).map_or(Ok(()), refused)?,
            None => return refused(MISSING),
        }
        url.port().and_then(port::rule_against).map_or(Ok(()), refused)
    }

    /// Checks an address to connect to.
    pub(super) fn check_ip(&self, address: IpAddr) -> Result<(), AddressRefused> {
        match ip::rule_against(address) {
            Some(rule) => Err(AddressRefused::new(&address.to_string(), rule)),
            None => Ok(()),
        }
    }

    #[cfg(feature = "reqwest")]
    pub(super) fn allows_hosts(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Returns whether the URL's host was allowed by [`with_allowed_host`](Self::with_allowed_host), and may be
    /// on your own network.
    pub fn allows_by_name(&self, url: &Url) -> bool {
        let Some(host) = url.host() else { return false };
        let port = url.port_or_known_default();
        self.allowed.iter().any(|allowed| {
            same_host(&allowed.host, &host) && (allowed.port.is_none() || allowed.port == port)
        })
    }
}

impl AllowedHost {
    /// Parses the host as a URL does, so that both have one spelling.
    fn parse(text: &str) -> Option<Self> {
        let http = in_url("http", text)?;
        let https = in_url("https", text)?;
        // `Url` drops the default port of its scheme; no port is the default of both schemes.
        let port = http.port().or(https.port());
        Some(Self { host: http.host()?.to_owned(), port })
    }
}

fn in_url(scheme: &str, host: &str) -> Option<Url> {
    let is_more_than_a_host = host.contains(['/', '\\', '?', '#', '@']) || host.ends_with(':');
    let url = Url::parse(&format!("{scheme}://{host}/")).ok()?;
    (!is_more_than_a_host && url.has_host()).then_some(url)
}

fn same_host(allowed: &Host<String>, host: &Host<&str>) -> bool {
    match (allowed, host) {
        (Host::Domain(allowed), Host::Domain(name)) => {
            name::without_final_dot(allowed) == name::without_final_dot(name)
        }
        (Host::Ipv4(allowed), Host::Ipv4(address)) => allowed == address,
        (Host::Ipv6(allowed), Host::Ipv6(address)) => allowed == address,
        _ => false,
    }
}

/// A refused address and the rule against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRefused {
    host: String,
    address: Option<String>,
    rule: &'static str,
}

impl AddressRefused {
    fn new(host: &str, rule: &'static str) -> Self {
        Self { host: host.to_owned(), address: None, rule }
    }

    #[cfg(feature = "reqwest")]
    pub(super) fn of_name(self, name: &str) -> Self {
        Self { host: name.to_owned(), address: Some(self.host), rule: self.rule }
    }

    /// Returns the refused host, as in the URL.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the text that makes [`AddressPolicy::with_allowed_host`] allow this host; `None` if
    /// that would not help, as for a refused scheme.
    ///
    /// ```
    /// use textsearch_core::http::{AddressPolicy, Url};
    ///
    /// let url = Url::parse("http://[::1]:8080/")?;
    /// let refused = AddressPolicy::public_only().check_url(&url).unwrap_err();
    /// assert_eq!(refused.allowable_host().as_deref(), Some("[::1]"));
    ///
    /// let policy = AddressPolicy::public_only().with_allowed_host("[::1]")?;
    /// policy.check_url(&url)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn allowable_host(&self) -> Option<String> {
        if [FOREIGN_SCHEME, WITH_USER, MISSING].contains(&self.rule) {
            return None;
        }
        let is_bare_ipv6 = self.host.parse::<Ipv6Addr>().is_ok();
        Some(if is_bare_ipv6 { format!("[{}]", self.host) } else { self.host.clone() })
    }

    /// Returns the rule, such as `a loopback address`.
    pub fn rule(&self) -> &'static str {
        self.rule
    }
}

impl fmt::Display for AddressRefused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.host)?;
        if let Some(address) = &self.address {
            write!(formatter, " ({address})")?;
        }
        write!(formatter, " is {}: not allowed", self.rule)
    }
}

impl std::error::Error for AddressRefused {}
