use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use crate::support::Workplace;

const FILTERS: &str =
    "# Filters\n\nA filter is plain data.\n\n## Semantics\n\nNumbers compare by value.\n";

fn docs() -> Workplace {
    Workplace::with(&[
        ("docs/filters.md", FILTERS),
        (
            "docs/stores.html",
            "<html><title>Stores</title><body><h1>Stores</h1><p>Readers never wait for a writer.</p></body></html>",
        ),
        ("docs/notes.txt", "A connector is a crate for one backend.\n"),
    ])
}

#[test]
fn a_result_has_a_name_and_a_section_link() {
    let run = docs().run(&["search", "how do numbers compare", "--from", "docs", "--top", "1"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.starts_with("1. "), "{}", run.stdout);
    assert!(run.stdout.contains("\n   docs/filters.md#semantics\n"), "{}", run.stdout);
    assert!(run.stdout.contains("Numbers compare by value."), "{}", run.stdout);
}

#[test]
fn markdown_html_and_plain_text_are_all_found() {
    let docs = docs();
    for (query, path) in [
        ("plain data", "docs/filters.md"),
        ("readers and writers", "docs/stores.html"),
        ("backend", "docs/notes.txt"),
    ] {
        let links = docs.links(&[query, "--from", "docs"]);
        assert!(links[0].starts_with(path), "{query}: {links:?}");
    }
}

#[test]
fn json_output_has_results_total_count_and_metadata() {
    let answer = docs().json(&["search", "filter", "--from", "docs", "--output", "json"]);
    assert!(answer["total_count"]["exact"].as_u64().unwrap() >= 1);
    assert!(answer["metadata"].is_object());
    let first = &answer["results"][0];
    assert_eq!(first["Source"], "inmemory");
    assert!(first["Score"].as_f64().unwrap() > 0.0);
    assert!(first["Id"].is_string() && first["Name"].is_string() && first["Value"].is_string());
}

#[test]
fn kind_selects_texts_results_or_records() {
    let docs = docs();
    let search = |kind, output| {
        docs.run(&["search", "connector", "--from", "docs", "--kind", kind, "--output", output])
    };
    assert_eq!(search("text", "text").stdout, "A connector is a crate for one backend.\n\n");
    let texts: serde_json::Value = serde_json::from_str(&search("text", "json").stdout).unwrap();
    assert_eq!(
        texts["results"][0].as_str().unwrap().trim(),
        "A connector is a crate for one backend."
    );
    let records = search("records", "text").stdout;
    let record: serde_json::Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    assert_eq!(record["path"], "docs/notes.txt");
    assert!(record["Score"].is_number());
}

#[test]
fn top_and_skip_cut_a_window_out_of_the_ranking() {
    let files: Vec<(String, String)> =
        (0..9).map(|n| (format!("n{n}.txt"), format!("apple {}", "pear ".repeat(n)))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let place = Workplace::with(&files);
    let all = place.links(&["apple", "--from", "."]);
    assert_eq!(all.len(), 9);
    let window = place
        .json(&["search", "apple", "--from", ".", "--top", "3", "--skip", "2", "--output", "json"]);
    let links: Vec<&str> = window["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["Link"].as_str().unwrap())
        .collect();
    assert_eq!(links, all[2..5]);
    let text = place.run(&["search", "apple", "--from", ".", "--top", "1", "--skip", "2"]);
    assert!(text.stdout.starts_with("3. "), "{}", text.stdout);
}

#[test]
fn phrases_and_exclusions_narrow_the_results() {
    let place = Workplace::with(&[
        ("a.md", "A tide table."),
        ("b.md", "The table of the tide."),
        ("c.md", "A tide table of the moon."),
    ]);
    let links = |query: &str| place.links(&["--from", ".", "--", query]);
    assert_eq!(links("\"tide table\" -moon"), ["a.md"]);
    assert_eq!(links("-moon -\"Tide Table\" tide"), ["b.md"]);
    assert_eq!(links("\"tide table").len(), 3);
    let run = place.run(&["search", "--from", ".", "--", "-moon"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("such as `tide -moon`"), "{}", run.stderr);
}

#[test]
fn per_document_shows_each_file_once() {
    let sections = "## One\n\napple\n\n## Two\n\napple\n";
    let place = Workplace::with(&[("a.md", sections), ("b.md", sections), ("c.md", "pear")]);
    let search = ["search", "apple", "--from", ".", "--output", "json", "--per-document"];
    let all = place.json(&search);
    let links =
        all["results"].as_array().unwrap().iter().map(|result| result["Link"].as_str().unwrap());
    let mut files: Vec<_> = links.map(|link| link.split('#').next().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(files, ["a.md", "b.md"]);
    let second = place.json(&[&search[..], &["--skip", "1"]].concat());
    assert_eq!(second["results"], serde_json::json!([all["results"][1]]));
    let prompt = place.run(&["prompt", "apple", "--from", ".", "--per-document"]);
    assert_eq!(prompt.stdout.matches("\"Link\"").count(), 2, "{}", prompt.stdout);
}

#[test]
fn a_fixed_filter_narrows_the_filter() {
    let place =
        Workplace::with(&[("a/x.txt", "apple"), ("b/x.txt", "apple"), ("b/y.txt", "apple")]);
    let links = place.links(&[
        "apple",
        "--from",
        ".",
        "--filter",
        "path starts_with \"a/\" or path = \"b/x.txt\"",
        "--fixed-filter",
        "path starts_with \"b/\"",
    ]);
    assert_eq!(links, ["b/x.txt#L1"]);
}

#[test]
fn hostile_documents_cannot_forge_results_or_control_terminals() {
    let place = Workplace::with(&[]);
    let text = "apple \u{1b}]0;owned\u{7} \u{9b}2J \u{202e}gpj.exe";
    let line = serde_json::json!({ "id": 1, "name": "a\nb", "link": "l\n2. Forged", "text": text });
    place.write("x.jsonl", line.to_string());
    for kind in ["text", "results", "records"] {
        for output in ["text", "json"] {
            let run = place
                .run(&["search", "apple", "--from", "x.jsonl", "--kind", kind, "--output", output]);
            assert!(run.stdout.contains("apple"), "{kind} {output}: {}", run.stderr);
            let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!run.stdout.contains(steers), "{kind} {output}: {:?}", run.stdout);
            assert!(!run.stdout.contains("\n2. "), "{kind} {output}: {:?}", run.stdout);
        }
    }
    let exact = place.run(&["prompt", "apple", "--from", "x.jsonl"]);
    let line = exact.stdout.lines().nth(1).unwrap();
    let result: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(result["Value"], text, "a prompt that goes elsewhere has the whole text");
}

#[test]
fn top_of_zero_differs_from_nothing_found() {
    let none = docs().run(&["search", "filter", "--from", "docs", "--top", "0"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""));
    assert!(none.stderr.starts_with("textsearch: --top is 0"), "{}", none.stderr);
    let beyond = docs().run(&["search", "filter", "--from", "docs", "--skip", "99"]);
    assert!(beyond.stderr.contains("a smaller --skip"), "{}", beyond.stderr);
}

#[test]
fn nothing_found_is_a_message_not_an_error() {
    let run = docs().run(&["search", "zzzz", "--from", "docs"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert_eq!(run.stderr, "textsearch: nothing was found: try other words\n");
    let run = docs().run(&["search", "filter", "--from", "docs", "--min-score", "99"]);
    let expected = "textsearch: nothing was found: try other words, or a lower --min-score\n";
    assert_eq!(run.stderr, expected);
}

#[test]
fn several_paths_are_searched_together() {
    let docs = docs();
    let links = docs
        .links(&["a", "connector", "--from", "docs/notes.txt", "--from", "docs/filters.md"][1..]);
    assert_eq!(links, ["docs/notes.txt#L1"]);
    let links =
        docs.links(&["plain data", "--from", "docs/notes.txt", "--from", "docs/filters.md"]);
    assert!(links[0].starts_with("docs/filters.md"), "{links:?}");
}

#[test]
fn a_path_filter_without_results_shows_a_path() {
    let stderr =
        |query, filter| docs().run(&["search", query, "--from", "docs", "--filter", filter]).stderr;
    let advice = stderr("numbers", "path starts_with \"filters\" and chunk >= 0");
    let expected = "textsearch: nothing was found: try other words, or a wider --filter; without --filter, the best \
                    result has the path `docs/filters.md`\n";
    assert_eq!(advice, expected);
    assert!(!stderr("zebra", "path = \"filters\"").contains("path"));
    assert!(!stderr("numbers", "chunk > 99").contains("path"));
}

#[cfg(target_os = "linux")]
fn shown_on_terminal(place: &Workplace, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    use std::io::Read as _;

    let terminal = crate::pseudo_terminal::PseudoTerminal::new();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("textsearch"));
    command.args(arguments).current_dir(place.path("."));
    command.env_remove("NO_COLOR").env("TERM", "xterm").envs(variables.iter().copied());
    let mut program = command.stdout(terminal.open()).spawn().unwrap();
    drop(command);
    let mut shown = String::new();
    // The terminal's end is an error.
    let _end = terminal.into_file().read_to_string(&mut shown);
    assert_eq!(program.wait().unwrap().code(), Some(0));
    shown.replace('\r', "")
}

#[cfg(target_os = "linux")]
const SEARCH_NUMBER: &[&str] = &["search", "number", "--from", "docs", "--top", "1"];

#[cfg(target_os = "linux")]
#[test]
fn words_of_the_query_have_a_colour_on_a_terminal() {
    let shown = shown_on_terminal(&docs(), SEARCH_NUMBER, &[]);
    assert!(shown.starts_with("1. \u{1b}[1mFilters\u{1b}[0m"), "{shown:?}");
    let excerpt = "   \u{1b}[33m\u{1b}[1mNumbers\u{1b}[0m compare by value.\n\n";
    assert!(shown.ends_with(excerpt), "{shown:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn words_have_a_colour_by_the_language_of_the_store() {
    let place = Workplace::with(&[("docs/a.md", "Die Häuser am Hafen")]);
    assert_eq!(place.run(&["index", "docs", "--language", "de"]).code, 0);
    let shown = shown_on_terminal(&place, &["search", "haus"], &[]);
    assert!(shown.contains("\u{1b}[33m\u{1b}[1mHäuser\u{1b}[0m"), "{shown:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn no_color_turns_colours_off() {
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let shown = shown_on_terminal(&docs(), SEARCH_NUMBER, &[variable]);
        assert!(shown.ends_with("   Numbers compare by value.\n\n"), "{shown:?}");
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}

#[test]
fn a_search_over_files_writes_nothing() {
    let docs = docs();
    docs.run(&["search", "filter", "--from", "docs"]);
    assert!(!docs.path(".textsearch").exists());
}

#[test]
fn closed_output_is_no_error() {
    let place = Workplace::with(&[]);
    let lines: String = (0..2000)
        .map(|n| format!("{{\"id\":{n},\"text\":\"apple {}\"}}\n", "x".repeat(200)))
        .collect();
    place.write("many.jsonl", lines);
    let mut program = Command::new(assert_cmd::cargo::cargo_bin("textsearch"))
        .current_dir(place.path("."))
        .args(["search", "apple", "--from", "many.jsonl", "--top", "2000", "--kind", "records"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::with_capacity(64, program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("apple"));
    let output = program.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn min_score_leaves_out_worse_results() {
    let place =
        Workplace::with(&[("a/1.txt", "apple apple"), ("a/2.txt", "apple and pears and plums")]);
    let search = ["search", "apple", "--from", "a", "--output", "json"];
    let answer = place.json(&search);
    let best = answer["results"][0]["Score"].as_f64().unwrap().to_string();
    let narrowed = place.json(&[&search[..], &["--min-score", &best]].concat());
    assert_eq!(narrowed["results"].as_array().unwrap().len(), 1);
    assert_eq!(narrowed["results"][0], answer["results"][0]);
}

#[test]
fn invalid_ranking_numbers_are_refused() {
    let docs = docs();
    for (arguments, message) in [
        (&["--mmr", "2"][..], "expected a number from 0 to 1; a query stands before --mmr"),
        (&["--mmr", "connector"], "a query stands before --mmr"),
        (&["--vector-weight", "-1"], "'--vector-weight <WEIGHT>': expected a number from 0 to 1"),
        (&["--min-score", "NaN"], "expected a number"),
        (&["--mode", "meaning"], "[possible values: vector, text, hybrid]"),
    ] {
        let run = docs.run(&[&["search", "x", "--from", "docs"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

#[test]
fn explain_shows_ranks_terms_and_bars() {
    let run = docs().run(&["search", "numbers compare", "--from", "docs", "--explain"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let step =
        lines.iter().position(|line| line.starts_with("   full text  rank 1  score ")).unwrap();
    assert!(lines[step + 1].starts_with("     ") && lines[step + 1].ends_with('█'), "{lines:?}");
}

#[test]
fn explained_json_has_the_steps() {
    let docs = docs();
    for kind in ["results", "records"] {
        let arguments = ["search", "numbers", "--from", "docs", "--kind", kind, "--output", "json"];
        let answer = docs.json(&[arguments.as_slice(), &["--explain"]].concat());
        let step = &answer["results"][0]["Explanation"][0];
        assert_eq!((step["Name"].as_str(), step["Rank"].as_u64()), (Some("full_text"), Some(1)));
        assert_eq!(step["Terms"][0]["Term"], "number");
        let plain = docs.json(&arguments);
        assert!(plain["results"][0].get("Explanation").is_none());
    }
}

#[test]
fn plain_texts_are_not_explained() {
    let run = docs().run(&["search", "x", "--from", "docs", "--kind", "text", "--explain"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--explain has no place in plain texts"), "{}", run.stderr);
}

#[test]
fn half_life_puts_recent_documents_first() {
    let notes = concat!(
        r#"{"id": "old", "text": "tide tables tides", "date": "2001-02-03", "seen": "2025-01-01"}"#,
        "\n",
        r#"{"id": "new", "text": "a tide table", "date": "2999-01-01", "seen": "2001-02-03"}"#,
        "\n",
    );
    let place = Workplace::with(&[("notes.jsonl", notes)]);
    let ids = |more: &[&str]| -> Vec<String> {
        let arguments = ["search", "tides", "--from", "notes.jsonl", "--output", "json"];
        let answer = place.json(&[arguments.as_slice(), more].concat());
        let results = answer["results"].as_array().unwrap();
        let ids = results.iter().map(|result| result["Id"].as_str().unwrap());
        ids.map(|id| id.split('#').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&[]), ["old", "new"]);
    assert_eq!(ids(&["--half-life", "90d"]), ["new", "old"]);
    assert_eq!(ids(&["--half-life", "90d", "--date-field", "seen"]), ["old", "new"]);
}

#[test]
fn a_wrong_half_life_names_examples() {
    let run = docs().run(&["search", "x", "--from", "docs", "--half-life", "soon"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("expected a time such as 90d, 12w, 6mo or 1y"), "{}", run.stderr);
}
