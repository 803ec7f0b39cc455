//! Opens the search that a command's arguments select.

mod narrowed;
mod ranking;

use std::sync::Arc;

use anyhow::{Context as _, Result};
use textsearch_compose::{PerDocument, Recent};
use textsearch_core::{
    ErrorKind, Filter, SearchOptions, TextSearch, document::DocumentReader,
    vector::VectorStoreTextSearch,
};
use textsearch_documents::{DocumentStore, Surroundings};
use textsearch_web_page::ResultPages;

pub(crate) use self::narrowed::Narrowed;
use crate::{
    arguments::{DEFAULT_STORE, Mode, RankingArguments, ResultArguments, SearchSelector},
    corpus::{self, Documents, WithoutDocuments, store::StoreLocation},
    errors::usage,
    messages, mlindex, web,
};

pub(crate) struct Selected {
    pub(crate) search: Arc<dyn TextSearch>,
    /// The documents that it finds chunks of.
    pub(crate) store: Option<DocumentStore>,
    /// The web pages that it found.
    pub(crate) pages: Option<ResultPages>,
    /// The reason why every query finds nothing, with advice.
    pub(crate) why_empty: Option<String>,
    /// The language of the documents' words; `None` if words match only as written.
    pub(crate) language: Option<String>,
}

/// The language of searches that don't tell theirs.
const USUAL_LANGUAGE: &str = "en";

/// Web engines return about as many at once, and may charge for more.
const WEB_CANDIDATES: usize = 20;

/// Opens the search. Fails without documents.
pub(crate) async fn open(selector: &SearchSelector) -> Result<Arc<dyn TextSearch>> {
    Ok(open_with_documents(selector).await?.search)
}

/// Like [`open`], with the documents behind the results.
pub(crate) async fn open_with_documents(selector: &SearchSelector) -> Result<Selected> {
    open_with(selector, WithoutDocuments::Stop, &[]).await
}

/// Like [`open_with_documents`], with example values of the fields that a model may filter on, and with the
/// pages of the web that the search found.
pub(crate) async fn open_for_model(
    selector: &SearchSelector,
    allowed: &[String],
) -> Result<Selected> {
    let selected = open_with(selector, WithoutDocuments::Stop, allowed).await?;
    if selector.source.is_none() {
        return Ok(selected);
    }
    let pages = web::result_pages(Arc::clone(&selected.search), &selector.pages)?;
    Ok(Selected { search: Arc::new(pages.clone()), pages: Some(pages), ..selected })
}

/// Like [`open`], but accepts a search without documents.
pub(crate) async fn open_even_empty(selector: &SearchSelector) -> Result<Selected> {
    open_with(selector, WithoutDocuments::GoOn, &[]).await
}

async fn open_with(
    selector: &SearchSelector,
    otherwise: WithoutDocuments,
    allowed: &[String],
) -> Result<Selected> {
    let selected = open_ranked(selector, otherwise, allowed).await?;
    Ok(Selected { search: with_recency(selected.search, selector), ..selected })
}

fn with_recency(search: Arc<dyn TextSearch>, selector: &SearchSelector) -> Arc<dyn TextSearch> {
    let Some(half_life) = selector.recency.half_life else { return search };
    let mut recent = Recent::new(search, half_life);
    if let Some(field) = &selector.recency.date_field {
        recent = recent.with_field(field);
    }
    if selector.source.is_some() {
        recent = recent.with_candidates(WEB_CANDIDATES);
    }
    Arc::new(recent)
}

async fn open_ranked(
    selector: &SearchSelector,
    otherwise: WithoutDocuments,
    allowed: &[String],
) -> Result<Selected> {
    let search = match (&selector.source, &selector.mlindex) {
        (Some(name), _) => with_pages(web::open(name, selector.endpoint.as_deref())?, selector)?,
        (None, Some(path)) => mlindex::open(path).await?,
        (None, None) => {
            return open_documents(selector, &selector.ranking, otherwise, allowed).await;
        }
    };
    Ok(search.into())
}

