//! Macros that generate one test per case.

/// Generates one test per case for a connector over HTTP.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the connector at an [`Endpoint`](crate::Endpoint), a function that answers for the provider
/// ([`Answer`](crate::Answer)), and [`Capabilities`](crate::Capabilities) if they differ from the
/// default. The connector must be `Debug`: the cases search its output for the key.
#[macro_export]
macro_rules! suite {
    ($connector:expr, $answer:expr $(,)?) => {
        $crate::suite!($connector, $answer, $crate::Capabilities::default());
    };
    ($connector:expr, $answer:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::Subject::over_http($connector, $answer, $capabilities)
        }

        $crate::tests_for_every_search!();
        $crate::tests! {
            a_refused_connection_is_unavailable,
            a_body_in_mid_reset_is_unavailable_and_tried_again,
            a_body_that_stands_still_is_a_timeout,
            headers_that_do_not_come_are_a_timeout,
            status_401_is_authentication_and_not_tried_again,
            status_403_is_authentication_and_not_tried_again,
            status_429_is_rate_limited_and_tried_again,
            status_429_with_a_short_wait_is_waited_for,
            status_429_with_a_long_wait_is_told,
            status_500_and_then_success_is_success,
            truncated_json_is_undecodable_and_tried_again,
            an_empty_body_is_undecodable,
            json_of_another_shape_does_no_harm,
            a_wrong_content_type_is_undecodable,
            a_page_of_html_is_undecodable,
            a_hundred_megabytes_are_not_read,
            a_gzip_bomb_does_not_go_off,
            a_redirect_loop_ends,
            a_redirect_to_another_origin_is_not_followed,
            a_later_page_that_fails_is_the_last_item,
            a_key_that_is_echoed_stays_out_of_the_error,
            a_key_stays_out_of_debug_and_logs,
            a_key_that_is_echoed_in_results_stays_in_them,
            a_key_that_is_echoed_in_headers_stays_out_of_metadata,
            the_call_itself_fetches_one_page,
            later_pages_are_fetched_when_they_are_read,
            nothing_is_fetched_after_the_stream_is_dropped,
            repeats_on_later_pages_are_left_out,
            a_repeated_page_ends_the_search,
            a_byte_order_mark_is_skipped,
            a_lone_surrogate_costs_no_result,
            a_mistyped_result_costs_no_other,
            an_empty_link_is_left_out,
            hostile_queries_arrive_intact,
            no_query_adds_a_parameter,
            a_dropped_search_ends_its_request,
        }
    };
}

/// Generates one test per case that needs no transport, for any text search.
///
/// It takes a closure that makes a search of the given [documents](crate::Document), as a future,
/// and [`Capabilities`](crate::Capabilities) if they differ from the default.
#[macro_export]
macro_rules! suite_without_http {
    ($connector:expr $(,)?) => {
        $crate::suite_without_http!($connector, $crate::Capabilities::default());
    };
    ($connector:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::Subject::without_http($connector, $capabilities)
        }

        $crate::tests_for_every_search!();
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! tests_for_every_search {
    () => {
        $crate::tests! {
            returns_top_where_there_is_enough,
            returns_what_there_is_where_top_is_more,
            returns_nothing_beyond_the_end,
            a_top_of_zero_returns_nothing,
            an_empty_backend_is_an_empty_stream,
            the_end_of_a_stream_stays_the_end,
            results_have_a_text,
            the_total_count_is_told,
            more_than_the_maximum_is_refused,
            skip_and_top_are_a_slice_of_the_whole,
            pages_in_a_row_are_the_whole,
            declared_filters_work,
            undeclared_fields_are_refused,
            undeclared_operators_are_refused,
            fixed_filters_hold_or_are_refused,
            results_outside_of_a_fixed_site_stay_out,
            hostile_queries_do_no_harm,
            sixty_four_searches_at_once,
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! tests {
    ($($case:ident),* $(,)?) => {
        $(
            #[test]
            fn $case() {
                $crate::run(subject, $crate::cases::$case);
            }
        )*
    };
}
