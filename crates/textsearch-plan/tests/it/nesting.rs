//! Deeply nested plans.

use serde_json::json;
use textsearch_conformance::with_each_depth;
use textsearch_plan::Plan;

use crate::support::{check, function, kernel_of};

fn nested((start, middle, end): (&str, &str, &str), depth: usize) -> String {
    format!("{}{middle}{}", start.repeat(depth), end.repeat(depth))
}

fn check_with(value: &str) {
    let [schema, result, argument, list] =
        [0, 1, 2, 3].map(|place| if place == 0 { value } else { "1" });
    drop((schema, result, argument, list));
}
