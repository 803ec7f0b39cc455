//! Macros that generate one test per case.

/// Generates one test per case for a connector over HTTP.
///
/// Call it in a separate module, such as `tests/it/conformance.rs`. It takes a closure that points
/// the connector at an [`Endpoint`](crate::Endpoint), a function that answers for the provider
/// ([`Answer`](crate::Answer)), and [`Capabilities`](crate::Capabilities) if they differ from the
/// default. The connector must be `Debug`: the cases search its output for the key. Use the
/// endpoint's client or settings, which make pauses short.
///
/// One more test prints a line that counts the cases skipped for want of a declaration.
///
/// [`search_cases`](crate::search_cases) lists the promises and their cases. To count passed,
/// skipped and failed cases by promise, print a [`Report`](crate::Report) in your own test:
/// `Report::of(search_cases(), subject)`. The macro declares `subject`.
#[macro_export]
macro_rules! suite {
    ($connector:expr, $answer:expr $(,)?) => {
        $crate::suite!($connector, $answer, $crate::Capabilities::default());
    };
    ($connector:expr, $answer:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::Subject::over_http($connector, $answer, $capabilities)
        }

        $crate::each_search_case!($crate::search_tests);

        #[test]
        fn skipped_cases_are_counted() {
            $crate::print_undeclared(module_path!(), subject());
        }
    };
}

/// Generates one test per case that needs no transport, for any text search.
///
/// It takes a closure that makes a search of the given [documents](crate::Document), as a future,
/// and [`Capabilities`](crate::Capabilities) if they differ from the default.
/// [`search_cases_without_http`](crate::search_cases_without_http) lists the cases.
#[macro_export]
macro_rules! suite_without_http {
    ($connector:expr $(,)?) => {
        $crate::suite_without_http!($connector, $crate::Capabilities::default());
    };
    ($connector:expr, $capabilities:expr $(,)?) => {
        fn subject() -> $crate::Subject {
            $crate::Subject::without_http($connector, $capabilities)
        }

        $crate::each_search_case!($crate::search_tests_without_http);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! search_tests {
    ($($id:ident $promise:literal { any [$($any:ident),*] http [$($http:ident),*] })*) => {
        $(
            $($crate::search_test!($id $promise $any);)*
            $($crate::search_test!($id $promise $http);)*
        )*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! search_tests_without_http {
    ($($id:ident $promise:literal { any [$($any:ident),*] http [$($http:ident),*] })*) => {
        $($($crate::search_test!($id $promise $any);)*)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! search_test {
    ($id:ident $promise:literal $case:ident) => {
        #[test]
        fn $case() {
            $crate::check(stringify!($id), $promise, subject, $crate::cases::$case);
        }
    };
}
