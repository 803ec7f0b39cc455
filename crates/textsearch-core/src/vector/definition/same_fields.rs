//! New definitions of a stored collection.

use crate::{Error, Result};

/// Checks that a new definition stores its fields as the collection does. The lists pair each field
/// that the backend stores separately with its fixed properties, such as `filterable, Integer`.
///
/// # Errors
/// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) for the first field whose
/// descriptions differ, or that only one list has.
pub fn check_same_fields(
    connector: &str,
    new: &[(String, String)],
    stored: &[(String, String)],
) -> Result<()> {
    let description = |fields: &[(String, String)], name: &str| {
        let field = fields.iter().find(|(field, _)| field == name);
        field.map_or("not a key, a vector, filterable or searched".to_owned(), |(_, text)| {
            text.clone()
        })
    };
    for (name, _) in new.iter().chain(stored) {
        let value = description(new, name);
        let allowed = description(stored, name);
        if value != allowed {
            let allowed = format!("{allowed}, as in the collection; or another collection");
            return Err(Error::invalid_options(connector, name, value, allowed));
        }
    }
    Ok(())
}
