//! The cases. Each tests a promise of `TextSearchConnector`.

mod at_once;
mod broken;
mod counts;
mod echoes;
mod faults;
mod filters;
mod fixed_sites;
mod lazy;
mod limits;
mod paging;
mod queries;
mod redirects;
mod secrecy;
mod statuses;

pub use at_once::*;
pub use broken::*;
pub use counts::*;
pub use echoes::*;
pub use faults::*;
pub use filters::*;
pub use fixed_sites::*;
pub use lazy::*;
pub use limits::*;
pub use paging::*;
pub use queries::*;
pub use redirects::*;
pub use secrecy::*;
pub use statuses::*;

use textsearch_core::{Error, SearchOptions};

use crate::{Document, Response, Subject, endpoint, server::Action, subject::RunningSearch};

/// More results than any provider puts on a page.
const MANY: usize = 120;

/// As in the settings of all cases.
const ATTEMPTS: usize = 3;

/// As many as the backend serves.
fn many(subject: &Subject) -> Vec<Document> {
    Document::several(subject.capabilities.within(MANY))
}

fn all_links(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| document.link.clone()).collect()
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
