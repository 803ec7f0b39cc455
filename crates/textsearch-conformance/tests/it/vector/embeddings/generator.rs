//! An embedding generator that sends its texts in batches.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use textsearch_conformance::{
    Endpoint, RecordedRequest, Response,
    core::{
        Error, ErrorKind, Result, async_trait,
        http::{HttpClient, HttpRequest, Secret, Url},
        vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
    },
    vector::WordEmbeddings,
};

use super::fault::Fault;
use crate::faults::nap;

const DIMENSIONS: usize = 256;

const BATCH: usize = 200;

#[derive(Clone)]
pub(super) struct PlainEmbeddings {
    client: HttpClient,
    url: Url,
    key: Secret,
    fault: Fault,
    last: Arc<Mutex<Vec<String>>>,
    is_busy: Arc<AtomicBool>,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    vectors: Vec<Vec<f32>>,
    tokens: u64,
}

/// Answers as the provider would.
pub(super) fn answer(request: &RecordedRequest) -> Response {
    let expected = format!("Bearer {}", Endpoint::KEY);
    assert_eq!(request.header("authorization"), Some(expected.as_str()));
    let body = request.json();
    let dimensions = body.get("dimensions").and_then(Value::as_u64).unwrap_or(DIMENSIONS as u64);
    let words = WordEmbeddings::new(dimensions as usize);
    let texts = body.get("texts").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = texts.filter_map(Value::as_str).collect();
    let vectors = texts.iter().map(|text| words.embed(text).to_vec()).collect();
    let tokens = texts.iter().map(|text| text.len().div_ceil(4) as u64).sum();
    Response::json(&Answer { vectors, tokens })
}

