//! Turns a connector's fields into parameters.

use serde_json::{Value, json};
use textsearch_core::{
    Filter, FilterableField, TextSearch,
    filter::{Comparison, FilterOperator},
};

use super::{options::OfferedFields, values};
use crate::{KernelError, Result, function::ParameterMetadata};

/// A search may compare each of its records with each value.
const MAX_VALUES: usize = 100;

#[derive(Debug)]
pub(super) struct FieldParameter {
    pub(super) metadata: ParameterMetadata,
    field: String,
    comparison: Comparison,
    is_date: bool,
    // A list of values matches any of them; it is not a list to compare with.
    takes_several: bool,
}

impl FieldParameter {
    pub(super) fn condition(&self, value: Value) -> Result<Filter, String> {
        if self.takes_several
            && let Value::Array(items) = value
        {
            let values = items.into_iter().map(|item| values::read(item, self.is_date));
            return Ok(Filter::In {
                field: self.field.clone(),
                values: values.collect::<Result<_, _>>()?,
            });
        }
        let value = values::read(value, self.is_date)?;
        Ok(Filter::Compare { field: self.field.clone(), operator: self.comparison, value })
    }

    fn new(field: &FilterableField, suffix: &str, comparison: Comparison) -> Self {
        let name = parameter_name(&field.name, suffix);
        let description = describe(&field.description, comparison);
        Self {
            metadata: ParameterMetadata::optional(name, description, field.schema.clone()),
            field: field.name.clone(),
            comparison,
            is_date: is_date(&field.schema),
            takes_several: false,
        }
    }

    fn with_schema(mut self, schema: Value) -> Self {
        self.is_date = is_date(&schema);
        self.metadata.schema = schema;
        self
    }
}

/// Returns the names of the parameters that a search function has for `field`. The list is empty if
/// the connector can compare the field neither with a value nor with a range; such a field cannot be
/// offered.
pub fn parameter_names(field: &FilterableField) -> Vec<String> {
    parameters_of(field).into_iter().map(|parameter| parameter.metadata.name).collect()
}

pub(super) fn field_parameters(
    search: &dyn TextSearch,
    offered: &OfferedFields,
) -> Result<Vec<FieldParameter>> {
    let declared = search.fields();
    let mut parameters = Vec::new();
    match offered {
        OfferedFields::None => {}
        OfferedFields::Default => {
            let offered = declared.iter().filter(|field| field.offered_to_model);
            parameters.extend(offered.flat_map(parameters_of));
        }
        OfferedFields::List(names) => {
            for name in names {
                let length = parameters.len();
                parameters.extend(parameters_of(declared_field(search, name)?));
                if parameters.len() == length {
                    let message = "cannot be offered: the connector can compare it neither with a value nor with a range";
                    return Err(KernelError::invalid_name(name, message));
                }
            }
        }
    }
    check_names(&parameters)?;
    Ok(parameters)
}

fn declared_field<'a>(search: &'a dyn TextSearch, name: &str) -> Result<&'a FilterableField> {
    let declared = search.fields();
    declared.iter().find(|field| field.name == name).ok_or_else(|| {
        let names: Vec<&str> = declared.iter().map(|field| field.name.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let connector = search.name();
        KernelError::invalid_name(
            name,
            format!("is not a field of `{connector}`: its fields are {known}"),
        )
    })
}

fn parameters_of(field: &FilterableField) -> Vec<FieldParameter> {
    use FilterOperator::{Ge, Gt, Le, Lt};

    // Strings are ordered by code point, which a model hardly means by "minimum". Booleans, lists
    // and objects have no order, whatever operators the connector declares.
    let is_unordered =
        ["string", "boolean", "array", "object"].iter().any(|name| is_type(&field.schema, name));
    let has_bounds = is_date(&field.schema) || !is_unordered;
    let can = |operator| has_bounds && field.operators.contains(&operator);
    let first = |operators: [(FilterOperator, Comparison); 2]| {
        operators.into_iter().find(|(operator, _)| can(*operator)).map(|(_, comparison)| comparison)
    };
    let min = first([(Ge, Comparison::Ge), (Gt, Comparison::Gt)]);
    let max = first([(Le, Comparison::Le), (Lt, Comparison::Lt)]);
    let bounds = [("_min", min), ("_max", max)].into_iter().filter_map(|(suffix, comparison)| {
        comparison.map(|comparison| FieldParameter::new(field, suffix, comparison))
    });
    equality(field).into_iter().chain(bounds).collect()
}

fn equality(field: &FilterableField) -> Option<FieldParameter> {
    let can = |operator| field.operators.contains(&operator);
    if can(FilterOperator::Contains) && is_type(&field.schema, "array") {
        let item = field.schema.get("items").cloned().unwrap_or_else(|| json!({}));
        return Some(FieldParameter::new(field, "", Comparison::Contains).with_schema(item));
    }
    let several = json!({
        "type": "array", "items": field.schema, "minItems": 1, "maxItems": MAX_VALUES,
    });
    let parameter = FieldParameter::new(field, "", Comparison::Eq);
    let is_date = parameter.is_date;
    let schema = match (can(FilterOperator::Eq), can(FilterOperator::In)) {
        (false, false) => return None,
        (true, false) => return Some(parameter),
        (true, true) => json!({ "anyOf": [field.schema, several] }),
        (false, true) => several,
    };
    Some(FieldParameter { takes_several: true, is_date, ..parameter.with_schema(schema) })
}

fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        // As in `["string", "null"]`.
        Some(Value::Array(types)) => types.iter().any(|kind| kind == name),
        kind => kind.is_some_and(|kind| kind == name),
    }
}

fn parameter_name(field: &str, suffix: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    field.chars().map(plain).chain(suffix.chars()).collect()
}

fn describe(description: &str, comparison: Comparison) -> String {
    let bound = match comparison {
        Comparison::Ge => "minimum, inclusive",
        Comparison::Gt => "minimum, exclusive",
        Comparison::Le => "maximum, inclusive",
        Comparison::Lt => "maximum, exclusive",
        _ => return description.to_owned(),
    };
    format!("{description} ({bound})").trim_start().to_owned()
}

fn is_date(schema: &Value) -> bool {
    let format = schema.get("format").and_then(Value::as_str);
    matches!(format, Some("date-time" | "date"))
}

fn check_names(parameters: &[FieldParameter]) -> Result<()> {
    const TAKEN: [&str; 3] = ["query", "count", "skip"];
    for (position, parameter) in parameters.iter().enumerate() {
        let name = &parameter.metadata.name;
        let mut before = parameters.iter().take(position).map(|other| other.metadata.name.as_str());
        let is_taken = TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name));
        if is_taken || before.any(|other| other.eq_ignore_ascii_case(name)) {
            let field = &parameter.field;
            let message = format!(
                "would name two parameters, of the field `{field}` and of another; do not offer both"
            );
            return Err(KernelError::invalid_name(name, message));
        }
    }
    Ok(())
}
