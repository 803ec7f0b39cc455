use std::process::Command;

use textsearch_openai::OpenAiConfig;

/// Runs in a child process; not a test by itself.
#[test]
#[expect(clippy::print_stdout, reason = "its parent reads what it prints")]
fn child() {
    let config = match std::env::var("TEXTSEARCH_TEST_CASE").as_deref() {
        Ok("chat") => OpenAiConfig::from_env(),
        Ok("embeddings") => OpenAiConfig::embeddings_from_env(),
        Ok("named" | "protocol") => OpenAiConfig::from_env_with_model("named"),
        Ok("azure") => OpenAiConfig::azure_from_env(),
        _ => return,
    };
    match config {
        Err(error) => println!("outcome: {error}"),
        Ok(config) if std::env::var("OPENAI_PROTOCOL").is_ok() => {
            println!("outcome: {}", config.protocol);
        }
        Ok(config) => println!(
            "outcome: {} {} {:?} {:?} {:?} {:?}",
            config.base_url.as_str(),
            config.model,
            config.api_key.as_ref().map(|key| key.expose().to_owned()),
            config.organization,
            config.project,
            config.azure_api_version,
        ),
    }
}

fn outcome(case: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "environment::child", "--nocapture"])
        .env("TEXTSEARCH_TEST_CASE", case);
    for (name, _) in std::env::vars().filter(|(name, _)| name.contains("OPENAI_")) {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.split_once("outcome: ")).unwrap();
    line.1.to_owned()
}

#[test]
fn only_the_hosted_service_needs_a_key() {
    assert_eq!(
        outcome("chat", &[("OPENAI_MODEL", "m")]),
        "openai: no key: set the environment variable `OPENAI_API_KEY`"
    );
    let own = [("OPENAI_MODEL", "m"), ("OPENAI_BASE_URL", "http://localhost:11434/v1")];
    assert_eq!(outcome("chat", &own), "http://localhost:11434/v1 m None None None None");
}

#[test]
fn a_named_model_needs_no_variable() {
    let key = [("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "other")];
    let expected = "https://api.openai.com/v1 named Some(\"k\") None None None";
    assert_eq!(outcome("named", &key), expected);
}

#[test]
fn a_missing_model_is_named() {
    let key = [("OPENAI_API_KEY", "k")];
    let missing = |name: &str| {
        format!("openai: `{name}` is missing; expected a value in this environment variable")
    };
    assert_eq!(outcome("chat", &key), missing("OPENAI_MODEL"));
    assert_eq!(outcome("embeddings", &key), missing("OPENAI_EMBEDDING_MODEL"));
}

#[test]
fn all_variables_are_read() {
    let all = [
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_MODEL", "m"),
        ("OPENAI_EMBEDDING_MODEL", "e"),
        ("OPENAI_ORG_ID", "o"),
        ("OPENAI_PROJECT_ID", "p"),
    ];
    let url = "https://api.openai.com/v1";
    let who = r#"Some("k") Some("o") Some("p") None"#;
    assert_eq!(outcome("chat", &all), format!("{url} m {who}"));
    assert_eq!(outcome("embeddings", &all), format!("{url} e {who}"));
}

#[test]
fn the_protocol_is_read_or_refused() {
    let with =
        |protocol| outcome("protocol", &[("OPENAI_API_KEY", "k"), ("OPENAI_PROTOCOL", protocol)]);
    assert_eq!(with("responses"), "responses");
    let expected =
        "openai: `OPENAI_PROTOCOL` is `assistants`; expected chat-completions, responses";
    assert_eq!(with("assistants"), expected);
    let embeddings =
        [("OPENAI_API_KEY", "k"), ("OPENAI_EMBEDDING_MODEL", "e"), ("OPENAI_PROTOCOL", "x")];
    assert_eq!(outcome("embeddings", &embeddings), "chat-completions");
}

#[test]
fn azure_has_its_own_variables() {
    let all = [
        ("AZURE_OPENAI_API_KEY", "k"),
        ("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com"),
        ("AZURE_OPENAI_API_VERSION", "2024-10-21"),
        ("AZURE_OPENAI_DEPLOYMENT", "d"),
    ];
    let expected = r#"https://mine.openai.azure.com d Some("k") None None Some("2024-10-21")"#;
    assert_eq!(outcome("azure", &all), expected);
    let with_protocol = [all.as_slice(), &[("OPENAI_PROTOCOL", "responses")]].concat();
    assert_eq!(outcome("azure", &with_protocol), "responses");
    let missing = outcome("azure", &all[..3]);
    assert!(missing.starts_with("openai: `AZURE_OPENAI_DEPLOYMENT` is missing"), "{missing}");
}
