//! The gRPC service for collections.

use std::{collections::HashMap, sync::Arc};

use qdrant_client::qdrant::{
    ChangeAliases, CollectionClusterInfoRequest, CollectionClusterInfoResponse, CollectionConfig,
    CollectionDescription, CollectionExists, CollectionExistsRequest, CollectionExistsResponse,
    CollectionInfo, CollectionOperationResponse, CollectionParams, CollectionStatus,
    CreateCollection, CreateShardKeyRequest, CreateShardKeyResponse, DeleteCollection,
    DeleteShardKeyRequest, DeleteShardKeyResponse, GetCollectionInfoRequest,
    GetCollectionInfoResponse, HnswConfigDiff, ListAliasesRequest, ListAliasesResponse,
    ListCollectionAliasesRequest, ListCollectionsRequest, ListCollectionsResponse,
    ListShardKeysRequest, ListShardKeysResponse, PayloadSchemaInfo, PayloadSchemaType,
    UpdateCollection, UpdateCollectionClusterSetupRequest, UpdateCollectionClusterSetupResponse,
    collections_server::Collections,
};
use qdrant_edge::PayloadSchemaType as Indexed;
use tonic::{Request, Response, Status};

use crate::{engine::Engine, unsupported::unsupported};

pub(crate) struct Service(pub(crate) Arc<Engine>);

#[tonic::async_trait]
impl Collections for Service {
    async fn get(
        &self,
        request: Request<GetCollectionInfoRequest>,
    ) -> Result<Response<GetCollectionInfoResponse>, Status> {
        let collection = self.0.collection(&request.into_inner().collection_name)?;
        let info = collection.read(|shard| Ok(shard.info()))?;
        let created = collection.created();
        let params = CollectionParams {
            shard_number: created.shard_number.unwrap_or(1),
            vectors_config: created.vectors_config,
            sparse_vectors_config: created.sparse_vectors_config,
            replication_factor: created.replication_factor.or(Some(1)),
            write_consistency_factor: created.write_consistency_factor.or(Some(1)),
            ..CollectionParams::default()
        };
        let config = CollectionConfig {
            params: Some(params),
            hnsw_config: Some(created.hnsw_config.unwrap_or_else(graph)),
            optimizer_config: Some(created.optimizers_config.unwrap_or_default()),
            quantization_config: created.quantization_config,
            metadata: created.metadata,
            ..CollectionConfig::default()
        };
        let schema = info.payload_schema.into_iter();
        let schema = schema.map(|(path, index)| (path.to_string(), indexed(&index.data_type)));
        let info = CollectionInfo {
            status: CollectionStatus::Green.into(),
            segments_count: info.segments_count as u64,
            points_count: Some(info.points_count as u64),
            config: Some(config),
            payload_schema: schema.collect::<HashMap<_, _>>(),
            ..CollectionInfo::default()
        };
        Ok(Response::new(GetCollectionInfoResponse { result: Some(info), time: 0.0 }))
    }

    async fn list(
        &self,
        _: Request<ListCollectionsRequest>,
    ) -> Result<Response<ListCollectionsResponse>, Status> {
        let names = self.0.names().into_iter();
        let collections = names.map(|name| CollectionDescription { name }).collect();
        Ok(Response::new(ListCollectionsResponse { collections, time: 0.0 }))
    }

    async fn create(
        &self,
        request: Request<CreateCollection>,
    ) -> Result<Response<CollectionOperationResponse>, Status> {
        self.0.create(request.into_inner())?;
        Ok(Response::new(CollectionOperationResponse { result: true, time: 0.0 }))
    }

    async fn update(
        &self,
        request: Request<UpdateCollection>,
    ) -> Result<Response<CollectionOperationResponse>, Status> {
        let update = request.into_inner();
        self.0.collection(&update.collection_name)?.describe(update)?;
        Ok(Response::new(CollectionOperationResponse { result: true, time: 0.0 }))
    }

    async fn delete(
        &self,
        request: Request<DeleteCollection>,
    ) -> Result<Response<CollectionOperationResponse>, Status> {
        let result = self.0.delete(&request.into_inner().collection_name)?;
        Ok(Response::new(CollectionOperationResponse { result, time: 0.0 }))
    }

    async fn collection_exists(
        &self,
        request: Request<CollectionExistsRequest>,
    ) -> Result<Response<CollectionExistsResponse>, Status> {
        let exists = self.0.exists(&request.into_inner().collection_name);
        let result = Some(CollectionExists { exists });
        Ok(Response::new(CollectionExistsResponse { result, time: 0.0 }))
    }

    unsupported! {
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

fn graph() -> HnswConfigDiff {
    HnswConfigDiff { m: Some(16), ef_construct: Some(100), ..HnswConfigDiff::default() }
}

fn indexed(index: &Indexed) -> PayloadSchemaInfo {
    let data_type = match index {
        Indexed::Keyword => PayloadSchemaType::Keyword,
        Indexed::Integer => PayloadSchemaType::Integer,
        Indexed::Float => PayloadSchemaType::Float,
        Indexed::Geo => PayloadSchemaType::Geo,
        Indexed::Text => PayloadSchemaType::Text,
        Indexed::Bool => PayloadSchemaType::Bool,
        Indexed::Datetime => PayloadSchemaType::Datetime,
        Indexed::Uuid => PayloadSchemaType::Uuid,
    };
    PayloadSchemaInfo { data_type: data_type.into(), params: None, points: None }
}
