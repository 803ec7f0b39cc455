//! OpenAI's Responses API.

mod annotations;
mod assembly;
mod request;
mod wire;

pub(super) use assembly::ResponseAssembly;
pub(super) use request::body;
pub(super) use wire::Response;
