//! Reads the settings of a section one by one.

use serde_json::{Map, Value};
use serde_saphyr::Spanned;
use textsearch_core::{Error, ErrorKind, Result};

use super::{Connection, OtherSettings};
use crate::{
    CONNECTOR,
    access::Address,
    place::Place,
    shown::shown,
    yaml::{Settings, refuse_secrets},
};

/// In bytes.
const LONGEST_TEXT: usize = 512;

/// No model or index is near them.
const MAX_NUMBER: u64 = 1 << 20;

/// Each read removes its setting. The rest is unknown.
pub(super) struct Reader {
    pub(super) place: Place,
    settings: Settings,
}

impl Reader {
    pub(super) fn new(path: &str, section: Option<Spanned<Settings>>) -> Result<Self> {
        let Some(section) = section else {
            let allowed = "a section of settings";
            let message = format!("`{path}` is missing; expected {allowed}");
            return Err(Error::new(ErrorKind::invalid_options(path, allowed), CONNECTOR, message));
        };
        let place = Place::new(path, section.referenced.line(), &section.value);
        refuse_secrets(path, &section.value)?;
        Ok(Self { place, settings: section.value })
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let setting = self.settings.remove(name)?;
        Some(setting.value).filter(|value| !value.is_null())
    }

    /// Whole numbers count as texts: versions are often written without quotes.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>> {
        let text = match self.take(name) {
            None => return Ok(None),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) if !number.is_f64() => number.to_string(),
            Some(_) => return Err(self.no_text(name)),
        };
        if text.len() > LONGEST_TEXT || text.contains(char::is_control) {
            return Err(self.no_text(name));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    fn no_text(&self, name: &str) -> Error {
        let allowed = format!("a text of one line and at most {LONGEST_TEXT} bytes");
        self.place.invalid(name, "something else than a text", &allowed)
    }

    pub(super) fn kind(&mut self) -> Result<String> {
        let kind = self.text("kind")?;
        let allowed = "the name of a kind, such as `qdrant` or `open_ai`";
        let kind = kind.ok_or_else(|| self.place.missing("kind", allowed))?;
        if shown(&kind) == kind {
            Ok(kind)
        } else {
            Err(self.place.invalid("kind", "no name", allowed))
        }
    }

    /// Azure writes some numbers as texts.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<usize>> {
        let parsed = match self.take(name) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let number = parsed.filter(|number| (1..=MAX_NUMBER).contains(number));
        let number = number.and_then(|number| usize::try_from(number).ok());
        let allowed = format!("a whole number from 1 to {MAX_NUMBER}");
        number.map(Some).ok_or_else(|| self.place.invalid(name, "no such number", &allowed))
    }

    pub(super) fn address(&mut self, name: &str) -> Result<Option<Address>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let address = Address::parse(&text);
        // The text may hold a key, so don't repeat it.
        address.map(Some).map_err(|fault| self.place.invalid(name, fault, Address::ALLOWED))
    }

    pub(super) fn fields(&mut self, name: &str) -> Result<Option<Map<String, Value>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(fields)),
            Some(_) => Err(self.place.invalid(name, "no list of settings", "settings by name")),
        }
    }

    pub(super) fn connection(&mut self) -> Result<Connection> {
        let kind = self.text("connection_type")?;
        let settings = self.fields("connection")?;
        Connection::read(&self.place, kind.as_deref(), settings.as_ref())
    }

    pub(super) fn finish(self) -> (Place, OtherSettings) {
        let others = self.settings.into_iter().filter(|(_, setting)| !setting.value.is_null());
        let values = others.map(|(name, setting)| (name, setting.value));
        let others = OtherSettings(values.collect());
        for name in others.names() {
            let section = self.place.path();
            tracing::debug!(section, name = shown(name), "setting unknown to this crate");
        }
        (self.place, others)
    }
}
