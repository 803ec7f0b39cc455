//! Functions that read the documents behind search results.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_core::{
    Error, SearchOptions,
    document::{DocumentInfo, DocumentPage, DocumentReader, FilteredReader, ReadOptions},
};

use super::{
    function::MAX_SKIP,
    options::{SearchPluginOptions, ShownMetadata},
};
use crate::{
    KernelError, KernelFunction, Result,
    function::{FunctionMetadata, Invocation, ParameterMetadata},
    schema::schema_of_output,
};

const GET: &str = "GetDocument";
const LIST: &str = "ListDocuments";

/// A page with its metadata fits into the result of a tool call, which has 16,000 characters.
const PAGE_BYTES: usize = 8_000;

/// Documents that a call without `count` lists.
const DEFAULT_COUNT: usize = 20;

struct Documents {
    reader: Arc<dyn DocumentReader>,
    shown_metadata: ShownMetadata,
}

/// Creates `GetDocument` and `ListDocuments`, if there are documents.
pub(super) fn document_functions(options: &SearchPluginOptions) -> Result<Vec<KernelFunction>> {
    let Some(reader) = &options.documents else { return Ok(Vec::new()) };
    let mut reader = Arc::clone(reader);
    if let Some(filter) = &options.fixed_filter {
        let refused = |error: Error| KernelError::InvalidFunction {
            function: GET.to_owned(),
            message: "its documents cannot apply the fixed filter".to_owned(),
            source: Some(error.into()),
        };
        reader = Arc::new(FilteredReader::new(reader, filter.clone()).map_err(refused)?);
    }
    let shown_metadata = options.shown_metadata.clone();
    let documents = Arc::new(Documents { reader, shown_metadata });
    Ok(vec![Arc::clone(&documents).getter(options)?, documents.lister(options)?])
}

impl Documents {
    fn getter(self: Arc<Self>, options: &SearchPluginOptions) -> Result<KernelFunction> {
        let description =
            "Read a page of a whole document, to see more than a search result shows.";
        let mut metadata = FunctionMetadata::new(GET, description);
        let id =
            "The `Id` of a search result or a listed document; the `Link` of a result without `Id`";
        let offset = "The `NextOffset` of the page before, to read on";
        metadata.parameters = vec![
            ParameterMetadata::required("id", id, json!({ "type": "string", "minLength": 1 })),
            ParameterMetadata::optional(
                "offset",
                offset,
                json!({ "type": "integer", "minimum": 0 }),
            )
            .with_default(0),
        ];
        metadata.read_only = Some(true);
        metadata.is_open_world = options.is_open_world;
        let returned = "A page of the text. Without `NextOffset`, it is the last.";
        let metadata = metadata.with_return(returned, schema_of_output::<DocumentPage>());
        KernelFunction::new(metadata, move |invocation| Arc::clone(&self).get(invocation))
    }

    fn lister(self: Arc<Self>, options: &SearchPluginOptions) -> Result<KernelFunction> {
        let mut metadata = FunctionMetadata::new(LIST, "List the documents, without their texts.");
        let max = options.max_count;
        let count = json!({ "type": "integer", "minimum": 1, "maximum": max });
        let skip = json!({ "type": "integer", "minimum": 0, "maximum": MAX_SKIP });
        metadata.parameters = vec![
            ParameterMetadata::optional("count", "Number of documents to list", count)
                .with_default(DEFAULT_COUNT.min(max)),
            ParameterMetadata::optional("skip", "Number of documents to skip", skip)
                .with_default(0),
        ];
        metadata.read_only = Some(true);
        metadata.is_open_world = options.is_open_world;
        let schema = json!({ "type": "array", "items": schema_of_output::<DocumentInfo>() });
        let metadata = metadata.with_return("The documents.", schema);
        KernelFunction::new(metadata, move |invocation| Arc::clone(&self).list(invocation))
    }

    async fn get(self: Arc<Self>, invocation: Invocation) -> Result<Value> {
        let Invocation { function, arguments, .. } = invocation;
        let id = arguments.get("id").and_then(Value::as_str).unwrap_or_default();
        let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
        let options = ReadOptions::default().with_offset(offset).with_max_bytes(PAGE_BYTES);
        let Some(mut page) = self.reader.read(id, &options).await? else {
            let message = "names no document, or one that ends before the offset: expected the `Id` of a result, or its `Link` if it has none";
            return Err(KernelError::invalid_argument(function.qualified_name(), "id", message));
        };
        self.hide_metadata(&mut page.document);
        Ok(serde_json::to_value(page).map_err(not_json)?)
    }

    async fn list(self: Arc<Self>, invocation: Invocation) -> Result<Value> {
        let number = |name| invocation.arguments.get(name).and_then(Value::as_u64);
        let number = |name| number(name).and_then(|number| usize::try_from(number).ok());
        let top = number("count").unwrap_or(1);
        let options = SearchOptions::top(top).with_skip(number("skip").unwrap_or(0));
        let documents = self.reader.list(&options).await?.window(0, top);
        let mut documents = documents.into_vec().await?;
        documents.iter_mut().for_each(|document| self.hide_metadata(document));
        Ok(serde_json::to_value(documents).map_err(not_json)?)
    }

    fn hide_metadata(&self, document: &mut DocumentInfo) {
        document.metadata.retain(|name, _| self.shown_metadata.shows(name));
    }
}

fn not_json(error: serde_json::Error) -> Error {
    Error::new(textsearch_core::ErrorKind::Undecodable, "documents", "a document cannot be JSON")
        .with_source(error)
}
