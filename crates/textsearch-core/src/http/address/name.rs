//! Names that are local by convention.

const METADATA: &str = "the name of a cloud metadata service";
const LOCAL: &str = "a name of the local machine or network";

/// Refused alone and as the last part of a longer name.
const NAMES: &[(&str, &str)] = &[
    ("metadata.google.internal", METADATA),
    ("metadata.goog", METADATA),
    ("localhost", LOCAL),
    ("localdomain", LOCAL),
    ("local", LOCAL),
    ("internal", LOCAL),
    ("home.arpa", LOCAL),
];

/// `name` is in lower case.
pub(super) fn rule_against(name: &str) -> Option<&'static str> {
    let name = without_final_dot(name);
    let is_below = |last: &str| name.strip_suffix(last).is_some_and(|above| above.ends_with('.'));
    let entry = NAMES.iter().find(|(refused, _)| name == *refused || is_below(refused));
    entry.map(|(_, rule)| *rule)
}

/// As in `localhost.`.
pub(super) fn without_final_dot(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}
