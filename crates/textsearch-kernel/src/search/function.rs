//! Creates and runs a search function.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use textsearch_core::{
    Error, Filter, SearchOptions, SearchResults, TextSearch, TextSearchResult, results::Metadata,
};

use super::{
    fields::{FieldParameter, field_parameters},
    options::{SearchPluginOptions, ShownMetadata},
};
use crate::{
    KernelArguments, KernelError, KernelFunction, Result,
    function::{
        FunctionMetadata, FunctionValue, Invocation, ParameterMetadata, Returned, SearchRecords,
    },
    schema::{output_schema, schema_of_output},
    transform::QUERY_TRANSFORM,
};

/// More than any provider pages through: a model must not request results that no provider can
/// serve.
pub(super) const MAX_SKIP: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Texts,
    Results,
    Records,
}

pub(super) struct SearchFunction {
    search: Arc<dyn TextSearch>,
    source: Arc<str>,
    kind: Kind,
    fixed_filter: Option<Filter>,
    fields: Vec<FieldParameter>,
    shown_metadata: Arc<ShownMetadata>,
}

impl SearchFunction {
    pub(super) fn create(
        search: Arc<dyn TextSearch>,
        kind: Kind,
        name: &str,
        options: SearchPluginOptions,
    ) -> Result<KernelFunction> {
        let name = options.function_name.as_deref().unwrap_or(name);
        check_counts(name, &options)?;
        check_fixed_filter(name, search.as_ref(), options.fixed_filter.as_ref())?;
        let fields = field_parameters(search.as_ref(), &options.offered_fields)?;
        let metadata = metadata(name, kind, search.as_ref(), &options, &fields)?;
        let fixed_filter = options.fixed_filter;
        let source = search.name().into();
        let shown_metadata = Arc::new(options.shown_metadata);
        let function =
            Arc::new(Self { search, source, kind, fixed_filter, fields, shown_metadata });
        KernelFunction::with_returned(metadata, move |invocation| {
            Arc::clone(&function).run(invocation)
        })
    }

    async fn run(self: Arc<Self>, invocation: Invocation) -> Result<Returned> {
        let Invocation { function, mut arguments, .. } = invocation;
        let query = arguments.take("query").map(|(_, query)| query);
        let Some(Value::String(query)) = query.filter(|query| !is_blank(query)) else {
            return Ok(Value::Array(Vec::new()).into());
        };
        let options = self.search_options(&function, arguments)?;
        Ok(self.find(&query, &options).await?)
    }

    /// Sets the fixed filter first and separately, so that no argument can change it.
    fn search_options(
        &self,
        function: &FunctionMetadata,
        mut arguments: KernelArguments,
    ) -> Result<SearchOptions> {
        let number = |name| {
            arguments.get(name).and_then(Value::as_u64).and_then(|number| number.try_into().ok())
        };
        // Both have defaults and bounds, which are checked earlier.
        let mut options =
            SearchOptions::top(number("count").unwrap_or(1)).with_skip(number("skip").unwrap_or(0));
        if let Some(fixed) = &self.fixed_filter {
            options = options.with_fixed_filter(fixed.clone());
        }
        let mut conditions = Vec::new();
        for field in &self.fields {
            if let Some((name, value)) = arguments.take(&field.metadata.name) {
                let condition = field.condition(value);
                conditions.push(condition.map_err(|message| {
                    KernelError::invalid_argument(function.qualified_name(), name, message)
                })?);
            }
        }
        Ok(match combine(conditions) {
            Some(filter) => options.with_filter(filter),
            None => options,
        })
    }

    async fn find(&self, query: &str, options: &SearchOptions) -> Result<Returned, Error> {
        // Not the `Arc`, which is a search too: this saves a boxed future.
        let search = self.search.as_ref();
        // A connector may return too many results, or an endless stream: enforce the call's count.
        let max = options.top;
        if self.kind == Kind::Records {
            let results = search.search_values(query, options).await?;
            let metadata = reported(&results);
            let mut values = results.window(0, max).into_vec().await?;
            values.iter_mut().for_each(|value| hide_metadata(value, &self.shown_metadata));
            return Ok(Returned { value: Value::Array(values).into(), metadata });
        }
        let results = search.search_any(query, options).await?;
        let metadata = reported(&results);
        let records = results.window(0, max).into_vec().await?;
        let shown = Arc::clone(&self.shown_metadata);
        let records = SearchRecords::new(records, Arc::clone(&self.source), shown);
        let value = match self.kind {
            Kind::Texts => FunctionValue::Texts(records),
            _ => FunctionValue::Results(records),
        };
        Ok(Returned { value, metadata })
    }
}

