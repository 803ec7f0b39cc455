//! The contract of chat services: its promises and their cases.

use super::{ChatSubject, cases};
use crate::{runner::run, suite::contract};

contract! {
    /// Returns every case for a chat service over HTTP.
    chat_cases, chat_tests: ChatSubject, run;

    texts "Returns the text of an answer, character for character.": http [
        a_text_comes_back_whole,
    ];
    finish_reasons "Tells why an answer ended; a truncated, filtered or refused one is no error.": http [
        finish_reasons_are_kept,
    ];
    usage "Passes on the tokens that the provider counts.": http [the_usage_is_passed_on];
    tool_calls "Returns tool calls as the model wrote them, in order.": http [
        tool_calls_keep_identifiers_and_arguments,
    ];
    streams "Streams the pieces of the answer, then the answer, then nothing.": http [
        the_pieces_of_a_stream_are_its_answer,
    ];
    broken_streams "A stream that breaks is an error, never a short answer.": http [
        a_broken_stream_ends_with_an_error,
    ];
    histories "Sends every message, in order and unchanged.": http [
        every_message_is_sent,
        hostile_texts_arrive_intact,
    ];
    tools "Sends tools, and the results of tool calls with their identifiers.": http [
        tools_are_sent,
        tool_results_are_sent,
    ];
    options "Sends each option, or refuses it before any request.": http [
        options_are_sent_or_refused,
    ];
    statuses "A status other than success is an error of its kind, before the first piece.": http [
        statuses_have_their_kinds,
    ];
    connections "A refused or silent connection is an error of its kind.": http [
        failed_connections_have_their_kinds,
    ];
    unreadable_answers "An unreadable answer is an error, never an empty one.": http [
        an_unreadable_answer_is_undecodable,
    ];
    secrets "The key appears in requests, and not in errors, logs or `Debug`.": http [
        an_echoed_key_stays_out_of_errors,
    ];
    dropping "Dropping the call or the stream ends the request.": http [
        a_dropped_chat_ends_its_request,
        a_dropped_stream_ends_its_request,
    ];
    concurrency "Concurrent chats don't mix up answers.": http [thirty_two_chats_at_once];
    blocking "No call blocks its thread.": http [no_chat_blocks_its_thread];
}
