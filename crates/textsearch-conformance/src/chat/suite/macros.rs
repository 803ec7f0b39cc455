//! Macros that generate one test per case.

/// Generates one test per case for a chat service over HTTP: texts, streams, tool calls, finish
/// reasons, options, errors and secrecy of keys.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the service at an [`Endpoint`](crate::Endpoint), a function that answers for the provider
/// ([`ChatAnswer`](crate::chat::ChatAnswer)), and
/// [`ChatCapabilities`](crate::chat::ChatCapabilities) if the service cannot do everything. The
/// service must be `Debug`: the cases search its output for the key.
/// [`chat_cases`](crate::chat::chat_cases) lists the promises and their cases. Example:
/// [textsearch-openai].
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
#[macro_export]
macro_rules! chat_suite {
    ($chat:expr, $answer:expr $(,)?) => {
        $crate::chat_suite!($chat, $answer, $crate::chat::ChatCapabilities::default());
    };
    ($chat:expr, $answer:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::chat::ChatSubject {
            $crate::chat::ChatSubject::new($chat, $answer, $capabilities)
        }

        $crate::each_chat_case!($crate::chat_tests);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! chat_tests {
    ($($id:ident $promise:literal [$($case:ident),*])*) => {
        $($($crate::chat_test!($id $promise $case);)*)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! chat_test {
    ($id:ident $promise:literal $case:ident) => {
        #[test]
        fn $case() {
            $crate::check(stringify!($id), $promise, subject, $crate::chat::cases::$case);
        }
    };
}
