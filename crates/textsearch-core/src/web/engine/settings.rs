//! Methods of configurations.

/// Declares the methods of a web connector's configuration.
///
/// The type needs a field `connection` of type [`Connection`](super::Connection). It gets
/// `with_endpoint` and `with_http_settings`, and one method for each listed setting:
///
/// - A name in quotes is a request parameter, which the method puts into the field `parameters`, a
///   map by the parameter's name.
/// - A name without quotes is a field of the type, which the method sets. Its documentation is that
///   of the field, unless it has its own.
/// - A name in brackets is a field with a list of texts.
///
/// ```
/// use std::collections::BTreeMap;
/// use textsearch_core::web::{self, Connection, SafeSearch};
///
/// #[derive(Debug, Clone)]
/// pub struct AcmeConfig {
///     pub connection: Connection,
///     /// Whether records keep highlighting marks.
///     pub markup_kept: bool,
///     /// The indexes to search.
///     pub indexes: Vec<String>,
///     parameters: BTreeMap<&'static str, String>,
/// }
///
/// web::settings!(impl AcmeConfig {
///     /// Sets the country to search from (`country`), such as `DE`.
///     "country" => with_country(country: impl Into<String>) = country;
///     /// Sets how strictly adult content is filtered (`safe`).
///     "safe" => with_safe_search(level: SafeSearch) = level.as_str();
///     markup_kept => with_markup_kept(enabled: bool) = enabled;
///     [indexes] => with_indexes;
/// });
///
/// fn german(config: AcmeConfig) -> AcmeConfig {
///     config.with_country("DE").with_markup_kept(true).with_indexes(["news", "blogs"])
/// }
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __settings {
    (impl $config:ty { $($settings:tt)* }) => {
        impl $config {
            /// Sets the endpoint URL, for example of a compatible service. Pass the full URL of the
            /// search or only the host.
            #[must_use]
            pub fn with_endpoint(
                mut self,
                endpoint: impl ::std::convert::Into<$crate::http::Endpoint>,
            ) -> Self {
                self.connection.endpoint = endpoint.into();
                self
            }

            /// Sets timeouts, retries and limits.
            #[must_use]
            pub fn with_http_settings(mut self, settings: $crate::http::HttpSettings) -> Self {
                self.connection.http = settings;
                self
            }

            $crate::__settings!(@next $($settings)*);
        }
    };
    (@next) => {};
    (@next $field:ident => $($rest:tt)*) => {
        $crate::__settings!(@next
            #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
            $field => $($rest)*);
    };
    (@next [$field:ident] => $method:ident; $($rest:tt)*) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $method<T: ::std::convert::Into<::std::string::String>>(
            mut self,
            $field: impl ::std::iter::IntoIterator<Item = T>,
        ) -> Self {
            self.$field = $field.into_iter().map(::std::convert::Into::into).collect();
            self
        }
        $crate::__settings!(@next $($rest)*);
    };
    (@next
        $(#[$about:meta])+
        $($parameter:literal)? $($field:ident)? =>
            $method:ident($($argument:ident: $type:ty),+) = $value:expr;
        $($rest:tt)*
    ) => {
        $(#[$about])*
        #[must_use]
        pub fn $method(mut self, $($argument: $type),+) -> Self {
            $(self.parameters.insert($parameter, ($value).into());)?
            $(self.$field = $value;)?
            self
        }
        $crate::__settings!(@next $($rest)*);
    };
}

pub use __settings as settings;
