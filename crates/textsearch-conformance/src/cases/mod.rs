//! The cases. Each tests a promise of `TextSearchConnector`.

mod at_once;
mod broken;
mod faults;
mod filter_bounds;
mod filter_combinations;
mod filter_values;
mod filters;
mod fixed_filters;
mod injection;
mod paging;
mod queries;
mod secrecy;
mod texts;
mod wire;

pub(crate) use at_once::*;
pub(crate) use broken::*;
pub(crate) use faults::*;
pub(crate) use filter_bounds::*;
pub(crate) use filter_combinations::*;
pub(crate) use filter_values::*;
pub(crate) use filters::*;
pub(crate) use fixed_filters::*;
pub(crate) use injection::*;
pub(crate) use paging::*;
pub(crate) use queries::*;
pub(crate) use secrecy::*;
pub(crate) use texts::*;

use textsearch_core::{Error, SearchOptions};

use crate::{Document, Response, Subject, endpoint, server::Action, subject::RunningSearch};

/// As in the settings of all cases.
const ATTEMPTS: usize = 3;

/// More documents than a page holds, if the backend serves them.
fn many(subject: &Subject) -> Vec<Document> {
    Document::several(subject.capabilities.many())
}

fn all_keys(subject: &Subject, documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| subject.capabilities.key_of(document).to_owned()).collect()
}

/// The error, and the number of requests.
async fn failure(
    subject: &Subject,
    script: impl Fn(Response) -> Action + Send + Sync + 'static,
) -> (Error, usize) {
    let settings = endpoint::patient();
    let running = subject.scripted(settings, Document::several(3), move |_, answer| script(answer));
    failure_of(&running.await).await
}

async fn failure_of(running: &RunningSearch) -> (Error, usize) {
    let result = running.try_results("what there is", &SearchOptions::top(3)).await;
    (result.expect_err("the search fails"), running.server().count())
}
