//! JSON Lines: their fields, their filters, and unreadable lines.

use crate::support::Workplace;

const PAPERS: &str = r#"{"id":"p1","title":"Dense","text":"Dense retrieval with vectors","url":"https://e.example/1","year":2020,"tag":["x","survey"],"author":{"name":"Ada"},"updated":"2024-08-14T00:00:00Z"}
{"id":"p2","title":"Sparse","text":"Sparse retrieval with words","year":2019,"tag":["x"],"author":{"name":"Bob"},"updated":"2023-01-01T00:00:00Z"}
{"id":"p3","title":"Hybrid","text":"Hybrid retrieval with both","year":2021,"tag":["y"],"score":0.5}
"#;

fn papers() -> Workplace {
    Workplace::with(&[("papers.jsonl", PAPERS)])
}

fn names(place: &Workplace, filter: &str) -> Vec<String> {
    let answer =
        place.json(&["search", "retrieval", "--filter", filter, "--output", "json", "--top", "50"]);
    let results = answer["results"].as_array().unwrap();
    let mut names: Vec<String> =
        results.iter().map(|result| result["Name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_field_can_be_filtered_on() {
    let place = papers();
    assert_eq!(place.index(&["papers.jsonl"]), [3, 0, 0, 0]);
    for (filter, expected) in [
        ("year >= 2020 and tag contains \"x\"", &["Dense"][..]),
        ("year >= 2020", &["Dense", "Hybrid"]),
        ("author.name = \"Bob\"", &["Sparse"]),
        ("updated >= date \"2024-01-01T00:00:00Z\"", &["Dense"]),
        ("score exists", &["Hybrid"]),
        ("title starts_with \"S\" or record_id = \"p3\"", &["Hybrid", "Sparse"]),
        ("path = \"papers.jsonl\" and not tag contains \"x\"", &["Hybrid"]),
    ] {
        assert_eq!(names(&place, filter), expected, "{filter}");
    }
}

#[test]
fn a_record_without_link_links_to_its_file() {
    let place = papers();
    place.index(&["papers.jsonl"]);
    assert_eq!(place.links(&["dense"]), ["https://e.example/1"]);
    assert_eq!(place.links(&["sparse"]), ["papers.jsonl#p2"]);
}

#[test]
fn a_record_keeps_all_its_fields() {
    let place = papers();
    place.index(&["papers.jsonl"]);
    let answer =
        place.json(&["search", "dense", "--kind", "records", "--output", "json", "--top", "1"]);
    let record = &answer["results"][0];
    assert_eq!(record["year"], 2020);
    assert_eq!(record["author"]["name"], "Ada");
    assert_eq!(record["tag"], serde_json::json!(["x", "survey"]));
}

#[test]
fn records_are_added_changed_and_removed_with_their_lines() {
    let place = papers();
    place.index(&["papers.jsonl"]);
    let lines: Vec<&str> = PAPERS.lines().collect();
    let changed = lines[1].replace("2019", "2018");
    let new = r#"{"id":"p4","title":"New","text":"New retrieval","year":2025}"#;
    place.write("papers.jsonl", [lines[0], &changed, new].join("\n"));
    assert_eq!(place.index(&["papers.jsonl"]), [1, 1, 1, 1]);
    assert_eq!(names(&place, "year < 2019"), ["Sparse"]);
    assert_eq!(names(&place, "year > 2020"), ["New"]);
}

#[test]
fn files_and_records_share_one_store() {
    let place = papers();
    place.write("docs/a.md", "# Retrieval\n\nAbout retrieval.\n");
    place.index(&["docs", "papers.jsonl"]);
    assert_eq!(place.links(&["retrieval"]).len(), 4);
    assert_eq!(place.links(&["retrieval", "--filter", "not year exists"]), ["docs/a.md#retrieval"]);
    assert_eq!(place.index(&["docs"]), [0, 0, 1, 0], "the records stay");
    assert_eq!(names(&place, "year = 2021"), ["Hybrid"]);
}

#[test]
fn files_may_share_ids_and_differ_in_types() {
    let place = papers();
    place.write("notes.jsonl", r#"{"id":"p1","title":"Note","text":"Retrieval","year":"soon"}"#);
    assert_eq!(place.index(&["papers.jsonl", "notes.jsonl"]), [4, 0, 0, 0]);
    assert_eq!(names(&place, "year = \"soon\" or year = 2020"), ["Dense", "Note"]);
}

#[test]
fn arguments_select_the_fields_of_records() {
    let line = r#"{"key":7,"paper":{"abstract":"Dense retrieval"},"label":"L","at":"https://e.example/7"}"#;
    let place = Workplace::with(&[("x.ndjson", line)]);
    let fields = [
        "--id-field",
        "key",
        "--text-field",
        "paper.abstract",
        "--name-field",
        "label",
        "--link-field",
        "at",
    ];
    place.index(&[&["x.ndjson"], &fields[..]].concat());
    assert_eq!(place.links(&["dense"]), ["https://e.example/7"]);
    assert_eq!(names(&place, "key = 7"), ["L"]);
    let run = place.run(&[&["search", "dense", "--from", "x.ndjson"], &fields[..]].concat());
    assert!(run.stdout.starts_with("1. L"), "{}", run.stdout);
}

#[test]
fn an_invalid_line_costs_its_file_alone() {
    let place = papers();
    place.index(&["papers.jsonl"]);
    place.write("papers.jsonl", format!("{{\"id\":\"p9\",\"text\":\"new\"}}\n{{oops\n{PAPERS}"));
    place.write("notes.jsonl", "{\"title\":\"Note\",\"text\":\"About retrieval\"}\n");
    let run = place.run(&["index", "papers.jsonl", "notes.jsonl"]);
    assert_eq!(run.code, 5);
    assert!(run.stdout.contains("1 added, 0 changed, 0 unchanged, 0 removed, 1 failed;"));
    let warning = "textsearch: warning: `papers.jsonl` failed: line 2: this isn't JSON: ";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
    assert_eq!(names(&place, "path exists"), ["Dense", "Hybrid", "Note", "Sparse"]);
}

#[test]
fn a_repeated_id_is_refused_with_its_line() {
    let place =
        Workplace::with(&[("x.jsonl", "{\"id\":1,\"text\":\"a\"}\n{\"id\":1,\"text\":\"b\"}\n")]);
    let message = "`x.jsonl` failed: line 2: the id `1` is that of another line: try --id-field";
    for (arguments, code) in
        [(&["index", "x.jsonl"][..], 5), (&["search", "a", "--from", "x.jsonl"], 1)]
    {
        let run = place.run(arguments);
        assert!(run.code == code && run.stderr.contains(message), "{} {}", run.code, run.stderr);
    }
}

#[test]
fn chunks_of_a_long_record_link_to_the_record() {
    let long = "Retrieval is fun. ".repeat(400);
    let place = Workplace::with(&[]);
    let line = serde_json::json!({ "id": "long", "title": "Long", "text": long, "year": 2000 });
    place.write("x.jsonl", line.to_string());
    let summary = place.json(&["index", "x.jsonl", "--output", "json"]);
    assert_eq!(summary["added"], 1);
    assert!(summary["chunks"].as_u64().unwrap() > 3);
    let links = place.links(&["fun", "--filter", "year = 2000"]);
    assert!(links.len() > 3 && links.iter().all(|link| link == "x.jsonl#long"), "{links:?}");
}

#[test]
fn an_unstorable_record_is_named_with_the_reason() {
    let deep = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let line = format!("{{\"id\":1,\"text\":\"x\",\"deep\":{deep}}}");
    let place = Workplace::with(&[("x.jsonl", &line)]);
    let run = place.run(&["index", "x.jsonl"]);
    assert_eq!((run.code, run.stderr.lines().count()), (5, 1));
    assert!(run.stderr.starts_with("textsearch: warning: `x.jsonl` failed: "), "{}", run.stderr);
    assert!(run.stderr.contains("nested too deeply"), "{}", run.stderr);
}

#[test]
fn an_excluded_field_is_not_in_the_store() {
    let line = "{\"id\":1,\"text\":\"apples\",\"vector\":[0.5,0.25],\"year\":2020}\n";
    let place = Workplace::with(&[("a.jsonl", line)]);
    place.index(&["a.jsonl", "--exclude-field", "vector"]);
    let search = ["search", "apples", "--kind", "records", "--output", "json"];
    let record = &place.json(&search)["results"][0];
    assert_eq!((&record["year"], record.get("vector")), (&2020.into(), None));
}

#[test]
fn records_without_text_are_counted_in_a_warning() {
    let titles = (1..=5).map(|id| format!(r#"{{"id":{id},"title":"Apple {id}","note":"red"}}"#));
    let lines = titles.chain([r#"{"id":6,"text":"apple pie"}"#.to_owned()]);
    let place = Workplace::with(&[]);
    place.write("x.jsonl", lines.collect::<Vec<_>>().join("\n"));
    let warning = "textsearch: warning: 5 records have no text (`x.jsonl#1`, `x.jsonl#2`, `x.jsonl#3`, …): none of the \
                   fields text, body, content, abstract, description, passage holds any; try --text-field FIELD\n";
    let run = place.run(&["index", "x.jsonl"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, warning));
    assert!(run.stdout.contains("0 removed, 5 without text;"), "{}", run.stdout);
    let again = place.json(&["index", "x.jsonl", "--output", "json"]);
    assert_eq!((&again["unchanged"], &again["records_without_text"]), (&6.into(), &5.into()));
    assert_eq!(place.run(&["search", "apple", "--from", "x.jsonl"]).stderr, warning);
}

#[test]
fn a_blank_record_is_counted_and_the_rest_is_found() {
    let records =
        "{\"id\":2,\"text\":\"bank\"}\n{\"id\":1,\"text\":\"\"}\n{\"id\":3,\"text\":null}\n";
    let place = Workplace::with(&[("a.jsonl", records)]);
    let run = place.run(&["search", "bank", "--from", "a.jsonl"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("1. 2 "), "{}", run.stdout);
    assert!(
        run.stderr.contains("2 records have no text (`a.jsonl#1`, `a.jsonl#3`)"),
        "{}",
        run.stderr
    );
}

#[test]
fn rows_of_csv_are_records_on_request() {
    let table = "title,review,year\nDense,Good retrieval,2020\nSparse,Old retrieval,2019\n";
    let place = Workplace::with(&[("reviews.csv", table)]);
    assert_eq!(place.index(&["reviews.csv"]), [1, 0, 0, 0]);
    let records = ["reviews.csv", "--records", "--text-field", "review"];
    assert_eq!(place.index(&records), [2, 0, 0, 1]);
    assert_eq!(names(&place, "year >= 2020"), ["Dense"]);
    assert_eq!(place.links(&["old"]), ["reviews.csv#L3"]);
}

#[test]
fn facts_of_documents_can_be_filtered_on() {
    let note = "---\nauthor: Ada\ntags: [x, survey]\n---\n# Note\n\nOn retrieval.\n";
    let files = [("note.md", note), ("papers.jsonl", PAPERS), ("plain.txt", "Plain retrieval.")];
    let place = Workplace::with(&files);
    place.index(&["."]);
    assert_eq!(names(&place, "tags contains \"survey\" and kind = \"markdown\""), ["Note"]);
    assert_eq!(names(&place, "size < 20 and modified exists"), ["plain.txt"]);
    assert_eq!(names(&place, "author.name = \"Ada\""), ["Dense"], "the field of the records");
}
