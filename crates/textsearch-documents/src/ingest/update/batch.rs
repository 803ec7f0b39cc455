//! What is read at once.

use crate::store::Group;

/// Documents that are embedded and written together.
pub(super) struct Batch {
    pub(super) group: Group,
    /// The path of the JSON Lines whose records they are.
    pub(super) records_of: Option<String>,
}
