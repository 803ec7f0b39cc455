//! Settings from environment variables.

use std::process::Command;

use textsearch_milvus::MilvusConfig;

/// Runs in a child process; not a test by itself.
#[test]
#[expect(clippy::print_stdout, reason = "its parent reads what it prints")]
fn child() {
    let config = match std::env::var("TEXTSEARCH_TEST_CASE").as_deref() {
        Ok("all") => MilvusConfig::from_env(),
        Ok("url") => MilvusConfig::from_env_with_url("http://own.example"),
        _ => return,
    };
    match config {
        Err(error) => println!("outcome: {error}"),
        Ok(config) => println!(
            "outcome: {} {:?} {:?} {}",
            config.url,
            config.token.as_ref().map(|token| token.expose().to_owned()),
            config.database,
            config.consistency_level,
        ),
    }
}

fn outcome(case: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "environment::child", "--nocapture"])
        .env("TEXTSEARCH_TEST_CASE", case);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MILVUS_")) {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.split_once("outcome: ")).unwrap();
    line.1.to_owned()
}

#[test]
fn all_settings_are_read_from_their_variables() {
    let variables = [
        ("MILVUS_URL", "http://localhost:19530"),
        ("MILVUS_TOKEN", "root:sesame"),
        ("MILVUS_DATABASE", "manuals"),
        ("MILVUS_CONSISTENCY_LEVEL", "bounded"),
    ];
    let expected = r#"http://localhost:19530 Some("root:sesame") Some("manuals") Bounded"#;
    assert_eq!(outcome("all", &variables), expected);
    let expected = r#"http://own.example Some("root:sesame") Some("manuals") Bounded"#;
    assert_eq!(outcome("url", &variables), expected);
}

#[test]
fn only_the_address_is_required() {
    assert_eq!(outcome("url", &[]), "http://own.example None None Strong");
    let missing = outcome("all", &[]);
    assert!(missing.starts_with("milvus: `MILVUS_URL` is missing"), "{missing}");
}

#[test]
fn an_unknown_consistency_level_lists_the_known_ones() {
    let expected = "milvus: `MILVUS_CONSISTENCY_LEVEL` is not readable (expected Strong, Session, \
                    Bounded, Eventually); expected a value of the documented form";
    assert_eq!(outcome("url", &[("MILVUS_CONSISTENCY_LEVEL", "weak")]), expected);
}
