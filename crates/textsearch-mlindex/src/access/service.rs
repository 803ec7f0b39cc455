//! A service of a kind, and the right to use it.

use textsearch_core::{Error, ErrorKind, Result, secret::Secret};

use crate::CONNECTOR;

/// The environment variables and addresses of a kind of service.
///
/// ```
/// use textsearch_mlindex::Service;
///
/// let open_ai = Service::new("OPENAI_API_KEY", "OPENAI_BASE_URL")
///     .with_hosted_address("https://api.openai.com/v1");
/// let qdrant = Service::new("QDRANT_API_KEY", "QDRANT_URL").with_port(|port| port.or(Some(6334)));
/// # let _ = (open_ai, qdrant);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Service {
    /// The environment variable with the key. A file can't choose another one.
    pub key_variable: &'static str,
    /// The environment variable with the address, or several separated by commas. It is used if the
    /// file has no address, and these origins may receive the key.
    pub endpoint_variable: &'static str,
    /// The address of the provider, used if neither the file nor the environment has one. It may
    /// receive the key.
    pub hosted: Option<&'static str>,
    /// Returns the port to use for the port of an address; `None` is the scheme's default.
    pub port: fn(Option<u16>) -> Option<u16>,
}

impl Service {
    /// Creates a service that its user runs.
    pub fn new(key_variable: &'static str, endpoint_variable: &'static str) -> Self {
        Self { key_variable, endpoint_variable, hosted: None, port: |port| port }
    }

    /// Sets the address of the provider. It must be a web address.
    #[must_use]
    pub fn with_hosted_address(mut self, address: &'static str) -> Self {
        self.hosted = Some(address);
        self
    }

    /// Sets how ports of addresses are changed. Default: not at all.
    #[must_use]
    pub fn with_port(mut self, port: fn(Option<u16>) -> Option<u16>) -> Self {
        self.port = port;
        self
    }
}

/// The address of a service, and the key that it may receive.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServiceAccess {
    /// The addresses, without a slash at the end. There is at least one, and more than one only if
    /// they are from the environment.
    pub addresses: Vec<String>,
    /// The key; `None` if the environment has none.
    pub key: Option<Secret>,
    /// Whether the address is the provider's own, because nothing names another.
    pub is_hosted: bool,
    key_variable: &'static str,
}

impl ServiceAccess {
    pub(super) fn new(addresses: Vec<String>, key: Option<Secret>, service: &Service) -> Self {
        Self { addresses, key, is_hosted: false, key_variable: service.key_variable }
    }

    pub(super) fn hosted(address: &str, key: Option<Secret>, service: &Service) -> Self {
        Self { is_hosted: true, ..Self::new(vec![address.to_owned()], key, service) }
    }

    /// Returns the first address.
    pub fn address(&self) -> &str {
        self.addresses.first().map(String::as_str).unwrap_or_default()
    }

    /// Returns the key.
    ///
    /// # Errors
    ///
    /// Returns [`Authentication`](ErrorKind::Authentication), naming the environment variable, if
    /// there is none.
    pub fn required_key(&self) -> Result<Secret> {
        self.key.clone().ok_or_else(|| {
            let message = format!("no key: set the environment variable `{}`", self.key_variable);
            Error::new(ErrorKind::Authentication, CONNECTOR, message)
        })
    }
}
