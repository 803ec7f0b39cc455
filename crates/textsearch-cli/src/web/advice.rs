//! What to try after a failure that the command line can do something about.

use textsearch_core::{Error, ErrorKind, http::AddressRefused};

use super::sources::SOURCES;

/// What would help against `error`, where that is a matter of keys and arguments.
pub(crate) fn advice(error: &anyhow::Error) -> Option<String> {
    if let Some(refused) = error.chain().find_map(|cause| cause.downcast_ref::<AddressRefused>()) {
        let host = refused.allowable_host()?;
        return Some(format!("try --allow-host {host} if it is a host of your own"));
    }
    let error = error.chain().find_map(|cause| cause.downcast_ref::<Error>())?;
    let is_refused = matches!(error.kind(), ErrorKind::Authentication);
    let source = SOURCES.iter().find(|source| source.connector == error.connector())?;
    let variable = source.key_variable.filter(|_| is_refused)?;
    Some(format!("try another key in {variable}"))
}
