//! Macros that generate one test per case.

/// Generates one test per case for a vector store.
///
/// Call it in a separate module, such as `tests/it/vector_conformance.rs`. It takes a closure that
/// makes the store, as a future, and [`VectorCapabilities`](crate::vector::VectorCapabilities) if
/// the store cannot do everything.
#[macro_export]
macro_rules! vector_suite {
    ($store:expr $(,)?) => {
        $crate::vector_suite!($store, $crate::vector::VectorCapabilities::default());
    };
    ($store:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::vector::VectorSubject {
            $crate::vector::VectorSubject::new($store, $capabilities)
        }

        $crate::each_vector_case!($crate::vector_tests);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! vector_tests {
    ($($case:ident),* $(,)?) => {
        $(
            #[test]
            fn $case() {
                $crate::vector::run_vector_case(subject, $crate::vector::cases::$case);
            }
        )*
    };
}

/// Passes the names of all cases to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! each_vector_case {
    ($($then:tt)+) => {
        $($then)+! {
            a_collection_exists_until_it_is_deleted,
            an_existing_collection_keeps_its_records,
            a_collection_begins_anew_after_it_was_deleted,
            other_dimensions_are_refused,
            another_distance_is_refused,
            a_definition_without_a_stored_vector_is_refused,
            a_definition_that_makes_no_sense_is_refused,
            calls_on_a_missing_collection_name_it,
            handles_share_the_records,
            collections_are_apart,
            a_record_comes_back_as_it_was_stored,
            records_are_read_in_the_order_of_their_keys,
            a_record_replaces_the_one_of_its_key_wholly,
            the_last_of_one_key_in_a_batch_holds,
            an_empty_batch_is_no_error,
            many_records_are_stored_by_one_call,
            deleted_records_are_gone,
            records_are_deleted_by_a_filter,
            a_refused_filter_deletes_nothing,
            returned_records_are_copies,
            any_text_is_a_key,
            a_text_key_is_not_read_as_a_uuid,
            integers_are_keys,
            a_uuid_is_one_key_in_any_spelling,
            a_key_of_another_kind_is_refused,
            a_key_of_another_kind_finds_nothing,
            eq_filters_by_value,
            ne_filters_by_value_and_keeps_what_is_missing,
            numbers_filter_by_range,
            numbers_filter_by_value_and_not_by_form,
            texts_filter_by_code_point,
            in_filters_by_any_of_the_values,
            contains_filters_texts_by_their_parts,
            contains_filters_lists_by_their_members,
            lists_are_equal_as_a_whole,
            starts_with_filters_by_the_beginning,
            texts_without_order_are_not_ordered,
            exists_filters_what_is_there,
            dates_filter_by_instant,
            filters_nest,
            values_of_another_type_are_unequal,
            fields_of_mixed_kinds_filter_by_what_they_hold,
            json_fields_filter_by_what_they_hold,
            large_whole_numbers_compare_exactly,
            filters_on_other_fields_are_refused,
            cosine_similarity_scores_as_it_is_defined,
            cosine_distance_scores_as_it_is_defined,
            dot_product_scores_as_it_is_defined,
            negative_dot_product_scores_as_it_is_defined,
            euclidean_scores_as_it_is_defined,
            squared_euclidean_scores_as_it_is_defined,
            manhattan_scores_as_it_is_defined,
            hamming_scores_as_it_is_defined,
            equal_scores_come_in_the_order_of_keys,
            equal_scores_of_integer_keys_come_by_value,
            a_filter_takes_no_places,
            each_vector_is_searched_by_itself,
            a_record_may_lack_its_vector,
            a_collection_may_have_no_vectors,
            searches_by_vector_are_windows_of_one_ranking,
            searches_by_words_are_windows_of_one_ranking,
            hybrid_searches_are_windows_of_one_ranking,
            scans_are_windows_of_one_order,
            any_top_and_skip_are_served,
            the_total_count_is_of_all_that_fit,
            a_threshold_keeps_what_scores_at_least_as_much,
            a_threshold_keeps_what_is_at_most_as_far,
            a_threshold_that_is_no_number_is_refused,
            a_threshold_counts_what_it_keeps,
            scans_order_by_whole_numbers,
            scans_order_by_numbers,
            scans_order_by_texts,
            scans_order_by_dates,
            scans_order_by_truth,
            scans_order_by_several_fields,
            an_order_by_an_unknown_field_is_refused,
            a_word_finds_the_records_that_have_it,
            several_words_rank_records_that_have_more_of_them_first,
            a_word_counts_for_more_in_a_heavier_field,
            words_are_searched_in_the_fields_that_are_named,
            words_are_searched_behind_the_filter,
            no_text_is_an_operator,
            words_where_there_are_none_to_search_are_refused,
            a_text_is_searched_by_words_where_nothing_embeds_it,
            reciprocal_ranks_are_added_up,
            weighted_scores_are_added_up,
            what_fits_by_both_comes_first,
            a_hybrid_search_goes_behind_the_filter,
            a_hybrid_threshold_is_of_the_fused_score,
            a_hybrid_search_that_makes_no_sense_is_refused,
            vectors_come_only_where_they_are_asked_for,
            vectors_come_back_as_they_were_stored,
            a_vector_that_does_not_fit_is_refused,
            zeros_are_refused_where_directions_are_compared,
            a_query_that_does_not_fit_is_refused,
            an_exact_search_is_exact_whatever_the_index,
            embeddings_are_made_of_records_that_lack_them,
            a_text_is_searched_by_its_embedding,
            a_hybrid_search_embeds_its_text,
            a_batch_finds_what_its_searches_find,
            a_batch_with_a_search_that_is_refused_is_refused,
            embedded_records_are_those_of_the_store,
            a_batch_with_a_bad_record_names_it,
            many_write_and_read_at_once,
            calls_that_are_given_up_do_no_harm,
            numbers_come_back_bit_for_bit,
            large_whole_numbers_come_back,
            texts_come_back_bit_for_bit,
            nested_data_come_back_bit_for_bit,
            very_deep_data_come_back_or_are_refused,
            null_and_missing_stay_apart,
            undefined_fields_are_stored_with_the_rest,
        }
    };
}
