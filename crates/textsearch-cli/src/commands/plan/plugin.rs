//! The plugins that `--plugin` names.

use std::{collections::HashMap, path::PathBuf};

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

use super::target::{Target, TargetPlace};
use crate::{errors::usage, files, messages, output::counted};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plugin {
    pub(super) name: String,
    place: Place,
    /// The server to call instead of the document's.
    server: Option<Url>,
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
            Some(("mcp", place)) if !place.is_empty() => ("Mcp", Place::of_mcp(place)),
            _ => {
                return Err(usage(format!(
                    "--plugin `{}` has no kind: try openapi:URL, openapi:FILE, mcp:URL or 'mcp:COMMAND', after a \
                     name and `=` if you like",
                    start_of(text)
                )));
            }
        };
        let name = name.unwrap_or(usual);
        // The place may hold a password or a key.
        let place = place.map_err(|wrong| usage(format!("--plugin `{name}`: {wrong}")))?;
        Ok(Self { name: name.to_owned(), place, server: None })
    }

    pub(super) fn is_document(&self) -> bool {
        matches!(self.place, Place::DocumentUrl(_) | Place::DocumentFile(_))
    }

    pub(super) fn set_server(&mut self, url: &str) -> Result<()> {
        let is_plain = |url: &Url| {
            url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        };
        self.server = Some(web_url(url).filter(is_plain).ok_or_else(|| {
            usage(format!(
                "--server `{}`: its URL isn't plain: try http or https, without user, query and fragment",
                self.name
            ))
        })?);
        Ok(())
    }

    pub(super) async fn open(&self) -> Result<(KernelPlugin, Target)> {
        let opened = self.open_place().await;
        opened.with_context(|| format!("--plugin `{}` cannot be used", self.name))
    }

    async fn open_place(&self) -> Result<(KernelPlugin, Target)> {
        let variable_name = format!("TEXTSEARCH_{}_TOKEN", self.name.to_ascii_uppercase());
        let token = variable("textsearch", &variable_name)?.map(Secret::from);
        let mut has_token = token.is_some();
        let (plugin, place) = match &self.place {
            Place::DocumentUrl(url) => {
                let settings = self.settings(token);
                self.imported(OpenApiPlugin::from_url(&self.name, url.as_str(), settings).await?)
            }
            Place::DocumentFile(path) => {
                let document = files::read(path, "--plugin")?;
                let settings = self.settings(token);
                self.imported(OpenApiPlugin::from_text(&self.name, &document, settings)?)
            }
            Place::McpUrl(url) => {
                let mut endpoint = McpUrl::new(url.clone());
                if let Some(token) = token {
                    endpoint = endpoint.with_bearer_token(token);
                }
                (self.connected(endpoint.into()).await?, TargetPlace::McpUrl(url.clone()))
            }
            Place::McpCommand(words) => {
                has_token = false;
                let program = words.first().cloned().unwrap_or_default();
                let command = McpCommand::new(&program).with_arguments(words.iter().skip(1));
                (self.connected(command.into()).await?, TargetPlace::Program(program))
            }
        };
        let token = has_token.then_some(variable_name);
        Ok((plugin, Target { plugin: self.name.clone(), place, token }))
    }

    fn settings(&self, token: Option<Secret>) -> OpenApiSettings {
        let mut settings = OpenApiSettings::new();
        if let Some(server) = &self.server {
            settings = settings.with_server_url(server.as_str());
        }
        match token {
            Some(token) => settings.with_authenticator(Token(token)),
            None => settings,
        }
    }

    fn imported(&self, imported: OpenApiPlugin) -> (KernelPlugin, TargetPlace) {
        for RefusedOperation { operation, reason, .. } in &imported.refused {
            let reason = self.with_advice(reason);
            tracing::debug!(%operation.method, operation.path, reason, "not callable");
        }
        self.warn_of(imported.refused.len(), "operation");
        let operations = imported.operations.into_iter();
        let servers: HashMap<_, _> =
            operations.map(|operation| (operation.function, operation.server)).collect();
        (imported.plugin, TargetPlace::Servers(servers))
    }

    /// The library advises its own settings, all about the server.
    fn with_advice(&self, reason: &str) -> String {
        match reason.split_once("; set `") {
            Some((why, _)) => format!("{why}; try --server {}=URL", self.name),
            None => reason.to_owned(),
        }
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
    fn of_document(place: &str) -> Result<Self, &'static str> {
        match web_url(place) {
            Some(url) => Ok(Self::DocumentUrl(url)),
            None if place.contains("://") => Err(NO_URL),
            None => Ok(Self::DocumentFile(place.into())),
        }
    }

    fn of_mcp(place: &str) -> Result<Self, &'static str> {
        if let Some(url) = web_url(place) {
            return Ok(Self::McpUrl(url));
        }
        let words = shlex::split(place).filter(|words| !words.is_empty());
        let words = words.ok_or("the command has an open quote: try to close it")?;
        if words.first().is_some_and(|program| program.contains("://")) {
            Err(NO_URL)
        } else {
            Ok(Self::McpCommand(words))
        }
    }
}

const NO_URL: &str = "the URL can't be read: try one that starts with http:// or https://";

fn web_url(place: &str) -> Option<Url> {
    Url::parse(place).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Returns the part of a wrong argument that an error may repeat: no password or key.
pub(super) fn start_of(text: &str) -> &str {
    let start = text.split(['=', ':', ' ', '?', '#']).next();
    start.filter(|start| !start.contains('@')).unwrap_or_default()
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
            let expected = Plugin { name: name.to_owned(), place, server: None };
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

    #[test]
    fn wrong_plugins_are_refused_without_their_keys() {
        for (text, message) in [
            ("https://user:sesame@t.example/a.json", "--plugin `https` has no kind"),
            ("T=https://sesame@t.example/a.json", "--plugin `T` has no kind"),
            ("sesame@t.example/a.json", "--plugin `` has no kind"),
            ("tool --key sesame", "--plugin `tool` has no kind"),
            ("mcp:tool --key sesame 'x", "--plugin `Mcp`: the command has an open quote"),
            ("T=mcp:htps://user:sesame@t.example", "--plugin `T`: the URL can't be read"),
            ("openapi:https://user:sesame@t example/a", "--plugin `OpenApi`: the URL can't be"),
        ] {
            let error = Plugin::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(message) && !error.contains("sesame"), "{error}");
        }
    }

    #[test]
    fn advice_about_servers_names_the_argument() {
        let plugin = Plugin::parse("T=openapi:tides.yaml").unwrap();
        let reason = "its server `https://s.example/` isn't the document's; set `server_url` to";
        assert_eq!(
            plugin.with_advice(reason),
            "its server `https://s.example/` isn't the document's; try --server T=URL"
        );
        assert_eq!(plugin.with_advice("its method is TRACE"), "its method is TRACE");
    }
}
