//! A server that records requests and sends prepared responses.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use qdrant_client::qdrant::{
    self as api, CollectionExists, CollectionExistsResponse, CountResponse, CountResult,
    GetResponse, PointsOperationResponse, QueryBatchResponse, QueryPoints, QueryResponse,
    ScoredPoint, UpdateResult, UpdateStatus, UpsertPoints,
    collections_server::{Collections, CollectionsServer},
    points_server::{Points, PointsServer},
};
use serde_json::json;
use textsearch_conformance::core::vector::{
    DataField, KeyKind, RecordDefinition, StoredRecord, VectorCollection, VectorField, VectorStore,
};
use textsearch_qdrant::{QdrantConfig, QdrantStore, point_id};
use tokio::runtime::Runtime;
use tonic::{Request, Response, Status, transport::Server};

macro_rules! unsupported {
    ($($method:ident($request:ident) -> $response:ident;)*) => {
        $(
            fn $method<'service, 'answer>(
                &'service self,
                _: Request<api::$request>,
            ) -> std::pin::Pin<
                Box<dyn Future<Output = Result<Response<api::$response>, Status>> + Send + 'answer>,
            >
            where
                'service: 'answer,
                Self: 'answer,
            {
                Box::pin(std::future::ready(Err(Status::unimplemented(stringify!($method)))))
            }
        )*
    };
}

#[derive(Default)]
pub(crate) struct Log {
    pub(crate) upserts: Vec<UpsertPoints>,
    pub(crate) queries: Vec<QueryPoints>,
    pub(crate) scrolls: Vec<api::ScrollPoints>,
    pub(crate) requests: usize,
    pub(crate) keys: Vec<Option<String>>,
    /// The results of the next requests, in order; `None` is a success.
    pub(crate) failures: VecDeque<Option<Status>>,
    pub(crate) max_rankings: Option<usize>,
    /// Best first.
    pub(crate) points: Vec<ScoredPoint>,
    /// By default, as many empty points as requested.
    pub(crate) scrolled: Option<Vec<api::RetrievedPoint>>,
    /// The status of the next writes, in order; the default is completed.
    pub(crate) written: VecDeque<UpdateStatus>,
    /// By default, as of another program's collection.
    pub(crate) info: api::CollectionInfo,
    /// The statuses of the collection in the next descriptions, in order; the default is green.
    pub(crate) statuses: VecDeque<api::CollectionStatus>,
    /// The indexing thresholds that were set.
    pub(crate) thresholds: Vec<Option<u64>>,
}

#[derive(Clone, Default)]
pub(crate) struct Recorder(pub(crate) Arc<Mutex<Log>>);

pub(crate) struct Listening {
    pub(crate) log: Arc<Mutex<Log>>,
    pub(crate) url: String,
    /// A separate runtime, so that connections end with the recorder.
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
    pub(crate) async fn start() -> Self {
        let recorder = Recorder::default();
        let log = Arc::clone(&recorder.0);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        listener.set_nonblocking(true).unwrap();
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let server = Server::builder()
                .add_service(PointsServer::new(recorder.clone()))
                .add_service(CollectionsServer::new(recorder));
            let incoming = tonic::transport::server::TcpIncoming::from(listener);
            server.serve_with_incoming(incoming).await.unwrap();
        });
        Self { log, url, runtime: Some(runtime) }
    }

    pub(crate) fn config(&self) -> QdrantConfig {
        let short = Duration::from_millis(1);
        QdrantConfig::new(&self.url).with_backoff(short, short).with_connections(1)
    }

    pub(crate) fn fail(&self, failures: impl IntoIterator<Item = Option<Status>>) {
        self.log.lock().unwrap().failures.extend(failures);
    }
}

pub(crate) fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::string("text").full_text_in("en"))
        .with_vector(VectorField::new("embedding", 2))
}

pub(crate) fn collection(config: QdrantConfig) -> Arc<dyn VectorCollection> {
    QdrantStore::new(config).unwrap().stored_collection("docs", definition()).unwrap()
}

