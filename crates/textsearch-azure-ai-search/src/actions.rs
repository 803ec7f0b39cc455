//! Batches of actions, and the [status of each
//! document](https://learn.microsoft.com/rest/api/searchservice/documents): the service may carry
//! out some of a batch, and others not.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    time::Duration,
};

use serde::Deserialize;
use textsearch_core::{
    Error, Result,
    vector::{Batches, RecordKey},
};

use crate::{error::index_error, handle::Index, key::document_key};

#[derive(Deserialize)]
struct Answer {
    value: Vec<Status>,
}

/// The status of one document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    key: String,
    #[serde(rename = "status")]
    is_done: bool,
    status_code: u16,
    #[serde(default)]
    error_message: Option<String>,
}

impl Status {
    /// A version conflict, an index that is being changed, or a busy service.
    fn is_temporary(&self) -> bool {
        matches!(self.status_code, 409 | 422 | 429 | 503)
    }
}

/// The actions of a batch that the service didn't carry out, by their places.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Rejected, with the status and the reason.
    pub(crate) rejected: Vec<(usize, u16, String)>,
    /// Without a status: the response lacks them, or a request to repeat them failed.
    pub(crate) unsure: Vec<usize>,
    /// Why that request failed.
    pub(crate) cause: Option<Error>,
}

/// The body of a request with these actions.
pub(crate) fn body(actions: &[String]) -> String {
    format!(r#"{{"value":[{}]}}"#, actions.join(","))
}

impl Index {
    /// Splits the actions into requests.
    pub(crate) fn batches(&self, actions: &[String]) -> Vec<Range<usize>> {
        let config = self.service.config();
        // Each action but the last has a comma.
        let max_bytes = (config.max_batch_bytes + 1).saturating_sub(body(&[]).len());
        let sizes = actions.iter().map(|action| action.len() + 1);
        Batches::new(config.max_batch_records, max_bytes).split(sizes)
    }

    /// Sends the actions, and repeats actions that fail with a temporary error.
    ///
    /// # Errors
    /// Returns the error of the first request. The outcome holds the error of a repetition.
    pub(crate) async fn run(&self, actions: &[String], keys: &[RecordKey]) -> Result<Outcome> {
        let settings = self.service.client().settings();
        let places: HashMap<String, usize> =
            keys.iter().enumerate().map(|(place, key)| (document_key(key), place)).collect();
        let mut left: Vec<usize> = (0..actions.len()).collect();
        let mut outcome = Outcome::default();
        let mut pause = settings.backoff_base;
        for attempt in 1..=settings.max_attempts {
            let sent: Vec<String> =
                left.iter().filter_map(|place| actions.get(*place).cloned()).collect();
            let mut unsure: HashSet<usize> = left.drain(..).collect();
            let statuses = match self.send(body(&sent)).await {
                Err(error) if attempt == 1 => return Err(error),
                Err(error) => {
                    outcome.unsure.extend(unsure);
                    outcome.cause = Some(error);
                    break;
                }
                Ok(statuses) => statuses,
            };
            for status in statuses {
                let Some(place) = places.get(&status.key) else { continue };
                unsure.remove(place);
                if status.is_done {
                    continue;
                }
                if status.is_temporary() && attempt < settings.max_attempts {
                    left.push(*place);
                } else {
                    let reason = status.error_message.unwrap_or_default();
                    outcome.rejected.push((*place, status.status_code, reason));
                }
            }
            outcome.unsure.extend(unsure);
            if left.is_empty() {
                break;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(settings.backoff_max.max(Duration::from_millis(1)));
        }
        outcome.rejected.sort_unstable();
        outcome.unsure.sort_unstable();
        Ok(outcome)
    }

    async fn send(&self, body: String) -> Result<Vec<Status>> {
        let request = self.post("search.index").with_body("application/json", body);
        let answer = self.service.read::<Answer>(request).await;
        Ok(answer.map_err(|error| index_error(&self.name, error))?.value)
    }
}
