//! The plugins that `--plugin` names.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use textsearch_core::{
    async_trait,
    http::Url,
    secret::{Secret, variable},
};
use textsearch_kernel::KernelPlugin;
use textsearch_mcp::{McpCommand, McpEndpoint, McpPlugin, McpUrl, RefusedTool};
use textsearch_openapi::{
    AuthenticationRequest, Credentials, OpenApiAuthenticator, OpenApiPlugin, OpenApiSettings,
    RefusedOperation, SecurityKind,
};

use crate::{errors::usage, files, messages, output::counted};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plugin {
    pub(super) name: String,
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    DocumentUrl(Url),
    DocumentFile(PathBuf),
    McpUrl(Url),
    /// The program and its arguments.
    McpCommand(Vec<String>),
}

impl Plugin {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) if !name.contains(':') => (Some(name), rest),
            _ => (None, text),
        };
        let kind = rest.split_once(':').map(|(kind, place)| (kind, place.trim()));
        let (usual, place) = match kind {
            Some(("openapi", place)) if !place.is_empty() => ("OpenApi", Place::of_document(place)),
            Some(("mcp", place)) if !place.is_empty() => ("Mcp", Place::of_mcp(place)?),
            _ => {
                return Err(usage(format!(
                    "--plugin `{text}` has no kind: try openapi:URL, openapi:FILE, mcp:URL or 'mcp:COMMAND', after a \
                     name and `=` if you like"
                )));
            }
        };
        Ok(Self { name: name.unwrap_or(usual).to_owned(), place })
    }

    pub(super) async fn open(&self) -> Result<KernelPlugin> {
        let opened = self.open_place().await;
        opened.with_context(|| format!("--plugin `{}` cannot be used", self.name))
    }

    async fn open_place(&self) -> Result<KernelPlugin> {
        let variable_name = format!("TEXTSEARCH_{}_TOKEN", self.name.to_ascii_uppercase());
        let token = variable("textsearch", &variable_name)?.map(Secret::from);
        match &self.place {
            Place::DocumentUrl(url) => {
                let settings = settings(token);
                self.imported(OpenApiPlugin::from_url(&self.name, url.as_str(), settings).await?)
            }
            Place::DocumentFile(path) => {
                let document = files::read(path, "--plugin")?;
                self.imported(OpenApiPlugin::from_text(&self.name, &document, settings(token))?)
            }
            Place::McpUrl(url) => {
                let endpoint = McpUrl::new(url.clone());
                let endpoint = match token {
                    Some(token) => endpoint.with_bearer_token(token),
                    None => endpoint,
                };
                self.connected(endpoint.into()).await
            }
            Place::McpCommand(words) => {
                let program = words.first().map(String::as_str).unwrap_or_default();
                let command = McpCommand::new(program).with_arguments(words.iter().skip(1));
                self.connected(command.into()).await
            }
        }
    }

    fn imported(&self, imported: OpenApiPlugin) -> Result<KernelPlugin> {
        for RefusedOperation { operation, reason, .. } in &imported.refused {
            tracing::debug!(%operation.method, operation.path, reason, "not callable");
        }
        self.warn_of(imported.refused.len(), "operation");
        Ok(imported.plugin)
    }

    async fn connected(&self, endpoint: McpEndpoint) -> Result<KernelPlugin> {
        let connected = McpPlugin::connect(&self.name, endpoint).await?;
        let refused = connected.refused_tools();
        for RefusedTool { name, reason, .. } in &refused {
            tracing::debug!(name, reason, "not callable");
        }
        self.warn_of(refused.len(), "tool");
        Ok(connected.plugin()?)
    }

    fn warn_of(&self, refused: usize, what: &str) {
        if refused > 0 {
            let refused = counted(refused as u64, what);
            let name = &self.name;
            messages::warn(&format!(
                "plans can't call {refused} of `{name}`: try --verbose to see why"
            ));
        }
    }
}

impl Place {
    fn of_document(place: &str) -> Self {
        web_url(place).map_or_else(|| Self::DocumentFile(place.into()), Self::DocumentUrl)
    }

    fn of_mcp(place: &str) -> Result<Self> {
        if let Some(url) = web_url(place) {
            return Ok(Self::McpUrl(url));
        }
        let words = shlex::split(place).filter(|words| !words.is_empty());
        words.map(Self::McpCommand).ok_or_else(|| {
            usage(format!("--plugin: the command `{place}` has an open quote: try to close it"))
        })
    }
}

fn web_url(place: &str) -> Option<Url> {
    Url::parse(place).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn settings(token: Option<Secret>) -> OpenApiSettings {
    match token {
        Some(token) => OpenApiSettings::new().with_authenticator(Token(token)),
        None => OpenApiSettings::new(),
    }
}

/// The token of a service, in the form that the document wants.
struct Token(Secret);

#[async_trait]
impl OpenApiAuthenticator for Token {
    async fn credentials(
        &self,
        request: &AuthenticationRequest<'_>,
    ) -> textsearch_core::Result<Option<Credentials>> {
        let token = self.0.clone();
        let credentials = match request.scheme.map(|scheme| &scheme.kind) {
            Some(SecurityKind::ApiKey { .. }) => Credentials::Key(token),
            Some(SecurityKind::Basic) => return Ok(None),
            _ => Credentials::Bearer(token),
        };
        Ok(Some(credentials))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_has_a_name_and_a_place() {
        let url = Url::parse("https://t.example/a?b=c").unwrap();
        let command = |words: [&str; 3]| Place::McpCommand(words.map(str::to_owned).to_vec());
        for (text, name, place) in [
            ("openapi:tides.yaml", "OpenApi", Place::DocumentFile("tides.yaml".into())),
            ("openapi:https://t.example/a?b=c", "OpenApi", Place::DocumentUrl(url.clone())),
            ("Time=mcp:https://t.example/a?b=c", "Time", Place::McpUrl(url)),
            ("mcp:env A=openapi:b 'c d'", "Mcp", command(["env", "A=openapi:b", "c d"])),
        ] {
            let expected = Plugin { name: name.to_owned(), place };
            assert_eq!(Plugin::parse(text).unwrap(), expected);
        }
    }

    #[test]
    fn a_plugin_without_kind_or_place_is_refused() {
        for text in ["tides.yaml", "Tides=tides.yaml", "mcp:", "mcp: ", "openapi=x", "C:mcp=x"] {
            let error = Plugin::parse(text).unwrap_err().to_string();
            assert!(error.contains("has no kind: try openapi:URL"), "{error}");
        }
    }
}
