//! Definitions that a store on disk refuses.

use textsearch_core::{
    Result,
    vector::{IndexKind, RecordDefinition},
};

use crate::error::invalid_options;

/// The store on disk has no graphs.
pub(crate) fn check_exact(definition: &RecordDefinition) -> Result<()> {
    let graph = definition.vectors.iter().find(|field| field.index != IndexKind::Exact);
    graph.map_or(Ok(()), |field| {
        let index = format_args!("{:?}", field.index);
        let allowed = "Exact; a store on disk has no approximate index";
        Err(invalid_options(format!("{}.index", field.name), index, allowed))
    })
}
