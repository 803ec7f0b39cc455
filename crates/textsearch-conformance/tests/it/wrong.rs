//! Each mistake fails its case, and no unrelated case.

use std::panic::{AssertUnwindSafe, catch_unwind};

use textsearch_conformance::{Subject, cases, run};

use crate::numbered_pages::{Mistake, NumberedPages, answer, capabilities};

fn finds(mistake: Mistake, case: impl AsyncFnOnce(Subject)) -> bool {
    let subject = move || {
        let build = move |endpoint| Ok(NumberedPages::new(&endpoint, mistake));
        Subject::over_http(build, answer, capabilities())
    };
    catch_unwind(AssertUnwindSafe(|| run(subject, case))).is_err()
}

#[test]
fn a_skip_that_counts_from_one_is_found() {
    assert!(finds(Mistake::CountsFromOne, cases::skip_and_top_are_a_slice_of_the_whole));
    assert!(finds(Mistake::CountsFromOne, cases::pages_in_a_row_are_the_whole));
    assert!(!finds(Mistake::CountsFromOne, cases::returns_top_where_there_is_enough));
}

#[test]
fn eager_reading_is_found() {
    assert!(finds(Mistake::ReadsEverythingAtOnce, cases::the_call_itself_fetches_one_page));
    assert!(finds(
        Mistake::ReadsEverythingAtOnce,
        cases::later_pages_are_fetched_when_they_are_read
    ));
    assert!(!finds(Mistake::ReadsEverythingAtOnce, cases::skip_and_top_are_a_slice_of_the_whole));
}

#[test]
fn repeats_are_found() {
    assert!(finds(Mistake::KeepsRepeats, cases::repeats_on_later_pages_are_left_out));
    assert!(!finds(Mistake::KeepsRepeats, cases::skip_and_top_are_a_slice_of_the_whole));
}

#[test]
fn a_page_requested_again_and_again_is_found() {
    assert!(finds(Mistake::AsksForARepeatedPage, cases::a_repeated_page_ends_the_search));
    assert!(!finds(Mistake::AsksForARepeatedPage, cases::repeats_on_later_pages_are_left_out));
}

#[test]
fn a_page_lost_to_one_result_is_found() {
    assert!(finds(Mistake::LosesAPageToAResult, cases::a_mistyped_result_costs_no_other));
    assert!(!finds(Mistake::LosesAPageToAResult, cases::a_lone_surrogate_costs_no_result));
}

#[test]
fn an_empty_link_is_found() {
    assert!(finds(Mistake::KeepsEmptyLinks, cases::an_empty_link_is_left_out));
}

#[test]
fn an_ignored_filter_is_found() {
    assert!(finds(Mistake::IgnoresFilters, cases::undeclared_fields_are_refused));
}

#[test]
fn a_query_that_adds_parameters_is_found() {
    assert!(finds(Mistake::LeavesTheQueryUnencoded, cases::no_query_adds_a_parameter));
    assert!(finds(Mistake::LeavesTheQueryUnencoded, cases::hostile_queries_arrive_intact));
}

#[test]
fn a_printed_key_is_found() {
    assert!(finds(Mistake::PrintsItsKey, cases::a_key_stays_out_of_debug_and_logs));
}

#[test]
fn a_result_outside_a_fixed_site_is_found() {
    assert!(finds(Mistake::LetsOtherSitesIn, cases::results_outside_of_a_fixed_site_stay_out));
    assert!(!finds(Mistake::LetsOtherSitesIn, cases::fixed_filters_hold_or_are_refused));
}

#[test]
fn a_logged_result_is_found() {
    assert!(finds(Mistake::LogsWhatItFinds, cases::a_key_that_is_echoed_in_results_stays_in_them));
    assert!(!finds(Mistake::LogsWhatItFinds, cases::a_key_stays_out_of_debug_and_logs));
}

/// Every case searches the logs for the key.
#[test]
fn a_logged_key_is_found() {
    assert!(finds(Mistake::LogsItsKey, cases::a_key_stays_out_of_debug_and_logs));
    assert!(finds(Mistake::LogsItsKey, cases::skip_and_top_are_a_slice_of_the_whole));
}

#[test]
fn a_search_without_retries_is_found() {
    assert!(finds(
        Mistake::IsNotIdempotent,
        cases::a_body_in_mid_reset_is_unavailable_and_tried_again
    ));
    assert!(!finds(Mistake::IsNotIdempotent, cases::status_429_is_rate_limited_and_tried_again));
}

/// A script's panic fails the test, even if the case expects no response.
#[test]
fn an_answer_that_panics_is_found() {
    let subject = || {
        let build = |endpoint| Ok(NumberedPages::new(&endpoint, Mistake::None));
        Subject::over_http(build, |_, _| panic!("a parameter is missing"), capabilities())
    };
    let run = || run(subject, cases::a_body_in_mid_reset_is_unavailable_and_tried_again);
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(!finds(Mistake::None, cases::returns_top_where_there_is_enough), "it spreads");
}

#[test]
fn a_maximum_that_cuts_is_found() {
    assert!(finds(Mistake::CutsAtItsMaximum, cases::more_than_the_maximum_is_refused));
}
