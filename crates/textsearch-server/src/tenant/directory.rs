//! Finds the tenant of a token.

use std::sync::Arc;

use subtle::{ConditionallySelectable as _, ConstantTimeEq as _};

use super::{Identity, Tenant};
use crate::{
    AccessToken, Result, ServerConfig, Services,
    access::{self, Digest},
};

pub(crate) struct Directory {
    tenants: Vec<(Digest, Arc<Tenant>)>,
    /// The tenant of requests without a token, if there are no tokens.
    anyone: Option<Arc<Tenant>>,
}

impl Directory {
    pub(crate) fn new(services: &Services, config: &ServerConfig) -> Result<Self> {
        let tenant = |token: &AccessToken| {
            let filter = access::both(config.fixed_filter.clone(), token.fixed_filter.clone());
            let shown_fields = match (&config.shown_fields, &filter) {
                (Some(shown), Some(filter)) if token.fixed_filter.is_some() => {
                    Some(filter.fields().map(str::to_owned).chain(shown.iter().cloned()).collect())
                }
                _ => None,
            };
            let name = token.name.clone();
            let rights = token.rights.clone();
            let identity = Identity { name, rights, filter, shown_fields };
            let tenant = Tenant::new(identity, services, config)?;
            Ok((Digest::from_token(token.token.expose().as_bytes()), Arc::new(tenant)))
        };
        let tenants = config.tokens.iter().map(tenant).collect::<Result<Vec<_>>>()?;
        let anyone = if tenants.is_empty() {
            let identity = Identity {
                name: "anyone".to_owned(),
                rights: config.anonymous_rights.clone(),
                filter: config.fixed_filter.clone(),
                shown_fields: None,
            };
            Some(Arc::new(Tenant::new(identity, services, config)?))
        } else {
            None
        };
        Ok(Self { tenants, anyone })
    }

    /// Compares the token with every known one, however early one matches.
    pub(crate) fn find(&self, token: Option<&[u8]>) -> Option<&Arc<Tenant>> {
        let Some(token) = token.filter(|_| self.anyone.is_none()) else {
            return self.anyone.as_ref();
        };
        let sent = Digest::from_token(token);
        let mut position = u64::MAX;
        for (index, (digest, _)) in (0_u64..).zip(&self.tenants) {
            position.conditional_assign(&index, sent.ct_eq(digest));
        }
        let position = usize::try_from(position).ok()?;
        self.tenants.get(position).map(|(_, tenant)| tenant)
    }
}
