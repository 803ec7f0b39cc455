//! The contract of embedding generators: its bullets and their cases.

use super::{EmbeddingSubject, cases};
use crate::{
    report::{Case, case},
    runner::run,
};

/// Passes each bullet with its cases to another macro: those for any generator, then those for
/// generators over HTTP. Tests, the list of cases and its documentation are made from this list.
#[doc(hidden)]
#[macro_export]
macro_rules! each_embedding_case {
    ($($then:tt)+) => {
        $($then)+! {
            names "Names its model." {
                any [the_model_has_a_name]
                http []
            }
            counts "Returns one vector per text." {
                any [each_text_has_a_vector, a_large_call_is_complete]
                http [too_few_vectors_are_an_error]
            }
            order "Returns vectors in the order of their texts." {
                any [vectors_have_the_order_of_their_texts, a_large_call_keeps_its_order]
                http []
            }
            independence "A vector depends on its text, not on the other texts of the call." {
                any [a_vector_depends_on_its_text_alone, different_texts_have_different_vectors]
                http []
            }
            dimensions "Vectors have the reported length, or the requested one." {
                any [vectors_have_the_reported_length, other_dimensions_are_made_or_refused]
                http []
            }
            numbers "Vectors have finite elements, and are not all zeros." {
                any [vectors_are_finite_and_not_zero]
                http []
            }
            odd_texts "Embeds an empty or odd text, or fails the call because of it." {
                any [an_empty_text_has_a_vector_or_fails_the_call, odd_texts_do_no_harm]
                http [texts_are_sent_unchanged]
            }
            settings "Applies each setting, or refuses it." {
                any []
                http [extra_settings_are_sent_or_refused]
            }
            tokens "Counts the tokens of all texts, if any." {
                any [more_texts_have_more_tokens]
                http []
            }
            statuses "A status other than success is an error of its kind." {
                any []
                http [statuses_have_their_kinds, a_long_wait_is_reported]
            }
            connections "A refused or silent connection is an error of its kind." {
                any []
                http [a_refused_embedding_is_unavailable, a_silent_embedding_is_a_timeout]
            }
            unreadable_answers "An unreadable answer is an error." {
                any []
                http [an_unreadable_embedding_is_undecodable]
            }
            secrets "The key appears in requests, and not in errors, logs or `Debug`." {
                any []
                http [an_echoed_key_stays_out_of_errors]
            }
            dropping "Dropping the call ends the work." {
                any [dropped_calls_do_no_harm]
                http [a_dropped_embedding_ends_its_request]
            }
            concurrency "Concurrent calls don't mix up vectors." {
                any [sixteen_calls_at_once]
                http []
            }
            blocking "No call blocks its thread." {
                any [no_embedding_blocks_its_thread]
                http []
            }
        }
    };
}

macro_rules! list {
    ($($id:ident $promise:literal { any [$($any:ident),*] http [$($http:ident),*] })*) => {
        /// Returns every case for an embedding generator over HTTP.
        ///
        /// The promises of the contract, each with its cases. Cases in *italics* need HTTP.
        ///
        $(#[doc = concat!(
            "- **", stringify!($id), "**: ", $promise,
            $(" `", stringify!($any), "`",)*
            $(" *`", stringify!($http), "`*",)*
        )])*
        pub fn embedding_cases() -> &'static [Case<EmbeddingSubject>] {
            &[$($(case!($id $promise $any),)* $(case!($id $promise $http),)*)*]
        }

        /// Returns every case of [`embedding_cases`] that needs no HTTP, for any generator.
        pub fn embedding_cases_without_http() -> &'static [Case<EmbeddingSubject>] {
            &[$($(case!($id $promise $any),)*)*]
        }
    };
}

each_embedding_case!(list);
