use std::{collections::HashMap, time::Duration};

use textsearch_conformance::{Action, Response};

pub(crate) struct Answer(Action);

impl Answer {
    pub(crate) fn html(body: impl AsRef<[u8]>) -> Self {
        Self::typed("text/html; charset=utf-8", body)
    }

    pub(crate) fn typed(content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self(Action::Answer(Response::new(200, content_type, body.as_ref())))
    }

    pub(crate) fn status(status: u16) -> Self {
        Self(Action::Answer(Response::new(status, "text/html", "<p>An error page</p>")))
    }

    pub(crate) fn redirect(location: &str) -> Self {
        Self::with_headers(302, &[("Location", location)], "")
    }

    pub(crate) fn with_headers(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let mut response = Response::new(status, "text/html", body);
        response.headers =
            headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Self(Action::Answer(response))
    }

    pub(crate) fn after(self, delay: Duration) -> Self {
        match self.0 {
            Action::Answer(response) => Self(Action::AnswerAfter(delay, response)),
            _ => self,
        }
    }

    pub(crate) fn repeated(self, times: usize) -> Self {
        match self.0 {
            Action::Answer(response) => Self(Action::Flood(response, times)),
            _ => self,
        }
    }
}

pub(crate) struct Server(textsearch_conformance::Server);

impl Server {
    pub(crate) async fn start<P: Into<String>>(
        pages: impl IntoIterator<Item = (P, Answer)>,
    ) -> Self {
        let pages = pages.into_iter().map(|(path, answer)| (path.into(), answer.0));
        let pages: HashMap<String, Action> = pages.collect();
        let missing = Answer::status(404).0;
        let server = textsearch_conformance::Server::start(move |request, _| {
            let known = pages.get(&request.path).filter(|_| request.url.query().is_none());
            known.unwrap_or(&missing).clone()
        });
        Self(server.await)
    }

    pub(crate) async fn with(answer: Answer) -> Self {
        Self::start([("/", answer)]).await
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.url().port().unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port())
    }
}

impl std::ops::Deref for Server {
    type Target = textsearch_conformance::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
