//! What an operation says about security.

use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind, Result,
    http::{HttpRequest, Url},
};

use crate::{
    AuthenticationRequest, CONNECTOR, Credentials, KeyPlace, OpenApiAuthenticator,
    OpenApiOperation, SecurityKind, SecurityScheme, document::Document, limits,
};

/// A request and its cookies, which share one header.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) request: HttpRequest,
    pub(crate) cookies: Vec<String>,
}

/// What an operation says about security.
pub(crate) enum Security {
    /// The document says nothing.
    Unknown,
    /// An explicitly empty list.
    Public,
    /// Any of these sets of schemes. An empty set permits calls without credentials.
    AnyOf(Vec<Vec<Needed>>),
}

pub(crate) struct Needed {
    scheme: SecurityScheme,
    scopes: Vec<String>,
}

impl Security {
    pub(crate) fn may_send_credentials(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Public => false,
            Self::AnyOf(sets) => sets.iter().any(|set| !set.is_empty()),
        }
    }

    /// Returns the query parameters that carry keys.
    pub(crate) fn query_keys(&self) -> impl Iterator<Item = &str> {
        let sets = match self {
            Self::AnyOf(sets) => sets.as_slice(),
            _ => &[],
        };
        sets.iter().flatten().filter_map(|needed| match &needed.scheme.kind {
            SecurityKind::ApiKey { place: KeyPlace::Query, parameter } => Some(parameter.as_str()),
            _ => None,
        })
    }

    /// Adds credentials for the first set of schemes that the authenticator has all credentials for.
    pub(crate) async fn authenticate(
        &self,
        authenticator: &dyn OpenApiAuthenticator,
        operation: &OpenApiOperation,
        server: &Url,
        parts: Parts,
    ) -> Result<Parts> {
        let unknown = [vec![None]];
        let sets: Vec<Vec<Option<&Needed>>> = match self {
            Self::Public => return Ok(parts),
            Self::Unknown => unknown.into(),
            Self::AnyOf(sets) => sets.iter().map(|set| set.iter().map(Some).collect()).collect(),
        };
        for set in &sets {
            let mut authenticated = Some(parts.clone());
            for needed in set {
                let scheme = needed.map(|needed| &needed.scheme);
                let scopes = needed.map_or(&[][..], |needed| &needed.scopes);
                let request = AuthenticationRequest { scheme, scopes, operation, server };
                let credentials = authenticator.credentials(&request).await?;
                let Some(credentials) = credentials else {
                    authenticated = None;
                    break;
                };
                if !credentials.fit(scheme) {
                    return Err(do_not_fit(&credentials, scheme));
                }
                authenticated = authenticated.map(|parts| credentials.apply(scheme, parts));
            }
            if let Some(authenticated) = authenticated {
                return Ok(authenticated);
            }
        }
        match self {
            Self::Unknown => Ok(parts),
            _ => Err(none_for(&sets)),
        }
    }
}

fn do_not_fit(credentials: &Credentials, scheme: Option<&SecurityScheme>) -> Error {
    let scheme = match scheme {
        Some(scheme) => format!("the security scheme `{}` ({:?})", scheme.name, scheme.kind),
        None => "an operation without a security scheme".to_owned(),
    };
    let message = format!("{credentials:?} doesn't fit {scheme}");
    Error::new(ErrorKind::Authentication, CONNECTOR, message)
}

fn none_for(sets: &[Vec<Option<&Needed>>]) -> Error {
    let schemes = sets.iter().flatten().flatten().map(|needed| needed.scheme.name.as_str());
    let schemes: Vec<&str> = schemes.collect();
    let message = format!("no credentials for the security schemes {}", schemes.join(", "));
    Error::new(ErrorKind::Authentication, CONNECTOR, message)
}

/// Reads the `security` of an operation, or else of the document.
pub(crate) fn read_security(document: &Document, operation: &Value) -> Result<Security, String> {
    let security = operation.get("security").or_else(|| document.root().get("security"));
    let Some(alternatives) = security.and_then(Value::as_array) else {
        return Ok(Security::Unknown);
    };
    if alternatives.is_empty() {
        return Ok(Security::Public);
    }
    limits::check_items("alternatives of security schemes", alternatives.len())?;
    let scopes = alternatives.iter().filter_map(Value::as_object).flat_map(|set| set.values());
    let scopes = scopes.map(|scopes| 1 + scopes.as_array().map_or(0, Vec::len)).sum();
    limits::check_items("security schemes and scopes", scopes)?;
    let mut problem = None;
    let mut sets: Vec<Vec<Needed>> = Vec::new();
    for alternative in alternatives.iter().filter_map(Value::as_object) {
        let needed = alternative.iter().map(|(name, scopes)| needed(document, name, scopes));
        match needed.collect::<Result<Vec<Option<Needed>>, String>>() {
            Ok(needed) => sets.push(needed.into_iter().flatten().collect()),
            Err(reason) => problem = Some(reason),
        }
    }
    // Credentials are sent even if they are optional.
    sets.sort_by_key(Vec::is_empty);
    match problem {
        // Another alternative can be used.
        Some(reason) if sets.is_empty() => Err(reason),
        _ => Ok(Security::AnyOf(sets)),
    }
}

/// `None` if the connection, not a request, carries the credentials.
fn needed(document: &Document, name: &str, scopes: &Value) -> Result<Option<Needed>, String> {
    limits::check_name("names of security schemes", name)?;
    let schemes = document.root().pointer("/components/securitySchemes");
    let declared = schemes.and_then(|schemes| schemes.get(name));
    let scheme = declared.ok_or_else(|| format!("its security scheme `{name}` isn't declared"))?;
    let scheme = document.resolve(scheme)?;
    let text = |key| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = match (text("type"), text("scheme").to_ascii_lowercase().as_str()) {
        ("apiKey", _) => {
            let place = text("in").parse::<KeyPlace>();
            let unknown =
                |expected| format!("its security scheme `{name}` has an unknown place; {expected}");
            let place = place.map_err(unknown)?;
            limits::check_name("names of keys", text("name"))?;
            SecurityKind::ApiKey { place, parameter: text("name").to_owned() }
        }
        ("http", "basic") => SecurityKind::Basic,
        ("http", "bearer") => SecurityKind::Bearer,
        ("oauth2", _) => SecurityKind::OAuth2,
        ("openIdConnect", _) => SecurityKind::OpenIdConnect,
        ("mutualTLS", _) => return Ok(None),
        (kind, scheme) => {
            let kind = format!("{kind} {scheme}");
            return Err(format!("its security scheme `{name}` ({}) isn't supported", kind.trim()));
        }
    };
    let names = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
    let scopes = names.filter(|scope| limits::is_short(scope)).map(str::to_owned).collect();
    Ok(Some(Needed { scheme: SecurityScheme { name: name.to_owned(), kind }, scopes }))
}
