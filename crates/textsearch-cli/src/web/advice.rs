//! Advice on failures that a key or an argument may fix.

use std::io;

use textsearch_core::{Error, ErrorKind, http::AddressRefused};
use textsearch_web_page::UnsupportedContentType;

use super::sources::SOURCES;
use crate::corpus::loader;

pub(crate) fn advice(error: &anyhow::Error) -> Option<String> {
    if let Some(refused) = error.chain().find_map(|cause| cause.downcast_ref::<AddressRefused>()) {
        let host = refused.allowable_host()?;
        return Some(format!("try --allow-host {host} if it is a host of your own"));
    }
    if let Some(unsupported) = error.chain().find_map(|cause| cause.downcast_ref()) {
        return of_content_type(unsupported);
    }
    let is_connection_refused =
        |cause: &io::Error| cause.kind() == io::ErrorKind::ConnectionRefused;
    let mut system_errors = error.chain().filter_map(|cause| cause.downcast_ref());
    let has_no_server = system_errors.any(is_connection_refused);
    let error = error.chain().find_map(|cause| cause.downcast_ref::<Error>())?;
    let is_refused = matches!(error.kind(), ErrorKind::Authentication);
    let source = SOURCES.iter().find(|source| source.connector == error.connector())?;
    if has_no_server {
        let variable = source.endpoint_variable;
        return Some(format!(
            "no server answered at this URL: try another --endpoint or {variable}"
        ));
    }
    let variable = source.key_variable.filter(|_| is_refused)?;
    Some(format!("try another key in {variable}"))
}

fn of_content_type(unsupported: &UnsupportedContentType) -> Option<String> {
    let extension = match unsupported.media_type.as_str() {
        "application/pdf" => "pdf",
        "application/msword" => "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.oasis.opendocument.text" => "odt",
        "application/epub+zip" => "epub",
        "application/rtf" | "text/rtf" => "rtf",
        _ => return None,
    };
    let loader = loader(extension).map(|loader| format!(" {loader}")).unwrap_or_default();
    Some(format!("save it, then try `textsearch index FILE.{extension}{loader}`"))
}
