//! Converts a turn into an HTTP response.

use std::sync::{Arc, atomic::AtomicUsize};

use hyper::{Response, header::CONTENT_TYPE};
use serde_json::Value;

use super::{
    Chunks, Fault, ModelRequest, Turn,
    body::{AnswerBody, Delivery},
    completion::completion,
    events::events,
    failure::Failure,
    script::Settings,
    turn::{Message, Reply},
};

pub(super) struct Answers<'a> {
    pub(super) settings: &'a Settings,
    pub(super) hung_up: &'a Arc<AtomicUsize>,
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream; charset=utf-8";

impl Answers<'_> {
    pub(super) fn of_turn(
        &self,
        turn: Turn,
        request: &ModelRequest,
        number: usize,
    ) -> Response<AnswerBody> {
        let fault = turn.fault;
        match turn.reply {
            Reply::Failure(failure) => self.of_failure(&failure, fault),
            Reply::Raw { content_type, body } if content_type.starts_with("text/event-stream") => {
                self.answer(200, &content_type, self.cut(&[body], number), fault)
            }
            Reply::Raw { content_type, body } => self.answer(200, &content_type, vec![body], fault),
            Reply::Message(message) if request.is_stream() => {
                let line_end = self.settings.line_end;
                let events = events(&message, request, number, fault.as_ref(), line_end);
                self.answer(200, EVENTS, self.cut(&events, number), fault)
            }
            Reply::Message(message) => self.whole(&message, request, number, fault),
        }
    }

    pub(super) fn of_json(&self, body: &Value) -> Response<AnswerBody> {
        self.answer(200, JSON, vec![body.to_string().into_bytes()], None)
    }

    pub(super) fn of_failure(
        &self,
        failure: &Failure,
        fault: Option<Fault>,
    ) -> Response<AnswerBody> {
        let body = vec![failure.body.to_string().into_bytes()];
        let mut response = self.answer(failure.status, JSON, body, fault);
        for (name, value) in &failure.headers {
            let name: hyper::header::HeaderName = name.parse().expect("the script names a header");
            response.headers_mut().insert(name, value.parse().expect("the script has its value"));
        }
        response
    }

    fn whole(
        &self,
        message: &Message,
        request: &ModelRequest,
        number: usize,
        fault: Option<Fault>,
    ) -> Response<AnswerBody> {
        let mut body = completion(message, request, number).to_string().into_bytes();
        if matches!(fault, Some(Fault::EndsEarly | Fault::MalformedEvent)) {
            body.truncate(body.len() / 2);
        }
        self.answer(200, JSON, vec![body], fault)
    }

    /// A different seed per request, so one test sees several splits.
    fn cut(&self, events: &[Vec<u8>], number: usize) -> Vec<Vec<u8>> {
        match self.settings.chunks {
            Chunks::Arbitrary { seed } => {
                let number = u64::try_from(number).unwrap_or_default();
                Chunks::Arbitrary { seed: seed.wrapping_mul(31).wrapping_add(number) }.cut(events)
            }
            chunks => chunks.cut(events),
        }
    }

    fn answer(
        &self,
        status: u16,
        content_type: &str,
        pieces: Vec<Vec<u8>>,
        fault: Option<Fault>,
    ) -> Response<AnswerBody> {
        let pause = self.settings.pause;
        let hung_up = Arc::clone(self.hung_up);
        let body = Delivery { pause, fault, hung_up }.body(pieces);
        Response::builder()
            .status(status)
            .header(CONTENT_TYPE, content_type)
            .header("x-request-id", "req_scripted")
            .body(body)
            .expect("the script has a status and a content type")
    }
}
