//! A panic is one failed request.

use std::any::Any;

use axum::response::{IntoResponse as _, Response};

use crate::problem::{Kind, Problem};

pub(crate) fn panicked(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a request panicked");
    Problem::new(Kind::Internal, "the server failed; its log has the cause").into_response()
}
