//! The contract of embedding generators: its promises and their cases.

use super::{EmbeddingSubject, cases};
use crate::{runner::run, suite::contract};

contract! {
    /// Returns every case for an embedding generator over HTTP. Any generator can run those not in
    /// *italics*.
    embedding_cases, embedding_tests: EmbeddingSubject, run;

    vectors "Returns one vector per text, in the order of the texts.": [
        each_text_has_a_vector,
        vectors_have_the_order_of_their_texts,
        a_large_call_is_complete_and_in_order,
    ] http [too_few_vectors_are_an_error];
    independence "A vector depends on its text, not on the other texts of the call.": [
        a_vector_depends_on_its_text_alone,
        different_texts_have_different_vectors,
    ];
    dimensions "Vectors have the reported length, or the requested one.": [
        vectors_have_the_reported_or_requested_length,
    ];
    numbers "Vectors have finite elements, and are not all zeros.": [
        vectors_are_finite_and_not_zero,
    ];
    odd_texts "Embeds an empty or odd text, or fails the call because of it.": [
        an_odd_text_has_a_vector_or_fails_the_call,
    ] http [texts_are_sent_unchanged];
    settings "Applies each setting, or refuses it.": http [extra_settings_are_sent_or_refused];
    tokens "Counts the tokens of all texts, if any.": [more_texts_have_more_tokens];
    statuses "A status other than success is an error of its kind.": http [
        statuses_have_their_kinds,
    ];
    connections "A refused or silent connection is an error of its kind.": http [
        failed_connections_have_their_kinds,
    ];
    unreadable_answers "An unreadable answer is an error.": http [
        an_unreadable_embedding_is_undecodable,
    ];
    secrets "The key appears in requests, and not in errors, logs or `Debug`.": http [
        an_echoed_key_stays_out_of_errors,
    ];
    dropping "Dropping the call ends the work.": [dropped_calls_do_no_harm] http [
        a_dropped_embedding_ends_its_request,
    ];
    concurrency "Concurrent calls don't mix up vectors.": [sixteen_calls_at_once];
    blocking "No call blocks its thread.": [no_embedding_blocks_its_thread];
}
