//! Compares scans with bounds to scans without.

use std::sync::Arc;

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, json};
use textsearch_core::vector::{Distance, RecordDefinition, StoredRecord};

use super::*;
use crate::{
    schema::Schema,
    search::ScoredRow,
    simd::Instructions,
    state::{Outdated, State, prepare},
};

fn state(field: &VectorField, rows: &[Vec<f32>]) -> State {
    let definition = RecordDefinition::new("id").with_vector(field.clone());
    let records = rows.iter().enumerate().map(|(number, row)| {
        // Keys sort differently from rows, so that the test notices ties broken by row.
        let data =
            Map::from_iter([("id".to_owned(), json!(format!("{:05}", number * 7919 % 10_007)))]);
        let record = StoredRecord::new(data, &definition).unwrap();
        record.with_vector("embedding", row.clone())
    });
    let schema = Arc::new(Schema::new(Arc::new(definition.clone())));
    let mut state = State::new(Arc::clone(&schema));
    let records: Vec<StoredRecord> = records.collect();
    state.store(&prepare(records, &schema).unwrap(), &Outdated::default());
    state
}

/// Uses bounds if `instructions` are given.
fn scanned(
    state: &State,
    query: &[f32],
    ranking: Ranking,
    instructions: Option<Instructions>,
    is_let_through: impl Fn(u16) -> bool,
) -> (Vec<ScoredRow>, u64) {
    let (_, field) = state.schema().vector(None).unwrap();
    let mut scanner = Scanner::new(field, query, ranking);
    let bounds = |instructions| Bounds::new(instructions, field.distance, query);
    scanner.bounds = instructions.filter(|_| scanner.bounds.is_some()).and_then(bounds);
    for (number, chunk) in state.chunks().iter().enumerate() {
        let block = chunk.block(0).unwrap().unwrap();
        let offsets: Vec<u16> = block.present().rows().filter(|row| is_let_through(*row)).collect();
        scanner.scan(number, chunk, block, &offsets, RowLocation::Memory).unwrap();
    }
    let best = scanner.into_best().unwrap();
    let count = best.count();
    (best.into_rows(), count)
}

fn check(
    distance: Distance,
    rows: &[Vec<f32>],
    query: &[f32],
    limit: usize,
    threshold: Option<f64>,
) {
    let field = VectorField::new("embedding", query.len()).with_distance(distance);
    let state = state(&field, rows);
    let ranking =
        |counted| Ranking { limit, threshold, higher_better: distance.is_higher_better(), counted };
    for step in [1, 3] {
        let through = |row: u16| row.is_multiple_of(step);
        let expected = scanned(&state, query, ranking(true), None, through);
        for instructions in Instructions::all_detected() {
            let counted = scanned(&state, query, ranking(true), Some(instructions), through);
            assert_eq!(counted, expected, "{distance:?} by {instructions:?}");
            let uncounted = scanned(&state, query, ranking(false), Some(instructions), through);
            assert_eq!(uncounted.0, expected.0, "{distance:?} by {instructions:?}");
        }
    }
}

/// Elements of many magnitudes, including those whose squares underflow or overflow.
fn wild() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -1.0_f32..1.0,
        1 => Just(0.0),
        1 => prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL,
        1 => (-1.0_f32..1.0).prop_map(|element| element * 1e-13),
        1 => (-1.0_f32..1.0).prop_map(|element| element * 1e13),
    ]
}

/// Rows of one kind: random, near a few centres, duplicates, one direction at many lengths, or
/// wild.
fn rows(dimensions: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    let uniform = move || vec(-1.0_f32..1.0, dimensions);
    let near = move |distance: f32| {
        let offsets = vec((0_usize..4, uniform()), 1..80);
        (vec(uniform(), 4), offsets).prop_map(move |(centres, offsets)| {
            let row = |(centre, offset): (usize, Vec<f32>)| {
                centres[centre].iter().zip(offset).map(|(a, b)| a + distance * b).collect()
            };
            offsets.into_iter().map(row).collect::<Vec<Vec<f32>>>()
        })
    };
    let scaled = (uniform(), vec(-30_i32..30, 1..80)).prop_map(|(row, powers)| {
        let scale = |power: i32| row.iter().map(|element| element * 2.0_f32.powi(power)).collect();
        powers.into_iter().map(scale).collect()
    });
    prop_oneof![
        vec(uniform(), 1..200),
        near(0.1),
        near(1e-6),
        near(0.0),
        scaled,
        vec(vec(wild(), dimensions), 1..80),
        // One element is far larger than the others, so the codes carry almost no information.
        vec(uniform(), 1..80).prop_map(|mut rows| {
            rows.iter_mut().for_each(|row| row[0] += 1000.0);
            rows
        }),
    ]
}

