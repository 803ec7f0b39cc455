//! Completions and manual pages.

#[cfg(target_os = "linux")]
use std::process::Command;

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

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_commands_and_arguments() {
    let place = Workplace::with(&[]);
    place.write("completions", place.run(&["completions", "bash"]).stdout);
    let completed = |words: &str, number: usize, word: &str| {
        let script = format!(
            "source completions; COMP_WORDS=({words}); COMP_CWORD={number}; _textsearch textsearch {word} x; echo \
             ${{COMPREPLY[@]}}"
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["-c", &script]).current_dir(place.path(".")).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed("textsearch ind", 1, "ind"), "index");
    assert_eq!(completed("textsearch index --wa", 2, "--wa"), "--watch");
}

#[test]
fn each_command_has_a_manual_page() {
    let place = Workplace::with(&[]);
    let run = place.run(&["man", "deep/man1"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let names = place.names("deep/man1");
    assert!(names.contains(&"textsearch.1".to_owned()), "{names:?}");
    assert!(!names.contains(&"textsearch-read-pdf.1".to_owned()), "{names:?}");
    let page = String::from_utf8(place.read("deep/man1/textsearch-index.1")).unwrap();
    assert!(page.contains("\\-\\-watch") && page.contains("Ctrl\\-C"), "{page}");
}
