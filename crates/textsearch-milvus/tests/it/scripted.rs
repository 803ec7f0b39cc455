//! A server that records requests and sends prepared responses.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Buf as _, BufMut as _, Bytes};
use prost::Message;
use serde_json::json;
use textsearch_milvus::{
    MilvusConfig, MilvusStore,
    vector::{RecordDefinition, StoredRecord, VectorCollection, VectorField, VectorStore as _},
};
use tokio::runtime::Runtime;
use tonic::{
    Request, Response, Status,
    body::Body,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::{Service, http},
    metadata::MetadataMap,
    server::{Grpc, NamedService, UnaryService},
    transport::{Server, server::TcpIncoming},
};

/// The start of most responses.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Answer {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Outcome>,
    /// `value` of `HasCollection` or `state` of `GetLoadState`.
    #[prost(int32, tag = "2")]
    pub(crate) number: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Outcome {
    #[prost(string, tag = "2")]
    pub(crate) reason: String,
    #[prost(int32, tag = "3")]
    pub(crate) code: i32,
    #[prost(bool, tag = "4")]
    pub(crate) retriable: bool,
}

pub(crate) fn succeeded(number: i32) -> Result<Bytes, Status> {
    Ok(Answer { status: Some(Outcome::default()), number }.encode_to_vec().into())
}

pub(crate) fn failed(code: i32, retriable: bool) -> Result<Bytes, Status> {
    let reason = format!("the reason of {code}");
    let status = Some(Outcome { reason, code, retriable });
    Ok(Answer { status, number: 0 }.encode_to_vec().into())
}

/// The response to `LoadCollection` and `CreateIndex`, which is a status itself.
pub(crate) fn done() -> Result<Bytes, Status> {
    Ok(Outcome::default().encode_to_vec().into())
}

pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) metadata: MetadataMap,
    pub(crate) body: Bytes,
}

/// The response to a request. Without one, the server is silent.
type Script = Box<dyn FnMut(&Recorded) -> Option<Result<Bytes, Status>> + Send>;

struct Log {
    requests: Vec<Recorded>,
    script: Script,
}

#[derive(Clone)]
struct Scripted(Arc<Mutex<Log>>);

pub(crate) struct Listening {
    log: Arc<Mutex<Log>>,
    url: String,
    /// A separate runtime, so that connections end with the server.
    runtime: Option<Runtime>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Listening {
    /// Sends these responses in order, and is silent afterwards.
    pub(crate) fn start(answers: impl IntoIterator<Item = Result<Bytes, Status>>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Self::start_with(move |_| answers.pop())
    }

    pub(crate) fn start_with(
        script: impl FnMut(&Recorded) -> Option<Result<Bytes, Status>> + Send + 'static,
    ) -> Self {
        let log = Log { requests: Vec::new(), script: Box::new(script) };
        let scripted = Scripted(Arc::new(Mutex::new(log)));
        let log = Arc::clone(&scripted.0);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        listener.set_nonblocking(true).unwrap();
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let server = Server::builder().add_service(scripted);
            server.serve_with_incoming(TcpIncoming::from(listener)).await.unwrap();
        });
        Self { log, url, runtime: Some(runtime) }
    }

    pub(crate) fn config(&self) -> MilvusConfig {
        let short = Duration::from_millis(1);
        MilvusConfig::new(&self.url).with_backoff(short, short)
    }

    pub(crate) fn methods(&self) -> Vec<String> {
        let log = self.log.lock().unwrap();
        log.requests.iter().map(|request| request.method.clone()).collect()
    }

    /// Bodies of the requests with this method.
    pub(crate) fn bodies<M: Message + Default>(&self, method: &str) -> Vec<M> {
        let log = self.log.lock().unwrap();
        let own = log.requests.iter().filter(|request| request.method == method);
        own.map(|request| M::decode(request.body.clone()).unwrap()).collect()
    }

    pub(crate) fn last(&self) -> Recorded {
        self.log.lock().unwrap().requests.pop().unwrap()
    }
}

pub(crate) fn definition() -> RecordDefinition {
    RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2))
}

pub(crate) fn collection(config: MilvusConfig) -> Arc<dyn VectorCollection> {
    MilvusStore::new(config).unwrap().stored_collection("docs", definition()).unwrap()
}

pub(crate) fn records(keys: impl IntoIterator<Item = u32>) -> Vec<StoredRecord> {
    let record = |key: u32| {
        let data = json!({ "id": key.to_string() }).as_object().cloned().unwrap();
        StoredRecord::new(data, &definition()).unwrap()
    };
    keys.into_iter().map(record).collect()
}

impl NamedService for Scripted {
    const NAME: &'static str = "milvus.proto.milvus.MilvusService";
}

impl Service<http::Request<Body>> for Scripted {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let path = request.uri().path();
        let method = path.rsplit('/').next().unwrap_or_default().to_owned();
        let call = Call { method, log: Arc::clone(&self.0) };
        Box::pin(async move { Ok(Grpc::new(Raw).unary(call, request).await) })
    }
}

struct Call {
    method: String,
    log: Arc<Mutex<Log>>,
}

impl UnaryService<Bytes> for Call {
    type Response = Bytes;
    type Future = futures_util::future::Either<
        Ready<Result<Response<Bytes>, Status>>,
        std::future::Pending<Result<Response<Bytes>, Status>>,
    >;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let (metadata, _, body) = request.into_parts();
        let mut log = self.log.lock().unwrap();
        let request = Recorded { method: self.method.clone(), metadata, body };
        let answer = (log.script)(&request);
        log.requests.push(request);
        match answer {
            Some(answer) => futures_util::future::Either::Left(ready(answer.map(Response::new))),
            None => futures_util::future::Either::Right(std::future::pending()),
        }
    }
}

/// Messages as their bytes.
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
