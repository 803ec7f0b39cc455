//! Mistakes that the attributes reject.

/// The texts are from the pinned toolchain; `TRYBUILD=overwrite` rewrites them.
#[test]
fn errors_show_the_place_and_the_allowed_values() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
