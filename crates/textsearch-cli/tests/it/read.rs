//! `textsearch read`, and `--around`.

use serde_json::json;

use crate::support::Workplace;

const TIDES: &str =
    "# Tides\n\n## High\n\nHigh water is at noon.\n\n## Low\n\nLow water is at six.\n";

fn place() -> Workplace {
    Workplace::with(&[("docs/tides.md", TIDES), ("docs/wind.md", "# Wind\n\nFrom the west.\n")])
}

#[test]
fn read_prints_a_document_of_files_or_a_store() {
    let place = place();
    place.index(&["docs"]);
    for arguments in [&["read", "docs/tides.md"][..], &["read", "docs/tides.md", "--from", "docs"]]
    {
        let run = place.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (0, TIDES));
    }
}

#[test]
fn a_page_for_programs_has_its_offset() {
    let place = place();
    place.write("long.txt", "One more line. ".repeat(6_000));
    place.index(&["docs", "long.txt"]);
    let page = place.json(&["read", "docs/tides.md#0", "--output", "json"]);
    assert_eq!((&page["Id"], &page["Name"]), (&json!("docs/tides.md"), &json!("Tides")));
    assert_eq!((&page["Offset"], page.get("NextOffset")), (&json!(0), None));
    let first = place.json(&["read", "long.txt", "--output", "json"]);
    let next = first["NextOffset"].to_string();
    let rest = place.run(&["read", "long.txt", "--offset", &next]);
    let text = first["Text"].as_str().unwrap().to_owned() + &rest.stdout;
    assert_eq!(text.trim_end(), "One more line. ".repeat(6_000).trim_end());
    assert_eq!(place.run(&["read", "long.txt"]).stdout, text);
}

#[test]
fn read_lists_documents() {
    let place = place();
    place.index(&["docs"]);
    assert_eq!(place.run(&["read", "--list"]).stdout, "docs/tides.md\tTides\ndocs/wind.md\tWind\n");
    let filter = "path = \"docs/wind.md\"";
    let listing = place.json(&["read", "--list", "--filter", filter, "--output", "json"]);
    assert_eq!(listing["documents"][0]["Id"], "docs/wind.md");
    assert_eq!(listing["total_count"], json!({ "exact": 1 }));
    let window = place.run(&["read", "--list", "--top", "1", "--skip", "1"]);
    assert_eq!(window.stdout, "docs/wind.md\tWind\n");
}

#[test]
fn missing_and_filtered_documents_are_the_same_error() {
    let place = place();
    place.index(&["docs"]);
    let unknown = place.run(&["read", "nothing"]);
    assert_eq!(unknown.code, 1);
    let filter = "path = \"docs/wind.md\"";
    let hidden = place.run(&["read", "docs/tides.md", "--filter", filter]);
    assert_eq!(hidden.stderr, unknown.stderr.replace("nothing", "docs/tides.md"));
    let wrong = place.run(&["read", "docs/tides.md", "--filter", "colour = 1"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("--filter: cannot filter on `colour`"), "{}", wrong.stderr);
}

#[test]
fn results_show_what_is_around_them() {
    let place = place();
    place.index(&["docs"]);
    let value = |arguments: &[&str]| {
        let arguments = [&["search", "noon", "--output", "json"], arguments].concat();
        place.json(&arguments)["results"][0]["Value"].as_str().unwrap().to_owned()
    };
    let section = "# Tides\n\n## High\n\nHigh water is at noon.";
    assert_eq!(value(&[]), section);
    assert_eq!(value(&["--around", "section"]), section);
    let both = "# Tides\n\n## High\n\nHigh water is at noon.\n\n## Low\n\nLow water is at six.";
    assert_eq!(value(&["--around", "neighbours"]), both);
    assert_eq!(value(&["--around", "document", "--per-document"]), both);
    let run = place.run(&["search", "noon", "--around", "document"]);
    assert!(run.stdout.contains("   Low water is at six."), "{}", run.stdout);
    let prompt = place.run(&["prompt", "noon", "--around", "neighbours:2"]).stdout;
    assert!(prompt.contains("Low water is at six."), "{prompt}");
}

#[test]
fn only_documents_have_surroundings() {
    let place = place();
    for arguments in
        [&["--around", "section", "--source", "brave"][..], &["--around", "everything"]]
    {
        let run = place.run(&[&["search", "noon"], arguments].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
    }
}
