//! Costs of rows without a vector, and of the rows compared together with them.

use textsearch_core::vector::Distance;

use super::AT_ONCE;
use crate::{
    hnsw::{
        Lookup, indexed,
        tests::{Collection, topic},
    },
    rows::{Bitmap, CHUNK_ROWS, Row},
};

#[test]
fn rows_of_an_emptied_chunk_cost_infinity() {
    for distance in Distance::ALL {
        let collection = Collection::new(distance);
        collection.put(topic(0, CHUNK_ROWS + 8));
        collection.take(0..CHUNK_ROWS);
        let state = collection.cell.snapshot();
        let (_, _, measure) = indexed(&state).next().unwrap();
        let query = measure.row(Row::new(1, 0));
        let costs = |rows: &[Row]| {
            let mut costs = Vec::new();
            measure.exact_costs(query, rows, &mut costs);
            costs
        };
        let mut rows: Vec<Row> = (0..8).map(|offset| Row::new(1, offset)).collect();
        let mut expected: Vec<f32> = rows.iter().flat_map(|row| costs(&[*row])).collect();
        for place in [7, 5, 2, 0] {
            rows.insert(place, Row::new(0, place));
            expected.insert(place, f32::INFINITY);
        }
        assert_eq!(costs(&rows), expected, "{distance:?}");
    }
}

#[test]
fn rows_of_an_emptied_chunk_cost_infinity_on_walks() {
    let collection = Collection::new(Distance::CosineSimilarity);
    collection.put(topic(1, CHUNK_ROWS + 2 * AT_ONCE));
    collection.take(0..CHUNK_ROWS);
    let state = collection.cell.snapshot();
    let (_, _, measure) = indexed(&state).next().unwrap();
    let target = measure.target(measure.row(Row::new(1, 0)));
    let costs = |rows: &[Row]| {
        let mut costs = vec![0.0; 3];
        measure.costs(&target, rows, &mut costs);
        costs
    };
    let rows = || (0..2 * AT_ONCE - 3).map(|offset| Row::new(1, offset));
    let expected: Vec<f32> =
        rows().flat_map(|row| [vec![f32::INFINITY], costs(&[row])].concat()).collect();
    let among: Vec<Row> = rows().flat_map(|row| [Row::new(0, row.offset()), row]).collect();
    assert_eq!(costs(&among), expected);
    assert!(expected.iter().skip(1).step_by(2).all(|cost| cost.is_finite()));
}

#[test]
fn walks_pass_an_emptied_chunk_that_is_still_linked() {
    let collection = Collection::new(Distance::Euclidean);
    let rows = 3 * CHUNK_ROWS;
    collection.store(topic(0, rows));
    collection.take(0..CHUNK_ROWS);
    let state = collection.cell.snapshot();
    let (place, index, measure) = indexed(&state).next().unwrap();
    assert_eq!(index.len(), rows);
    let field = &state.schema().definition().vectors[place];
    let allowed = [Bitmap::default(), Bitmap::ALL, Bitmap::ALL];
    let is_found = |row: &Row| {
        let query = measure.row(*row).elements;
        let candidates = 64;
        let max_compared = usize::MAX;
        let lookup = Lookup { query, allowed: &allowed, candidates, max_compared };
        index.nearest(state.chunks(), place, field, &lookup).unwrap().first() == Some(row)
    };
    let reached = (CHUNK_ROWS..rows).step_by(20).filter(|row| is_found(&Row(*row as u32)));
    assert_eq!(reached.count(), (2 * CHUNK_ROWS).div_ceil(20));
}

#[test]
fn costs_between_rows_are_near_the_exact_ones() {
    let collection = Collection::new(Distance::CosineSimilarity);
    collection.put(topic(0, 200));
    let state = collection.cell.snapshot();
    let (_, _, measure) = indexed(&state).next().unwrap();
    let rows: Vec<Row> = (0..200).map(|offset| Row::new(0, offset)).collect();
    let mut costs = Vec::new();
    let mut exact = Vec::new();
    for row in &rows {
        measure.costs(&measure.row_target(*row), &rows, &mut costs);
        measure.exact_costs(measure.row(*row), &rows, &mut exact);
        let differences = costs.iter().zip(&exact).map(|(cost, exact)| (cost - exact).abs());
        assert!(differences.fold(0.0, f32::max) < 0.01, "{row:?}");
    }
}
