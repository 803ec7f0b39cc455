//! Limits of the parts that operations share: a small document can repeat them for each operation.

/// In bytes: names of parameters, media types, security schemes and scopes; tags; operation ids.
const MAX_NAME: usize = 200;

/// In bytes: paths, server URLs and references.
const MAX_URL: usize = 2_000;

/// Parameters, media types, responses, security schemes and scopes of one operation.
const MAX_ITEMS: usize = 300;

pub(crate) fn is_short(name: &str) -> bool {
    name.len() <= MAX_NAME
}

/// `what` is plural, such as `the names of parameters`.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), String> {
    check(what, "bytes", name.len(), MAX_NAME)
}

pub(crate) fn check_url(what: &str, url: &str) -> Result<(), String> {
    check(what, "bytes", url.len(), MAX_URL)
}

pub(crate) fn check_items(what: &str, count: usize) -> Result<(), String> {
    check(what, "items", count, MAX_ITEMS)
}

fn check(what: &str, unit: &str, size: usize, max: usize) -> Result<(), String> {
    if size <= max {
        return Ok(());
    }
    Err(format!("{what} may have {max} {unit}, not {size}"))
}
