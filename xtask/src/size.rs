//! `cargo xtask size`: counts what a reader of this repository has to know.
//!
//! A code line is neither blank, comment, doc nor test.

use std::fs;

use anyhow::{Context as _, Result};

use crate::{metadata, shell, table::table, tidy};

/// A heading, and whether a code line counts.
type Count = (&'static str, fn(&str) -> bool);

const COUNTS: [Count; 4] = [
    ("code lines", |_| true),
    ("public functions", is_public_function),
    ("`with_*`", |line| line.starts_with("pub fn with_")),
    ("public errors", is_public_error),
];

/// Folders of files that users don't compile.
const TESTS: &[&str] = &["tests", "benches", "examples", "fixtures"];

/// Prints a table, one row for each crate and one for xtask. It never fails because of a number.
pub(crate) fn print() -> Result<()> {
    let headings = COUNTS.iter().map(|(heading, _)| *heading);
    let headings: Vec<String> =
        ["crate"].into_iter().chain(headings).chain(["features"]).map(str::to_owned).collect();
    let mut sizes = sizes()?;
    sizes.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers[0]));
    let mut total = [0; 5];
    for (_, numbers) in &sizes {
        total.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    sizes.push(("total".to_owned(), total));
    let rows = sizes.into_iter().map(|(name, numbers)| {
        std::iter::once(name).chain(numbers.map(|number| number.to_string())).collect()
    });
    print!("{}", table(&std::iter::once(headings).chain(rows).collect::<Vec<_>>()));
    Ok(())
}

/// The numbers of [`COUNTS`], and the number of features.
type Numbers = [usize; 5];

fn sizes() -> Result<Vec<(String, Numbers)>> {
    let root = shell::root();
    let paths = tidy::paths(&root)?;
    let packages = metadata::packages()?;
    let counted = packages
        .iter()
        .filter(|package| package.folder.starts_with("crates/") || package.folder == "xtask");
    counted
        .map(|package| {
            let folder = package.file("src/");
            let mut numbers = [0, 0, 0, 0, package.features.len()];
            for path in paths.iter().filter(|path| path.starts_with(&folder) && is_code(path)) {
                let text = fs::read_to_string(root.join(path));
                let text = text.with_context(|| format!("size: cannot read {path}"))?;
                for line in code_lines(&text) {
                    let counts = COUNTS.iter().zip(&mut numbers);
                    counts.filter(|((_, counts), _)| counts(line)).for_each(|(_, sum)| *sum += 1);
                }
            }
            Ok((package.name.to_string(), numbers))
        })
        .collect()
}

fn is_code(path: &str) -> bool {
    path.ends_with(".rs")
        && !path.ends_with("/tests.rs")
        && !path.split('/').any(|folder| TESTS.contains(&folder))
}

/// Returns lines without their indentation. The end of a test is a brace that is indented as the test's
/// first line, as rustfmt writes it.
pub(crate) fn code_lines(text: &str) -> Vec<&str> {
    let mut code = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[cfg(all(test") {
            let item = lines.find(|line| !line.trim_start().starts_with("#[")).unwrap_or_default();
            let indentation = &item[..item.len() - item.trim_start().len()];
            if !item.ends_with([';', ',', '}']) {
                let end = format!("{indentation}}}");
                lines.find(|line| *line == end);
            }
        } else if !trimmed.is_empty() && !trimmed.starts_with("//") {
            code.push(trimmed);
        }
    }
    code
}

fn is_public_function(line: &str) -> bool {
    let words = line.strip_prefix("pub ").into_iter().flat_map(str::split_whitespace);
    words.into_iter().find(|word| !["const", "async", "unsafe"].contains(word)) == Some("fn")
}

/// A type whose name ends in `Error`.
fn is_public_error(line: &str) -> bool {
    let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
    let name = rest.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
    name.is_some_and(|name| name.ends_with("Error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_are_no_code() {
        let text = "//! Doc.\n\nuse a::B;\n#[cfg(test)]\nuse a::C;\n\n/// Doc.\npub fn b() {\n    // Why.\n    \
                    c();\n}\n\n#[cfg(test)]\n#[expect(lint)]\nmod tests {\n    fn d() {\n    }\n}\n\
                    const E: u8 = 1;\n";
        assert_eq!(
            code_lines(text),
            ["use a::B;", "pub fn b() {", "c();", "}", "const E: u8 = 1;"]
        );
    }

    #[test]
    fn only_sources_of_users_are_code() {
        assert!(is_code("crates/a/src/b/c.rs"));
        for path in ["crates/a/src/b/tests.rs", "crates/a/src/tests/b.rs", "crates/a/src/b.json"] {
            assert!(!is_code(path), "{path}");
        }
    }

    #[test]
    fn public_items_are_known_by_their_first_words() {
        for line in
            ["pub fn a() {", "pub const fn a()", "pub async fn a(", "pub const unsafe fn a("]
        {
            assert!(is_public_function(line), "{line}");
        }
        assert!(!is_public_function("pub(crate) fn a() {") && !is_public_function("fn a() {"));
        assert!(!is_public_function("pub const A: fn() = b;"));
        assert!(
            is_public_error("pub enum ReadError {") && is_public_error("pub struct Error(u8);")
        );
        assert!(!is_public_error("pub enum ErrorKind {") && !is_public_error("struct Error;"));
    }
}
