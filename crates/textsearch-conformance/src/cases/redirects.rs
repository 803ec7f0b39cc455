//! Redirects end, and stay within the origin.

use textsearch_core::ErrorKind;

use super::failure_of;
use crate::{
    RecordedRequest, Response, Subject, endpoint,
    server::{Action, Server},
};

fn redirect(to: &str) -> Response {
    Response::new(307, "text/plain", "").with_header("Location", to)
}

/// A loop ends soon.
pub async fn a_redirect_loop_ends(subject: Subject) {
    let round = |_: &RecordedRequest, _| Action::Answer(redirect("/round"));
    let (error, requests) = failure_of(&subject.served(endpoint::patient(), round).await).await;
    let kind = error.kind();
    assert!(matches!(kind, ErrorKind::UnexpectedStatus { status: 307, .. }), "{error:?}");
    assert!(requests <= 12, "{requests} requests in a circle");
}

/// No request data goes to another server.
pub async fn a_redirect_to_another_origin_is_not_followed(subject: Subject) {
    let other = Server::start(|_, _| Action::Answer(Response::new(200, "text/plain", ""))).await;
    let to = other.url();
    let away = move |_: &RecordedRequest, _| Action::Answer(redirect(to.as_str()));
    let (error, requests) = failure_of(&subject.served(endpoint::patient(), away).await).await;
    let kind = error.kind();
    assert!(matches!(kind, ErrorKind::UnexpectedStatus { status: 307, .. }), "{error:?}");
    assert_eq!(requests, 1, "requests, of which one was redirected");
    assert_eq!(other.count(), 0, "the other server was asked");
}
