//! The retrieval-plugin interface: `/query`, `/upsert`, `/upsert-file` and `/delete`, in the shapes of
//! the ChatGPT retrieval plugin.

mod delete;
mod form;
mod ids;
mod query;
mod schema;
mod stamp;
mod tenant;
mod upsert;
mod upsert_file;
mod wire;
mod writer;

pub(crate) use self::{
    delete::{__path_delete, delete},
    query::{__path_query, query},
    tenant::TenantDocuments,
    upsert::{__path_upsert, upsert},
    upsert_file::{__path_upsert_file, upsert_file},
};
pub use self::{schema::retrieval_metadata, writer::DocumentWriter};
