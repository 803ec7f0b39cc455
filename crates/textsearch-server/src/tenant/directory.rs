//! Finds who sent a request.

use subtle::{ConditionallySelectable as _, ConstantTimeEq as _};

use super::{Caller, Identity, Tenant, members::Members};
use crate::{
    AccessToken, Result, Right, ServerConfig, Services,
    access::Digest,
    problem::{Answer, Kind, Problem},
};

pub(crate) struct Directory {
    holders: Vec<(Digest, Caller)>,
    /// Holders of tokens of the identity provider.
    members: Option<Members>,
    /// Who sends requests without a token, if the server needs none.
    anyone: Option<Caller>,
}

impl Directory {
    pub(crate) fn new(services: &Services, config: &ServerConfig) -> Result<Self> {
        let holder = |token: &AccessToken| {
            let may_write = token.rights.contains(&Right::Upsert);
            let filter = token.fixed_filter.as_ref();
            let identity = Identity::new(&token.name, may_write, filter, config);
            let caller = Caller::new(Tenant::new(identity, services, config)?, &token.rights);
            Ok((Digest::from_token(token.token.expose().as_bytes()), caller))
        };
        let holders = config.tokens.iter().map(holder).collect::<Result<Vec<_>>>()?;
        let members = match &config.oauth {
            Some(oauth) => Some(Members::new(oauth, services, config)?),
            None => None,
        };
        let anyone = if config.needs_token() {
            None
        } else {
            let identity = Identity::new("anyone", false, None, config);
            let tenant = Tenant::new(identity, services, config)?;
            Some(Caller::new(tenant, &config.anonymous_rights))
        };
        Ok(Self { holders, members, anyone })
    }

    /// Returns who sent a request with this token. In a URL, only tokens of the server's own are accepted: those of
    /// people belong into no log of a proxy.
    pub(crate) async fn caller(&self, token: Option<&[u8]>, is_in_url: bool) -> Answer<Caller> {
        if let Some(anyone) = &self.anyone {
            return Ok(anyone.clone());
        }
        let detail = "send a token of the server as `Authorization: Bearer`, once";
        let unknown = || Problem::new(Kind::Unauthorized, detail);
        let token = token.ok_or_else(unknown)?;
        let digest = Digest::from_token(token);
        match (self.holder(&digest), &self.members) {
            (Some(holder), _) => Ok(holder.clone()),
            (None, Some(members)) if !is_in_url => members.caller(digest, token).await,
            (None, _) => Err(unknown()),
        }
    }

    /// Compares the token with every known one, however early one matches.
    fn holder(&self, sent: &Digest) -> Option<&Caller> {
        let mut position = u64::MAX;
        for (index, (digest, _)) in (0_u64..).zip(&self.holders) {
            position.conditional_assign(&index, sent.ct_eq(digest));
        }
        let position = usize::try_from(position).ok()?;
        self.holders.get(position).map(|(_, caller)| caller)
    }
}
