//! Macros that generate one test per case.

/// Generates one test per case for a chat service over HTTP.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the service at an [`Endpoint`](crate::Endpoint), a function that answers for the provider
/// ([`ChatAnswer`](crate::chat::ChatAnswer)), and
/// [`ChatCapabilities`](crate::chat::ChatCapabilities) if the service cannot do everything. The
/// service must be `Debug`: the cases search its output for the key.
/// [`chat_cases`](crate::chat::chat_cases) lists the cases.
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
