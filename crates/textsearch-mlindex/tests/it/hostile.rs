use std::time::{Duration, Instant};

use proptest::prelude::*;
use textsearch_core::ErrorKind;
use textsearch_mlindex::MlIndex;

use crate::support::{AZURE, error};

fn unreadable(yaml: &str) -> String {
    let start = Instant::now();
    let error = error(yaml);
    assert_eq!(*error.kind(), ErrorKind::Undecodable, "{error}");
    assert!(start.elapsed() < Duration::from_secs(20));
    error.message().strip_prefix("the file can't be read: ").unwrap().to_owned()
}

const LIMITS: &str = "it has more than 16 levels, 2000 values or 20 aliases";

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{ a: ", "}")] {
        let deep = format!("index: {}{}", open.repeat(5_000), close.repeat(5_000));
        unreadable(&deep);
    }
    let block: String = (0..300).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    unreadable(&block);
    let just_too_deep = format!("index: {{ a: {}{} }}", "[".repeat(20), "]".repeat(20));
    assert!(!unreadable(&just_too_deep).is_empty());
}

#[test]
fn alias_bombs_are_refused() {
    let mut bomb = "index:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let last = level - 1;
        let aliases = vec![format!("*a{last}"); 10].join(", ");
        bomb += &format!("  a{level}: &a{level} [{aliases}]\n");
    }
    assert!(unreadable(&bomb).starts_with(LIMITS));
}

#[test]
fn a_few_aliases_are_followed() {
    let yaml = "embeddings: { kind: none }\nindex: { kind: &kind a, index: *kind }";
    assert_eq!(MlIndex::from_yaml(yaml).unwrap().index.required_index().unwrap(), "a");
}

#[test]
fn many_values_are_refused() {
    let many = format!("index: {{ kind: a, list: [{}] }}", "1,".repeat(5_000));
    assert!(unreadable(&many).starts_with(LIMITS));
    let large = format!("index: {{ kind: {} }}", "a".repeat(70_000));
    assert_eq!(unreadable(&large), "it has more than 65536 bytes");
}

#[test]
fn repeated_settings_are_refused() {
    let repeated =
        "index:\n  kind: a\n  endpoint: https://a.example\n  endpoint: https://b.example\n";
    assert_eq!(unreadable(repeated), "a setting is there twice (line 4)");
    assert_eq!(unreadable("index: {}\nindex: {}\n"), "a setting is there twice (line 2)");
}

#[test]
fn merge_keys_are_refused() {
    let merged = "index: &a { kind: a }\nembeddings:\n  <<: *a\n";
    assert!(unreadable(merged).starts_with("it has a merge key"));
}

#[test]
fn foreign_tags_are_refused() {
    for tag in
        ["!!python/object/apply:os.system [x]", "!secret x", "!include /etc/passwd", "!foo x"]
    {
        unreadable(&format!("embeddings: {{ kind: none }}\nindex: {{ kind: {tag} }}"));
    }
}

#[test]
fn other_forms_than_sections_are_refused() {
    for text in
        ["- a\n", "42\n", "index: 3\n", "index: [a]\n", "\"index\"\n", "index: { ? [a] : b }\n"]
    {
        unreadable(text);
    }
    assert!(unreadable(&format!("{AZURE}---\n{AZURE}")).starts_with("it has"));
}

#[test]
fn recursive_anchors_are_refused() {
    unreadable("index: &a { kind: x, other: *a }\n");
}

#[test]
fn control_characters_are_refused() {
    let yaml = "embeddings: { kind: none }\nindex: { kind: a, index: \"a\\e[31mb\" }";
    assert!(error(yaml).message().starts_with("`index.index` is something else than a text"));
    let yaml = "embeddings: { kind: none }\nindex: { kind: \"a\\nb\" }";
    assert!(error(yaml).message().starts_with("`index.kind` is something else than a text"));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = MlIndex::from_yaml(&text);
    }

    #[test]
    fn no_changed_file_panics(at in 0..AZURE.len(), text in "[\\[\\]{}:,&*!|>'\"%@`# \n\t-]{1,4}") {
        let mut changed = AZURE.to_owned();
        changed.insert_str(at, &text);
        let _ = MlIndex::from_yaml(&changed);
    }
}