impl PlainEmbeddings {
    pub(super) fn new(endpoint: &Endpoint, fault: Fault) -> Self {
        let client = endpoint.http_client("plain");
        let url = endpoint.url().clone();
        let key = Secret::from(endpoint.key());
        Self { client, url, key, fault, last: Arc::default(), is_busy: Arc::default() }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// Returns the texts as the generator reads them.
    async fn changed(&self, mut texts: Vec<String>) -> Vec<String> {
        match self.fault {
            Fault::LeavesOutRepeats => texts.dedup(),
            Fault::CutsLargeCalls => texts.truncate(2_048),
            Fault::SortsTexts => texts.sort(),
            Fault::LeavesOutEmptyTexts => texts.retain(|text| !text.trim().is_empty()),
            Fault::TrimsTexts => texts.iter_mut().for_each(|text| *text = text.trim().to_owned()),
            Fault::CutsTextsAtControls => texts.iter_mut().for_each(|text| {
                *text = text.split(char::is_control).next().unwrap_or_default().to_owned();
            }),
            Fault::KnowsOneVector => texts.iter_mut().for_each(|text| *text = "x".to_owned()),
            Fault::SharesItsTexts => {
                *self.last.lock().unwrap() = texts;
                tokio::task::yield_now().await;
                texts = self.last.lock().unwrap().clone();
            }
            _ => {}
        }
        texts
    }

    fn fields(&self, settings: &EmbeddingSettings) -> Result<Map<String, Value>> {
        let mut fields = match self.fault {
            Fault::DropsExtraSettings => Map::new(),
            _ => settings.extra.clone(),
        };
        match settings.dimensions {
            _ if self.has(Fault::IgnoresDimensions) => {}
            Some(0) if !self.has(Fault::AcceptsNoDimensions) => {
                return Err(Error::invalid_options("plain", "dimensions", 0, "at least 1"));
            }
            Some(0) | None => {}
            Some(dimensions) => drop(fields.insert("dimensions".to_owned(), dimensions.into())),
        }
        Ok(fields)
    }

    async fn embed(self, texts: Vec<String>, settings: EmbeddingSettings) -> Result<Embeddings> {
        let fields = self.fields(&settings)?;
        let is_odd = |text: &String| match self.fault {
            Fault::ReportsEmptyTextsAsBackend => text.is_empty(),
            Fault::ReportsLongTextsAsBackend => text.len() > 8_192,
            _ => false,
        };
        if texts.iter().any(is_odd) {
            return Err(Error::new(ErrorKind::Backend, "plain", "a text is odd"));
        }
        let texts = self.changed(texts).await;
        let mut made = Embeddings::default();
        for batch in texts.chunks(BATCH) {
            let part = self.batch(batch, &fields).await.map_err(|error| self.error(error))?;
            let is_first = made.vectors.is_empty();
            let vectors = part.vectors.into_iter().map(Arc::from);
            match self.fault {
                // The last batch arrives first.
                Fault::JoinsBatchesAsTheyArrive => drop(made.vectors.splice(0..0, vectors)),
                _ => made.vectors.extend(vectors),
            }
            if is_first || !self.has(Fault::CountsTheFirstRequest) {
                made.tokens = Some(made.tokens.unwrap_or_default() + part.tokens);
            }
        }
        self.change_vectors(&mut made.vectors);
        Ok(made)
    }

    async fn batch(&self, texts: &[String], fields: &Map<String, Value>) -> Result<Answer> {
        let mut body = fields.clone();
        body.insert("texts".to_owned(), json!(texts));
        let request = HttpRequest::post(self.url.clone()).with_bearer(&self.key).with_json(&body);
        if self.has(Fault::LogsItsKey) {
            tracing::debug!("the key is {}", Endpoint::KEY);
        }
        let answer = match self.client.send_json::<Answer>(request).await {
            Err(error)
                if self.has(Fault::TakesAnythingForNoVectors)
                    && *error.kind() == ErrorKind::Undecodable =>
            {
                return Ok(Answer { vectors: Vec::new(), tokens: 0 });
            }
            answer => answer?.body,
        };
        if answer.vectors.len() == texts.len() || self.has(Fault::AcceptsMissingVectors) {
            return Ok(answer);
        }
        let message = format!("{} vectors for {} texts", answer.vectors.len(), texts.len());
        Err(Error::new(ErrorKind::Undecodable, "plain", message))
    }

    fn change_vectors(&self, vectors: &mut [Arc<[f32]>]) {
        let fill =
            |vector: &mut Arc<[f32]>, with: f32| *vector = vector.iter().map(|_| with).collect();
        match self.fault {
            Fault::ReversesVectors => vectors.reverse(),
            Fault::MakesNumbersThatAreNone => {
                vectors.iter_mut().for_each(|vector| fill(vector, f32::NAN));
            }
            Fault::MakesZeros => vectors.iter_mut().for_each(|vector| fill(vector, 0.0)),
            Fault::AddsTheMeanOfTheCall => {
                let first: Arc<[f32]> = vectors.first().cloned().unwrap_or_default();
                for vector in vectors {
                    *vector =
                        vector.iter().zip(&*first).map(|(element, mean)| element + mean).collect();
                }
            }
            _ => {}
        }
    }

    fn error(&self, error: Error) -> Error {
        let as_kind = |kind| Error::new(kind, "plain", error.message());
        match (self.fault, error.kind()) {
            (Fault::ReportsStatusesAsBackend, _) => as_kind(ErrorKind::Backend),
            (Fault::ForgetsRetryAfter, kind) => as_kind(kind.clone()),
            (Fault::ReportsSilenceAsUnavailable, ErrorKind::Timeout)
            | (Fault::ReportsUnreadableAsUnavailable, ErrorKind::Undecodable) => {
                as_kind(ErrorKind::Unavailable)
            }
            (Fault::RepeatsErrors, kind) => {
                let message = format!("the key {} is wrong", Endpoint::KEY);
                Error::new(kind.clone(), "plain", message)
            }
            _ => error,
        }
    }
}

#[async_trait]
impl EmbeddingGenerator for PlainEmbeddings {
    fn model_id(&self) -> &str {
        "plain-1"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(if self.has(Fault::ReportsAnotherLength) { 384 } else { DIMENSIONS })
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        match self.fault {
            Fault::SleepsInGenerate => std::thread::sleep(Duration::from_millis(30)),
            Fault::NapsInGenerate => nap(),
            Fault::StaysBusyWhenDropped if self.is_busy.swap(true, Ordering::Relaxed) => {
                return Err(Error::new(ErrorKind::Backend, "plain", "another call is running"));
            }
            _ => {}
        }
        let made = self.clone().embed(texts.to_vec(), settings.clone());
        let made = match self.fault {
            Fault::EmbedsInTheBackground => tokio::spawn(made).await.unwrap(),
            _ => made.await,
        };
        self.is_busy.store(false, Ordering::Relaxed);
        made
    }
}

impl fmt::Debug for PlainEmbeddings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.has(Fault::PrintsItsKey) { Endpoint::KEY } else { "hidden" };
        formatter.debug_struct("PlainEmbeddings").field("key", &key).finish_non_exhaustive()
    }
}