pub(crate) fn record(id: &str) -> StoredRecord {
    let data = json!({ "id": id, "lang": "en", "text": "a text" });
    let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition()).unwrap();
    record.with_vector("embedding", [1.0, 0.0])
}

pub(crate) fn point(key: &str, score: f32) -> ScoredPoint {
    let payload = [("id".to_owned(), key.into())].into();
    let id = Some(point_id(KeyKind::String, &key.into()).to_string().into());
    ScoredPoint { id, payload, score, ..ScoredPoint::default() }
}

pub(crate) fn retrieved(key: &str) -> api::RetrievedPoint {
    let ScoredPoint { id, payload, .. } = point(key, 0.0);
    api::RetrievedPoint { id, payload, ..api::RetrievedPoint::default() }
}

impl Recorder {
    fn note<T>(&self, request: &Request<T>) -> Result<(), Status> {
        let mut log = self.0.lock().unwrap();
        log.requests += 1;
        let key = request.metadata().get("api-key").and_then(|key| key.to_str().ok());
        log.keys.push(key.map(str::to_owned));
        log.failures.pop_front().flatten().map_or(Ok(()), Err)
    }

    fn written(&self) -> Response<PointsOperationResponse> {
        let status = self.0.lock().unwrap().written.pop_front();
        let status = status.unwrap_or(UpdateStatus::Completed).into();
        let result = Some(UpdateResult { status, ..UpdateResult::default() });
        Response::new(PointsOperationResponse { result, ..PointsOperationResponse::default() })
    }

    fn points_for(&self, query: QueryPoints) -> Vec<ScoredPoint> {
        let mut log = self.0.lock().unwrap();
        let limit = query.limit.unwrap_or(10) as usize;
        log.queries.push(query);
        log.points.iter().take(limit).cloned().collect()
    }
}

#[tonic::async_trait]
impl Points for Recorder {
    async fn upsert(
        &self,
        request: Request<UpsertPoints>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        self.note(&request)?;
        self.0.lock().unwrap().upserts.push(request.into_inner());
        Ok(self.written())
    }

    async fn delete(
        &self,
        request: Request<api::DeletePoints>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        self.note(&request)?;
        Ok(self.written())
    }

    async fn get(&self, request: Request<api::GetPoints>) -> Result<Response<GetResponse>, Status> {
        self.note(&request)?;
        Ok(Response::new(GetResponse::default()))
    }

    async fn count(
        &self,
        request: Request<api::CountPoints>,
    ) -> Result<Response<CountResponse>, Status> {
        self.note(&request)?;
        let result = Some(CountResult { count: 7 });
        Ok(Response::new(CountResponse { result, ..CountResponse::default() }))
    }

    async fn query(
        &self,
        request: Request<QueryPoints>,
    ) -> Result<Response<QueryResponse>, Status> {
        self.note(&request)?;
        let result = self.points_for(request.into_inner());
        Ok(Response::new(QueryResponse { result, ..QueryResponse::default() }))
    }

    async fn query_batch(
        &self,
        request: Request<api::QueryBatchPoints>,
    ) -> Result<Response<QueryBatchResponse>, Status> {
        self.note(&request)?;
        let queries = request.into_inner().query_points.into_iter();
        let result = queries.map(|query| api::BatchResult { result: self.points_for(query) });
        let mut result: Vec<_> = result.collect();
        result.truncate(self.0.lock().unwrap().max_rankings.unwrap_or(usize::MAX));
        Ok(Response::new(QueryBatchResponse { result, ..QueryBatchResponse::default() }))
    }

    async fn scroll(
        &self,
        request: Request<api::ScrollPoints>,
    ) -> Result<Response<api::ScrollResponse>, Status> {
        self.note(&request)?;
        let request = request.into_inner();
        let mut log = self.0.lock().unwrap();
        let limit = request.limit.unwrap_or(10) as usize;
        log.scrolls.push(request);
        let (result, next_page_offset) = match &log.scrolled {
            Some(points) => (points.clone(), None),
            None => (vec![api::RetrievedPoint::default(); limit], Some(7.into())),
        };
        let answer =
            api::ScrollResponse { result, next_page_offset, ..api::ScrollResponse::default() };
        Ok(Response::new(answer))
    }

