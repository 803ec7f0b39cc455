//! Macros that generate one test per case.

/// Generates one test per case for an embedding generator over HTTP.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the generator at an [`Endpoint`](crate::Endpoint), and a function that answers for the provider
/// ([`EmbeddingAnswer`](crate::vector::EmbeddingAnswer)). The generator must be `Debug`: the cases
/// search its output for the key. [`embedding_cases`](crate::vector::embedding_cases) lists the
/// promises and their cases. Example: [textsearch-openai].
///
/// [textsearch-openai]: https://github.com/textsearch-rs/textsearch/blob/main/crates/textsearch-openai/tests/it/embedding_conformance.rs
#[macro_export]
macro_rules! embedding_suite {
    ($generator:expr, $answer:expr $(,)?) => {
        fn subject() -> $crate::vector::EmbeddingSubject {
            $crate::vector::EmbeddingSubject::over_http($generator, $answer)
        }

        $crate::each_embedding_case!($crate::embedding_tests);
    };
}

/// Generates one test per case that needs no transport, for any embedding generator.
///
/// It takes a closure that makes the generator, as a future.
/// [`embedding_cases_without_http`](crate::vector::embedding_cases_without_http) lists the cases.
#[macro_export]
macro_rules! embedding_suite_without_http {
    ($generator:expr $(,)?) => {
        fn subject() -> $crate::vector::EmbeddingSubject {
            $crate::vector::EmbeddingSubject::without_http($generator)
        }

        $crate::each_embedding_case!($crate::embedding_tests_without_http);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! embedding_tests {
    ($($id:ident $promise:literal { any [$($any:ident),*] http [$($http:ident),*] })*) => {
        $(
            $($crate::embedding_test!($id $promise $any);)*
            $($crate::embedding_test!($id $promise $http);)*
        )*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! embedding_tests_without_http {
    ($($id:ident $promise:literal { any [$($any:ident),*] http [$($http:ident),*] })*) => {
        $($($crate::embedding_test!($id $promise $any);)*)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! embedding_test {
    ($id:ident $promise:literal $case:ident) => {
        #[test]
        fn $case() {
            let case = $crate::vector::embedding_suite::cases::$case;
            $crate::check(stringify!($id), $promise, subject, case);
        }
    };
}
