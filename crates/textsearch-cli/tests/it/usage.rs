//! Help, usage errors and exit codes.

use textsearch_core::vector::Fusion;

use crate::support::{Run, Workplace};

fn run(arguments: &[&str]) -> Run {
    Workplace::with(&[("docs/a.md", "# Filters\n\nA filter is plain data.\n")]).run(arguments)
}

#[test]
fn every_command_explains_itself_with_examples() {
    let help = run(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    for command in ["index", "search", "prompt", "eval", "manual", "page", "ask", "plan", "man"] {
        assert!(help.stdout.contains(command), "{command}");
        let help = run(&[command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains("Examples:\n  textsearch "), "{command}: {}", help.stdout);
    }
}

#[test]
fn a_usage_error_is_one_line_with_exit_code_2() {
    let wrong: [&[&str]; 15] = [
        &["serch", "x"],
        &["search"],
        &["search", "x", "--top", "many"],
        &["search", "x", "--from", "docs", "--store", "s"],
        &["search", "x", "--store", "qdrant://localhost"],
        &["search", "x", "--endpoint", "http://localhost"],
        &["search", "x", "--store", "s", "--max-characters", "5"],
        &["search", "x", "--text-field", "body"],
        &["search", "x", "--store", "s", "--language", "de"],
        &["search", "x", "--from", "docs", "--filter", "colour = \"red\""],
        &["index"],
        &["prompt", "x", "--arg", "novalue"],
        &["prompt", "x", "--arg", "query=y"],
        &["prompt", "x", "--from", "docs", "--top", "0"],
        &["prompt", "x", "--format", "handlebars"],
    ];
    for arguments in wrong {
        let run = run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("textsearch: "), "{}", run.stderr);
        assert!(run.stderr.contains("try "), "{}", run.stderr);
    }
}

#[test]
fn a_wrong_argument_leads_to_the_help_that_lists_it() {
    let run = self::run(&["search", "x", "--tpo", "3"]);
    assert!(run.stderr.ends_with(": try `textsearch search --help`\n"), "{}", run.stderr);
    let run = self::run(&["prompt", "x", "--arg", "a"]);
    assert!(run.stderr.ends_with(": try `textsearch prompt --help`\n"), "{}", run.stderr);
    let run = self::run(&["serch", "x"]);
    assert!(run.stderr.ends_with(": try `textsearch --help`\n"), "{}", run.stderr);
}

#[test]
fn a_second_word_of_a_query_is_explained() {
    let expected = "textsearch: unexpected argument 'docs' found: try quotes around a text of several words, or `--from \
                    docs` to search a file or folder\n";
    for command in ["search", "prompt"] {
        let run = self::run(&[command, "fusion", "docs"]);
        assert_eq!((run.code, run.stderr.as_str()), (2, expected));
        let run = self::run(&[command, "fusion", "nowhere"]);
        let expected =
            "unexpected argument 'nowhere' found: try quotes around a text of several words\n";
        assert!(run.stderr.ends_with(expected), "{}", run.stderr);
    }
    let run = self::run(&["eval", "docs"]);
    assert!(run.stderr.ends_with(": try `textsearch eval --help`\n"), "{}", run.stderr);
}

#[test]
fn short_help_fits_on_a_screen_and_has_examples() {
    for command in
        ["index", "search", "prompt", "ask", "plan", "eval", "manual", "mcp", "serve", "doctor"]
    {
        let help = run(&[command, "-h"]).stdout;
        // Without a terminal, lines wrap after 100 columns.
        assert!(help.lines().count() <= 62, "{command}: {help}");
        assert!(help.contains("Examples:\n  textsearch "), "{command}: {help}");
    }
}

#[test]
fn rare_arguments_are_only_in_the_long_help() {
    let short = run(&["search", "-h"]).stdout;
    let long = run(&["search", "--help"]).stdout;
    for rare in ["--passage-prefix", "--fusion", "--id-field", "--loader", "--language"] {
        assert!(!short.contains(rare), "{rare}: {short}");
        assert!(long.contains(rare), "{rare}: {long}");
    }
    for common in ["--from", "--filter", "--top", "--output", "--embeddings", "--mode"] {
        assert!(short.contains(common), "{common}: {short}");
    }
}

/// Returns the headings of a command's help.
fn headings(command: &str) -> Vec<String> {
    let help = run(&[command, "--help"]).stdout;
    let is_heading = |line: &&str| line.ends_with(':') && line.starts_with(char::is_uppercase);
    let headings = help.lines().filter(is_heading).map(str::to_owned);
    headings.take_while(|heading| heading != "Examples:").collect()
}

#[test]
fn own_arguments_come_first_and_rare_ones_last() {
    let own: [(&str, &[&str]); 3] = [
        ("search", &["Arguments:"]),
        ("prompt", &["Arguments:", "Prompt:"]),
        ("manual", &["Manual:"]),
    ];
    for (command, own) in own {
        let mut headings = headings(command);
        headings.retain(|heading| heading != "Options:" && heading != "Whole pages:");
        let shared = ["What to search:", "Results:", "Embeddings:", "Ranking:"];
        let files = ["JSON Lines, with --from:", "Files, with --from:", "Language, with --from:"];
        assert_eq!(headings, [own, &shared, &files].concat(), "{command}");
    }
}

#[test]
fn help_of_serve_lists_only_what_it_accepts() {
    let help = run(&["serve", "--help"]).stdout;
    for argument in ["--kind", "--skip", "--output"] {
        assert!(!help.contains(&format!("{argument} <")), "{help}");
        let refused = run(&["serve", "--from", "docs", argument, "text"]);
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains("unexpected argument"), "{}", refused.stderr);
    }
    assert_eq!(headings("serve")[..2], ["Options:", "Server:"]);
}

