//! The contract of vector stores: its promises and their cases.

use super::{VectorSubject, cases, runner::run};
use crate::suite::contract;

contract! {
    /// Returns every case for a vector store.
    vector_cases, vector_tests: VectorSubject, run;

    collections "A collection exists from `ensure_exists` to `delete_collection`.": [
        a_collection_lasts_until_it_is_deleted,
    ];
    handles "Handles with one name share their records; different names share nothing.": [
        only_handles_of_one_name_share_records,
        similar_names_are_different_collections,
    ];
    persistence "A store that is made again finds the records.": [records_outlive_their_store];
    definitions "Refuses a definition that is invalid or doesn't fit the stored records.": [
        another_vector_is_refused,
        a_definition_without_a_stored_vector_is_refused,
        a_definition_that_makes_no_sense_is_refused,
        another_kind_of_keys_is_refused,
    ];
    missing_collections "A call on a missing collection names it, and creates nothing.": [
        calls_on_a_missing_collection_name_it,
    ];
    data "Returns data as they were stored, bit for bit.": [
        numbers_come_back_bit_for_bit,
        texts_come_back_bit_for_bit,
        nested_data_come_back_bit_for_bit,
        very_deep_data_come_back_or_are_refused,
        undefined_fields_are_stored_with_the_rest,
    ];
    reads "Returns records in the order of the requested keys.": [
        records_are_read_in_the_order_of_their_keys,
    ];
    replacements "A record replaces the one with its key as a whole.": [
        a_record_replaces_the_one_of_its_key_wholly,
        the_last_of_one_key_in_a_batch_holds,
    ];
    batches "Stores any number of records, and nothing of a batch with a bad one.": [
        an_empty_batch_is_no_error,
        many_records_are_stored_by_one_call,
        a_batch_with_a_bad_record_names_it,
    ];
    deletion "Deleted records are gone; others stay.": [
        deleted_records_are_gone,
        records_are_deleted_by_a_filter,
        a_refused_filter_deletes_nothing,
    ];
    keys "Keys differ if any character differs, except in UUIDs.": [
        any_text_is_a_key,
        integers_are_keys,
        a_uuid_is_one_key_in_any_spelling,
    ];
    key_kinds "Refuses records with a key of another kind; finds none by such a key.": [
        a_key_of_another_kind_is_refused,
        a_key_of_another_kind_finds_nothing,
    ];
    vectors "Returns vectors on request, as they were stored; refuses those that don't fit.": [
        vectors_come_only_where_they_are_asked_for,
        vectors_come_back_as_they_were_stored,
        a_vector_that_does_not_fit_is_refused,
        zeros_are_refused_where_directions_are_compared,
    ];
    filters "A filter keeps the records that `Filter::matches` accepts.": [
        eq_and_ne_filter_by_value,
        numbers_filter_by_value_and_not_by_form,
        texts_filter_by_code_points,
        in_filters_by_any_of_the_values,
        lists_filter_by_members_and_as_a_whole,
        exists_filters_what_is_there,
        dates_filter_by_instant,
        filters_nest,
        a_quote_in_a_fields_name_does_no_harm,
        fields_of_mixed_kinds_filter_by_what_they_hold,
        values_of_any_type_filter_by_what_they_are,
        large_whole_numbers_compare_exactly,
    ];
    filter_places "Records that a filter excludes take no place among the best.": [
        a_filter_takes_no_places,
        words_are_searched_behind_the_filter,
    ];
    unsupported_filters "Refuses a filter on another field or with another operator, and names the field.": [
        texts_without_order_are_not_ordered,
        filters_on_other_fields_are_refused,
    ];
    distances "Scores are as `Distance` defines them; the best come first.": [
        distances_score_as_they_are_defined,
        an_exact_search_is_exact_whatever_the_index,
    ];
    ties "Orders equal scores by key.": [
        equal_scores_come_in_the_order_of_keys,
        equal_scores_of_integer_keys_come_by_value,
    ];
    vector_fields "Compares one vector field with a vector that fits.": [
        each_vector_is_searched_by_itself,
        a_record_may_lack_its_vector,
        a_collection_may_have_no_vectors,
        a_query_that_does_not_fit_is_refused,
    ];
    windows "`top` and `skip` select a window of one ranking or order.": [
        searches_are_windows_of_one_ranking,
        scans_are_windows_of_one_order,
        any_top_and_skip_are_served,
    ];
    counts "Counts all records that match, on request only.": [
        the_total_count_is_of_all_that_fit,
    ];
    distinct_values "Counts the distinct values of a field behind the filter, the most frequent first.": [
        distinct_values_come_by_frequency,
        distinct_values_obey_the_filter,
        values_of_other_fields_are_not_counted,
    ];
    thresholds "A threshold keeps the records that reach it.": [
        a_threshold_keeps_and_counts_what_reaches_it,
        a_record_at_the_threshold_is_kept,
    ];
    orders "Scans order by one field after another, then by key.": [
        scans_order_by_values_of_each_kind,
        scans_order_by_several_fields,
        scans_order_by_nested_fields,
    ];
    words "One matching word is enough; no character is an operator.": [
        a_word_finds_the_records_that_have_it,
        several_words_rank_records_that_have_more_of_them_first,
        no_text_is_an_operator,
        words_where_there_are_none_to_search_are_refused,
        a_text_is_searched_by_words_where_nothing_embeds_it,
    ];
    text_fields "Reads the named full-text fields, each with its weight, language and mean length.": [
        a_word_counts_for_more_in_a_heavier_field,
        words_are_searched_in_the_fields_that_are_named,
        each_field_is_read_in_its_language,
        a_defined_mean_length_weighs_long_texts,
    ];
    statistics "Words score by all records, whatever the filter.": [
        a_filter_leaves_the_scores_of_words,
    ];
    fusion "Fuses the rankings by vector and by words as `Fusion` defines.": [
        reciprocal_ranks_are_added_up,
        weighted_scores_are_added_up,
        what_fits_by_both_comes_first,
        a_hybrid_search_goes_behind_the_filter,
        a_hybrid_threshold_is_of_the_fused_score,
        a_hybrid_search_that_makes_no_sense_is_refused,
    ];
    fusion_depth "Fuses the best thousand of each ranking.": [
        a_hybrid_search_looks_deep_into_both_rankings,
    ];
    explanations "An explanation changes no result, and says what each ranking says.": [
        an_explanation_changes_no_result,
        explained_ranks_are_those_of_the_rankings,
    ];
    embeddings "Embeds records and texts that have no vector.": [
        embeddings_are_made_of_records_that_lack_them,
        a_text_is_searched_by_its_embedding,
    ];
    search_batches "A batch of searches finds what each finds alone.": [
        a_batch_finds_what_its_searches_find,
    ];
    concurrency "Loses no write and mixes no record, however many write and read at once.": [
        many_write_and_read_at_once,
    ];
    dropped_calls "A collection works after a call was dropped, and has no half of it.": [
        a_dropped_upsert_is_whole_or_not_there,
    ];
    blocking "No call blocks its thread.": [no_call_blocks_its_thread];
}
