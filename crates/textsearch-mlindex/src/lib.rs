#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod context;
mod definition;
mod fields;
mod file;
mod place;
mod registry;
mod search;
mod sections;
mod shown;
mod yaml;

pub use access::{Service, ServiceAccess};
pub use context::{EmbeddingsContext, IndexContext};
pub use fields::FieldMapping;
pub use file::MlIndex;
pub use registry::MlIndexRegistry;
pub use sections::{Connection, EmbeddingsSection, IndexSection, OtherSettings};

/// The name of this crate in errors.
const CONNECTOR: &str = "mlindex";
