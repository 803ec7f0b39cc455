//! The gRPC service for points.

use std::sync::Arc;

use qdrant_client::qdrant::{
    BatchResult, ClearPayloadPoints, CountPoints, CountResponse, CountResult,
    CreateFieldIndexCollection, CreateVectorNameRequest, DeleteFieldIndexCollection,
    DeletePayloadPoints, DeletePointVectors, DeletePoints, DeleteVectorNameRequest, Direction,
    DiscoverBatchPoints, DiscoverBatchResponse, DiscoverPoints, DiscoverResponse, FacetCounts,
    FacetHit, FacetResponse, FieldType, GetPoints, GetResponse, PointsOperationResponse,
    QueryBatchPoints, QueryBatchResponse, QueryGroupsResponse, QueryPointGroups, QueryPoints,
    QueryResponse, RecommendBatchPoints, RecommendBatchResponse, RecommendGroupsResponse,
    RecommendPointGroups, RecommendPoints, RecommendResponse, RetrievedPoint, ScrollPoints,
    ScrollResponse, SearchBatchPoints, SearchBatchResponse, SearchGroupsResponse,
    SearchMatrixOffsetsResponse, SearchMatrixPairsResponse, SearchMatrixPoints, SearchPointGroups,
    SearchPoints, SearchResponse, SetPayloadPoints, UpdateBatchPoints, UpdateBatchResponse,
    UpdatePointVectors, UpdateResult, UpdateStatus, UpsertPoints, facet_value::Variant,
    points_selector::PointsSelectorOneOf, points_server::Points,
};
use qdrant_edge::{
    CountRequest, CreateIndex, FacetValue, FacetValueHit, FieldIndexOperations, PayloadFieldSchema,
    PayloadSchemaType, PointInsertOperations, PointOperations, Record, ScrollRequest,
    UpdateOperation,
};
use serde_json::json;
use tonic::{Request, Response, Status};

use crate::{convert, engine::Engine, query, unsupported::unsupported};

pub(crate) struct Service(pub(crate) Arc<Engine>);

impl Service {
    /// The engine's work blocks.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, Status> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let engine = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&engine)).await;
        done.map_err(|error| Status::internal(error.to_string()))?.map(Response::new)
    }

    async fn update(
        &self,
        collection: String,
        operation: Result<UpdateOperation, Status>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        self.work(move |engine| {
            engine.collection(&collection)?.update(operation?)?;
            let status = UpdateStatus::Completed.into();
            let result = Some(UpdateResult { operation_id: None, status });
            Ok(PointsOperationResponse { result, ..PointsOperationResponse::default() })
        })
        .await
    }
}

#[tonic::async_trait]
impl Points for Service {
    async fn upsert(
        &self,
        request: Request<UpsertPoints>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        let request = request.into_inner();
        let points = request.points.into_iter().map(|point| Ok(convert::point(point)?.into()));
        let points = points.collect::<Result<Vec<_>, Status>>();
        let operation = points.map(|points| {
            let points = PointInsertOperations::PointsList(points);
            UpdateOperation::PointOperation(PointOperations::UpsertPoints(points))
        });
        self.update(request.collection_name, operation).await
    }

    async fn delete(
        &self,
        request: Request<DeletePoints>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        let request = request.into_inner();
        let operation = match request.points.and_then(|points| points.points_selector_one_of) {
            Some(PointsSelectorOneOf::Points(points)) => {
                convert::ids(&points.ids).map(|ids| PointOperations::DeletePoints { ids })
            }
            Some(PointsSelectorOneOf::Filter(filter)) => convert::filter_json(filter)
                .and_then(convert::read)
                .map(PointOperations::DeletePointsByFilter),
            None => Err(Status::invalid_argument("no points are selected")),
        };
        self.update(request.collection_name, operation.map(UpdateOperation::PointOperation)).await
    }

    async fn create_field_index(
        &self,
        request: Request<CreateFieldIndexCollection>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        let request = request.into_inner();
        let schema = match request.field_type() {
            FieldType::Keyword => PayloadSchemaType::Keyword,
            FieldType::Integer => PayloadSchemaType::Integer,
            FieldType::Float => PayloadSchemaType::Float,
            FieldType::Geo => PayloadSchemaType::Geo,
            FieldType::Text => PayloadSchemaType::Text,
            FieldType::Bool => PayloadSchemaType::Bool,
            FieldType::Datetime => PayloadSchemaType::Datetime,
            FieldType::Uuid => PayloadSchemaType::Uuid,
        };
        let operation = convert::read(json!(request.field_name)).map(|field_name| {
            let field_schema = Some(PayloadFieldSchema::FieldType(schema));
            let create = CreateIndex { field_name, field_schema };
            UpdateOperation::FieldIndexOperation(FieldIndexOperations::CreateIndex(create))
        });
        self.update(request.collection_name, operation).await
    }

    async fn get(&self, request: Request<GetPoints>) -> Result<Response<GetResponse>, Status> {
        let request = request.into_inner();
        self.work(move |engine| {
            let ids = convert::ids(&request.ids)?;
            let payload = convert::read(convert::with_payload(request.with_payload)?)?;
            let vectors = convert::read(convert::with_vectors(request.with_vectors))?;
            let collection = engine.collection(&request.collection_name)?;
            let found =
                collection.read(|shard| shard.retrieve(&ids, Some(payload), Some(vectors)))?;
            let result = found.into_iter().map(retrieved).collect();
            Ok(GetResponse { result, ..GetResponse::default() })
        })
        .await
    }