/// Searches by the name of their mode, and the store of the documents.
pub(crate) type Modes = (Vec<(&'static str, Arc<dyn TextSearch>)>, Option<DocumentStore>);

/// Like [`open_with_documents`], but returns a search for each mode of documents. The first is the default.
pub(crate) async fn open_modes(selector: &SearchSelector, allowed: &[String]) -> Result<Modes> {
    if selector.source.is_none() && selector.mlindex.is_none() {
        let documents = read_documents(selector, &selector.ranking, WithoutDocuments::Stop).await?;
        let modes = modes_of(&documents, selector, allowed).await?;
        warn_of_ignored_embeddings(&documents, &selector.ranking);
        return Ok((modes, Some(documents.documents)));
    }
    let mode = if selector.source.is_some() { "web" } else { "index" };
    Ok((vec![(mode, open(selector).await?)], None))
}

/// Returns a search for each mode that the documents have, the default first, with example values of the
/// `allowed` fields.
pub(crate) async fn modes_of(
    documents: &Documents,
    selector: &SearchSelector,
    allowed: &[String],
) -> Result<Vec<(&'static str, Arc<dyn TextSearch>)>> {
    let mut modes = Vec::new();
    for (name, search) in ranking::modes_of(documents, &selector.ranking)? {
        let search = with_examples(search, selector, allowed).await?;
        modes.push((name, with_recency(Arc::new(search), selector)));
    }
    Ok(modes)
}

/// Adds example values of the `allowed` fields, under the filters of the arguments. Those of documents that
/// change would soon be wrong.
async fn with_examples(
    search: VectorStoreTextSearch,
    selector: &SearchSelector,
    allowed: &[String],
) -> Result<VectorStoreTextSearch> {
    let filters = [&selector.filter, &selector.fixed_filter].into_iter().flatten().cloned();
    let filter = Filter::all(filters);
    // A wrong filter is reported later, with its argument.
    let is_wrong = search.collection().definition().check_filter(Some(&filter), "").is_err();
    if is_wrong || selector.reading.watch {
        return Ok(search);
    }
    Ok(search.with_example_values(allowed, Some(&filter)).await?)
}

/// Like [`open`], but only to describe the search: a connector needs no key or endpoint, and
/// documents need no model. An index of a file needs both.
pub(crate) async fn describe(selector: &SearchSelector) -> Result<Arc<dyn TextSearch>> {
    match (&selector.source, &selector.mlindex) {
        (Some(name), _) => with_pages(web::describe(name)?, selector),
        (None, Some(path)) => mlindex::open(path).await,
        (None, None) => {
            // The default mode would warn of embeddings.
            let ranking =
                RankingArguments { mode: Some(Mode::Text), ..RankingArguments::default() };
            Ok(open_documents(selector, &ranking, WithoutDocuments::Stop, &[]).await?.search)
        }
    }
}

fn with_pages(
    search: Arc<dyn TextSearch>,
    selector: &SearchSelector,
) -> Result<Arc<dyn TextSearch>> {
    if selector.pages.full_pages { web::full_pages(search, &selector.pages) } else { Ok(search) }
}

async fn read_documents(
    selector: &SearchSelector,
    ranking: &RankingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    let embeddings = &ranking.embeddings;
    if selector.from.is_empty() {
        let uri = selector.store.as_deref().unwrap_or(DEFAULT_STORE);
        corpus::open_store(&StoreLocation::from_uri(uri)?, embeddings, otherwise).await
    } else {
        corpus::read_files(&selector.from, &selector.reading, embeddings, otherwise).await
    }
}

/// Warns if the default mode searches only the words of documents with embeddings.
fn warn_of_ignored_embeddings(documents: &Documents, ranking: &RankingArguments) {
    if documents.why_empty.is_none()
        && let (Some(model), None, None) =
            (&documents.model, &ranking.embeddings.model, ranking.mode)
    {
        messages::warn(&format!(
            "the store has embeddings of `{model}`, but this searches words: try --embeddings with that model, or --mode text"
        ));
    }
}

async fn open_documents(
    selector: &SearchSelector,
    ranking: &RankingArguments,
    otherwise: WithoutDocuments,
    allowed: &[String],
) -> Result<Selected> {
    let documents = read_documents(selector, ranking, otherwise).await?;
    let search = ranking::search(&documents, ranking);
    let search = match &documents.why_empty {
        // An empty store lacks some modes of search, but its emptiness is the cause to report.
        Some(reason) => search.with_context(|| reason.clone())?,
        None => search?,
    };
    warn_of_ignored_embeddings(&documents, ranking);
    let search = with_examples(search, selector, allowed).await?;
    let definition = documents.documents.collection().definition();
    let full_text = definition.full_text_fields().find_map(|field| field.full_text.clone());
    let language =
        full_text.map_or_else(|| Some(USUAL_LANGUAGE.to_owned()), |full_text| full_text.language);
    let search: Arc<dyn TextSearch> = Arc::new(search);
    let store = Some(documents.documents);
    Ok(Selected { search, store, pages: None, why_empty: documents.why_empty, language })
}

impl Selected {
    /// Returns the documents behind the results, if they can be read.
    pub(crate) fn documents(&self) -> Option<Arc<dyn DocumentReader>> {
        match (&self.store, &self.pages) {
            (Some(store), _) => Some(Arc::new(store.clone())),
            (None, Some(pages)) => Some(Arc::new(pages.clone())),
            (None, None) => None,
        }
    }
}

impl From<Arc<dyn TextSearch>> for Selected {
    fn from(search: Arc<dyn TextSearch>) -> Self {
        let language = Some(USUAL_LANGUAGE.to_owned());
        Self { search, store: None, pages: None, why_empty: None, language }
    }
}

impl ResultArguments {
    /// Returns the search, reduced to one result per document and with the text around results if the
    /// arguments say so.
    pub(crate) fn applied_to(&self, selected: &Selected) -> Arc<dyn TextSearch> {
        let search = Arc::clone(&selected.search);
        let search: Arc<dyn TextSearch> =
            if self.per_document { Arc::new(PerDocument::new(search)) } else { search };
        match &selected.store {
            Some(store) => Arc::new(Surroundings::new(search, store.clone(), self.around)),
            None => search,
        }
    }
}

/// Returns advice for a search that finds nothing.
pub(crate) fn advice(selector: &SearchSelector, skip: usize) -> String {
    let narrowing = [
        (selector.ranking.min_score.is_some(), "a lower --min-score"),
        (selector.filter.is_some(), "a wider --filter"),
        (selector.fixed_filter.is_some(), "a wider --fixed-filter"),
        (skip > 0, "a smaller --skip"),
    ];
    let hints = narrowing.into_iter().filter_map(|(is_given, what)| is_given.then_some(what));
    std::iter::once("try other words").chain(hints).collect::<Vec<_>>().join(", or ")
}

pub(crate) fn options(
    selector: &SearchSelector,
    search: &Arc<dyn TextSearch>,
) -> Result<SearchOptions> {
    check_filters(selector, search)?;
    let mut options = SearchOptions::top(selector.top);
    if let Some(filter) = &selector.filter {
        options = options.with_filter(filter.clone());
    }
    if let Some(filter) = &selector.fixed_filter {
        options = options.with_fixed_filter(filter.clone());
    }
    Ok(options)
}

/// Returns a usage error if a filter has an unknown field or an unsupported comparison.
pub(crate) fn check_filters(selector: &SearchSelector, search: &Arc<dyn TextSearch>) -> Result<()> {
    let filters = [("--filter", &selector.filter), ("--fixed-filter", &selector.fixed_filter)];
    for (argument, filter) in filters {
        if let Some(filter) = filter {
            check_filter(argument, filter, search)?;
        }
    }
    Ok(())
}

/// Like [`check_filters`], for the value of one argument.
pub(crate) fn check_filter(
    argument: &str,
    filter: &Filter,
    search: &Arc<dyn TextSearch>,
) -> Result<()> {
    let fields = search.fields();
    filter.check(search.name(), fields).map_err(|error| match error.kind() {
        ErrorKind::UnsupportedFilter { field, supported, .. } if supported.is_empty() => {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let known = match names.as_slice() {
                [] => format!("this search has no fields to filter on: try without {argument}"),
                names => format!("try one of {}", names.join(", ")),
            };
            usage(format!("{argument}: cannot filter on `{field}`: {known}"))
        }
        // The message names the operators of the field.
        _ => usage(format!("{argument}: {}", error.message())),
    })
}