/// Providers' own metadata isn't filtered, so it goes no further.
fn reported<T>(results: &SearchResults<T>) -> Metadata {
    let report = results.metadata().get_key_value(QUERY_TRANSFORM);
    report.map(|(name, report)| (name.clone(), report.clone())).into_iter().collect()
}

fn hide_metadata(value: &mut Value, shown: &ShownMetadata) {
    let Some(fields) = value.as_object_mut() else { return };
    if let Some(metadata) = fields.get_mut("Metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| shown.shows(name));
        if metadata.is_empty() {
            fields.remove("Metadata");
        }
    }
}

fn is_blank(query: &Value) -> bool {
    query.as_str().is_none_or(|query| query.trim().is_empty())
}

fn combine(mut conditions: Vec<Filter>) -> Option<Filter> {
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Filter::And(conditions)),
    }
}

fn check_counts(name: &str, options: &SearchPluginOptions) -> Result<()> {
    if options.default_count >= 1 && options.default_count <= options.max_count {
        return Ok(());
    }
    let message = format!(
        "its default count is {}; expected from 1 to its maximum, which is {}",
        options.default_count, options.max_count
    );
    Err(KernelError::invalid_function(name, message))
}

fn check_fixed_filter(name: &str, search: &dyn TextSearch, filter: Option<&Filter>) -> Result<()> {
    let Some(filter) = filter else {
        return Ok(());
    };
    search.check_fixed_filter(filter).map_err(|error| KernelError::InvalidFunction {
        function: name.to_owned(),
        message: format!("`{}` cannot apply its fixed filter", search.name()),
        source: Some(error.into()),
    })
}

fn metadata(
    name: &str,
    kind: Kind,
    search: &dyn TextSearch,
    options: &SearchPluginOptions,
    fields: &[FieldParameter],
) -> Result<FunctionMetadata> {
    let description = options.description.as_deref().unwrap_or(kind.description());
    let mut metadata = FunctionMetadata::new(name, description);
    metadata.parameters = parameters(options, fields);
    for (parameter, description) in &options.parameter_descriptions {
        describe_parameter(&mut metadata, parameter, description)?;
    }
    metadata.read_only = Some(true);
    metadata.is_open_world = options.is_open_world;
    let returned = options.return_description.as_deref().unwrap_or(kind.return_description());
    Ok(metadata.with_return(returned, kind.return_schema(search)))
}

fn parameters(options: &SearchPluginOptions, fields: &[FieldParameter]) -> Vec<ParameterMetadata> {
    let count = json!({ "type": "integer", "minimum": 1, "maximum": options.max_count });
    let skip = json!({ "type": "integer", "minimum": 0, "maximum": MAX_SKIP });
    let mut parameters = vec![
        ParameterMetadata::required("query", "What to search for", json!({ "type": "string" })),
        ParameterMetadata::optional("count", "Number of results to return", count)
            .with_default(options.default_count),
        ParameterMetadata::optional("skip", "Number of results to skip", skip).with_default(0),
    ];
    parameters.extend(fields.iter().map(|field| field.metadata.clone()));
    parameters
}

fn describe_parameter(
    metadata: &mut FunctionMetadata,
    name: &str,
    description: &str,
) -> Result<()> {
    match metadata.parameters.iter_mut().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
    {
        Some(parameter) => {
            description.clone_into(&mut parameter.description);
            Ok(())
        }
        None => {
            let names: Vec<&str> =
                metadata.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let message =
                format!("it has no parameter `{name}`: its parameters are {}", names.join(", "));
            Err(KernelError::invalid_function(&metadata.name, message))
        }
    }
}

impl Kind {
    const fn description(self) -> &'static str {
        match self {
            Self::Texts => "Search for the query and return the text of each result, best first.",
            Self::Results => {
                "Search for the query and return the name, text and link of each result, best first."
            }
            Self::Records => {
                "Search for the query and return each result with all its fields, best first."
            }
        }
    }

    const fn return_description(self) -> &'static str {
        match self {
            Self::Texts => "The texts found, best first.",
            Self::Results | Self::Records => "The results found, best first.",
        }
    }

    fn return_schema(self, search: &dyn TextSearch) -> Arc<Value> {
        // Shared: rebuilding them would be most of the cost of creating a plugin.
        static TEXTS: LazyLock<Arc<Value>> =
            LazyLock::new(|| Arc::new(list_of(json!({ "type": "string" }))));
        static RESULTS: LazyLock<Arc<Value>> =
            LazyLock::new(|| Arc::new(list_of(schema_of_output::<TextSearchResult>())));
        match self {
            Self::Texts => Arc::clone(&TEXTS),
            Self::Results => Arc::clone(&RESULTS),
            Self::Records => Arc::new(list_of(output_schema(search.schema().into()))),
        }
    }
}

fn list_of(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}
