//! Rules about vector stores: READMEs repeat the declarations that the conformance suite checks.

use super::Rule;
use super::project::Project;

pub(super) const RULES: &[Rule] = &[Rule {
    check: other_capabilities,
    reason: "the table of a store repeats what tests/**/vector_conformance.rs declares, which the suite checks; \
             more words may follow a comma, a semicolon, a colon or a full stop",
}];

const DECLARATION: &str = "VectorCapabilities::default()";

/// The command line prints its capabilities, and a rule about READMEs compares them.
const PRINTED: &str = "crates/textsearch-vector-inmemory/";

fn other_capabilities(project: &Project) -> Vec<String> {
    let suites = project.texts().filter(|(path, _)| {
        path.starts_with("crates/")
            && path.ends_with("/vector_conformance.rs")
            && !path.starts_with(PRINTED)
    });
    let complaints = suites.filter_map(|(path, suite)| {
        let (folder, _) = path.split_once("/tests/")?;
        let readme = format!("{folder}/README.md");
        let text = project.text(&readme);
        let missing = rows(suite)?.into_iter().filter(|row| !has_row(text, row));
        Some(missing.map(|row| format!("{readme} lacks the row `{row} |`")).collect::<Vec<_>>())
    });
    complaints.flatten().collect()
}

fn has_row(readme: &str, row: &str) -> bool {
    let mut rests = readme.lines().filter_map(|line| line.strip_prefix(row));
    rests.any(|rest| rest.trim_start().starts_with(['|', ',', ';', ':', '.']))
}

/// Starts of rows. A suite without the declaration has none.
fn rows(suite: &str) -> Option<Vec<String>> {
    let (_, declared) = suite.split_once(DECLARATION)?;
    let calls = calls(declared);
    let has = |name: &str| calls.iter().any(|(call, _)| *call == name);
    let yes_unless = |name: &str| if has(name) { "no" } else { "yes" };
    let unsupported = calls.iter().filter(|(call, _)| *call == "without_distance");
    let unsupported: Vec<&str> =
        unsupported.map(|(_, argument)| argument.trim_start_matches("Distance::")).collect();
    let distances = match unsupported.split_last() {
        None => "all".to_owned(),
        Some((last, [])) => format!("all but {last}"),
        Some((last, others)) => format!("all but {} and {last}", others.join(", ")),
    };
    let hybrid = if has("without_full_text") || has("without_hybrid") {
        "no"
    } else if has("with_own_fusion") {
        "fused by the service"
    } else {
        "yes"
    };
    let vectors = if has("without_several_vectors") { "one" } else { "several" };
    let values = if has("without_mixed_kinds") { "of the field's kind" } else { "of any kind" };
    let returned =
        if has("with_normalized_vectors") { "normalized for cosine" } else { "as stored" };
    let counts = if has("with_estimated_counts") { "may be estimates" } else { "exact" };
    let rows = [
        ("Distances", distances.as_str()),
        ("Exact search", yes_unless("without_exact_search")),
        ("Vectors per record", vectors),
        ("Returned vectors", returned),
        ("Field values", values),
        ("Full text", yes_unless("without_full_text")),
        ("Hybrid search", hybrid),
        ("Total counts", counts),
    ];
    Some(rows.map(|(feature, support)| format!("| {feature} | {support}")).into())
}

/// Names and arguments of the calls at the start of `text`.
fn calls(text: &str) -> Vec<(&str, &str)> {
    let mut calls = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.strip_prefix('.').and_then(|rest| rest.split_once('(')) {
        let Some((argument, after)) = after.split_once(')') else { break };
        calls.push((name, argument));
        rest = after.trim_start();
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUITE: &str = "textsearch_conformance::vector_suite!(\n    store,\n    VectorCapabilities::default()\n        \
        .without_distance(Distance::Manhattan)\n        .without_distance(Distance::Hamming)\n        .without_distance(Distance::Jaccard)\n        \
        .with_own_fusion()\n        .with_estimated_counts()\n);\nfn other() { a.without_exact_search(); }\n";

    const README: &str = "| Distances | all but Manhattan, Hamming and Jaccard |\n| Exact search | yes; by a scan |\n\
        | Vectors per record | several |\n| Returned vectors | as stored |\n| Field values | of any kind |\n\
        | Full text | yes: BM25 |\n| Hybrid search | fused by the service |\n| Total counts | may be estimates |\n";

    fn complaints(readme: &str) -> Vec<String> {
        other_capabilities(&Project::of(&[
            ("crates/textsearch-milvus/tests/server/vector_conformance.rs", SUITE),
            ("crates/textsearch-milvus/README.md", readme),
        ]))
    }

    #[test]
    fn a_readme_repeats_what_the_suite_checks() {
        assert_eq!(complaints(README), Vec::<String>::new());
        for (from, to, row) in [
            (
                "all but Manhattan, Hamming and Jaccard",
                "all",
                "| Distances | all but Manhattan, Hamming and Jaccard |",
            ),
            ("several", "one", "| Vectors per record | several |"),
            ("may be estimates", "exact", "| Total counts | may be estimates |"),
        ] {
            let expected = format!("crates/textsearch-milvus/README.md lacks the row `{row}`");
            assert_eq!(complaints(&README.replace(from, to)), [expected]);
        }
    }

    #[test]
    fn a_longer_claim_is_another_one() {
        assert!(!has_row("| Distances | all but Hamming |", "| Distances | all"));
        assert!(has_row("| Distances | all; Hamming for bits |", "| Distances | all"));
    }

    #[test]
    fn a_store_without_declarations_supports_everything() {
        let rows = rows("vector_suite!(store, VectorCapabilities::default());").unwrap();
        assert_eq!(rows[0], "| Distances | all");
        assert_eq!(rows[6], "| Hybrid search | yes");
        assert_eq!(super::rows("embedding_suite!(generator);"), None);
    }
}
