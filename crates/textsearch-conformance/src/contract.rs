//! The contract of text searches: its promises and their cases.

use crate::{Subject, cases, runner::run, suite::contract};

contract! {
    /// Returns every case for a connector over HTTP. Any text search can run those not in *italics*.
    search_cases, search_tests: Subject, run;

    counts "Returns `top` results, or as many as there are.": [
        returns_what_there_is_and_nothing_beyond,
        a_top_of_zero_returns_nothing,
        an_empty_backend_is_an_empty_stream,
        the_end_of_a_stream_stays_the_end,
    ];
    windows "`skip` and `top` select a slice of all results, in the backend's order.": [
        skip_and_top_are_a_slice_of_the_whole,
    ];
    repeats "Leaves out results that pages repeat, and ends at a repeated page.": http [
        repeats_on_later_pages_are_left_out,
        a_repeated_page_ends_the_search,
    ];
    limits "Refuses a `skip + top` beyond the maximum before any request, and names the limit.": [
        more_than_the_maximum_is_refused,
    ];
    total_count "Passes on the backend's total count.": [
        the_total_count_is_told,
    ];
    texts "Each result has the name, text and link of its document, without markup.": [
        results_have_a_text,
        results_are_as_their_documents,
    ] http [
        marks_and_entities_are_removed,
        an_empty_link_is_left_out,
    ];
    fields "Refuses undeclared fields and operators before any request, and names them.": [
        undeclared_fields_are_refused,
        undeclared_operators_are_refused,
    ];
    filters "Applies each filter on every page, or refuses it before any request.": [
        declared_filters_work,
        a_filter_that_matches_nothing_finds_nothing,
    ] http [
        both_parts_of_an_and_are_sent,
        alternatives_are_sent_whole_or_refused,
        negated_filters_are_not_sent_as_they_are,
        the_narrower_of_two_bounds_holds,
        both_ends_of_a_range_are_sent,
    ];
    filter_values "A filter's value arrives as one value, and adds no operator.": http [
        another_value_makes_another_request,
        values_arrive_whole,
        hostile_values_add_no_operator,
        separators_do_not_split_a_value,
        a_date_means_its_instant,
        a_value_adds_no_other_filter,
    ];
    filter_operators "Each operator of a field means something of its own, or is refused.": http [
        declared_operators_differ_on_the_wire,
        approximate_fields_offer_contains_alone,
    ];
    fixed_filters "A fixed filter holds, whatever the query and the caller's filter say.": [
        fixed_filters_hold_or_are_refused,
        results_outside_of_a_fixed_site_stay_out,
    ] http [
        a_callers_filter_adds_to_a_fixed_one,
        another_value_does_not_widen_a_fixed_filter,
        another_bound_does_not_widen_a_fixed_filter,
        a_callers_bound_adds_to_a_fixed_one,
        query_operators_do_not_work_under_a_fixed_filter,
    ];
    queries "A query arrives unchanged, and adds no parameter.": [hostile_queries_do_no_harm] http [
        hostile_queries_arrive_intact,
        no_query_adds_a_parameter,
    ];
    lazy_pages "The call fetches the first page; reading fetches later ones.": http [
        the_call_itself_fetches_one_page,
        later_pages_are_fetched_when_they_are_read,
    ];
    dropping "Dropping the search or its stream stops the work.": http [
        nothing_is_fetched_after_the_stream_is_dropped,
        a_dropped_search_ends_its_request,
    ];
    description "The schema fits the records.": [records_fit_their_schema];
    concurrency "Concurrent searches don't mix up results or filters, and none blocks its thread.": [
        sixty_four_searches_at_once,
    ] http [
        concurrent_searches_keep_their_filters,
        no_search_blocks_its_thread,
    ];
    connections "Retries failed and silent connections, then returns an error of their kind.": http [
        a_refused_connection_is_unavailable,
        a_body_in_mid_reset_is_unavailable_and_tried_again,
        a_silent_connection_is_a_timeout,
    ];
    statuses "A status other than success is an error of its kind, retried if that helps.": http [
        statuses_have_their_kinds,
        status_429_with_a_short_wait_is_waited_for,
        status_429_with_a_long_wait_is_told,
        status_500_and_then_success_is_success,
    ];
    provider_errors "An error in the provider's format is an error, with any status.": http [
        error_answers_have_their_kind_and_message,
        an_error_answer_on_a_later_page_is_an_error,
    ];
    unreadable_bodies "An unreadable response is an error, never \"no results\".": http [
        truncated_json_is_undecodable_and_tried_again,
        an_unreadable_body_is_undecodable,
        json_of_another_shape_does_no_harm,
    ];
    broken_results "A malformed result or character costs no other result.": http [
        a_malformed_character_costs_no_result,
        a_mistyped_result_costs_no_other,
        a_mistyped_result_does_not_end_the_pages,
        a_missing_part_costs_no_other,
    ];
    later_errors "An error on a later page follows the earlier results, and ends the stream.": http [
        a_later_page_that_fails_is_the_last_item,
    ];
    memory "Stops reading a response at the limit.": http [
        a_hundred_megabytes_are_not_read,
    ];
    redirects "Redirects end, and stay within the origin.": http [
        a_redirect_to_another_origin_is_not_followed,
    ];
    secrets "The key appears in requests, and not in errors, logs, `Debug` or metadata; no log has the query.": http [
        a_key_that_is_echoed_stays_out_of_the_error,
        a_query_stays_out_of_logs,
        a_key_that_is_echoed_in_results_stays_in_them,
        a_key_that_is_echoed_in_headers_stays_out_of_metadata,
    ];
}
