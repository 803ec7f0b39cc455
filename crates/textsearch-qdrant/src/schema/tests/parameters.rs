//! Tests that parameters different from an existing collection's are rejected.

use qdrant_client::qdrant::Memory;

use super::*;

fn definition(field: VectorField) -> RecordDefinition {
    RecordDefinition::new("id").with_vector(field)
}

fn graph(connections: u32, candidates: u32) -> VectorField {
    let parameters = HnswParameters { connections, ..HnswParameters::default() };
    vector().with_index(HnswParameters { ef_construction: candidates, ..parameters })
}

fn foreign(mut info: CollectionInfo) -> CollectionInfo {
    info.config.as_mut().unwrap().metadata.clear();
    info
}

fn changed(mut info: CollectionInfo, change: impl FnOnce(&mut VectorParams)) -> CollectionInfo {
    let params = info.config.as_mut().unwrap().params.as_mut().unwrap();
    let config = params.vectors_config.as_mut().unwrap().config.as_mut().unwrap();
    let Config::ParamsMap(params) = config else { panic!("{config:?}") };
    change(params.map.get_mut("embedding").unwrap());
    info
}

fn is_refused(info: CollectionInfo, field: VectorField) -> bool {
    check_existing(info, &definition(field)).is_err()
}

#[test]
fn refusal_names_changed_index() {
    assert_eq!(
        refusal(&definition(vector()), &definition(graph(8, 64))),
        "qdrant: the definition of `embedding.index` is a graph of 8 connections from 64 candidates; expected \
         without a graph, as in the collection that exists; update the collection, or define it so"
    );
    let there = definition(graph(8, 64));
    for (other, described) in [
        (graph(16, 64), "is a graph of 16 connections from 64 candidates"),
        (graph(8, 100), "is a graph of 8 connections from 100 candidates"),
    ] {
        let refusal = refusal(&there, &definition(other));
        assert!(refusal.contains(described), "{refusal}");
        let expected = "expected a graph of 8 connections from 64 candidates, as";
        assert!(refusal.contains(expected), "{refusal}");
    }
    let searched_otherwise =
        HnswParameters { connections: 8, ef_search: 500, ..HnswParameters::default() };
    let same = vector().with_index(HnswParameters { ef_construction: 64, ..searched_otherwise });
    assert!(!is_refused(existing(&there, 1), same));
}

#[test]
fn exact_definition_fits_any_graph() {
    assert!(!is_refused(existing(&definition(graph(8, 64)), 1), vector()));
    // As an administrator may configure it for all collections of a server.
    let of_groups = HnswConfigDiff { payload_m: Some(16), ..HnswConfigDiff::default() };
    let mut made = existing(&definition(vector()), 1);
    made.config.as_mut().unwrap().hnsw_config = Some(of_groups);
    assert!(!is_refused(made, vector()));
}

#[test]
fn vector_inherits_graph_of_its_collection() {
    let without = |info| changed(info, |params| params.hnsw_config = None);
    let info = || without(existing(&definition(vector()), 1));
    assert!(!is_refused(info(), graph(16, 100)));
    let hnsw = HnswConfigDiff { m: Some(32), ..HnswConfigDiff::default() };
    let mut of_collection = info();
    of_collection.config.as_mut().unwrap().hnsw_config = Some(hnsw);
    assert!(is_refused(of_collection.clone(), graph(16, 100)));
    assert!(!is_refused(of_collection, graph(32, 100)));
}

#[test]
fn graph_of_another_program_may_have_any_parameters() {
    let built = || foreign(existing(&definition(graph(64, 500)), 1));
    assert!(!is_refused(built(), graph(16, 200)));
    assert!(!is_refused(built(), vector()));
    let unbuilt = || foreign(existing(&definition(vector()), 1));
    assert!(is_refused(unbuilt(), graph(16, 200)));
    let of_groups = HnswConfigDiff { m: Some(0), payload_m: Some(16), ..HnswConfigDiff::default() };
    let in_groups = changed(unbuilt(), |params| params.hnsw_config = Some(of_groups));
    assert!(!is_refused(in_groups, graph(16, 200)));
}

#[test]
fn refusal_names_changed_quantization() {
    let packed = |kind| definition(vector().with_quantization(kind));
    assert_eq!(
        refusal(&packed(Quantization::Product), &packed(Quantization::Scalar)),
        "qdrant: the definition of `embedding.quantization` is scalar; expected product of compression x16, as in \
         the collection that exists; update the collection, or leave it out of the definition"
    );
    let unpacked = || existing(&definition(vector()), 1);
    assert!(is_refused(unpacked(), vector().with_quantization(Quantization::Binary)));
    assert!(is_refused(foreign(unpacked()), vector().with_quantization(Quantization::Binary)));
    assert!(!is_refused(existing(&packed(Quantization::Scalar), 1), vector()));
    let mut of_collection = unpacked();
    of_collection.config.as_mut().unwrap().quantization_config = quantization(Quantization::Scalar);
    assert!(!is_refused(of_collection, vector().with_quantization(Quantization::Scalar)));
}

#[test]
fn refusal_names_vectors_that_are_not_on_disk() {
    assert_eq!(
        refusal(&definition(vector()), &definition(vector().on_disk())),
        "qdrant: the definition of `embedding.on_disk` is true; expected false, as in the collection that exists; \
         update the collection, or leave it out of the definition"
    );
    let on_disk = || existing(&definition(vector().on_disk()), 1);
    assert!(!is_refused(on_disk(), vector().on_disk()));
    assert!(!is_refused(on_disk(), vector()));
    // As servers report it since 1.19.
    let placed = |memory: Memory| changed(on_disk(), |params| params.set_memory(memory));
    assert!(!is_refused(placed(Memory::Cold), vector().on_disk()));
    assert!(is_refused(placed(Memory::Cached), vector().on_disk()));
}

#[test]
fn refusal_names_changed_distribution() {
    let spread = |distribution| RecordDefinition::new("id").with_distribution(distribution);
    let default = Distribution::default;
    let there = spread(Distribution { shards: Some(4), ..default() });
    let leave_out = "update the collection, or leave it out of the definition";
    let anew = "leave it out of the definition, or store the records again in a new collection";
    for (distribution, expected, remedy) in [
        (
            Distribution { shards: Some(2), ..default() },
            "`distribution.shards` is 2; expected 4",
            anew,
        ),
        (
            Distribution { replication_factor: Some(2), ..default() },
            "`distribution.replication_factor` is 2; expected 1",
            leave_out,
        ),
        (
            Distribution { write_consistency_factor: Some(3), ..default() },
            "`distribution.write_consistency_factor` is 3; expected 1",
            leave_out,
        ),
    ] {
        let refusal = refusal(&there, &spread(distribution));
        assert!(refusal.contains(expected), "{refusal}");
        assert!(refusal.ends_with(remedy), "{refusal}");
        assert!(check_existing(foreign(existing(&there, 1)), &spread(distribution)).is_err());
    }
    for same in [
        default(),
        Distribution { shards: Some(4), ..default() },
        Distribution { replication_factor: Some(1), ..default() },
    ] {
        assert!(check_existing(existing(&there, 1), &spread(same)).is_ok());
    }
}
