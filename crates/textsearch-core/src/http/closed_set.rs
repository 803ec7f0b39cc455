//! Settings with a few values.

/// Declares an enum for a setting with a few values, each with the service's spelling.
///
/// It has `ALL`, in order of declaration, `as_str`, and `spelled` for other spellings. `Display` prints the spelling; `FromStr`
/// reads it in any case. The documentation of each value ends with its spelling, so a value whose
/// spelling says it all needs no other.
///
/// ```
/// textsearch_core::http::closed_set! {
///     /// What pages are about.
///     pub enum Topic {
///         /// Anything.
///         General = "general",
///         News = "news",
///     }
/// }
///
/// assert_eq!(Topic::News.to_string(), "news");
/// assert_eq!(Topic::ALL.map(Topic::as_str), ["general", "news"]);
/// assert_eq!(Topic::News.spelled(&["all", "n"]), "n");
/// assert_eq!("News".parse(), Ok(Topic::News));
/// assert_eq!("sport".parse::<Topic>().unwrap_err(), "expected general, news");
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __closed_set {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$about_value:meta])* $value:ident = $spelling:literal),+ $(,)? }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive] // Services add values.
        pub enum $name {
            $(
                $(#[$about_value])*
                #[doc = concat!("Spelled `", $spelling, "`.")]
                $value
            ),+
        }

        impl $name {
            /// All values, in order of declaration.
            pub const ALL: [Self; [$($spelling),+].len()] = [$(Self::$value),+];

            /// Returns the service's spelling.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $spelling),+
                }
            }

            /// Returns another spelling: the one at the place of this value in [`ALL`](Self::ALL).
            /// Without one, returns [`as_str`](Self::as_str).
            pub fn spelled(self, spellings: &[&'static str]) -> &'static str {
                spellings.get(self as usize).copied().unwrap_or(self.as_str())
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ::std::string::String;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                let mut all = Self::ALL.into_iter();
                all.find(|value| value.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
                    ::std::format!("expected {}", Self::ALL.map(Self::as_str).join(", "))
                })
            }
        }
    };
}

pub use __closed_set as closed_set;
