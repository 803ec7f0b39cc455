//! `--rewrite`: a search for queries that the model writes.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{TextSearch, chat::ChatCompletion};
use textsearch_kernel::transform::{HypotheticalAnswer, SubQuestions, Transformed, Variants};

use crate::{
    arguments::{Mode, Rewrite, SearchSelector},
    commands::chat::RewrittenSearch,
    corpus::selector,
    errors::usage,
};

/// Opens the selected search. With `rewrite`, `model` writes its queries.
pub(super) async fn open(
    selector: &SearchSelector,
    rewrite: Option<Rewrite>,
    model: &Arc<dyn ChatCompletion>,
) -> Result<Arc<dyn TextSearch>> {
    let model = Arc::clone(model);
    let transformed = match rewrite {
        None => return selector::open(selector).await,
        Some(Rewrite::Variants) => {
            Transformed::new(selector::open(selector).await?, Variants::new(model))
        }
        Some(Rewrite::SubQuestions) => {
            Transformed::new(selector::open(selector).await?, SubQuestions::new(model))
        }
        Some(Rewrite::HypotheticalAnswer) => {
            let mut modes = selector::open_modes(selector).await?;
            let vector = modes.iter().find(|(mode, _)| *mode == Mode::Vector.name());
            let Some((_, vector)) = vector.cloned() else {
                return Err(usage(
                    "--rewrite hypothetical-answer searches by vector: try --embeddings MODEL",
                ));
            };
            let (_, search) = modes.swap_remove(0);
            Transformed::new(search, HypotheticalAnswer::new(model)).with_vector_search(vector)
        }
    };
    Ok(Arc::new(RewrittenSearch(transformed)))
}
