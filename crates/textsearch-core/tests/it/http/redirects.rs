//! Redirects of providers.

use textsearch_core::{
    ErrorKind,
    http::{HttpRequest, Secret},
};

use super::{
    client, get, post,
    server::{Answer, Server},
    settings,
};

fn to(location: &str) -> Answer {
    Answer::with_header(302, &format!("Location: {location}"), "")
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_the_key() {
    let server = Server::start([to("/v2?q=rust"), Answer::json("{}")]).await;
    let request = get(&server).with_secret_header("x-key", &Secret::from("open sesame"));
    let answer = client(settings()).send(request).await.unwrap();
    assert_eq!(answer.url, server.url("/v2?q=rust"));
    let requests = server.requests();
    assert!(requests[1].starts_with("GET /v2?q=rust HTTP/1.1\r\n"), "{requests:?}");
    assert!(requests.iter().all(|request| request.contains("x-key: open sesame")));
}

#[tokio::test]
async fn the_url_of_a_response_has_no_password() {
    let server = Server::start([to("/v2"), Answer::json("{}")]).await;
    let mut url = server.url("/v1");
    url.set_username("me").unwrap();
    url.set_password(Some("rosebud")).unwrap();
    let answer = client(settings()).send(HttpRequest::get(url)).await.unwrap();
    assert_eq!(answer.url, server.url("/v2"));
    assert!(server.requests()[1].to_lowercase().contains("authorization: basic"));
}

#[tokio::test]
async fn another_origin_sees_neither_the_key_nor_any_request() {
    let other = Server::start([Answer::json("{}")]).await;
    let elsewhere = [
        format!("{}?from=1", other.url("/steal")),
        format!("//127.0.0.1:{}/steal", other.port()),
        format!("http://localhost:{}/steal", other.port()),
    ];
    for location in elsewhere {
        let server = Server::start([to(&location)]).await;
        let request = post(&server).with_bearer(&Secret::from("open sesame"));
        let error = client(settings()).send(request).await.unwrap_err();
        let expected = ErrorKind::unexpected_status(302, None, "");
        assert_eq!(error.kind(), &expected);
        let message = error.message();
        let origin = format!("http://127.0.0.1:{}", server.port());
        assert!(message.contains(&format!("only {origin} may see")), "{message}");
        assert!(message.contains(&format!(":{}: not followed", other.port())), "{message}");
        assert!(!message.contains("from=1"), "{message}");
        assert_eq!((server.count(), other.count()), (1, 0));
    }
}

#[tokio::test]
async fn a_redirect_loop_ends_at_once() {
    let server = Server::start([to("/search?q=rust")]).await;
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    assert!(error.message().ends_with("a redirect to where it came from: a loop"), "{error}");
    assert_eq!(server.count(), 1);

    let server = Server::start([to("/b"), to("/search?q=rust")]).await;
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    assert!(error.message().ends_with("a loop"), "{error}");
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn an_endless_chain_ends_after_five_redirects() {
    let server = Server::start((0..20).map(|number| to(&format!("/{number}")))).await;
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    assert!(error.message().ends_with("one redirect more than the 5 that are followed"), "{error}");
    assert_eq!(server.count(), 6);
}

#[tokio::test]
async fn a_redirect_without_a_location_is_an_unexpected_status() {
    let server = Server::start([Answer::status(302)]).await;
    let error = client(settings()).send(get(&server)).await.unwrap_err();
    let expected = ErrorKind::unexpected_status(302, None, "because");
    assert_eq!(error.kind(), &expected);
}
