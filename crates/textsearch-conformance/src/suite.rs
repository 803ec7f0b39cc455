//! The mechanism of all suites: a contract is a table of promises and their cases.

use crate::case::Case;

/// Defines a suite by a table. Each promise lists its cases, and the cases that need HTTP.
///
/// Defines a function that returns and documents the cases, and a macro that generates one test per
/// case: `all` cases, or only those for `any` subject. The caller has the suite's module as `cases`.
macro_rules! contract {
    (
        $(#[$doc:meta])*
        $list:ident, $tests:ident: $subject:ty, $run:path;
        $($id:ident $promise:literal:
            $([$($any:ident),* $(,)?])? $(http [$($http:ident),* $(,)?])?;
        )*
    ) => {
        $(#[$doc])*
        ///
        /// The promises of the contract, each with its cases:
        ///
        $(#[doc = concat!(
            "- **", stringify!($id), "**: ", $promise,
            $($(" `", stringify!($any), "`",)*)?
            $($(" *`", stringify!($http), "`*",)*)?
        )])*
        pub fn $list() -> &'static [$crate::Case<$subject>] {
            const {
                &[$(
                    $($($crate::Case {
                        bullet: stringify!($id),
                        promise: $promise,
                        name: stringify!($any),
                        needs_http: false,
                        run: |subject| $run(subject, cases::$any),
                    },)*)?
                    $($($crate::Case {
                        bullet: stringify!($id),
                        promise: $promise,
                        name: stringify!($http),
                        needs_http: true,
                        run: |subject| $run(subject, cases::$http),
                    },)*)?
                )*]
            }
        }

        impl $crate::suite::Contracted for $subject {
            fn cases() -> &'static [$crate::Case<Self>] {
                $list()
            }
        }

        #[doc(hidden)]
        #[macro_export]
        macro_rules! $tests {
            (all) => {
                $crate::$tests!(any);
                $($($(
                    #[test]
                    fn $http() {
                        $crate::run_case(stringify!($http), subject);
                    }
                )*)?)*
            };
            (any) => {
                $($($(
                    #[test]
                    fn $any() {
                        $crate::run_case(stringify!($any), subject);
                    }
                )*)?)*
            };
        }
    };
}

pub(crate) use contract;

/// A subject with a contract.
pub trait Contracted: Sized + 'static {
    /// Returns the cases of the contract.
    fn cases() -> &'static [Case<Self>];
}

/// Runs one case for the test that a suite's macro generates.
#[doc(hidden)]
pub fn run_case<S: Contracted>(name: &str, subject: fn() -> S) {
    let case = S::cases().iter().find(|case| case.name == name);
    case.expect("the contract lists the case").run(subject);
}