#[test]
fn help_of_a_search_limits_language_to_files() {
    let help = run(&["search", "--help"]).stdout;
    assert!(help.contains("Language, with --from:\n      --language <CODE>"), "{help}");
    assert!(help.contains("A store keeps the language it was indexed with"), "{help}");
    let help = run(&["index", "--help"]).stdout;
    assert!(help.contains("Language:\n      --language <CODE>"), "{help}");
}

#[test]
fn help_of_a_search_names_the_default_weight_of_vectors() {
    let help = run(&["search", "--help"]).stdout;
    let default = format!("from 0 to 1 [default: {}]", Fusion::DEFAULT_VECTOR_WEIGHT);
    assert!(help.contains(&default), "{help}");
}

#[test]
fn an_invalid_number_is_refused_with_its_option() {
    for top in ["abc", "-1", "1.5", "99999999999999999999"] {
        let stderr = run(&["search", "x", "--top", top]).stderr;
        let expected = format!("invalid value '{top}' for '--top <NUMBER>': ");
        assert!(stderr.contains(&expected), "{top}: {stderr}");
    }
}

#[test]
fn an_invalid_filter_is_refused_with_its_column() {
    let run = run(&["search", "x", "--from", "docs", "--filter", "year 20"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("column 6: expected an operator"), "{}", run.stderr);
}

#[test]
fn filter_on_unknown_field_names_the_others_once() {
    let run = run(&["search", "x", "--from", "docs", "--fixed-filter", "colour = 1"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--fixed-filter: cannot filter on `colour`"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("path").count(), 1, "{}", run.stderr);
}

#[test]
fn a_failure_is_one_line_with_exit_code_1() {
    for arguments in [
        &["search", "x"][..],
        &["search", "x", "--from", "nowhere"],
        &["index", "nowhere"],
        &["prompt", "x", "--from", "docs", "--template", "nowhere.hbs"],
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("textsearch: "), "{}", run.stderr);
    }
}

#[test]
fn a_missing_store_is_reported_with_the_index_command() {
    for (arguments, store) in
        [(&[][..], ".textsearch/index"), (&["--store", "notes.index"], "notes.index")]
    {
        let run = run(&[&["search", "x"], arguments].concat());
        assert_eq!(run.code, 1);
        assert_eq!(
            run.stderr,
            format!(
                "textsearch: there is no store `{store}`: try `textsearch index PATH --store {store}` to make one, or \
                 --from PATH to search files without one\n"
            )
        );
    }
}

#[test]
fn verbose_logs_to_standard_error() {
    let quiet = run(&["search", "filter", "--from", "docs"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    let verbose = run(&["search", "filter", "--from", "docs", "--verbose"]);
    assert_eq!(verbose.stdout, quiet.stdout);
    assert!(!verbose.stderr.is_empty());
}
