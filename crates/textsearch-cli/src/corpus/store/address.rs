//! The address of a collection on a server: `HOST:PORT/COLLECTION`.

use std::{fmt, net::Ipv6Addr, num::NonZeroU16};

/// Host, port and collection, without a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Host name or IP address; IPv6 in brackets.
    pub(super) host: String,
    pub(super) port: Option<NonZeroU16>,
    pub(super) collection: String,
}

impl Address {
    /// Parses `rest`, the text after `SCHEME://`. Keys go into the environment variable `key`.
    ///
    /// # Errors
    /// Returns what is wrong, without any part of a key.
    pub(super) fn parse(scheme: &str, rest: &str, key: &str) -> Result<Self, String> {
        // A key may precede `@`, even with slashes in it, or follow `?` or `#`: never repeat it.
        if rest.contains(['@', '?', '#']) {
            return Err(format!("--store takes no `@`, `?` or `#`, since a key goes into {key}"));
        }
        let (server, collection) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = host_and_port(server)?;
        if collection.is_empty() || collection.contains('/') {
            return Err(format!("`{scheme}://{server}` needs one collection after it"));
        }
        Ok(Self { host: host.to_owned(), port, collection: collection.to_owned() })
    }

    /// Returns the URL of the server, such as `http://localhost:6334`.
    pub(super) fn url(&self, scheme: &str, default_port: u16) -> String {
        let port = self.port.map_or(default_port, NonZeroU16::get);
        format!("{scheme}://{}:{port}", self.host)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.host)?;
        if let Some(port) = self.port {
            write!(formatter, ":{port}")?;
        }
        write!(formatter, "/{}", self.collection)
    }
}

fn host_and_port(server: &str) -> Result<(&str, Option<NonZeroU16>), String> {
    let (host, port) = match server.rsplit_once(':') {
        // The last colon of an IPv6 address is inside the brackets.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (server, None),
    };
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err("--store names no server".to_owned());
    }
    let address = host.strip_prefix('[').and_then(|address| address.strip_suffix(']'));
    let is_ipv6 = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    if !is_ipv6 && host.contains([':', '[', ']']) {
        return Err("the server of --store is neither HOST:PORT nor [IPV6]:PORT".to_owned());
    }
    Ok((host, port.map(port_number).transpose()?))
}

fn port_number(port: &str) -> Result<NonZeroU16, String> {
    const EXPECTED: &str = "expected is a number from 1 to 65535";

    // Other text than a number may be a key, so don't repeat it.
    if port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("what follows the server of --store isn't a port: {EXPECTED}"));
    }
    port.parse().map_err(|_| format!("the port of --store is `{port}`: {EXPECTED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(rest: &str) -> Result<Address, String> {
        Address::parse("qdrant", rest, "QDRANT_API_KEY")
    }

    fn refusal(rest: &str) -> String {
        parse(rest).unwrap_err()
    }

    #[test]
    fn the_port_has_a_default() {
        for (rest, url) in [
            ("localhost/docs", "http://localhost:6334"),
            ("10.0.0.1:7000/docs", "http://10.0.0.1:7000"),
            ("[::1]/docs", "http://[::1]:6334"),
            ("[::1]:7000/docs", "http://[::1]:7000"),
        ] {
            let address = parse(rest).unwrap();
            assert_eq!(address.url("http", 6334), url);
            assert_eq!(address.to_string(), rest);
        }
    }

    #[test]
    fn all_but_one_server_and_one_collection_is_refused() {
        for rest in ["", "/docs", "local host/a", ":6334/docs"] {
            assert_eq!(refusal(rest), "--store names no server", "{rest}");
        }
        for rest in ["localhost", "localhost/", "localhost/a/b"] {
            assert_eq!(
                refusal(rest),
                "`qdrant://localhost` needs one collection after it",
                "{rest}"
            );
        }
    }

    #[test]
    fn invalid_ports_are_refused() {
        for port in ["0", "65536", "99999"] {
            assert_eq!(
                refusal(&format!("localhost:{port}/docs")),
                format!("the port of --store is `{port}`: expected is a number from 1 to 65535")
            );
        }
        for rest in ["localhost:/docs", "localhost:+80/docs", "[::1]:http/docs"] {
            let error = refusal(rest);
            assert!(
                error.starts_with("what follows the server of --store isn't a port"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_ipv6_address_without_brackets_is_refused() {
        for rest in ["::1/docs", "fe80::a/docs", "::1:6334/docs", "[::1/docs", "[docs]:6334/docs"] {
            let error = refusal(rest);
            assert!(error.contains("neither HOST:PORT nor [IPV6]:PORT"), "{rest}: {error}");
        }
    }

    #[test]
    fn a_key_in_the_address_is_refused_and_not_repeated() {
        for rest in [
            "user:sesame@localhost/docs",
            "user:ses/ame@localhost/docs",
            "localhost:6334?api_key=sesame",
            "localhost:6334/docs?api_key=sesame",
            "localhost:6334/docs#sesame",
            "localhost#sesame/docs",
            "localhost/docs@sesame",
        ] {
            let error = refusal(rest);
            assert!(error.contains("QDRANT_API_KEY") && !error.contains("ses"), "{rest}: {error}");
        }
    }

    #[test]
    fn a_key_in_place_of_the_port_is_hidden() {
        for rest in ["localhost:sesame/docs", "localhost:6334:sesame/docs", "[::1]:sesame/docs"] {
            let error = refusal(rest);
            assert!(!error.contains("sesame"), "{error}");
        }
    }
}
