//! The body of a request.

use std::{borrow::Cow, slice};

use serde_json::{Map, Value};
use textsearch_core::http::HttpRequest;
use textsearch_kernel::Result;

use super::Filler;
use crate::{
    encode::{self, Encoding, Pairs, Style, text},
    form_data::{FormData, FormPart, is_file_name, is_name},
    operation::{Body, BodyKind, Field, Part, Shape},
};

impl Filler<'_> {
    pub(super) fn with_body(&self, request: HttpRequest, body: &Body) -> Result<HttpRequest> {
        let content = match &body.shape {
            Shape::Whole { argument } => match self.arguments.get(argument) {
                Some(value) => match body.kind {
                    BodyKind::Text | BodyKind::File => text(value).into_owned(),
                    _ => value.to_string(),
                },
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
                    BodyKind::Multipart => return self.with_parts(request, fields, &filled),
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
            written.extend(self.pairs(field, value, style, Encoding::Percent, fields)?);
        }
        Ok(encode::query(&written))
    }

    fn pairs(
        &self,
        field: &Field,
        value: &Value,
        style: Style,
        encoding: Encoding,
        fields: &[Field],
    ) -> Result<Vec<(String, String)>> {
        let mut written = Vec::new();
        let mut pairs = Pairs { style, explode: field.explode, encoding, written: &mut written };
        pairs.add(&field.name, value);
        let others: Vec<&str> = fields.iter().map(|other| other.name.as_str()).collect();
        let names = written.iter().map(|(name, _)| name.as_str());
        self.check_names(&field.argument, &field.name, names, &others)?;
        Ok(written)
    }

    fn with_parts(
        &self,
        request: HttpRequest,
        fields: &[Field],
        filled: &[(&Field, &Value)],
    ) -> Result<HttpRequest> {
        let mut form = FormData::new();
        for (field, value) in filled {
            match (&field.part, field.style) {
                (_, Some(style)) => {
                    let pairs = self.pairs(field, value, style, Encoding::Plain, fields)?;
                    if !pairs.iter().all(|(name, _)| is_name(name)) {
                        return Err(self.refuse(&field.argument, PROPERTY_NAMES));
                    }
                    pairs.iter().for_each(|(name, value)| form.add(&FormPart::text(name), value));
                }
                (Some(part), None) => self.add_parts(&mut form, field, part, value)?,
                (None, None) => {}
            }
        }
        let (content_type, body) = form.finish();
        Ok(request.with_body(&content_type, body))
    }

    /// Adds a part for each item of a list, and none for null.
    fn add_parts(
        &self,
        form: &mut FormData,
        field: &Field,
        part: &Part,
        value: &Value,
    ) -> Result<()> {
        let items = value.as_array().map_or(slice::from_ref(value), Vec::as_slice);
        for (number, item) in items.iter().enumerate().filter(|(_, item)| !item.is_null()) {
            let is_nested = item.is_array() || item.is_object();
            let is_json = part.is_json || is_nested && part.content_type.is_none();
            let content = if is_json { Cow::Owned(item.to_string()) } else { text(item) };
            let of_json = is_json.then_some("application/json");
            let content_type = part.content_type.as_deref().or(of_json);
            let file_name = self.file_name(part, number)?;
            form.add(&FormPart { name: &field.name, file_name, content_type }, &content);
        }
        Ok(())
    }

    /// Returns the name that the caller gave a file, or `file`.
    fn file_name(&self, part: &Part, number: usize) -> Result<Option<&str>> {
        let Some(argument) = &part.file_name else { return Ok(None) };
        let file_name = match self.arguments.get(argument) {
            Some(Value::Array(names)) => names.get(number),
            file_name => file_name,
        };
        match file_name.and_then(Value::as_str) {
            Some(name) if !is_file_name(name) => Err(self.refuse(argument, FILE_NAMES)),
            file_name => Ok(Some(file_name.unwrap_or("file"))),
        }
    }
}

const PROPERTY_NAMES: &str =
    "must not have properties with control characters, `\"` or `\\` in their names";

const FILE_NAMES: &str =
    "must be the name of a file, without folders, control characters, `\"` and `\\`";

fn object(filled: &[(&Field, &Value)]) -> String {
    let entries = filled.iter().map(|(field, value)| (field.name.clone(), (*value).clone()));
    Value::Object(entries.collect::<Map<_, _>>()).to_string()
}
