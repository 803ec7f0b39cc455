//! Contents that no file may have: too many bytes, a key, or a path on somebody's machine.

use super::Rule;
use super::project::Project;

pub(super) const RULES: &[Rule] = &[
    Rule { check: large_files, reason: "every clone pays for it for ever; make a smaller fixture" },
    Rule {
        check: keys,
        reason: "revoke it if it is real; a fixture needs a word that no provider would accept",
    },
    Rule { check: machine_paths, reason: "it exists on one machine only; write a relative path" },
];

const LARGEST_FILE: usize = 200_000;

fn large_files(project: &Project) -> Vec<String> {
    project
        .files
        .iter()
        .filter(|(path, file)| file.bytes > LARGEST_FILE && path.as_str() != "Cargo.lock")
        .map(|(path, file)| format!("{path} has {} bytes, more than {LARGEST_FILE}", file.bytes))
        .collect()
}

struct KeyShape {
    prefix: &'static str,
    /// Allowed besides letters and digits.
    also: &'static str,
    /// Minimum, after the prefix.
    length: usize,
}

const KEY_SHAPES: &[KeyShape] = &[
    KeyShape::new("sk-", "", 20),
    KeyShape::new("sk-proj-", "_-", 20),
    KeyShape::new("sk-ant-", "_-", 20),
    KeyShape::new("AIza", "_-", 30),
    KeyShape::new("tvly-", "_-", 20),
    KeyShape::new("BSA", "_-", 20),
    KeyShape::new("ghp_", "", 20),
];

fn keys(project: &Project) -> Vec<String> {
    findings_in_lines(project, |line| {
        let shape = KEY_SHAPES.iter().find(|shape| shape.is_in(line));
        // The message may end up in a public log, so it does not repeat the key.
        let named = shape.map(|shape| format!("what looks like a key `{}...`", shape.prefix));
        named.or_else(|| is_private_key(line).then(|| "a private key".to_owned()))
    })
}

impl KeyShape {
    const fn new(prefix: &'static str, also: &'static str, length: usize) -> Self {
        Self { prefix, also, length }
    }

    fn is_in(&self, line: &str) -> bool {
        let mut places = line.match_indices(self.prefix);
        places.any(|(at, prefix)| {
            let (before, from_prefix) = line.split_at(at);
            let key = from_prefix.trim_start_matches(prefix);
            !before.ends_with(|c: char| c.is_ascii_alphanumeric()) && self.fits(key)
        })
    }

    fn fits(&self, key: &str) -> bool {
        let belongs = |c: &char| c.is_ascii_alphanumeric() || self.also.contains(*c);
        key.chars().take_while(belongs).count() >= self.length
    }
}

fn is_private_key(line: &str) -> bool {
    line.split_once("-----BEGIN ").is_some_and(|(_, rest)| {
        rest.split_once("-----").is_some_and(|(kind, _)| kind.ends_with("PRIVATE KEY"))
    })
}

/// People and build machines work in these.
const MACHINE_FOLDERS: &[&str] = &["work", "root", "home", "Users"];

fn machine_paths(project: &Project) -> Vec<String> {
    findings_in_lines(project, |line| {
        let folders = MACHINE_FOLDERS.iter().map(|name| format!("/{name}/"));
        let folder = folders.into_iter().find(|folder| begins_with_folder(line, folder));
        folder.map(|folder| format!("a path below {folder}"))
    })
}

/// In `docs/x` and `host/x` the folder does not come first.
fn begins_with_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || ".-_~*}>)]".contains(c))
    })
}

/// Findings have path and line number.
fn findings_in_lines(project: &Project, check: fn(&str) -> Option<String>) -> Vec<String> {
    let in_text = |(path, text): (&str, &str)| {
        let lines = text.lines().zip(1_usize..);
        lines
            .filter_map(|(line, number)| Some(format!("{path}:{number} holds {}", check(line)?)))
            .collect::<Vec<_>>()
    };
    project.texts().flat_map(in_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/textsearch-bing/tests/fixtures/answer.json";

    fn fixture(text: &str) -> Project {
        Project::from_files(&[(PATH, text)])
    }

    #[test]
    fn only_the_lock_file_may_exceed_200_kilobytes() {
        let large = "x".repeat(LARGEST_FILE + 1);
        assert!(large_files(&Project::from_files(&[("Cargo.lock", &large)])).is_empty());
        assert!(large_files(&fixture(&large[1..])).is_empty());
        let findings = large_files(&fixture(&large));
        assert_eq!(findings, [format!("{PATH} has 200001 bytes, more than 200000")]);
    }

    #[test]
    fn a_key_in_a_file_is_reported_but_not_repeated() {
        for shape in KEY_SHAPES {
            let key = format!("{}{}", shape.prefix, "a1".repeat(shape.length));
            let findings = keys(&fixture(&format!("{{\n  \"key\": \"{key}\"\n}}")));
            assert!(findings[0].starts_with(&format!("{PATH}:2 holds")), "{findings:?}");
            assert!(!findings[0].contains(&key), "{findings:?}");
        }
        let pem = format!("-----BEGIN {} KEY-----", "EC PRIVATE");
        assert_eq!(keys(&fixture(&pem)), [format!("{PATH}:1 holds a private key")]);
    }

    #[test]
    fn short_words_with_key_prefixes_are_fine() {
        let long = "a".repeat(40);
        for text in
            ["sk-test", "tvly-fake", "BSA-token", &format!("task-{long}"), &format!("xBSA{long}")]
        {
            assert!(keys(&fixture(text)).is_empty(), "{text}");
        }
        assert!(keys(&fixture("-----BEGIN PUBLIC KEY-----")).is_empty());
    }

    #[test]
    fn no_file_names_a_folder_of_one_machine() {
        for folder in MACHINE_FOLDERS {
            for text in [format!("see /{folder}/main"), format!("\"file:///{folder}/a\"")] {
                assert_eq!(machine_paths(&fixture(&text)).len(), 1, "{text}");
            }
            for text in [format!("docs/{folder}/a.md"), format!("https://host.example/{folder}/a")]
            {
                assert!(machine_paths(&fixture(&text)).is_empty(), "{text}");
            }
        }
    }
}
