//! Checks that every row stays reachable after inserts and deletions.

use std::{collections::HashMap, ops::Range};

use textsearch_core::vector::Distance;

use crate::{
    hnsw::{
        Lookup,
        build::Builder,
        graph::Graph,
        indexed,
        measure::Measure,
        tests::{Collection, DIMENSIONS, topic},
        walk::Neighbour,
    },
    rows::{Bitmap, Row},
};

impl Collection {
    #[track_caller]
    fn check_connected(&self, rows: usize) {
        let index = self.index();
        assert_eq!((index.len(), index.outdated().1), (rows, 0));
        let (mut links, mut back) = (HashMap::new(), HashMap::<Row, Vec<Row>>::new());
        for row in index.graph.rows() {
            let to = index.graph.links(row, 0).to_vec();
            to.iter().for_each(|to| back.entry(*to).or_default().push(row));
            links.insert(row, to);
        }
        let ways = (reached(&index.graph, &links), reached(&index.graph, &back));
        assert_eq!(ways, (rows, rows), "rows reached from the entry, and rows that reach it");
    }
}

fn small<'a>(graph: &'a mut Graph, measure: &'a Measure<'a>) -> Builder<'a> {
    Builder { graph, measure, connections: 2, candidates: 5 }
}

fn reached(graph: &Graph, links: &HashMap<Row, Vec<Row>>) -> usize {
    let mut reached = vec![graph.entry().unwrap().0];
    let mut is_reached: HashMap<Row, bool> = reached.iter().map(|row| (*row, true)).collect();
    let mut next = 0;
    while let Some(row) = reached.get(next) {
        next += 1;
        for link in links.get(row).into_iter().flatten() {
            if is_reached.insert(*link, true).is_none() {
                reached.push(*link);
            }
        }
    }
    reached.len()
}

fn all_but(rows: Range<usize>, kept: &[usize]) -> impl Iterator<Item = usize> {
    rows.filter(|row| !kept.contains(row))
}

#[test]
fn last_rows_of_a_topic_stay_reachable() {
    for distance in [Distance::Euclidean, Distance::CosineSimilarity] {
        let collection = Collection::new(distance);
        collection.store((0..5).flat_map(|number| topic(number, 300)));
        collection.store(topic(5, 1100));
        collection.check_connected(2600);
        collection.delete(all_but(1500..2600, &[1503, 1780, 2599]));
        collection.check_connected(1503);
    }
}

#[test]
fn entry_row_may_be_the_last_of_its_topic() {
    let collection = Collection::new(Distance::Euclidean);
    collection.store(topic(0, 1100));
    let (entry, level) = collection.index().graph.entry().unwrap();
    collection.store((1..6).flat_map(|number| topic(number, 220)));
    collection.delete(all_but(0..1100, &[entry.0 as usize]));
    collection.check_connected(1101);
    let index = collection.index();
    let above = (1..level).filter(|level| !index.graph.links(entry, *level).is_empty());
    assert_eq!(above.count(), level - 1);
}

#[test]
fn topics_stored_one_by_one_are_reachable() {
    let collection = Collection::new(Distance::Euclidean);
    collection.store((0..6).flat_map(|number| topic(number, 300)));
    collection.check_connected(1800);
    for number in 6..8 {
        collection.store(topic(number, 1024));
    }
    collection.check_connected(1800 + 2048);
}

#[test]
fn rows_with_equal_vectors_are_reachable() {
    let collection = Collection::new(Distance::Euclidean);
    collection.store(topic(0, 600).chain((0..600).map(|_| vec![1.0; DIMENSIONS])));
    collection.check_connected(1200);
}

#[test]
fn walks_among_equal_vectors_end_with_enough_candidates() {
    let collection = Collection::new(Distance::Euclidean);
    let rows = 2500;
    collection.store((0..rows).map(|_| vec![1.0; DIMENSIONS]));
    collection.check_connected(rows);
    let state = collection.cell.snapshot();
    let (place, index, _) = indexed(&state).next().unwrap();
    let candidates = 128;
    let lookup = Lookup {
        query: &[1.0; DIMENSIONS],
        allowed: &[Bitmap::ALL; 3],
        candidates,
        max_compared: candidates * index.graph.max_links(0),
    };
    let field = &state.schema().definition().vectors[place];
    let rows = index.nearest(state.chunks(), place, field, &lookup);
    assert_eq!(rows.map(|rows| rows.len()), Some(candidates));
}

#[test]
fn link_in_prefers_near_rows_with_room() {
    let collection = Collection::new(Distance::Euclidean);
    collection.put(topic(0, 10));
    let state = collection.cell.snapshot();
    let (_, _, measure) = indexed(&state).next().unwrap();
    let mut graph = Graph::new(2);
    (0..10).for_each(|row| graph.insert(Row(row), 0));
    let full = [5, 6, 7, 8].map(Row);
    for row in [0, 1, 2] {
        graph.set_links(Row(row), 0, full.into_iter());
    }
    let near: Vec<Neighbour> = (0..4).map(|row| Neighbour { cost: 1.0, row: Row(row) }).collect();
    let mut builder = small(&mut graph, &measure);
    builder.link_in(Row(9), &near);
    for row in [0, 1, 2] {
        assert_eq!(graph.links(Row(row), 0), full);
    }
    assert_eq!(graph.links(Row(3), 0), [Row(9)]);
}

#[test]
fn link_that_no_row_can_take_over_stays() {
    let collection = Collection::new(Distance::Euclidean);
    let state = collection.cell.snapshot();
    let (_, _, measure) = indexed(&state).next().unwrap();
    let mut graph = Graph::new(2);
    let rows = 0..2000;
    // With these links, every row that a link is passed on to is full, or has it already.
    let links = |row: u32| [7, 11, 13, 17].map(|step| Row((row + step) % 2000));
    rows.clone().for_each(|row| graph.insert(Row(row), 0));
    rows.clone().for_each(|row| graph.set_links(Row(row), 0, links(row).into_iter()));
    small(&mut graph, &measure).link(Row(0), Row(1));
    assert!(rows.clone().all(|row| graph.links(Row(row), 0) == links(row)));
    graph.set_links(Row(17), 0, [].into_iter());
    small(&mut graph, &measure).link(Row(0), Row(1));
    assert_eq!(graph.links(Row(0), 0), [7, 11, 13, 1].map(Row));
    assert_eq!(graph.links(Row(1), 0), [8, 12, 14, 17].map(Row));
    assert_eq!(graph.links(Row(17), 0), [18].map(Row));
}

#[test]
fn severed_rows_are_linked_on_shared_levels_only() {
    let collection = Collection::new(Distance::Euclidean);
    collection.put(topic(0, 10));
    let state = collection.cell.snapshot();
    let (_, _, measure) = indexed(&state).next().unwrap();
    let mut graph = Graph::new(2);
    (0..10).for_each(|row| {
        graph.insert(Row(row), [3, 1, 1].get(row as usize).map_or(0, |level| *level));
    });
    (0..10).for_each(|row| graph.set_links(Row(row), 0, [Row((row + 1) % 10)].into_iter()));
    let mut builder = small(&mut graph, &measure);
    let severed = |builder: &Builder<'_>| builder.unlinked_on_upper_levels().len();
    assert_eq!(severed(&builder), 3);
    builder.connect();
    assert_eq!(severed(&builder), 0);
    assert!((0..3).all(|row| !graph.links(Row(row), 1).is_empty()));
    assert!((2..4).all(|level| graph.links(Row(0), level).is_empty()));
    assert!((0..10).all(|row| graph.links(Row(row), 0) == [Row((row + 1) % 10)]));
}
