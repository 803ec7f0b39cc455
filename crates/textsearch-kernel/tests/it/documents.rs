//! Functions that read the documents behind search results.

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelPlugin, TextSearchPlugins as _,
    chat::{CallErrorKind, FunctionChoiceBehavior},
    search::SearchPluginOptions,
    textsearch_core::{
        Error, Filter, FilterableField, FixedSearch, SearchOptions, SearchResults,
        TextSearchResult, async_trait,
        chat::ToolCall,
        document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
    },
};

/// Notes with a number each.
struct Notes;

fn note(number: usize) -> DocumentInfo {
    let mut note = DocumentInfo::new(number.to_string()).with_name(format!("Note {number}"));
    note.metadata.insert("Number".to_owned(), number.into());
    note.metadata.insert("read_error".to_owned(), "10.0.0.7 is down".into());
    note
}

fn matches(filter: Option<&Filter>, number: usize) -> bool {
    filter.is_none_or(|filter| filter.matches(&json!({ "Number": number })))
}

#[async_trait]
impl DocumentReader for Notes {
    fn check_filter(&self, filter: &Filter) -> Result<(), Error> {
        filter.check("notes", &[FilterableField::integer("Number", "").with_all_operators()])
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>, Error> {
        let number = id.parse().ok().filter(|number| *number < 5);
        let number = number.filter(|number| matches(options.filter(), *number));
        let text = "Ebb and flow. ".repeat(1_000);
        Ok(number.and_then(|number| DocumentPage::from_text(note(number), &text, options)))
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>, Error> {
        let filter = options.filter();
        let notes = (0..5).filter(|number| matches(filter.as_deref(), *number)).map(note);
        Ok(SearchResults::from_vec(notes.collect()).window(options.skip, options.top))
    }
}

fn plugin(options: SearchPluginOptions) -> Result<KernelPlugin, KernelError> {
    let search = FixedSearch::new([TextSearchResult::new("Ebb.").with_id("1")])
        .with_fields([FilterableField::integer("Number", "").with_all_operators()]);
    search.create_with_get_search_results(options.with_documents(Notes))
}

fn kernel(options: SearchPluginOptions) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin(options).unwrap()).unwrap();
    kernel
}

async fn call(kernel: &Kernel, function: &str, arguments: Value) -> Result<Value, KernelError> {
    let arguments = KernelArguments::from(arguments.as_object().unwrap().clone());
    Ok(kernel.invoke("Docs", function, arguments).await?.value.into_json())
}

#[tokio::test]
async fn a_document_is_read_page_by_page() {
    let kernel = kernel("Docs".into());
    let first = call(&kernel, "GetDocument", json!({ "id": "1" })).await.unwrap();
    assert_eq!((&first["Id"], &first["Name"]), (&json!("1"), &json!("Note 1")));
    assert_eq!(first["Metadata"], json!({ "Number": 1 }));
    let text = first["Text"].as_str().unwrap();
    assert!(text.len() <= 8_000 && text.len() > 7_900, "{}", text.len());
    let next = json!({ "id": "1", "offset": first["NextOffset"] });
    let last = call(&kernel, "GetDocument", next).await.unwrap();
    assert_eq!(text.len() + last["Text"].as_str().unwrap().len(), 14_000);
    assert_eq!(last.get("NextOffset"), None);
}

#[tokio::test]
async fn a_page_fits_into_a_tool_result() {
    let kernel = kernel("Docs".into());
    let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto()).unwrap();
    let tool = ToolCall::new("1", "Docs-GetDocument", json!({ "id": "1" }).to_string());
    let answer = kernel.answer_call(&tool, &offered, 16_000).await.unwrap();
    assert!(!answer.truncated);
}

#[tokio::test]
async fn documents_are_listed_in_windows() {
    let kernel = kernel("Docs".into());
    let listed = call(&kernel, "ListDocuments", json!({ "count": 2, "skip": 1 })).await.unwrap();
    let ids = listed.as_array().unwrap().iter().map(|document| &document["Id"]);
    assert_eq!(ids.collect::<Vec<_>>(), ["1", "2"]);
    let error = call(&kernel, "ListDocuments", json!({ "count": 51 })).await.unwrap_err();
    assert!(error.to_string().contains("50"), "{error}");
}

#[tokio::test]
async fn no_call_leaves_the_fixed_filter() {
    let options = SearchPluginOptions::new("Docs").with_fixed_filter(Filter::le("Number", 1));
    let kernel = kernel(options);
    let listed = call(&kernel, "ListDocuments", json!({})).await.unwrap();
    assert_eq!(listed.as_array().map(Vec::len), Some(2));
    let hidden = call(&kernel, "GetDocument", json!({ "id": "3" })).await.unwrap_err();
    let unknown = call(&kernel, "GetDocument", json!({ "id": "x" })).await.unwrap_err();
    assert_eq!(hidden.to_string(), unknown.to_string());
    let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto()).unwrap();
    let tool = ToolCall::new("1", "Docs-GetDocument", json!({ "id": "3" }).to_string());
    let error = kernel.answer_call(&tool, &offered, 16_000).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::InvalidArguments);
}

#[test]
fn documents_are_read_and_listed_beside_the_search() {
    let plugin = plugin("Docs".into()).unwrap();
    let names = plugin.functions().iter().map(|function| function.name().to_owned());
    let names: Vec<String> = names.collect();
    assert_eq!(names, ["GetSearchResults", "GetDocument", "ListDocuments"]);
}

#[test]
fn a_fixed_filter_that_the_documents_cannot_apply_is_refused() {
    let options = SearchPluginOptions::new("Docs").with_fixed_filter(Filter::eq("Colour", 1));
    let error = plugin(options).unwrap_err();
    assert!(matches!(error, KernelError::InvalidFunction { .. }), "{error}");
}
