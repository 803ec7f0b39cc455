//! The macros that users call: each names the subject, and generates one test per case.

/// Generates one test per case for a connector over HTTP.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the connector at an [`Endpoint`](crate::Endpoint), a function that answers for the provider
/// ([`Answer`](crate::Answer)), and its [`Capabilities`](crate::Capabilities). The connector must be `Debug`: the cases search its output for the key. Use the
/// endpoint's client or settings, which make pauses short.
///
/// One more test prints a line that counts the cases skipped for want of a declaration.
///
/// [`search_cases`](crate::search_cases) lists the promises and their cases.
#[macro_export]
macro_rules! suite {
    ($connector:expr, $answer:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::Subject::over_http($connector, $answer, $capabilities)
        }

        $crate::search_tests!(all);

        #[test]
        fn skipped_cases_are_counted() {
            $crate::print_undeclared(module_path!(), subject());
        }
    };
}

/// Generates one test per case that needs no HTTP, for any text search.
///
/// It takes a closure that makes a search of the given [documents](crate::Document), as a future,
/// and its [`Capabilities`](crate::Capabilities).
/// [`search_cases`](crate::search_cases) lists the cases.
#[macro_export]
macro_rules! suite_without_http {
    ($connector:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::Subject::without_http($connector, $capabilities)
        }

        $crate::search_tests!(any);
    };
}

/// Generates one test per case for a vector store.
///
/// Call it in a separate module, such as `tests/it/vector_conformance.rs`. It takes a closure that
/// makes the store, as a future, and its [`VectorCapabilities`](crate::vector::VectorCapabilities):
/// for what it lacks, the suite expects an error, such as `InvalidOptions` for an undeclared distance. [`vector_cases`](crate::vector::vector_cases) lists the promises and their
/// cases.
///
/// Each case creates and deletes its own collections, so you can use a shared server. A store that
/// loses its records when it is dropped lacks
/// [`Persistence`](crate::vector::VectorFeature::Persistence).
///
/// ```ignore
/// textsearch_conformance::vector_suite!(
///     || async { AcmeStore::new(AcmeConfig::from_env()?) },
///     VectorCapabilities::default().without_distance(Distance::Hamming).without(VectorFeature::MixedKinds),
/// );
/// ```
#[cfg(feature = "vector")]
#[macro_export]
macro_rules! vector_suite {
    ($store:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::vector::VectorSubject {
            $crate::vector::VectorSubject::new($store, $capabilities)
        }

        $crate::vector_tests!(all);
    };
}

/// Generates one test per case for the text searches over a vector store.
///
/// Call it in a separate module. It takes a closure that makes the store, as a future. It runs the
/// cases of [`suite_without_http!`](crate::suite_without_http).
#[cfg(feature = "vector")]
#[macro_export]
macro_rules! store_search_suite {
    ($store:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::vector::store_search_subject($store)
        }

        $crate::search_tests!(any);
    };
}

/// Generates one test per case for an embedding generator over HTTP.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the generator at an [`Endpoint`](crate::Endpoint), and a function that answers for the provider
/// ([`EmbeddingAnswer`](crate::vector::EmbeddingAnswer)). The generator must be `Debug`: the cases
/// search its output for the key. [`embedding_cases`](crate::vector::embedding_cases) lists the
/// promises and their cases. Example: [textsearch-openai].
///
/// [textsearch-openai]: https://github.com/textsearch-rs/textsearch/blob/main/crates/textsearch-openai/tests/it/embedding_conformance.rs
#[cfg(feature = "vector")]
#[macro_export]
macro_rules! embedding_suite {
    ($generator:expr, $answer:expr $(,)?) => {
        fn subject() -> $crate::vector::EmbeddingSubject {
            $crate::vector::EmbeddingSubject::over_http($generator, $answer)
        }

        $crate::embedding_tests!(all);
    };
}

/// Generates one test per case that needs no HTTP, for any embedding generator.
///
/// It takes a closure that makes the generator, as a future.
/// [`embedding_cases`](crate::vector::embedding_cases) lists the cases.
#[cfg(feature = "vector")]
#[macro_export]
macro_rules! embedding_suite_without_http {
    ($generator:expr $(,)?) => {
        fn subject() -> $crate::vector::EmbeddingSubject {
            $crate::vector::EmbeddingSubject::without_http($generator)
        }

        $crate::embedding_tests!(any);
    };
}

/// Generates one test per case for a chat service over HTTP: texts, streams, tool calls, finish
/// reasons, options, errors and secrecy of keys.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the service at an [`Endpoint`](crate::Endpoint), and a function that answers for the provider
/// ([`ChatAnswer`](crate::chat::ChatAnswer)). The service must be `Debug`: the cases search its
/// output for the key. [`chat_cases`](crate::chat::chat_cases) lists the promises and their cases.
/// Example: [textsearch-openai].
///
/// ```ignore
/// fn answer(request: &RecordedRequest, response: &ChatResponse) -> Response {
///     // Write `response` as the provider would: as a stream if the request asks for one.
/// }
///
/// textsearch_conformance::chat_suite!(|endpoint| AcmeChat::new(config(&endpoint)), answer);
/// ```
///
/// [textsearch-openai]: https://github.com/textsearch-rs/textsearch/blob/main/crates/textsearch-openai/tests/it/conformance.rs
#[cfg(feature = "chat")]
#[macro_export]
macro_rules! chat_suite {
    ($chat:expr, $answer:expr $(,)?) => {
        fn subject() -> $crate::chat::ChatSubject {
            $crate::chat::ChatSubject::new($chat, $answer)
        }

        $crate::chat_tests!(all);
    };
}
