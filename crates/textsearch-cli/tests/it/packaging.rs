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

#[test]
fn the_skill_overwrites_no_edited_file() {
    let place = Workplace::with(&[]);
    let path = ".agents/skills/textsearch/SKILL.md";
    assert_eq!([(); 2].map(|()| place.run(&["skill", "install"]).code), [0, 0]);
    place.write(path, "my own");
    let run = place.run(&["skill", "install"]);
    let message = format!("`{path}` is another version of the skill, or was edited: delete it");
    assert!(run.code == 1 && run.stderr.contains(&message), "{}", run.stderr);
    assert_eq!(place.read(path), b"my own");
    place.remove(path);
    assert_eq!(place.run(&["skill", "install"]).code, 0);
}

#[cfg(unix)]
#[test]
fn the_skill_is_not_written_through_a_link() {
    use std::{fs, os::unix::fs::symlink};

    let place = Workplace::with(&[(".bashrc", "alias")]);
    let folder = place.path(".agents/skills/textsearch");
    fs::create_dir_all(&folder).unwrap();
    for target in [".bashrc", ".profile"] {
        symlink(place.path(target), folder.join("SKILL.md")).unwrap();
        assert_eq!(place.run(&["skill", "install"]).code, 1, "{target}");
        fs::remove_file(folder.join("SKILL.md")).unwrap();
    }
    assert_eq!(place.read(".bashrc"), b"alias");
    assert!(!place.path(".profile").exists());
}
