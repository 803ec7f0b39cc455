//! The retrieval-plugin interface: `/query`, `/upsert` and `/delete`, in the shapes of the ChatGPT
//! retrieval plugin.

mod delete;
mod ids;
mod query;
mod schema;
mod stamp;
mod tenant;
mod upsert;
mod wire;
mod writer;

pub(crate) use self::{
    delete::{__path_delete, delete},
    query::{__path_query, query},
    tenant::TenantDocuments,
    upsert::{__path_upsert, upsert},
};
pub use self::{
    schema::retrieval_metadata,
    writer::{DocumentWriter, Persist},
};
