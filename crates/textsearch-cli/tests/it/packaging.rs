//! Completions and manual pages.

use crate::support::Workplace;

#[test]
fn each_shell_has_completions() {
    let place = Workplace::with(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = place.run(&["completions", shell]);
        assert_eq!(run.code, 0, "{shell}: {}", run.stderr);
        assert!(run.stdout.contains("watch"), "{shell}");
    }
    let wrong = place.run(&["completions", "cmd"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("[possible values: bash, elvish, fish"), "{}", wrong.stderr);
}

#[test]
fn each_command_has_a_manual_page() {
    let place = Workplace::with(&[]);
    let run = place.run(&["man", "deep/man1"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let names = place.names("deep/man1");
    assert!(names.contains(&"textsearch.1".to_owned()), "{names:?}");
    assert!(!names.contains(&"textsearch-read-file.1".to_owned()), "{names:?}");
    let page = String::from_utf8(place.read("deep/man1/textsearch-index.1")).unwrap();
    assert!(page.contains("\\-\\-watch") && page.contains("Ctrl\\-C"), "{page}");
}

#[test]
fn the_skill_is_written_where_agents_look() {
    let place = Workplace::with(&[]);
    for (folder, path) in [(None, ".agents/skills"), (Some("own"), "own")] {
        let run = place.run(&[&["skill", "install"], folder.as_slice()].concat());
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
        let skill = place.read(&format!("{path}/textsearch/SKILL.md"));
        assert!(skill.starts_with(b"---\nname: textsearch\n"));
    }
}
