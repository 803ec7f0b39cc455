//! The request of a call. No argument can leave its place.

mod body;
mod url;

use serde_json::Value;
use textsearch_core::http::HttpRequest;
use textsearch_kernel::{KernelArguments, KernelError, Result};

use crate::{
    encode::{self, percent_encoded},
    operation::{Parameter, Place, Plan},
    security::Parts,
};

impl Plan {
    /// Returns the request without credentials. `function` is the name in errors.
    pub(crate) fn request(&self, function: &str, arguments: &KernelArguments) -> Result<Parts> {
        let filler = Filler { function, arguments };
        let mut url = filler.path(self)?;
        let fixed = url.query().map(str::to_owned);
        let pairs = filler.query(self, &url)?;
        let query = fixed.into_iter().chain((!pairs.is_empty()).then(|| encode::query(&pairs)));
        let query: Vec<String> = query.collect();
        if !query.is_empty() {
            url.set_query(Some(&query.join("&")));
        }
        let request = HttpRequest::new(self.operation.method.clone(), url);
        let mut request = request.with_header("accept", &self.accept);
        for (parameter, value) in filler.filled(&self.parameters, Place::Header) {
            let value = filler.header(parameter, value)?;
            request = request.with_header(parameter.name.as_str(), &value);
        }
        let cookies = filler.filled(&self.parameters, Place::Cookie).map(|(parameter, value)| {
            format!("{}={}", parameter.name, percent_encoded(&parameter.text(value)))
        });
        let cookies = cookies.collect();
        if let Some(body) = &self.body {
            request = filler.with_body(request, body)?;
        }
        Ok(Parts { request, cookies })
    }
}

struct Filler<'a> {
    function: &'a str,
    arguments: &'a KernelArguments,
}

impl<'a> Filler<'a> {
    fn filled(
        &self,
        parameters: &'a [Parameter],
        place: Place,
    ) -> impl Iterator<Item = (&'a Parameter, &'a Value)> {
        let arguments = self.arguments;
        let there = parameters.iter().filter(move |parameter| parameter.place == place);
        there.filter_map(move |parameter| Some((parameter, arguments.get(&parameter.argument)?)))
    }

    /// An object must not fill another parameter, which a filter may have fixed. `names` are those
    /// that the object's properties became.
    fn check_names<'n>(
        &self,
        argument: &str,
        own: &str,
        names: impl Iterator<Item = &'n str>,
        others: &[&str],
    ) -> Result<()> {
        for name in names.filter(|name| *name != own) {
            // `filter[tenant]` is a property of `filter`.
            let base = name.split('[').next().filter(|base| *base != own);
            let is_filled = |other: &&&str| {
                **other != own
                    && (are_alike(name, other) || base.is_some_and(|base| are_alike(base, other)))
            };
            if let Some(other) = others.iter().find(is_filled) {
                let message =
                    format!("must not have the property `{other}`: it is another parameter");
                return Err(self.refuse(argument, &message));
            }
        }
        Ok(())
    }

    fn header(&self, parameter: &Parameter, value: &Value) -> Result<String> {
        let text = parameter.text(value);
        let is_allowed = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        if text.bytes().all(is_allowed) {
            return Ok(text);
        }
        let message = "must hold only visible ASCII characters and spaces: it is a header";
        Err(self.refuse(&parameter.argument, message))
    }

    fn refuse(&self, argument: &str, message: &str) -> KernelError {
        KernelError::invalid_argument(self.function, argument, message)
    }
}

/// Whether a service may take two names for the same: some ignore case or spaces around a name, and
/// PHP reads ` ` and `.` as `_`.
fn are_alike(name: &str, other: &str) -> bool {
    let plain =
        |byte: u8| if matches!(byte, b' ' | b'.') { b'_' } else { byte.to_ascii_lowercase() };
    let name = name.trim();
    let other = other.trim();
    name.len() == other.len() && name.bytes().map(plain).eq(other.bytes().map(plain))
}
