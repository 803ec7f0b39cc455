//! A transport created on first use.

use std::sync::{Arc, OnceLock};

use super::{HttpSettings, HttpTransport, TransportError};

/// A client that never sends a request reads no root certificates.
#[derive(Debug, Default)]
pub(super) struct LazyTransport(OnceLock<Arc<dyn HttpTransport>>);

impl LazyTransport {
    /// If two first requests create a transport at once, the first ready serves both.
    pub(super) fn made(
        &self,
        settings: &HttpSettings,
    ) -> Result<&dyn HttpTransport, TransportError> {
        if let Some(made) = self.0.get() {
            return Ok(made.as_ref());
        }
        let made = default_transport(settings)?;
        Ok(self.0.get_or_init(|| made).as_ref())
    }
}

#[cfg(feature = "reqwest")]
fn default_transport(settings: &HttpSettings) -> Result<Arc<dyn HttpTransport>, TransportError> {
    Ok(Arc::new(super::ReqwestTransport::from_settings(settings)?))
}

#[cfg(not(feature = "reqwest"))]
fn default_transport(_settings: &HttpSettings) -> Result<Arc<dyn HttpTransport>, TransportError> {
    use super::TransportErrorKind::Other;
    Err(TransportError::new(
        Other,
        "this build has no HTTP client: turn on the feature `reqwest`, or give a transport of your own",
    ))
}

impl From<Arc<dyn HttpTransport>> for LazyTransport {
    fn from(transport: Arc<dyn HttpTransport>) -> Self {
        Self(OnceLock::from(transport))
    }
}
