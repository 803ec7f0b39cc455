//! The request of a call. No argument can leave its place.

use serde_json::{Map, Value};
use textsearch_core::http::{HttpRequest, Url};
use textsearch_kernel::{KernelArguments, KernelError, Result};

use crate::{
    encode::{Pairs, Style, percent_encoded, text},
    operation::{Body, BodyKind, Field, Parameter, Place, Plan, Shape, has_dot_segment},
    security::Parts,
};

impl Plan {
    /// Returns the request without credentials. `function` is the name in errors.
    pub(crate) fn request(&self, function: &str, arguments: &KernelArguments) -> Result<Parts> {
        let filler = Filler { function, arguments };
        let mut url = filler.path(self)?;
        let fixed = url.query().map(str::to_owned);
        let query: Vec<String> = fixed.into_iter().chain(filler.query(self, &url)?).collect();
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

    fn path(&self, plan: &Plan) -> Result<Url> {
        let parameters: Vec<_> = self.filled(&plan.parameters, Place::Path).collect();
        for (parameter, value) in &parameters {
            let others = parameters.iter().filter(|(other, _)| other.style == Style::Matrix);
            let names = others.map(|(other, _)| other.name.as_str());
            let names = names.chain(plan.path.matrix_names());
            self.check_keys(&parameter.argument, parameter.names_in_path(), value, names)?;
        }
        let url = plan.path.url(&plan.server, |name| {
            let found = parameters.iter().find(|(parameter, _)| parameter.name == name);
            let (parameter, value) = found.ok_or_else(|| self.refuse(name, "is missing"))?;
            if parameter.text(value).is_empty() {
                return Err(
                    self.refuse(&parameter.argument, "must not be empty: it is part of the path")
                );
            }
            let written = parameter.in_path(value);
            if has_dot_segment(&written) {
                return Err(self.refuse(&parameter.argument, DOT_SEGMENT));
            }
            Ok(written)
        })?;
        let first = || parameters.first().map_or("", |(parameter, _)| parameter.argument.as_str());
        url.ok_or_else(|| self.refuse(first(), DOT_SEGMENT))
    }

    fn query(&self, plan: &'a Plan, url: &Url) -> Result<Vec<String>> {
        let fixed: Vec<_> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
        let mut written = Vec::new();
        for (parameter, value) in self.filled(&plan.parameters, Place::Query) {
            let names = plan.parameters.iter().filter(|other| other.place == Place::Query);
            let names = names.map(|other| other.name.as_str()).chain(plan.security.query_keys());
            let names = names.chain(fixed.iter().map(String::as_str));
            let json = parameter.is_json.then(|| Value::from(value.to_string()));
            let mut pairs = Pairs {
                style: parameter.style,
                explode: parameter.explode,
                allow_reserved: parameter.allow_reserved,
                written: &mut written,
            };
            let value = json.as_ref().unwrap_or(value);
            self.check_keys(&parameter.argument, pairs.names_by_keys(), value, names)?;
            pairs.add(&parameter.name, value);
        }
        Ok(written)
    }

    /// An exploded object must not fill another parameter, which a filter may have fixed.
    fn check_keys<'n>(
        &self,
        argument: &str,
        is_exploded: bool,
        value: &Value,
        mut names: impl Iterator<Item = &'n str>,
    ) -> Result<()> {
        let Some(entries) = value.as_object() else { return Ok(()) };
        let has = |name: &str| entries.keys().any(|key| key.eq_ignore_ascii_case(name));
        match names.find(|name| is_exploded && has(name)) {
            Some(name) => {
                let message =
                    format!("must not have the property `{name}`: it is another parameter");
                Err(self.refuse(argument, &message))
            }
            None => Ok(()),
        }
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

    fn with_body(&self, request: HttpRequest, body: &Body) -> Result<HttpRequest> {
        let content = match &body.shape {
            Shape::Whole { argument } => match self.arguments.get(argument) {
                Some(value) if body.kind == BodyKind::Text => text(value).into_owned(),
                Some(value) => value.to_string(),
                None => return Ok(request),
            },
            Shape::Fields(fields) => {
                let filled: Vec<(&Field, &Value)> = fields
                    .iter()
                    .filter_map(|field| Some((field, self.arguments.get(&field.argument)?)))
                    .collect();
                if filled.is_empty() && !body.is_required {
                    return Ok(request);
                }
                match body.kind {
                    BodyKind::Form => self.form(fields, &filled)?,
                    _ => object(&filled),
                }
            }
        };
        Ok(request.with_body(&body.content_type, content))
    }

    fn form(&self, fields: &[Field], filled: &[(&Field, &Value)]) -> Result<String> {
        let mut written = Vec::new();
        for (field, value) in filled {
            // Without a style, the specification writes objects as JSON.
            let json = field.style.is_none() && value.is_object();
            let json = json.then(|| Value::from(value.to_string()));
            let value = json.as_ref().unwrap_or(value);
            let style = field.style.unwrap_or(Style::Form);
            let mut pairs = Pairs {
                style,
                explode: field.explode,
                allow_reserved: false,
                written: &mut written,
            };
            let names = fields.iter().map(|other| other.name.as_str());
            self.check_keys(&field.argument, pairs.names_by_keys(), value, names)?;
            pairs.add(&field.name, value);
        }
        Ok(written.join("&"))
    }

    fn refuse(&self, argument: &str, message: &str) -> KernelError {
        KernelError::invalid_argument(self.function, argument, message)
    }
}

fn object(filled: &[(&Field, &Value)]) -> String {
    let entries = filled.iter().map(|(field, value)| (field.name.clone(), (*value).clone()));
    Value::Object(entries.collect::<Map<_, _>>()).to_string()
}

const DOT_SEGMENT: &str = "must not make a segment `.` or `..` of the path";
