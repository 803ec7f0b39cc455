//! `--rewrite`: a search for queries that the model writes.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{TextSearch, chat::ChatCompletion};
use textsearch_kernel::transform::{HypotheticalAnswer, SubQuestions, Transformed, Variants};

use crate::{
    arguments::{Mode, Rewrite, SearchSelector},
    commands::chat::RewrittenSearch,
    corpus::selector::{self, Selected},
    errors::usage,
};

/// Opens the selected search. With `rewrite`, `model` writes its queries.
pub(super) async fn open(
    selector: &SearchSelector,
    rewrite: Option<Rewrite>,
    model: &Arc<dyn ChatCompletion>,
) -> Result<Selected> {
    let Some(rewrite) = rewrite else { return selector::open_with_documents(selector).await };
    let model = Arc::clone(model);
    if rewrite == Rewrite::HypotheticalAnswer {
        let (mut modes, store) = selector::open_modes(selector).await?;
        let vector = modes.iter().find(|(mode, _)| *mode == Mode::Vector.name());
        let Some((_, vector)) = vector.cloned() else {
            return Err(usage(
                "--rewrite hypothetical-answer searches by vector: try --embeddings MODEL",
            ));
        };
        let (_, search) = modes.swap_remove(0);
        let search = Transformed::new(search, HypotheticalAnswer::new(model));
        let search = rewritten(search.with_vector_search(vector));
        return Ok(Selected { store, ..Selected::from(search) });
    }
    let selected = selector::open_with_documents(selector).await?;
    let search = Arc::clone(&selected.search);
    let search = match rewrite {
        Rewrite::Variants => Transformed::new(search, Variants::new(model)),
        _ => Transformed::new(search, SubQuestions::new(model)),
    };
    Ok(Selected { search: rewritten(search), ..selected })
}

fn rewritten(search: Transformed) -> Arc<dyn TextSearch> {
    Arc::new(RewrittenSearch(search))
}
