#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod clean;
mod elements;
mod style;
mod tag;
mod text;

pub use clean::{Excess, Limits, Piece, Start, clean};
pub use tag::Tag;
pub use text::{one_line, tidy, visible};
