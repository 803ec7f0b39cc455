//! Finds the address of a service, and decides whether it gets a key.

mod address;
mod hosts;
mod service;

use std::sync::Arc;

use textsearch_core::{
    Error, ErrorKind, Result,
    secret::{Secret, variable},
};

pub use self::service::{Service, ServiceAccess};
pub(crate) use self::{address::Address, hosts::AllowedHosts};
use crate::{CONNECTOR, place::Place, sections::Connection};

/// Returns the value of an environment variable.
pub(crate) type Variables = Arc<dyn Fn(&str) -> Result<Option<Secret>> + Send + Sync>;

pub(crate) fn of_process() -> Variables {
    Arc::new(|name| Ok(variable(CONNECTOR, name)?.map(Secret::from)))
}

/// The caller's variables and allowed hosts.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) variables: Variables,
    pub(crate) allowed: AllowedHosts,
    pub(crate) allows_others: bool,
}

/// The settings of a section about its service.
pub(crate) struct ServiceSettings<'a> {
    pub(crate) place: &'a Place,
    /// The name of the setting with the address.
    pub(crate) setting: &'static str,
    pub(crate) address: Option<&'a Address>,
    pub(crate) connection: &'a Connection,
}

impl Access {
    pub(crate) fn connect(
        &self,
        service: &Service,
        settings: &ServiceSettings<'_>,
    ) -> Result<ServiceAccess> {
        check_variable(service.key_variable, settings)?;
        let own = self.own_addresses(service)?;
        let key = (self.variables)(service.key_variable)?;
        let Some(address) = settings.address else {
            return self.without_address(service, settings, own, key);
        };
        let address = address.with_port(service.port);
        let hosted = service.hosted.and_then(|url| Address::parse(url).ok());
        let is_own = own.iter().chain(&hosted).any(|own| own.has_origin_of(&address));
        let is_allowed = is_own || self.allowed.contain(&address);
        if !is_allowed && !self.allows_others {
            let allowed = format!(
                "a host that the program allows, or the address in `{}`",
                service.endpoint_variable
            );
            return Err(settings.place.invalid(
                settings.setting,
                format_args!("`{address}`, which isn't allowed"),
                &allowed,
            ));
        }
        let is_safe = is_own || (is_allowed && address.keeps_secrets());
        if key.is_some() && !is_safe {
            return Err(leak(service, settings, &address, is_allowed));
        }
        Ok(ServiceAccess::new(vec![address.into_string()], key, service))
    }

    pub(crate) fn connection_string(
        &self,
        variable: &'static str,
        settings: &ServiceSettings<'_>,
    ) -> Result<Secret> {
        check_variable(variable, settings)?;
        if settings.address.is_some() {
            let allowed = format!("no address here: the variable `{variable}` holds it");
            return Err(settings.place.invalid(settings.setting, "set", &allowed));
        }
        (self.variables)(variable)?.ok_or_else(|| {
            let allowed = format!("an address in the variable `{variable}`");
            settings.place.missing(settings.setting, &allowed)
        })
    }

    fn own_addresses(&self, service: &Service) -> Result<Vec<Address>> {
        let Some(text) = (self.variables)(service.endpoint_variable)? else {
            return Ok(Vec::new());
        };
        let addresses = text.expose().split(',').map(|text| Address::parse(text.trim()));
        let addresses = addresses.collect::<Result<Vec<_>, _>>().map_err(|fault| {
            Error::invalid_options(CONNECTOR, service.endpoint_variable, fault, Address::ALLOWED)
        })?;
        Ok(addresses.into_iter().map(|address| address.with_port(service.port)).collect())
    }

    /// These addresses are the user's or the service's own.
    fn without_address(
        &self,
        service: &Service,
        settings: &ServiceSettings<'_>,
        own: Vec<Address>,
        key: Option<Secret>,
    ) -> Result<ServiceAccess> {
        let urls: Vec<String> = own.into_iter().map(Address::into_string).collect();
        match service.hosted {
            _ if !urls.is_empty() => Ok(ServiceAccess::new(urls, key, service)),
            Some(hosted) => Ok(ServiceAccess::hosted(hosted, key, service)),
            None => {
                let allowed =
                    format!("an address, here or in the variable `{}`", service.endpoint_variable);
                Err(settings.place.missing(settings.setting, &allowed))
            }
        }
    }
}

/// A file must not choose which secret is sent.
fn check_variable(variable: &'static str, settings: &ServiceSettings<'_>) -> Result<()> {
    match &settings.connection.variable {
        Some(name) if name != variable => Err(settings.place.inside("connection").invalid(
            "key",
            "another variable",
            &format!("`{variable}`"),
        )),
        _ => Ok(()),
    }
}

fn leak(
    service: &Service,
    settings: &ServiceSettings<'_>,
    address: &Address,
    is_allowed: bool,
) -> Error {
    let Service { key_variable, endpoint_variable, .. } = service;
    let path = settings.place.path_of(settings.setting);
    let line = settings.place.line_of(settings.setting);
    let remedy = if is_allowed {
        "an address with https".to_owned()
    } else {
        format!("the address in `{endpoint_variable}`, or a host that the program allows")
    };
    let message = format!(
        "the key in `{key_variable}` isn't sent: `{path}` is `{address}` (line {line}); expected {remedy}"
    );
    Error::new(ErrorKind::invalid_options(path, remedy), CONNECTOR, message)
}
