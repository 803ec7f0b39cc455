#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod clean;
mod elements;
mod limits;
mod links;
mod parse;
mod style;
mod text;
mod tree;

pub use clean::{Piece, Start, Tag, clean, escape};
pub use limits::{Excess, Limits};
pub use links::PageLinks;
pub use text::{one_line, tidy, visible};
