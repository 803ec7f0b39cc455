//! The cases about a mistake find it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use textsearch_conformance::{
    core::vector::Distance,
    vector::{VectorCapabilities, VectorSubject, vector_cases},
};

use super::store::{ListStore, Mistake};

fn failing(mistake: Mistake, capabilities: VectorCapabilities) -> Vec<&'static str> {
    let fails = |case: &&textsearch_conformance::vector::VectorCase| {
        let capabilities = capabilities.clone();
        let make = move || async move { Ok(ListStore::new(mistake)) };
        let run = || case.run(|| VectorSubject::new(make, capabilities));
        catch_unwind(AssertUnwindSafe(run)).is_err()
    };
    vector_cases().iter().filter(fails).map(|case| case.name()).collect()
}

fn check(mistake: Mistake, expected: &[&str]) {
    let found = failing(mistake, VectorCapabilities::default());
    for case in expected {
        assert!(found.contains(case), "{mistake:?} is not found by `{case}`, but by {found:?}");
    }
    // No mistake fails every case.
    assert!(found.len() < 60, "{mistake:?} is found by {} cases", found.len());
}

macro_rules! mistakes {
    ($($name:ident: $mistake:ident => [$($case:ident),+ $(,)?]),* $(,)?) => {$(
        #[test]
        fn $name() {
            check(Mistake::$mistake, &[$(stringify!($case)),+]);
        }
    )*};
}

mistakes! {
    accepted_bad_vectors_are_found: AcceptsAnyVector => [
        a_vector_that_does_not_fit_is_refused, a_batch_with_a_bad_record_names_it,
    ],
    ties_in_another_order_are_found: BreaksTiesBackwards => [
        equal_scores_come_in_the_order_of_keys, equal_scores_of_integer_keys_come_by_value,
    ],
    dates_compared_as_texts_are_found: ComparesDatesAsTexts => [dates_filter_by_instant],
    a_count_of_the_window_is_found: CountsTheWindow => [the_total_count_is_of_all_that_fit],
    a_collection_made_by_a_call_is_found: CreatesMissingCollections => [
        calls_on_a_missing_collection_name_it,
    ],
    a_filter_after_the_ranking_is_found: FiltersAfterTop => [a_filter_takes_no_places],
    folded_keys_are_found: FoldsKeys => [any_text_is_a_key, a_text_key_is_not_read_as_a_uuid],
    forgotten_nulls_are_found: ForgetsNull => [null_and_missing_stay_apart],
    an_ignored_rank_constant_is_found: IgnoresTheRankConstant => [reciprocal_ranks_are_added_up],
    ignored_unknown_fields_are_found: IgnoresUnknownFields => [
        filters_on_other_fields_are_refused, a_refused_filter_deletes_nothing,
    ],
    ignored_weights_are_found: IgnoresWeights => [
        a_word_counts_for_more_in_a_heavier_field,
    ],
    old_fields_are_found: KeepsOldFields => [a_record_replaces_the_one_of_its_key_wholly],
    left_out_missing_fields_are_found: LeavesOutMissingFields => [
        ne_filters_by_value_and_keeps_what_is_missing,
    ],
    a_ranking_backwards_is_found: RanksBackwards => [
        euclidean_scores_as_it_is_defined, dot_product_scores_as_it_is_defined,
    ],
    rounded_numbers_are_found: RoundsNumbers => [numbers_come_back_bit_for_bit],
    unrequested_vectors_are_found: SendsVectorsAlways => [
        vectors_come_only_where_they_are_asked_for,
    ],
    a_skip_too_far_is_found: SkipsTwice => [
        searches_by_vector_are_windows_of_one_ranking, searches_by_words_are_windows_of_one_ranking,
        hybrid_searches_are_windows_of_one_ranking,
    ],
    parts_of_batches_are_found: StoresPartsOfBatches => [a_batch_with_a_bad_record_names_it],
    exclusive_thresholds_are_found: TakesThresholdsAsExclusive => [
        a_threshold_keeps_what_scores_at_least_as_much, a_threshold_keeps_what_is_at_most_as_far,
    ],
}

/// An operation works although it is declared as missing.
#[test]
fn a_false_declaration_is_found() {
    let found = |capabilities| failing(Mistake::None, capabilities);
    let default = VectorCapabilities::default;
    assert_eq!(
        found(default().without_distance(Distance::Hamming)),
        ["hamming_scores_as_it_is_defined"]
    );
    let hybrid = found(default().without_hybrid());
    assert!(hybrid.contains(&"reciprocal_ranks_are_added_up"), "{hybrid:?}");
    let thresholds = found(default().without_score_thresholds());
    assert!(thresholds.contains(&"a_threshold_keeps_what_is_at_most_as_far"), "{thresholds:?}");
}
