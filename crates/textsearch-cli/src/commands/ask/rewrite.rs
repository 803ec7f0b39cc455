//! `--rewrite`: a search for queries that the model writes.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{TextSearch, chat::ChatCompletion};
use textsearch_kernel::transform::{QueryTransform, Rewrite, Transformed};

use crate::{
    arguments::{Mode, SearchSelector},
    commands::chat::RewrittenSearch,
    corpus::selector::{self, Selected},
    errors::usage,
};

/// Opens the selected search. With `rewrite`, `model` writes its queries.
pub(super) async fn open(
    selector: &SearchSelector,
    rewrite: Rewrite,
    model: &Arc<dyn ChatCompletion>,
) -> Result<Selected> {
    let (selected, vector) = open_with_vector(selector, rewrite).await?;
    let Some(transform) = rewrite.transform(Arc::clone(model)) else { return Ok(selected) };
    let is_web = selector.source.is_some();
    let search = transformed(Arc::clone(&selected.search), vector, transform, is_web);
    Ok(Selected { search: Arc::new(RewrittenSearch(search)), ..selected })
}

/// Opens the selected search, and the one by vector if `rewrite` needs it.
pub(crate) async fn open_with_vector(
    selector: &SearchSelector,
    rewrite: Rewrite,
) -> Result<(Selected, Option<Arc<dyn TextSearch>>)> {
    if rewrite != Rewrite::HypotheticalAnswer {
        return Ok((selector::open_with_documents(selector).await?, None));
    }
    let no_vectors =
        || usage("--rewrite hypothetical-answer searches by vector: try --embeddings MODEL");
    if selector.ranking.embeddings.model.is_none() {
        return Err(no_vectors());
    }
    let (mut modes, store) = selector::open_modes(selector, &[]).await?;
    let vector = modes.iter().find(|(mode, _)| *mode == Mode::Vector.name());
    let (_, vector) = vector.cloned().ok_or_else(no_vectors)?;
    let (_, search) = modes.swap_remove(0);
    Ok((Selected { store, ..Selected::from(search) }, Some(vector)))
}

/// Searches for what `transform` makes of the questions.
pub(crate) fn transformed(
    search: impl TextSearch + 'static,
    vector: Option<impl TextSearch + 'static>,
    transform: Arc<dyn QueryTransform>,
    is_web: bool,
) -> Transformed {
    let mut search = Transformed::new(search, transform);
    if is_web {
        // Each result may cost a page.
        search = search.with_min_depth(0);
    }
    match vector {
        Some(vector) => search.with_vector_search(vector),
        None => search,
    }
}
