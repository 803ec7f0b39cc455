//! Tests of the columns of vectors.

use textsearch_core::vector::RecordDefinition;

use super::*;
use crate::version::Version;

fn vector() -> VectorField {
    VectorField::new("embedding", 3)
}

fn typed(kind: VectorType) -> PgVectorTable {
    PgVectorTable::new().with_vector_type("embedding", kind)
}

fn ivf(lists: u32) -> PgVectorTable {
    PgVectorTable::new().with_ivf_flat("embedding", IvfFlatParameters::new(lists))
}

fn hnsw() -> VectorField {
    vector().with_index(IndexKind::hnsw())
}

fn index(field: &VectorField, settings: &PgVectorTable) -> String {
    VectorColumn::new(field, settings).create_index("notes").unwrap()
}

fn refusal_at(version: &str, field: VectorField, settings: &PgVectorTable) -> String {
    let definition = RecordDefinition::new("id").with_vector(field);
    let version = Version::parse(version).unwrap();
    check(&definition, settings, version).unwrap_err().message().to_owned()
}

fn refusal(field: VectorField, settings: &PgVectorTable) -> String {
    refusal_at("0.8.0", field, settings)
}

#[test]
fn an_index_has_the_operators_of_its_type_and_distance() {
    let by = |field: VectorField, distance| field.with_distance(distance);
    let cases = [
        (
            by(hnsw(), Distance::CosineDistance),
            PgVectorTable::new(),
            r#"hnsw ("embedding" vector_cosine_ops) WITH (m = 16, ef_construction = 200)"#,
        ),
        (
            by(vector(), Distance::DotProduct),
            ivf(9),
            r#"ivfflat ("embedding" vector_ip_ops) WITH (lists = 9)"#,
        ),
        (by(hnsw(), Distance::Manhattan), PgVectorTable::new(), r#"("embedding" vector_l1_ops)"#),
        (
            by(hnsw(), Distance::EuclideanSquared),
            typed(VectorType::HalfIndex),
            r#"(("embedding"::halfvec(3)) halfvec_l2_ops)"#,
        ),
        (hnsw(), typed(VectorType::Half), r#"("embedding" halfvec_cosine_ops)"#),
        (by(hnsw(), Distance::Hamming), typed(VectorType::Bit), r#"("embedding" bit_hamming_ops)"#),
        (by(hnsw(), Distance::Jaccard), typed(VectorType::Bit), r#"("embedding" bit_jaccard_ops)"#),
    ];
    for (field, settings, expected) in cases {
        let sql = index(&field, &settings);
        assert!(sql.starts_with("CREATE INDEX ON notes USING ") && sql.contains(expected), "{sql}");
    }
}

#[test]
fn a_search_ranks_by_whole_vectors() {
    let column = |kind| VectorColumn::new(&hnsw(), &typed(kind));
    for (kind, whole, indexed) in [
        (VectorType::Single, r#""embedding" <=> $1::vector"#, r#""embedding" <=> $1::vector"#),
        (
            VectorType::HalfIndex,
            r#""embedding" <=> $1::vector"#,
            r#"("embedding"::halfvec(3)) <=> $1::halfvec(3)"#,
        ),
        (
            VectorType::Half,
            r#""embedding"::vector <=> $1::vector"#,
            r#""embedding" <=> $1::halfvec(3)"#,
        ),
    ] {
        assert_eq!(column(kind).distance(), whole, "{kind:?}");
        assert_eq!(column(kind).indexed_distance(), indexed, "{kind:?}");
    }
}

#[test]
fn settings_without_support_are_refused() {
    let large = |dimensions| VectorField::new("embedding", dimensions);
    let parameters = |parameters: HnswParameters| vector().with_index(parameters);
    let none = PgVectorTable::new();
    let probes = IvfFlatParameters::new(9).with_probes(10);
    let cases = [
        (vector().with_distance(Distance::Hamming), none.clone(), "Hamming"),
        (vector().with_distance(Distance::Jaccard), none.clone(), "Single, compared by Jaccard"),
        (
            vector().with_distance(Distance::Jaccard),
            ivf(9).with_vector_type("embedding", VectorType::Bit),
            "IVFFlat index by Jaccard",
        ),
        (vector(), typed(VectorType::Bit), "Bit, compared by CosineSimilarity"),
        (vector(), typed(VectorType::HalfIndex), "HalfIndex without an index"),
        (large(16_001), none.clone(), "16001 dimensions"),
        (large(2_001).with_index(IndexKind::hnsw()), none.clone(), "at most 2000"),
        (large(4_001).with_index(IndexKind::hnsw()), typed(VectorType::HalfIndex), "at most 4000"),
        (
            parameters(HnswParameters { connections: 101, ..HnswParameters::default() }),
            none.clone(),
            "connections: 101",
        ),
        (
            parameters(HnswParameters { ef_construction: 31, ..HnswParameters::default() }),
            none.clone(),
            "ef_construction: 31",
        ),
        (
            parameters(HnswParameters { ef_search: 1_001, ..HnswParameters::default() }),
            none.clone(),
            "1001",
        ),
        (vector(), ivf(32_769), "lists: 32769"),
        (vector(), none.clone().with_ivf_flat("embedding", probes), "probes: 10"),
        (vector().with_distance(Distance::Manhattan), ivf(9), "IVFFlat index by Manhattan"),
        (hnsw(), ivf(9), "one of the two indexes"),
        (vector(), none.with_vector_type("embeding", VectorType::Half), "`embeding`"),
    ];
    for (field, settings, expected) in cases {
        let refusal = refusal(field, &settings);
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn old_servers_lack_types_and_manhattan_indexes() {
    let manhattan = hnsw().with_distance(Distance::Manhattan);
    for (field, settings) in [
        (vector(), typed(VectorType::Half)),
        (hnsw(), typed(VectorType::HalfIndex)),
        (vector().with_distance(Distance::Hamming), typed(VectorType::Bit)),
        (manhattan, PgVectorTable::new()),
    ] {
        let refusal = refusal_at("0.6.2", field, &settings);
        assert!(refusal.contains("expected pgvector 0.7.0 or newer"), "{refusal}");
    }
}

#[test]
fn vectors_that_a_type_cannot_hold_have_a_fault() {
    let fault = |kind, vector: &[f32]| VectorColumn::new(&hnsw(), &typed(kind)).fault(vector);
    assert!(fault(VectorType::Half, &[65_505.0, 0.0, 1.0]).is_some());
    assert!(fault(VectorType::HalfIndex, &[1e-9, 0.0, 0.0]).is_some());
    assert!(fault(VectorType::Half, &[1e-9, 0.0, 1.0]).is_none());
    assert!(fault(VectorType::Bit, &[1.0, 0.5, 0.0]).unwrap().contains("0.5"));
    assert!(fault(VectorType::Single, &[1e30, 0.0, 0.0]).is_none());
}
