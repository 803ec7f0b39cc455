//! Faults in queries and their options.

use std::sync::Arc;

use textsearch_conformance::core::{
    Filter, Result, SearchResults,
    vector::{
        Fusion, RecordDefinition, ScanOptions, Scored, SearchInput, StoredRecord, VectorCollection,
        VectorSearchOptions,
    },
};

use super::{fault::Fault, filters, records::fitting};

pub(super) type ScoredResults = SearchResults<Scored<StoredRecord>>;

/// One of the three searches.
#[derive(Clone)]
pub(super) enum Query {
    Input(SearchInput),
    Words(String),
    Hybrid(String, Option<Arc<[f32]>>),
}

impl Query {
    pub(super) async fn ask(
        &self,
        collection: &dyn VectorCollection,
        options: &VectorSearchOptions,
    ) -> Result<ScoredResults> {
        match self {
            Self::Input(input) => collection.search(input, options).await,
            Self::Words(text) => collection.full_text_search(text, options).await,
            Self::Hybrid(text, vector) => {
                collection.hybrid_search(text, vector.clone(), options).await
            }
        }
    }

    /// Returns the query as the store reads it.
    pub(super) fn changed(
        self,
        fault: Fault,
        options: &VectorSearchOptions,
        definition: &RecordDefinition,
    ) -> Self {
        let field = definition.vector_field(options.vector_field.as_deref(), "sabotaged");
        match (self, fault, field) {
            (Self::Input(SearchInput::Vector(vector)), Fault::AcceptsAnyQuery, Ok(field)) => {
                Self::Input(SearchInput::Vector(fitting(&vector, field)))
            }
            (Self::Words(text), Fault::IsCaseSensitive, _) if text.contains(char::is_uppercase) => {
                Self::Words(String::new())
            }
            (Self::Words(text), Fault::ReadsOperators, _) if text.starts_with('-') => {
                Self::Words(String::new())
            }
            (query, ..) => query,
        }
    }
}

/// Returns the options as the store reads them.
pub(super) fn changed(
    fault: Fault,
    query: &Query,
    options: &VectorSearchOptions,
    definition: &RecordDefinition,
) -> VectorSearchOptions {
    let mut changed = options.clone();
    if fault != Fault::FiltersSearchesOnly {
        changed.filter = filter(fault, options.filter.as_ref(), definition);
    }
    match fault {
        Fault::FiltersAfterTop => changed.filter = None,
        Fault::FusesWithoutFilter if matches!(query, Query::Hybrid(..)) => changed.filter = None,
        Fault::AlwaysSendsVectors => changed.include_vectors = true,
        Fault::NeverSendsVectors => changed.include_vectors = false,
        Fault::ComparesTheFirstVector => changed.vector_field = None,
        Fault::SkipsTwice => changed.skip = options.skip.saturating_mul(2),
        Fault::SkipsOneLess => changed.skip = options.skip.saturating_sub(1),
        Fault::ReturnsOneFewer => changed.top = options.top.saturating_sub(1),
        Fault::CapsTop => changed.top = options.top.min(20),
        Fault::OverflowsWindows if options.skip.checked_add(options.top).is_none() => {
            changed.top = 0;
        }
        Fault::AlwaysCounts => changed.include_total_count = true,
        Fault::IgnoresThresholds => changed.score_threshold = None,
        Fault::ReadsEveryTextField => changed.full_text_fields.clear(),
        _ => {}
    }
    changed.fusion = fusion(fault, options.fusion);
    changed
}

pub(super) fn filter(
    fault: Fault,
    filter: Option<&Filter>,
    definition: &RecordDefinition,
) -> Option<Filter> {
    filter.map(|filter| filters::changed(fault, filter.clone(), definition))
}

fn fusion(fault: Fault, fusion: Fusion) -> Fusion {
    match (fault, fusion) {
        (Fault::IgnoresTheRankConstant, Fusion::ReciprocalRank { .. }) => {
            Fusion::reciprocal_rank(60)
        }
        (Fault::IgnoresTheVectorWeight, Fusion::WeightedScores { .. }) => {
            Fusion::weighted_scores(0.5)
        }
        (Fault::AcceptsAnyWeight, Fusion::WeightedScores { vector_weight })
            if !(0.0..=1.0).contains(&vector_weight) =>
        {
            Fusion::default()
        }
        (_, fusion) => fusion,
    }
}

/// Returns the scan as the store reads it.
pub(super) fn changed_scan(
    fault: Fault,
    options: &ScanOptions,
    definition: &RecordDefinition,
) -> ScanOptions {
    let mut changed = options.clone();
    changed.filter = match fault {
        Fault::FiltersSearchesOnly => None,
        _ => filter(fault, options.filter.as_ref(), definition),
    };
    match fault {
        Fault::AlwaysSendsVectors => changed.include_vectors = true,
        Fault::NeverSendsVectors => changed.include_vectors = false,
        Fault::ScansOneMore => changed.top = options.top.map(|top| top.saturating_add(1)),
        Fault::OrdersAscendingAlways => {
            changed.order_by.iter_mut().for_each(|order| order.descending = false);
        }
        Fault::OrdersByOneField => changed.order_by.truncate(1),
        Fault::IgnoresNestedOrders => changed.order_by.retain(|order| !order.field.contains('.')),
        Fault::IgnoresUnknownOrders => {
            let is_known =
                |name: &str| name == definition.key.name || definition.data_field(name).is_some();
            changed.order_by.retain(|order| is_known(&order.field));
        }
        _ => {}
    }
    changed
}