fn case() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f32>, usize)> {
    let dimensions = prop_oneof![1_usize..5, Just(16), Just(63), Just(64), 65_usize..130];
    let query =
        |dimensions| prop_oneof![4 => vec(-1.0_f32..1.0, dimensions), 1 => vec(wild(), dimensions)];
    dimensions.prop_flat_map(move |dimensions| {
        let own = any::<prop::sample::Index>();
        (rows(dimensions), query(dimensions), option::of(own), 0_usize..12).prop_map(
            |(mut rows, query, own, limit)| {
                // A zero vector has no direction and is refused.
                rows.iter_mut().for_each(|row| {
                    if row.iter().all(|element| *element == 0.0) {
                        row[0] = 1.0;
                    }
                });
                let query = own.map_or(query, |own| own.get(&rows).clone());
                let is_zero = query.iter().all(|element| *element == 0.0);
                (rows, if is_zero { vec![1.0; query.len()] } else { query }, limit)
            },
        )
    })
}

proptest! {
    #[test]
    fn bounds_never_skip_one_of_the_best(
        (rows, query, limit) in case(),
        distance in prop::sample::select(Distance::ALL.to_vec()),
        threshold in option::of(any::<prop::sample::Index>()),
    ) {
        let threshold = threshold.map(|row| distance.score(&query, row.get::<Vec<f32>>(&rows)));
        check(distance, &rows, &query, limit, threshold);
    }
}

#[test]
fn deep_ranking_equals_comparing_every_row() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut vector = || (0..8).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
    // More rows than are gathered at once, with a thousand duplicates for ties.
    let mut rows: Vec<Vec<f32>> = (0..9_000).map(|_| vector()).collect();
    rows.extend_from_within(..1_000);
    let query = vector();
    for distance in [Distance::CosineSimilarity, Distance::DotProduct, Distance::Euclidean] {
        for limit in [DEEP, 1_000, GATHERED / 2] {
            check(distance, &rows, &query, limit, None);
        }
        check(distance, &rows, &query, 1_000, Some(0.5));
    }
}

#[test]
fn bounds_skip_most_rows_of_ordinary_data() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut vector = || (0..384).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
    let rows: Vec<Vec<f32>> = (0..3000).map(|_| vector()).collect();
    let query = vector();
    for distance in [Distance::CosineSimilarity, Distance::DotProduct, Distance::Euclidean] {
        let field = VectorField::new("embedding", 384).with_distance(distance);
        let state = state(&field, &rows);
        let bounds = Bounds::new(Instructions::detect(), distance, &query).unwrap();
        let higher_better = distance.is_higher_better();
        let ranking = Ranking { limit: 10, higher_better, threshold: None, counted: false };
        let (best, _) = scanned(&state, &query, ranking, None, |_| true);
        let worst = best.last().unwrap().score;
        let bar = bounds.key_of(if higher_better { worst } else { -worst });
        let mut reaching = 0;
        for chunk in state.chunks() {
            let block = chunk.block(0).unwrap().unwrap();
            let offsets: Vec<u16> = block.present().rows().collect();
            let mut row_bounds = Vec::new();
            bounds.write(block, &offsets, RowLocation::Memory, &mut row_bounds);
            reaching += row_bounds.iter().filter(|bound| **bound >= bar).count();
        }
        assert!((10..60).contains(&reaching), "{distance:?}: {reaching} rows reach the bar");
    }
}
