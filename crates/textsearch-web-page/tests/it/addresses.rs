use std::{
    io,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use textsearch_core::{
    Error, ErrorKind, async_trait,
    http::{AddressRefused, HostResolver},
};
use textsearch_web_page::{WebPageReader, WebPageSettings};

use super::{
    reader,
    server::{Answer, Server},
    settings,
};

/// Returns these addresses in turn and repeats the last. An empty text is no address.
#[derive(Debug)]
struct Script(Vec<&'static str>, AtomicUsize);

impl Script {
    fn new(addresses: &[&'static str]) -> Arc<Self> {
        Arc::new(Self(addresses.to_vec(), AtomicUsize::new(0)))
    }
}

#[async_trait]
impl HostResolver for Script {
    async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        let number = self.1.fetch_add(1, Ordering::SeqCst).min(self.0.len() - 1);
        Ok(self.0[number].parse().into_iter().collect())
    }
}

fn rule(error: &Error) -> &'static str {
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "url"),
        "{error}"
    );
    let source = std::error::Error::source(error).unwrap();
    source.downcast_ref::<AddressRefused>().unwrap().rule()
}

#[tokio::test]
async fn no_spelling_of_a_private_address_reaches_a_server() {
    let server = Server::with(Answer::html("secret")).await;
    let reader = WebPageReader::new(WebPageSettings::default()).unwrap();
    let cases = [
        ("127.0.0.1", "a loopback address"),
        ("127.1", "a loopback address"),
        ("2130706433", "a loopback address"),
        ("0x7f000001", "a loopback address"),
        ("0x7f.1", "a loopback address"),
        ("0177.0.0.1", "a loopback address"),
        ("%31%32%37.0.0.1", "a loopback address"),
        ("１２７.0.0.1", "a loopback address"),
        ("[::1]", "a loopback address"),
        ("[::ffff:127.0.0.1]", "a loopback address"),
        ("[64:ff9b::127.0.0.1]", "a loopback address"),
        ("[2002:7f00:1::]", "a loopback address"),
        ("0", "an unspecified address"),
        ("[::]", "an unspecified address"),
        ("10.0.0.1", "a private address"),
        ("172.16.0.1", "a private address"),
        ("192.168.1.1", "a private address"),
        ("[fd00::1]", "a unique local address"),
        ("169.254.1.1", "a link-local address"),
        ("[fe80::1]", "a link-local address"),
        ("100.64.0.1", "a shared address of a provider's network"),
        ("224.0.0.1", "a multicast address"),
        ("[ff02::1]", "a multicast address"),
        ("192.0.2.1", "an address for documentation"),
        ("[2001:db8::1]", "an address for documentation"),
        ("169.254.169.254", "the address of a cloud metadata service"),
        ("[fd00:ec2::254]", "the address of a cloud metadata service"),
        ("metadata.google.internal", "the name of a cloud metadata service"),
        ("localhost", "a name of the local machine or network"),
        ("a.localhost.", "a name of the local machine or network"),
        ("db.internal", "a name of the local machine or network"),
    ];
    for (host, expected) in cases {
        let error = reader.read(format!("http://{host}:{}/", server.port())).await.unwrap_err();
        assert_eq!(rule(&error), expected, "{host}");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn other_schemes_and_passwords_are_refused() {
    let reader = WebPageReader::new(WebPageSettings::default()).unwrap();
    for url in
        ["file:///etc/passwd", "ftp://example.com/", "gopher://example.com/", "data:text/html,x"]
    {
        let error = reader.read(url).await.unwrap_err();
        assert_eq!(rule(&error), "in a URL that is neither http nor https", "{url}");
    }
    let error = reader.read("http://user:s3same@example.com/").await.unwrap_err();
    assert_eq!(rule(&error), "in a URL with a user or a password");
    assert!(!error.to_string().contains("s3same"), "{error}");
}

#[tokio::test]
async fn names_with_private_addresses_reach_no_server() {
    let server = Server::with(Answer::html("secret")).await;
    for (address, expected) in [
        ("127.0.0.1", "a loopback address"),
        ("::1", "a loopback address"),
        ("::ffff:127.0.0.1", "a loopback address"),
        ("10.1.2.3", "a private address"),
        ("169.254.169.254", "the address of a cloud metadata service"),
    ] {
        let resolver = Script::new(&[address]);
        let reader = WebPageReader::with_resolver(WebPageSettings::default(), resolver).unwrap();
        let error =
            reader.read(format!("http://innocent.example:{}/", server.port())).await.unwrap_err();
        assert_eq!(rule(&error), expected, "{address}");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn a_name_is_checked_again_on_each_request() {
    let server = Server::with(Answer::html("secret")).await;
    // No address comes first, so nothing is sent. The core tests the case of a public address
    // first.
    let resolver = Script::new(&["", "127.0.0.1", "10.0.0.1"]);
    let reader = WebPageReader::with_resolver(settings(&server), Arc::clone(&resolver)).unwrap();
    let url = format!("http://rebind.example:{}/", server.port());
    let first = reader.read(&url).await.unwrap_err();
    assert_eq!(first.kind(), &ErrorKind::Unavailable);
    for expected in ["a loopback address", "a private address"] {
        assert_eq!(rule(&reader.read(&url).await.unwrap_err()), expected);
    }
    assert_eq!((server.count(), resolver.1.load(Ordering::SeqCst)), (0, 3));
}

#[tokio::test]
async fn redirects_to_private_addresses_are_refused_in_every_spelling() {
    let inside = Server::with(Answer::html("secret")).await;
    for host in
        ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:7f00:1]", "localhost", "innocent.example"]
    {
        let location = format!("http://{host}:{}/", inside.port());
        let server = Server::with(Answer::redirect(&location)).await;
        let reader =
            WebPageReader::with_resolver(settings(&server), Script::new(&["127.0.0.1"])).unwrap();
        let error = reader.read(server.url("/")).await.unwrap_err();
        assert!(!rule(&error).is_empty(), "{host}");
        assert_eq!((server.count(), inside.count()), (1, 0), "{host}");
    }
    let server = Server::with(Answer::redirect("file:///etc/passwd")).await;
    let error = reader(&server).read(server.url("/")).await.unwrap_err();
    assert_eq!(rule(&error), "in a URL that is neither http nor https");
}

#[tokio::test]
async fn an_allowed_host_is_allowed_on_its_port_only() {
    let server = Server::with(Answer::html("text")).await;
    let other = Server::with(Answer::html("secret")).await;
    let reader = reader(&server);
    assert_eq!(reader.read(server.url("/")).await.unwrap().text, "text");
    assert_eq!(rule(&reader.read(other.url("/")).await.unwrap_err()), "a loopback address");
    assert_eq!(other.count(), 0);
}