    unsupported! {
        update_vectors(UpdatePointVectors) -> PointsOperationResponse;
        delete_vectors(DeletePointVectors) -> PointsOperationResponse;
        set_payload(SetPayloadPoints) -> PointsOperationResponse;
        overwrite_payload(SetPayloadPoints) -> PointsOperationResponse;
        delete_payload(DeletePayloadPoints) -> PointsOperationResponse;
        clear_payload(ClearPayloadPoints) -> PointsOperationResponse;
        create_field_index(CreateFieldIndexCollection) -> PointsOperationResponse;
        delete_field_index(DeleteFieldIndexCollection) -> PointsOperationResponse;
        create_vector_name(CreateVectorNameRequest) -> PointsOperationResponse;
        delete_vector_name(DeleteVectorNameRequest) -> PointsOperationResponse;
        search(SearchPoints) -> SearchResponse;
        search_batch(SearchBatchPoints) -> SearchBatchResponse;
        search_groups(SearchPointGroups) -> SearchGroupsResponse;
        recommend(RecommendPoints) -> RecommendResponse;
        recommend_batch(RecommendBatchPoints) -> RecommendBatchResponse;
        recommend_groups(RecommendPointGroups) -> RecommendGroupsResponse;
        discover(DiscoverPoints) -> DiscoverResponse;
        discover_batch(DiscoverBatchPoints) -> DiscoverBatchResponse;
        update_batch(UpdateBatchPoints) -> UpdateBatchResponse;
        query_groups(QueryPointGroups) -> QueryGroupsResponse;
        facet(FacetCounts) -> FacetResponse;
        search_matrix_pairs(SearchMatrixPoints) -> SearchMatrixPairsResponse;
        search_matrix_offsets(SearchMatrixPoints) -> SearchMatrixOffsetsResponse;
    }
}

#[tonic::async_trait]
impl Collections for Recorder {
    async fn collection_exists(
        &self,
        request: Request<api::CollectionExistsRequest>,
    ) -> Result<Response<CollectionExistsResponse>, Status> {
        self.note(&request)?;
        let result = Some(CollectionExists { exists: true });
        Ok(Response::new(CollectionExistsResponse { result, time: 0.0 }))
    }

    async fn get(
        &self,
        request: Request<api::GetCollectionInfoRequest>,
    ) -> Result<Response<api::GetCollectionInfoResponse>, Status> {
        self.note(&request)?;
        let mut log = self.0.lock().unwrap();
        let status = log.statuses.pop_front().unwrap_or(api::CollectionStatus::Green).into();
        let result = Some(api::CollectionInfo { status, ..log.info.clone() });
        Ok(Response::new(api::GetCollectionInfoResponse { result, time: 0.0 }))
    }

    async fn update(
        &self,
        request: Request<api::UpdateCollection>,
    ) -> Result<Response<api::CollectionOperationResponse>, Status> {
        self.note(&request)?;
        let optimizers = request.into_inner().optimizers_config.unwrap_or_default();
        self.0.lock().unwrap().thresholds.push(optimizers.indexing_threshold);
        Ok(Response::new(api::CollectionOperationResponse { result: true, time: 0.0 }))
    }

    unsupported! {
        list(ListCollectionsRequest) -> ListCollectionsResponse;
        create(CreateCollection) -> CollectionOperationResponse;
        delete(DeleteCollection) -> CollectionOperationResponse;
        update_aliases(ChangeAliases) -> CollectionOperationResponse;
        list_collection_aliases(ListCollectionAliasesRequest) -> ListAliasesResponse;
        list_aliases(ListAliasesRequest) -> ListAliasesResponse;
        collection_cluster_info(CollectionClusterInfoRequest) -> CollectionClusterInfoResponse;
        update_collection_cluster_setup(UpdateCollectionClusterSetupRequest) -> UpdateCollectionClusterSetupResponse;
        create_shard_key(CreateShardKeyRequest) -> CreateShardKeyResponse;
        delete_shard_key(DeleteShardKeyRequest) -> DeleteShardKeyResponse;
        list_shard_keys(ListShardKeysRequest) -> ListShardKeysResponse;
    }
}
