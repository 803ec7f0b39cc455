//! Holders of tokens of the identity provider.

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::{Caller, Identity, Tenant};
use crate::{
    OAuthConfig, Result, ServerConfig, Services,
    access::Digest,
    oauth::{Authority, Grant},
    problem::{Answer, internal},
};

/// The tokens that were checked a short while ago.
const MAX_GRANTS: usize = 10_000;

/// The tenants that are kept. Another one is built when its first caller comes.
const MAX_TENANTS: usize = 256;

/// The tenant of all members, if no claim keeps them apart.
const ALL: &str = "oauth";

pub(super) struct Members {
    authority: Authority,
    grants: Cache<Digest, Grant>,
    tenants: Cache<String, Arc<Tenant>>,
    services: Services,
    config: ServerConfig,
}

impl Members {
    pub(super) fn new(
        oauth: &OAuthConfig,
        services: &Services,
        config: &ServerConfig,
    ) -> Result<Self> {
        let members = Self {
            authority: Authority::new(oauth)?,
            grants: Cache::new(MAX_GRANTS),
            tenants: Cache::new(MAX_TENANTS),
            services: services.clone(),
            config: config.clone(),
        };
        // A filter that doesn't fit the sources must not wait for the first caller.
        members.tenant(ALL)?;
        Ok(members)
    }

    pub(super) async fn caller(&self, digest: Digest, token: &[u8]) -> Answer<Caller> {
        let known = self.grants.get(&digest).filter(|grant| self.authority.confirms(grant));
        let grant = match known {
            Some(grant) => grant,
            None => {
                let grant = self.authority.grant(token).await?;
                self.grants.insert(digest, grant.clone());
                grant
            }
        };
        let name = grant.tenant.as_deref().unwrap_or(ALL);
        let tenant = self.tenants.get_or_insert_with(name, || self.tenant(name));
        let tenant = tenant.map_err(|error| internal(&error))?;
        Ok(Caller { tenant, rights: grant.rights })
    }

    fn tenant(&self, name: &str) -> Result<Arc<Tenant>> {
        let filter = self.authority.filter_for(name);
        let may_write = self.services.document_writer.is_some();
        let mut identity = Identity::new(name, may_write, filter.as_ref(), &self.config);
        identity.setting = "tenant_filter";
        Ok(Arc::new(Tenant::new(identity, &self.services, &self.config)?))
    }
}
