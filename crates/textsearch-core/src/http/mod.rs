//! HTTP for connectors: retries, limits, secrets that are never printed, and address rules.
//!
//! A connector holds one [`HttpClient`], builds an [`HttpRequest`] and gets the decoded response.
//!
//! - *Attempts.* Connection failures and 408, 429, 502, 503 and 504 are retried with exponential
//!   backoff and full jitter; 500, a timeout and a broken response only if the request is
//!   idempotent. `Retry-After` is honoured. [`HttpSettings`] bounds attempts and total time.
//! - *Errors.* One table maps a status to an [`ErrorKind`](crate::ErrorKind);
//!   [`HttpClient::with_error_reader`] refines it. [`HttpClient::with_success_error_reader`] finds
//!   errors in responses with status 200.
//! - *Secrets.* A [`Secret`] of a request is never printed, and is removed from errors. Errors and
//!   logs have URLs without user, query and fragment. Redirects are followed only within the
//!   origin.
//! - *Limits.* A body is read up to a limit of decompressed bytes.
//! - *Addresses.* [`HttpClient::for_untrusted_urls`] fetches URLs that others wrote, from public
//!   addresses only.
//!
//! ```no_run
//! use serde::Deserialize;
//! use textsearch_core::{Result, http::{HttpClient, HttpRequest, HttpSettings, Secret, Url}};
//!
//! #[derive(Deserialize)]
//! struct Answer {
//!     titles: Vec<String>,
//! }
//!
//! # async fn example(endpoint: Url) -> Result<()> {
//! let client = HttpClient::new("example", HttpSettings::default())?;
//! let key = Secret::from_env("example", "EXAMPLE_API_KEY")?;
//!
//! let request = HttpRequest::get(endpoint).with_query("q", "rust").with_secret_header("x-api-key", &key);
//! let answer = client.send_json::<Answer>(request).await?;
//! println!("{} titles", answer.body.titles.len());
//! # Ok(())
//! # }
//! ```
//!
//! It needs a `tokio` runtime with I/O and time enabled.

mod address;
mod attempt;
mod body;
mod client;
mod closed_set;
mod endpoint;
mod failure;
mod fastapi_errors;
mod json;
mod lazy_transport;
mod location;
mod media_type;
mod redirect;
mod report;
mod request;
#[cfg(feature = "reqwest")]
mod reqwest_transport;
#[cfg(feature = "reqwest")]
mod resolver;
mod response;
mod retry;
mod retry_after;
mod scrub;
mod settings;
mod spellings;
mod status;
#[cfg(feature = "reqwest")]
mod tls;
mod transport;

pub use crate::secret::{Secret, parsed_variable, required_variable, variable};
pub use address::{AddressPolicy, AddressRefused};
pub use body::HttpBody;
pub use client::HttpClient;
pub use closed_set::closed_set;
pub use endpoint::Endpoint;
pub use fastapi_errors::described_faults;
pub use json::read_json;
pub use location::displayable;
pub use request::HttpRequest;
#[cfg(feature = "reqwest")]
pub use reqwest_transport::ReqwestTransport;
#[cfg(feature = "reqwest")]
pub use resolver::{HostResolver, SystemResolver};
pub use response::HttpResponse;
use retry_after::retry_after;
pub use settings::HttpSettings;
pub(crate) use spellings::spellings;
pub use status::{ErrorAnswer, ErrorDetails};
pub use transport::{
    BodyStream, HttpTransport, TransportError, TransportErrorKind, TransportRequest,
    TransportResponse,
};

// The types of other crates in signatures here.
pub use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
pub use bytes::Bytes;
pub use url::Url;
