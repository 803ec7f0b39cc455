//! What the attributes refuse, and how they say it.

/// The texts are those of the toolchain that the project pins; `TRYBUILD=overwrite` writes them anew.
#[test]
fn mistakes_are_shown_where_they_are_with_what_is_allowed() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
