//! Clients for untrusted URLs.

use std::{io, net::IpAddr, sync::Arc};

use textsearch_core::{
    Error, ErrorKind, async_trait,
    http::{AddressPolicy, AddressRefused, HostResolver, HttpClient, HttpRequest, Secret, Url},
};

use super::{
    server::{Answer, Server},
    settings,
};

#[derive(Debug)]
struct Loopback;

#[async_trait]
impl HostResolver for Loopback {
    async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec!["127.0.0.1".parse().unwrap()])
    }
}

fn client(policy: AddressPolicy) -> HttpClient {
    HttpClient::for_untrusted_urls("page", settings(), policy, Arc::new(Loopback)).unwrap()
}

fn allowing(host: &str, port: u16) -> AddressPolicy {
    AddressPolicy::public_only().with_allowed_host(format!("{host}:{port}")).unwrap()
}

async fn fetched(client: &HttpClient, url: &str) -> Result<String, Error> {
    let answer = client.send(HttpRequest::get(Url::parse(url).unwrap())).await?;
    Ok(String::from_utf8(answer.body.to_vec()).unwrap())
}

fn rule(error: &Error) -> &'static str {
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "url"));
    let source = std::error::Error::source(error).unwrap();
    source.downcast_ref::<AddressRefused>().unwrap().rule()
}

#[tokio::test]
async fn no_spelling_of_loopback_reaches_a_server() {
    let server = Server::start([Answer::json("{}")]).await;
    let port = server.port();
    let client = client(AddressPolicy::public_only());
    let hosts = ["127.0.0.1", "2130706433", "0x7f.1", "0177.1", "0", "[::ffff:127.0.0.1]", "[::1]"];
    for host in hosts {
        let error = fetched(&client, &format!("http://{host}:{port}/")).await.unwrap_err();
        assert!(["a loopback address", "an unspecified address"].contains(&rule(&error)), "{host}");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn names_resolving_to_loopback_are_refused() {
    let server = Server::start([Answer::json("{}")]).await;
    let url = format!("http://innocent.example:{}/a?b", server.port());
    let error = fetched(&client(AddressPolicy::public_only()), &url).await.unwrap_err();
    assert_eq!(rule(&error), "a loopback address");
    let expected = format!(
        "http://innocent.example:{}/a: `innocent.example` (127.0.0.1) is a loopback address: \
         not allowed",
        server.port()
    );
    assert_eq!(error.message(), expected);
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn an_allowed_host_is_reached_at_its_port_only() {
    let server = Server::start([Answer::json("{}")]).await;
    let other = Server::start([Answer::json("{}")]).await;
    let client = client(allowing("wiki.internal", server.port()));
    let url = |port: u16| format!("http://wiki.internal:{port}/");
    assert_eq!(fetched(&client, &url(server.port())).await.unwrap(), "{}");
    let error = fetched(&client, &url(other.port())).await.unwrap_err();
    assert_eq!(rule(&error), "a name of the local machine or network");
    assert_eq!((server.count(), other.count()), (1, 0));
}

#[tokio::test]
async fn an_allowed_port_opens_no_other_port() {
    let server = Server::start([Answer::json("{}")]).await;
    let other = Server::start([Answer::json("{}")]).await;
    let client = client(allowing("wiki.example", server.port()));
    let url = |port: u16| format!("http://wiki.example:{port}/");
    assert_eq!(fetched(&client, &url(server.port())).await.unwrap(), "{}");
    let error = fetched(&client, &url(other.port())).await.unwrap_err();
    assert_eq!(rule(&error), "a loopback address");
    assert_eq!((server.count(), other.count()), (1, 0));
}

#[tokio::test]
async fn redirects_to_private_addresses_are_refused_in_every_spelling() {
    let inside = Server::start([Answer::json("{}")]).await;
    for host in ["127.0.0.1", "0x7f000001", "[::ffff:7f00:1]", "innocent.example", "localhost"] {
        let location = format!("Location: http://{host}:{}/secret", inside.port());
        let server = Server::start([Answer::with_header(302, &location, "")]).await;
        let client = client(allowing("wiki.example", server.port()));
        let url = format!("http://wiki.example:{}/", server.port());
        let error = fetched(&client, &url).await.unwrap_err();
        assert!(!rule(&error).is_empty());
        assert_eq!((server.count(), inside.count()), (1, 0), "{host}");
    }
}

#[tokio::test]
async fn a_redirect_to_another_scheme_is_refused() {
    let server =
        Server::start([Answer::with_header(302, "Location: file:///etc/passwd", "")]).await;
    let client = client(allowing("wiki.example", server.port()));
    let url = format!("http://wiki.example:{}/", server.port());
    let error = fetched(&client, &url).await.unwrap_err();
    assert_eq!(rule(&error), "in a URL that is neither http nor https");
}

#[tokio::test]
async fn redirects_to_other_hosts_drop_secrets() {
    let other = Server::start([Answer::json("{}")]).await;
    let location = format!("Location: http://b.example:{}/", other.port());
    let server = Server::start([Answer::with_header(302, &location, "")]).await;
    let policy = allowing("a.example", server.port());
    let policy = policy.with_allowed_host(format!("b.example:{}", other.port())).unwrap();
    let client = client(policy);
    let url = Url::parse(&format!("http://a.example:{}/", server.port())).unwrap();
    let request = HttpRequest::get(url);
    let answer = client.send(request.clone()).await.unwrap();
    assert_eq!(answer.url.as_str(), format!("http://b.example:{}/", other.port()));

    let secret = Secret::from("open sesame");
    let error = client.send(request.with_bearer(&secret)).await.unwrap_err();
    assert!(error.message().contains("not followed"), "{error}");
    assert_eq!(other.count(), 1);
}
