//! The endpoints, one module each.

mod answer;
mod capabilities;
mod documents;
mod grounding;
mod mcp;
mod prompt;
mod resource;
mod search;
mod status;

pub(crate) use self::{
    answer::{__path_answer, answer},
    capabilities::{__path_capabilities, capabilities},
    documents::{__path_document, __path_documents, document, documents},
    grounding::{__path_grounding, grounding},
    mcp::mcp,
    prompt::{__path_prompt, prompt},
    resource::{resource, resource_of_mcp},
    search::{__path_search, search},
    status::{
        __path_health, __path_metrics, health, method_not_allowed, metrics, not_found, openapi,
    },
};
