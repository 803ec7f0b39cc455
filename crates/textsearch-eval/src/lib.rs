#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod comparison;
mod error;
mod evaluator;
mod judgements;
mod lines;
mod measures;
mod query;
mod report;

pub use comparison::{Baseline, Change, Comparison};
pub use error::EvalError;
pub use evaluator::Evaluator;
pub use judgements::{Judged, Judgements};
pub use measures::Measures;
pub use query::Query;
pub use report::{JudgedDocument, QueryReport, Report};
