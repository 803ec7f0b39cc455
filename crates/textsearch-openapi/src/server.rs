//! The server of an operation.

use serde_json::Value;
use textsearch_core::{
    Error, Result,
    http::{Url, displayable},
};

use crate::{CONNECTOR, OpenApiSettings, limits};

/// Returns the server that the application named. It replaces the document's servers.
pub(crate) fn named_by_application(settings: &OpenApiSettings) -> Result<Option<Url>> {
    let Some(url) = settings.server_url.as_deref() else { return Ok(None) };
    let parsed = parse(url, None).map_err(|reason| {
        let allowed = "an absolute http or https URL without user, query and fragment";
        Error::invalid_options(CONNECTOR, "server_url", reason, allowed)
    });
    parsed.map(Some)
}

/// Returns the URL of a server object; its variables get the application's values or defaults.
pub(crate) fn from_document(
    server: Option<&Value>,
    settings: &OpenApiSettings,
    document: Option<&Url>,
) -> Result<Url, String> {
    // Without servers, the specification assumes this one.
    let template = server.and_then(|server| server.get("url")?.as_str()).unwrap_or("/");
    limits::check_url("server URLs", template)?;
    let variables = server.and_then(|server| server.get("variables"));
    parse(&filled(template, variables, settings)?, document)
        .map_err(|reason| format!("its server URL is {reason}"))
}

fn filled(
    template: &str,
    variables: Option<&Value>,
    settings: &OpenApiSettings,
) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or("its server URL has a `{` without `}`")?;
        filled.push_str(before);
        filled.push_str(variable(
            name,
            variables.and_then(|variables| variables.get(name)),
            settings,
        )?);
        rest = after;
    }
    Ok(filled + rest)
}

fn variable<'a>(
    name: &str,
    declared: Option<&'a Value>,
    settings: &'a OpenApiSettings,
) -> Result<&'a str, String> {
    let default = || declared.and_then(|variable| variable.get("default")?.as_str());
    let value = settings.server_variables.get(name).map(String::as_str).or_else(default);
    let value = value.ok_or_else(|| {
        format!("its server URL has the variable `{name}` without a value; set `server_variable`")
    })?;
    let allowed = declared.and_then(|variable| variable.get("enum")?.as_array());
    if allowed.is_some_and(|allowed| !allowed.iter().any(|known| known == value)) {
        return Err(format!("its server URL doesn't allow `{value}` for the variable `{name}`"));
    }
    Ok(value)
}

fn parse(text: &str, base: Option<&Url>) -> Result<Url, String> {
    let parsed = match base {
        Some(base) => base.join(text),
        None => Url::parse(text),
    };
    // The text may hold a password.
    let url = parsed.map_err(|_| "relative or broken; set `server_url` or `document_url`")?;
    let is_http = matches!(url.scheme(), "http" | "https") && url.has_host();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !is_http || has_user || url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{}`, not a plain http or https URL", displayable(&url)));
    }
    Ok(url)
}
