//! Macros that generate one test per case.

/// Generates one test per case for a vector store.
///
/// Call it in a separate module, such as `tests/it/vector_conformance.rs`. It takes a closure that
/// makes the store, as a future, and [`VectorCapabilities`](crate::vector::VectorCapabilities) if
/// the store cannot do everything: the suite then expects an error, such as `InvalidOptions` for an
/// undeclared distance. [`vector_cases`](crate::vector::vector_cases) lists the promises and their
/// cases.
///
/// Each case creates and deletes its own collections, so you can use a shared server. A store that
/// loses its records when it is dropped declares `without_persistence()`.
///
/// ```ignore
/// textsearch_conformance::vector_suite!(
///     || async { AcmeStore::new(AcmeConfig::from_env()?) },
///     VectorCapabilities::default()
///         .without_distance(Distance::Hamming)
///         .without_order_by(DataKind::String),
/// );
/// ```
#[macro_export]
macro_rules! vector_suite {
    ($store:expr $(,)?) => {
        $crate::vector_suite!($store, $crate::vector::VectorCapabilities::default());
    };
    ($store:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::vector::VectorSubject {
            $crate::vector::VectorSubject::new($store, $capabilities)
        }

        $crate::each_vector_case!($crate::vector_tests);
    };
}

/// Generates one test per case for the text searches over a vector store.
///
/// Call it in a separate module. It takes a closure that makes the store, as a future. The cases are
/// those of [`suite_without_http!`](crate::suite_without_http).
#[macro_export]
macro_rules! store_search_suite {
    ($store:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::vector::store_search_subject($store)
        }

        $crate::each_search_case!($crate::search_tests_without_http);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! vector_tests {
    ($($id:ident $promise:literal [$($case:ident),*])*) => {
        $($($crate::vector_test!($id $promise $case);)*)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! vector_test {
    ($id:ident $promise:literal $case:ident) => {
        #[test]
        fn $case() {
            $crate::vector::check(stringify!($id), $promise, subject, $crate::vector::cases::$case);
        }
    };
}
