//! Names that services accept.

/// Returns `name` with `_` for each character other than 0-9, A-Z, a-z, `_` and `-`, and for an empty
/// name, cut to `max` characters.
///
/// A service would reject a name that its model invented, or an identifier of another service, and with
/// it every later request of the chat.
pub fn sendable_name(name: &str, max: usize) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(max).map(allowed).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}