    async fn scroll(
        &self,
        request: Request<ScrollPoints>,
    ) -> Result<Response<ScrollResponse>, Status> {
        let request = request.into_inner();
        self.work(move |engine| {
            let collection = engine.collection(&request.collection_name)?;
            let scroll = scroll_request(request)?;
            let (found, next) = collection.read(|shard| shard.scroll(scroll))?;
            Ok(ScrollResponse {
                next_page_offset: next.map(convert::id_message),
                result: found.into_iter().map(retrieved).collect(),
                ..ScrollResponse::default()
            })
        })
        .await
    }

    async fn count(
        &self,
        request: Request<CountPoints>,
    ) -> Result<Response<CountResponse>, Status> {
        let request = request.into_inner();
        self.work(move |engine| {
            let exact = request.exact.unwrap_or(true);
            let count = CountRequest { filter: convert::filter(request.filter)?, exact };
            let collection = engine.collection(&request.collection_name)?;
            let count = collection.read(|shard| shard.count(count))? as u64;
            Ok(CountResponse { result: Some(CountResult { count }), ..CountResponse::default() })
        })
        .await
    }

    async fn query(
        &self,
        request: Request<QueryPoints>,
    ) -> Result<Response<QueryResponse>, Status> {
        let request = request.into_inner();
        self.work(move |engine| {
            let collection = engine.collection(&request.collection_name)?;
            let query = query::request(request)?;
            let found = collection.read(|shard| shard.query(query))?;
            let result = found.into_iter().map(query::scored).collect();
            Ok(QueryResponse { result, ..QueryResponse::default() })
        })
        .await
    }

    async fn query_batch(
        &self,
        request: Request<QueryBatchPoints>,
    ) -> Result<Response<QueryBatchResponse>, Status> {
        let request = request.into_inner();
        self.work(move |engine| {
            let collection = engine.collection(&request.collection_name)?;
            let one = |one| {
                let query = query::request(one)?;
                let found = collection.read(|shard| shard.query(query))?;
                Ok(BatchResult { result: found.into_iter().map(query::scored).collect() })
            };
            let result =
                request.query_points.into_iter().map(one).collect::<Result<_, Status>>()?;
            Ok(QueryBatchResponse { result, ..QueryBatchResponse::default() })
        })
        .await
    }

    async fn facet(
        &self,
        request: Request<FacetCounts>,
    ) -> Result<Response<FacetResponse>, Status> {
        let request = request.into_inner();
        self.work(move |engine| {
            let facet = convert::read(json!({
                "key": request.key,
                "limit": request.limit,
                "filter": request.filter.map(convert::filter_json).transpose()?,
                "exact": request.exact,
            }))?;
            let collection = engine.collection(&request.collection_name)?;
            let counted = collection.read(|shard| shard.facet(facet))?;
            let hits = counted.hits.into_iter().map(facet_hit).collect();
            Ok(FacetResponse { hits, ..FacetResponse::default() })
        })
        .await
    }

    unsupported! {
        update_vectors(UpdatePointVectors) -> PointsOperationResponse;
        delete_vectors(DeletePointVectors) -> PointsOperationResponse;
        set_payload(SetPayloadPoints) -> PointsOperationResponse;
        overwrite_payload(SetPayloadPoints) -> PointsOperationResponse;
        delete_payload(DeletePayloadPoints) -> PointsOperationResponse;
        clear_payload(ClearPayloadPoints) -> PointsOperationResponse;
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
        search_matrix_pairs(SearchMatrixPoints) -> SearchMatrixPairsResponse;
        search_matrix_offsets(SearchMatrixPoints) -> SearchMatrixOffsetsResponse;
    }
}

fn facet_hit(hit: FacetValueHit) -> FacetHit {
    let variant = match hit.value {
        FacetValue::Keyword(text) => Variant::StringValue(text),
        FacetValue::Int(number) => Variant::IntegerValue(number),
        FacetValue::Bool(value) => Variant::BoolValue(value),
        // No index of the store's has UUIDs.
        FacetValue::Uuid(uuid) => Variant::StringValue(uuid.to_string()),
    };
    let value = Some(qdrant_client::qdrant::FacetValue { variant: Some(variant) });
    FacetHit { value, count: hit.count as u64 }
}

fn scroll_request(request: ScrollPoints) -> Result<ScrollRequest, Status> {
    let order = request.order_by.map(|order| {
        let direction = if order.direction() == Direction::Desc { "desc" } else { "asc" };
        json!({ "key": order.key, "direction": direction })
    });
    let offset = request.offset.as_ref().map(convert::id_json).transpose()?;
    convert::read(json!({
        "offset": offset,
        "limit": request.limit,
        "filter": request.filter.map(convert::filter_json).transpose()?,
        "with_payload": convert::with_payload(request.with_payload)?,
        "with_vector": convert::with_vectors(request.with_vectors),
        "order_by": order,
    }))
}

fn retrieved(record: Record) -> RetrievedPoint {
    RetrievedPoint {
        id: Some(convert::id_message(record.id)),
        payload: convert::payload_message(record.payload),
        vectors: convert::vectors_message(record.vector),
        ..RetrievedPoint::default()
    }
}
