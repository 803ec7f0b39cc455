//! How requests prove who sends them.

use std::{fmt, sync::Arc};

use textsearch_core::{Result, async_trait, secret::Secret};

/// A source of bearer tokens for the service, such as Microsoft Entra ID.
///
/// The store keeps a token until the service rejects it, then asks for another one and repeats the
/// request once. The token's scope is `https://search.azure.com/.default`.
///
/// ```
/// use textsearch_azure_ai_search::{AzureSearchConfig, Result, TokenProvider, secret::Secret};
/// use textsearch_core::async_trait;
///
/// struct ManagedIdentity;
///
/// #[async_trait]
/// impl TokenProvider for ManagedIdentity {
///     async fn token(&self) -> Result<Secret> {
///         Ok(Secret::from("from the instance metadata service"))
///     }
/// }
///
/// let config = AzureSearchConfig::from_tokens("https://contoso.search.windows.net", ManagedIdentity);
/// ```
#[async_trait]
pub trait TokenProvider: Send + Sync {
    /// Returns a token that is valid now.
    ///
    /// # Errors
    /// Any error; the call that needed the token returns it.
    async fn token(&self) -> Result<Secret>;
}

#[async_trait]
impl<T: TokenProvider + ?Sized> TokenProvider for Arc<T> {
    async fn token(&self) -> Result<Secret> {
        (**self).token().await
    }
}

#[derive(Clone)]
pub(crate) enum Credential {
    Key(Secret),
    Tokens(Arc<dyn TokenProvider>),
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Key(_) => "Key(..)",
            Self::Tokens(_) => "Tokens(..)",
        })
    }
}
