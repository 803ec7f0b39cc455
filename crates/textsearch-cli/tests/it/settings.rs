//! `textsearch.toml`, of a project and of the user.

use serde_json::Value;

use crate::support::{Run, Workplace};

/// A project, and the user's own settings in `config`.
fn place(project: &str, user: &str) -> Workplace {
    let place = Workplace::with(&[
        ("project/docs/a.md", "# Apples\n\nApples are red.\n"),
        ("project/docs/b.md", "# Apple pie\n\nApples are sweet.\n"),
        ("project/docs/c.rtf", "{\\rtf1 pears"),
        ("outside/x.md", "# Oranges"),
    ]);
    place.write("project/textsearch.toml", project);
    place.write("config/textsearch/textsearch.toml", user);
    place
}

fn run(place: &Workplace, folder: &str, arguments: &[&str]) -> Run {
    let mut command = place.command(arguments);
    command.env("XDG_CONFIG_HOME", place.path("config")).env("HOME", place.path("nobody"));
    command.current_dir(place.path(folder)).output().unwrap().into()
}

fn links(run: &Run) -> Vec<String> {
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|result| result["Link"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn project_sets_defaults_and_the_command_line_wins() {
    let place = place("[search]\nfrom = [\"docs\"]\ntop = 1\noutput = \"json\"\n", "");
    let search = run(&place, "project", &["search", "apples"]);
    assert_eq!((links(&search).len(), search.stderr.contains("toml")), (1, false));
    let search = run(&place, "project", &["search", "apples", "--top", "2"]);
    assert_eq!(links(&search).len(), 2);
    // --from and --store exclude each other.
    run(&place, "project", &["index", "docs/a.md", "--store", "one"]);
    let search = run(&place, "project", &["search", "apples", "--store", "one"]);
    assert_eq!(links(&search).len(), 1);
}

#[test]
fn project_wins_over_the_user() {
    let user = "[search]\ntop = 2\noutput = \"json\"\nmode = \"text\"\n";
    let place = place("[search]\nfrom = \"docs\"\ntop = 1\n", user);
    assert_eq!(links(&run(&place, "project", &["search", "apples"])).len(), 1);
}

/// A server that dropped one of them would be open.
#[test]
fn an_identity_provider_of_the_user_is_whole() {
    let user = "[serve]\noauth-audience = \"a\"\noauth-issuer = \"http://login.example\"\n\
                public-url = \"https://search.example\"\ntenant-claim = \"org\"\n\
                tenant-filter = 'path = \"{org}\"'\n";
    for (dropped, advice) in [
        ("", "expected https://"),
        ("public-url", "try --public-url"),
        ("tenant-claim", "expected both"),
        ("tenant-filter", "expected both"),
        ("oauth-issuer", "try --oauth-issuer"),
    ] {
        let kept = user.lines().filter(|line| dropped.is_empty() || !line.starts_with(dropped));
        let kept = kept.collect::<Vec<_>>().join("\n");
        let kept =
            if dropped.starts_with("tenant") { kept.replace("http:", "https:") } else { kept };
        let run = run(&place("", &kept), "project", &["serve", "--from", "docs"]);
        assert!(run.stderr.contains(advice), "{dropped}: {}", run.stderr);
        assert_eq!(run.code, 2);
    }
}

#[test]
fn project_keeps_the_fixed_filter_of_the_user() {
    let user = "[search]\nfixed-filter = 'path = \"docs/a.md\"'\noutput = \"json\"\n";
    let place = place("[search]\nfrom = \"docs\"\nfixed-filter = 'size > 0'\n", user);
    let search = run(&place, "project", &["search", "apples"]);
    assert_eq!(links(&search), ["docs/a.md#apples"]);
    assert!(search.stderr.contains("[search] fixed-filter is ignored"), "{}", search.stderr);
}

#[test]
fn settings_for_reading_files_apply_only_with_from() {
    let keys = "language = \"none\"\nchunk-size = 500\nchunk-overlap = 0\nid-field = \"x\"\n";
    let place = place(&format!("[search]\noutput = \"json\"\n{keys}"), "");
    run(&place, "project", &["index", "docs", "--store", "one"]);
    // Only a language makes `apples` match `apple`.
    let store = run(&place, "project", &["search", "apple", "--store", "one"]);
    assert_eq!(links(&store).len(), 2);
    let files = run(&place, "project", &["search", "apple", "--from", "docs"]);
    assert_eq!(links(&files), ["docs/b.md#apple-pie"]);
}

#[test]
fn paths_of_a_project_start_at_its_file() {
    let place = place("[index]\nstore = \"kept/index\"\n", "");
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    let run = run(&place, "project/docs", &["index", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(place.path("project/kept/index").exists());
}

#[test]
fn file_above_is_read_only_in_a_repository() {
    let place = place("[index]\nstore = \"kept/index\"\n", "");
    assert_eq!(run(&place, "project/docs", &["index", "."]).code, 0);
    assert!(place.path("project/docs/.textsearch/index").exists());
}

#[cfg(unix)]
#[test]
fn project_neither_runs_programs_nor_leaves_its_folder() {
    for (line, key) in [
        ("loader = \"rtf=touch ../ran {}\"", "loader"),
        ("loader = [\"rtf=http://localhost/\"]", "loader"),
        ("embeddings = \"openai:m\"", "embeddings"),
        ("rebuild = true", "rebuild"),
        ("link-base = \"https://other.example/\"", "link-base"),
        ("store = \"../outside/index\"", "store"),
        ("store = \"/tmp/index\"", "store"),
        ("store = \"qdrant://localhost/x\"", "store"),
        ("store = \"link/index\"", "store"),
        ("store = \"new\"", "store"),
        ("store = \"locked\"", "store"),
        ("store = \"cached\"", "store"),
        ("exclude-field = \"title\"", "exclude-field"),
    ] {
        let place = place(&format!("[index]\n{line}\n"), "");
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, place.path("project").join(name)).unwrap();
        };
        link("../outside", "link");
        link("../outside/new", "new");
        link("../outside/new", "locked.lock");
        link("../outside/x.md", "cached.textsearch-new");
        let run = run(&place, "project", &["index", "docs"]);
        assert_eq!(run.code, 0, "{line}: {}", run.stderr);
        let ignored =
            format!("textsearch.toml` [index] {key} is ignored, because a project's file may");
        assert!(run.stderr.contains(&ignored), "{line}: {}", run.stderr);
        assert!(run.stderr.contains("or set it in `"), "{}", run.stderr);
        assert!(place.path("project/.textsearch/index").exists(), "{line}");
        assert!(!place.path("ran").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_no_file_of_a_project() {
    let place = place("", "[search]\noutput = \"json\"\n");
    place.write("outside/textsearch.toml", "[search]\ntop = 1\n");
    place.remove("project/textsearch.toml");
    let link = place.path("project/textsearch.toml");
    std::os::unix::fs::symlink("../outside/textsearch.toml", link).unwrap();
    let search = run(&place, "project", &["search", "apples", "--from", "docs"]);
    assert_eq!(links(&search).len(), 2);
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_write_is_ignored() {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt as _,
    };

    let place = place("[search]\ntop = 1\n", "[search]\noutput = \"json\"\n");
    fs::set_permissions(place.path("project"), Permissions::from_mode(0o777)).unwrap();
    let run = run(&place, "project", &["search", "apples", "--from", "docs"]);
    assert_eq!(links(&run).len(), 2);
    let message = "textsearch.toml` is ignored, because other users may write to it";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn a_file_has_at_most_64_kib() {
    let place = place(&format!("[search]\ntop = 1\n#{}", "x".repeat(64 * 1024)), "");
    let run = run(&place, "project", &["search", "apples", "--from", "docs"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let message = "textsearch.toml` cannot be read: it has more than 65536 bytes: shorten it";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn user_may_set_a_loader() {
    let place = place("", "[index]\nloader = [\"rtf=cat {}\"]\noutput = \"json\"\n");
    let run = run(&place, "project", &["index", "docs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["added"], 3);
}

#[test]
fn mistake_is_named_with_file_and_place() {
    for (project, message) in [
        ("[search]\ntop = = 2\n", "textsearch.toml` line 2: "),
        (
            "[search]\ntopp = 2\n",
            "textsearch.toml` [search] topp: no such argument: try `textsearch search --help`",
        ),
        ("[serch]\ntop = 2\n", "textsearch.toml`: there is no command `serch`: "),
        (
            "[search]\ntop = \"many\"\n",
            "textsearch.toml` [search] top: invalid value 'many' for '--top <NUMBER>'",
        ),
        ("[search]\ntop = 2026-01-01\n", "textsearch.toml` [search] top: write a text, a number"),
        (
            "[search]\ntop = true\n",
            "textsearch.toml` [search] top: write a text, a number or a list of them",
        ),
        ("[search]\nper-document = \"yes\"\n", "[search] per-document: write true or false"),
        ("search = 2\n", "textsearch.toml`: `search` is no table: "),
    ] {
        let place = place(project, "");
        let run = run(&place, "project", &["search", "apples", "--from", "docs"]);
        assert_eq!(run.code, 2, "{project}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{project}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[test]
fn help_and_mistakes_of_the_command_line_stay() {
    let place = place("[search]\ntop = 1\n", "");
    assert_eq!(run(&place, "project", &["search", "--help"]).code, 0);
    let wrong = run(&place, "project", &["search", "x", "--tpo", "3"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("unexpected argument '--tpo'"), "{}", wrong.stderr);
}
