//! The kind `acs`: Azure AI Search, by its old name Azure Cognitive Search.

use std::sync::Arc;

use textsearch_azure_ai_search::{
    AZURE_SEARCH_API_KEY, AZURE_SEARCH_ENDPOINT, AzureSearchConfig, AzureSearchStore,
};
use textsearch_core::{Result, TextSearch, vector::Fusion};
use textsearch_mlindex::{IndexContext, Service};

use super::documents::{self, Abilities};

pub(super) async fn open(mut context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let access = context.connect(&Service::new(AZURE_SEARCH_API_KEY, AZURE_SEARCH_ENDPOINT))?;
    // Documents define mean lengths, and the service has only the actual one.
    let config = AzureSearchConfig::new(access.address(), access.required_key()?);
    let store = AzureSearchStore::new(config.with_ignored_mean_lengths(true))?;
    // The service fuses in no other way.
    context.fusion = Fusion::reciprocal_rank(60);
    documents::open(context, store, Abilities::all()).await
}
