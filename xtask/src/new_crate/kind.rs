//! The kinds of crates to write.

/// What differs between a web connector and a vector store.
pub(crate) struct Kind {
    pub(super) template: &'static str,
    pub(super) manifest: &'static str,
    /// The modules of `tests/it`.
    pub(super) tests: &'static [&'static str],
    /// Of `tests/it/main.rs`.
    pub(super) title: &'static str,
    /// Attributes of `tests/it/main.rs`.
    pub(super) lints: &'static str,
    /// With `{package}` and `{folder}`.
    pub(super) next_steps: &'static str,
}

pub(crate) const CONNECTOR: Kind = Kind {
    template: "web-connector",
    manifest: include_str!("connector.toml"),
    tests: &["conformance"],
    title: "the connector over real HTTP on loopback",
    lints: "",
    next_steps: "\
{folder} searches an invented engine. Next steps:

  1. Replace five places by what your engine's reference says:
       grep -n '// [1-5]\\.' {folder}/src/lib.rs
  2. Let `answer` in {folder}/tests/it/conformance.rs respond as your engine does, and run
       cargo test -p {package}
  3. Add the crate to `[workspace.dependencies]` in Cargo.toml, to the table in README.md and to
     crates/textsearch-sdk, which `cargo xtask tidy` checks, and to
     crates/textsearch-cli/src/web/sources/mod.rs.

Guide: docs/contributing/writing-a-connector.md. Commit Cargo.lock too.",
};

pub(crate) const STORE: Kind = Kind {
    template: "vector-store",
    manifest: include_str!("store.toml"),
    tests: &["conformance", "opening", "vector_conformance"],
    title: "the store on a file",
    lints: "#![expect(clippy::expect_used, reason = \"a panic in a test's helper is a failed test\")]\n",
    next_steps: "\
{folder} stores records in SQLite. Next steps:

  1. `cargo test -p {package}` passes. Keep it so while you replace src/database.rs and
     src/records.rs by your database: they alone know SQLite.
  2. In src/store.rs, reject what your database can't do, and declare it in
     {folder}/tests/it/vector_conformance.rs.
  3. If the tests need a server, write `cargo xtask integration` for it, as
     xtask/src/integration/pgvector.rs does.
  4. Add the crate to `[workspace.dependencies]` in Cargo.toml, to the table in README.md and to
     crates/textsearch-sdk, which `cargo xtask tidy` checks, and to
     crates/textsearch-cli/src/corpus/store.

Guide: docs/contributing/writing-a-vector-store.md. Commit Cargo.lock too.",
};

impl Kind {
    /// Returns `tests/it/main.rs`.
    pub(super) fn main_of_tests(&self) -> String {
        let modules = self.tests.iter().map(|name| format!("mod {name};\n")).collect::<String>();
        format!("//! Integration tests: {}.\n{}\n{modules}", self.title, self.lints)
    }
}
