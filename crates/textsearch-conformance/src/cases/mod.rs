//! The cases. Each tests a promise of `TextSearchConnector`.

mod at_once;
mod broken;
mod counts;
mod echoes;
mod faults;
mod filter_bounds;
mod filter_combinations;
mod filter_operators;
mod filter_values;
mod filters;
mod fixed_filters;
mod fixed_sites;
mod injection;
mod lazy;
mod limits;
mod links;
mod paging;
mod provider_errors;
mod queries;
mod query_operators;
mod redirects;
mod secrecy;
mod statuses;
mod texts;
mod wire;

pub use at_once::*;
pub use broken::*;
pub use counts::*;
pub use echoes::*;
pub use faults::*;
pub use filter_bounds::*;
pub use filter_combinations::*;
pub use filter_operators::*;
pub use filter_values::*;
pub use filters::*;
pub use fixed_filters::*;
pub use fixed_sites::*;
pub use injection::*;
pub use lazy::*;
pub use limits::*;
pub use links::*;
pub use paging::*;
pub use provider_errors::*;
pub use queries::*;
pub use query_operators::*;
pub use redirects::*;
pub use secrecy::*;
pub use statuses::*;
pub use texts::*;

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
