//! A search over documents, ranked as the arguments say.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::{
    rerank::Reranker,
    vector::{Fusion, SearchMode, VectorStoreTextSearch},
};

use crate::{
    arguments::{FusionArgument, Mode, RankingArguments},
    corpus::{Documents, reranker::RerankModel, store::rebuilding},
    errors::usage,
};

/// Returns the search over `documents`, or a usage error if it lacks embeddings or a model.
pub(super) fn search(
    documents: &Documents,
    arguments: &RankingArguments,
) -> Result<VectorStoreTextSearch> {
    search_with(documents, arguments, reranker(arguments)?)
}

fn search_with(
    documents: &Documents,
    arguments: &RankingArguments,
    reranker: Option<Arc<dyn Reranker>>,
) -> Result<VectorStoreTextSearch> {
    let mode = mode(documents, arguments)?;
    if arguments.mmr.is_some() && documents.model.is_none() {
        return Err(usage(format!("--mmr compares embeddings, {}", without_embeddings(documents))));
    }
    let mut search = documents.documents.text_search().with_mode(match mode {
        Mode::Vector => SearchMode::Vector,
        Mode::Text => SearchMode::FullText,
        Mode::Hybrid => SearchMode::Hybrid,
    });
    if let Some(fusion) = fusion(mode, arguments)? {
        search = search.with_fusion(fusion);
    }
    if let Some(score) = arguments.min_score {
        search = search.with_score_threshold(score);
    }
    if let Some(reranker) = reranker {
        search = search.with_reranker(reranker);
    }
    if let Some(lambda) = arguments.mmr {
        search = search.with_diversity(lambda);
    }
    Ok(search)
}

/// Returns a search for each mode that the documents have, the default first.
pub(super) fn modes_of(
    documents: &Documents,
    arguments: &RankingArguments,
) -> Result<Vec<(&'static str, VectorStoreTextSearch)>> {
    let default = mode(documents, arguments)?;
    // One for all modes: a local model takes memory.
    let reranker = reranker(arguments)?;
    let search = |arguments: &RankingArguments| search_with(documents, arguments, reranker.clone());
    let mut modes = vec![(default.name(), search(arguments)?)];
    for mode in [Mode::Text, Mode::Vector, Mode::Hybrid] {
        let has_vectors = mode == Mode::Text || arguments.embeddings.model.is_some();
        let is_possible = has_vectors && (mode == Mode::Vector || has_full_text(documents));
        if mode == default || !is_possible {
            continue;
        }
        let mut others = RankingArguments { mode: Some(mode), ..arguments.clone() };
        if mode != Mode::Hybrid {
            (others.fusion, others.vector_weight) = (None, None);
        }
        // Its scale is that of the default mode.
        others.min_score = None;
        modes.push((mode.name(), search(&others)?));
    }
    Ok(modes)
}

fn has_full_text(documents: &Documents) -> bool {
    documents.documents.collection().definition().full_text_fields().next().is_some()
}

fn reranker(arguments: &RankingArguments) -> Result<Option<Arc<dyn Reranker>>> {
    arguments.rerank.as_ref().map(RerankModel::open).transpose()
}

fn fusion(mode: Mode, arguments: &RankingArguments) -> Result<Option<Fusion>> {
    let fusion = arguments.fusion;
    let weight = arguments.vector_weight;
    let options = [("--fusion", fusion.is_some()), ("--vector-weight", weight.is_some())];
    if let (false, Some((argument, _))) =
        (mode == Mode::Hybrid, options.into_iter().find(|(_, is_given)| *is_given))
    {
        return Err(usage(format!("{argument} is for --mode hybrid: try them together")));
    }
    match (fusion, weight) {
        (Some(FusionArgument::ReciprocalRank), Some(_)) => {
            Err(usage("--vector-weight is for --fusion weighted: try them together"))
        }
        (Some(FusionArgument::ReciprocalRank), None) => Ok(Some(Fusion::reciprocal_rank(60))),
        (_, Some(weight)) => Ok(Some(Fusion::weighted_scores(weight))),
        // The documents may have another default.
        (Some(FusionArgument::Weighted), None) => Ok(Some(Fusion::default())),
        (None, None) => Ok(None),
    }
}

fn mode(documents: &Documents, arguments: &RankingArguments) -> Result<Mode> {
    let has_model = arguments.embeddings.model.is_some();
    let default = if has_model { Mode::Vector } else { Mode::Text };
    let mode = arguments.mode.unwrap_or(default);
    if mode != Mode::Vector && !has_full_text(documents) {
        let mode = mode.name();
        let location = &documents.location;
        return Err(usage(format!(
            "--mode {mode} searches words, and {location} has no full text: try --mode vector --embeddings MODEL"
        )));
    }
    if mode == Mode::Text || has_model {
        return Ok(mode);
    }
    let missing = match &documents.model {
        Some(model) => format!(
            "embeds the query, with the model of the store, `{model}`: try --embeddings with that model"
        ),
        None => format!("compares embeddings, {}", without_embeddings(documents)),
    };
    Err(usage(format!("--mode {} {missing}", mode.name())))
}

fn without_embeddings(documents: &Documents) -> String {
    let rebuilding = rebuilding(&documents.location, " --embeddings MODEL");
    format!("and these documents have none: try {rebuilding}, or --from PATH --embeddings MODEL")
}
