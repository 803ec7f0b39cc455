//! Resolves names within the address rules.

use std::{fmt, io, net::IpAddr, net::SocketAddr, sync::Arc};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::AddressPolicy;
use crate::BoxError;

/// Finds the addresses of a name. [`SystemResolver`] asks the operating system.
#[async_trait]
pub trait HostResolver: fmt::Debug + Send + Sync {
    /// Returns the addresses of `host`, best first.
    ///
    /// # Errors
    /// Returns an error if the name is unknown or the lookup fails.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

#[async_trait]
impl<R: HostResolver + ?Sized> HostResolver for Arc<R> {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        (**self).resolve(host).await
    }
}

/// Resolves names with the operating system.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SystemResolver;

#[async_trait]
impl HostResolver for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let addresses = tokio::net::lookup_host((host, 0)).await?;
        Ok(addresses.map(|address| address.ip()).collect())
    }
}

/// Runs where a name becomes the address to connect to, so a second lookup is checked, too.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    pub(super) resolver: Arc<dyn HostResolver>,
    /// `None` for hosts that the user allows by name.
    pub(super) policy: Option<AddressPolicy>,
}

impl Lookup {
    async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, BoxError> {
        let addresses = self.resolver.resolve(host).await?;
        let Some(policy) = &self.policy else { return Ok(addresses) };
        let mut allowed = Vec::new();
        let mut refused = None;
        for address in addresses {
            match policy.check_ip(address) {
                Ok(()) => allowed.push(address),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            Some(error) if allowed.is_empty() => Err(error.of_name(host).into()),
            _ => Ok(allowed),
        }
    }
}

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = self.clone();
        Box::pin(async move {
            let addresses = lookup.addresses(name.as_str()).await?;
            // The client sets the port of the URL.
            let with_port = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(with_port) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::http::AddressRefused;

    #[derive(Debug)]
    struct Script(Mutex<Vec<&'static [&'static str]>>);

    #[async_trait]
    impl HostResolver for Script {
        async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
            let next = self.0.lock().unwrap().remove(0);
            Ok(next.iter().map(|address| address.parse().unwrap()).collect())
        }
    }

    fn lookup(answers: &[&'static [&'static str]]) -> Lookup {
        let resolver = Arc::new(Script(Mutex::new(answers.to_vec())));
        Lookup { resolver, policy: Some(AddressPolicy::public_only()) }
    }

    async fn resolved(lookup: &Lookup) -> Result<Vec<SocketAddr>, BoxError> {
        Ok(Resolve::resolve(lookup, "rebind.example".parse().unwrap()).await?.collect())
    }

    #[tokio::test]
    async fn a_rebound_name_is_checked_again() {
        let lookup = lookup(&[&["93.184.215.14"], &["127.0.0.1"]]);
        let first = resolved(&lookup).await.unwrap();
        assert_eq!(first, ["93.184.215.14:0".parse().unwrap()]);
        let error = resolved(&lookup).await.unwrap_err();
        let refused = error.downcast_ref::<AddressRefused>().unwrap();
        assert_eq!(refused.rule(), "a loopback address");
        let expected = "`rebind.example` (127.0.0.1) is a loopback address: not allowed";
        assert_eq!(refused.to_string(), expected);
    }

    #[tokio::test]
    async fn only_the_addresses_that_passed_are_connected_to() {
        let lookup = lookup(&[&["10.0.0.1", "2606:2800:21f::1", "::1", "93.184.215.14"]]);
        let expected =
            ["[2606:2800:21f::1]:0", "93.184.215.14:0"].map(|address| address.parse().unwrap());
        assert_eq!(resolved(&lookup).await.unwrap(), expected);
    }

    #[tokio::test]
    async fn allowed_hosts_may_be_anywhere() {
        let mut lookup = lookup(&[&["10.0.0.1"]]);
        lookup.policy = None;
        assert_eq!(resolved(&lookup).await.unwrap(), ["10.0.0.1:0".parse().unwrap()]);
    }

    #[tokio::test]
    async fn the_system_knows_localhost() {
        let addresses = SystemResolver.resolve("localhost").await.unwrap();
        assert!(
            !addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback),
            "{addresses:?}"
        );
    }
}
