//! Combines chunks into updates and, at the end, the whole response.

mod assembly;
mod calls;

pub(super) use assembly::CompletionAssembly;
