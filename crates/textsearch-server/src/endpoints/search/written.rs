//! Results as JSON. Each is written once, into the body of the response. To measure a result first
//! and write it later takes a quarter of a search's time.

use serde::Serialize;

/// What precedes the results in the body.
const HEAD: &[u8] = br#"{"results":["#;

/// Enough for a page of results.
const CAPACITY: usize = 4096;

/// Stands for the results in a response.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Written(pub(super) [(); 0]);

/// The beginning of a response, with some results.
pub(super) struct Results {
    json: Vec<u8>,
    max: usize,
    pub(super) count: usize,
}

impl Results {
    /// Takes results of up to `max` bytes.
    pub(super) fn new(max: usize) -> Self {
        let mut json = Vec::with_capacity(CAPACITY);
        json.extend(HEAD);
        Self { json, max, count: 0 }
    }

    /// Returns false, and leaves the result out, if it doesn't fit.
    pub(super) fn add(&mut self, result: &impl Serialize) -> serde_json::Result<bool> {
        let before = self.json.len();
        if self.count > 0 {
            self.json.push(b',');
        }
        serde_json::to_writer(&mut self.json, result)?;
        let fits = self.json.len() - HEAD.len() <= self.max;
        if fits {
            self.count += 1;
        } else {
            self.json.truncate(before);
        }
        Ok(fits)
    }

    /// Returns the response as JSON, with these results. `response` has [`Written`] as its first field.
    pub(super) fn into_body(self, response: &impl Serialize) -> serde_json::Result<Vec<u8>> {
        let mut json = self.json;
        let rest = serde_json::to_vec(response)?;
        json.extend(rest.strip_prefix(HEAD).unwrap_or(b"]}"));
        Ok(json)
    }
}
