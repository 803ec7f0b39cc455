//! Methods of configurations.

/// Declares the methods of a web connector's configuration.
///
/// The type needs a field `connection` of type [`Connection`](super::Connection). It gets
/// `with_endpoint` and `with_http_settings`, and one method for each listed setting. A name in
/// quotes is a request parameter, which the method puts into the field `parameters`, a map by the
/// parameter's name. A name without quotes is a field of the type, which the method sets.
///
/// ```
/// use std::collections::BTreeMap;
/// use textsearch_core::web::{self, Connection, SafeSearch};
///
/// #[derive(Debug, Clone)]
/// pub struct AcmeConfig {
///     pub connection: Connection,
///     pub markup_kept: bool,
///     parameters: BTreeMap<&'static str, String>,
/// }
///
/// web::settings!(impl AcmeConfig {
///     /// Sets the country to search from (`country`), such as `DE`.
///     "country" => with_country(country: impl Into<String>) = country;
///     /// Sets how strictly adult content is filtered (`safe`).
///     "safe" => with_safe_search(level: SafeSearch) = level.as_str();
///     /// Sets whether records keep highlighting marks.
///     markup_kept => with_markup_kept(enabled: bool) = enabled;
/// });
///
/// fn german(config: AcmeConfig) -> AcmeConfig {
///     config.with_country("DE").with_markup_kept(true)
/// }
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __settings {
    (impl $config:ty {
        $(
            $(#[$about:meta])*
            $($parameter:literal)? $($field:ident)? =>
                $method:ident($argument:ident: $type:ty) = $value:expr;
        )*
    }) => {
        impl $config {
            /// Sets the endpoint URL, for example of a compatible service. Pass the full URL of the
            /// search or only the host.
            #[must_use]
            pub fn with_endpoint(
                mut self,
                endpoint: impl ::std::convert::Into<$crate::web::Endpoint>,
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

            $(
                $(#[$about])*
                #[must_use]
                pub fn $method(mut self, $argument: $type) -> Self {
                    $(self.parameters.insert($parameter, ($value).into());)?
                    $(self.$field = $value;)?
                    self
                }
            )*
        }
    };
}

pub use __settings as settings;
