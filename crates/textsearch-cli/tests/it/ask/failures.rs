//! Failures before the model has answered.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_model_is_reported_with_how_to_set_it() {
    let place = docs();
    let without = |variables: &[(&str, &str)]| {
        let mut command = place.command(&["ask", QUESTION, "--from", "docs"]);
        Run::from(command.envs(variables.iter().copied()).output().unwrap())
    };
    for (variables, missing) in [
        (&[][..], "OPENAI_API_KEY"),
        (&[("OPENAI_MODEL", "any")], "OPENAI_API_KEY"),
        (&[("OPENAI_API_KEY", KEY)], "OPENAI_MODEL"),
        (&[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], "OPENAI_MODEL"),
    ] {
        let run = without(variables);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let (problem, advice) = run.stderr.split_once(": try ").unwrap();
        assert!(problem.starts_with("textsearch: there is no model to ask: "), "{problem}");
        assert!(problem.contains(missing), "{problem}");
        assert!(advice.contains("OPENAI_BASE_URL=http://localhost:11434/v1"), "{advice}");
        assert!(advice.contains("Ollama") && !run.stderr.contains(KEY), "{advice}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_an_empty_store_sends_no_request() {
    let stage = Stage::new([]).await;
    std::fs::create_dir(stage.place.path("bare")).unwrap();
    stage.place.index(&["bare"]);
    let expected = "textsearch: nothing is stored in `.textsearch/index`: try `textsearch index PATH --store \
                    .textsearch/index`\n";
    for arguments in [&["--rag"][..], &["--tools"], &["--embeddings", "openai:any"]] {
        let run = stage.ask_of(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{arguments:?}");
        assert_eq!(run.stderr, expected, "{arguments:?}");
    }
    assert!(stage.model.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_base_url_is_a_usage_error() {
    let place = docs();
    let mut command = place.command(&["ask", QUESTION, "--from", "docs"]);
    command.env("OPENAI_BASE_URL", "localhost:8080").env("OPENAI_MODEL", "any");
    let run = Run::from(command.output().unwrap());
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
    assert!(run.stderr.contains("an address such as https://"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_is_named_by_variable_and_hidden() {
    let stage = Stage::new([Turn::unauthorized()]).await;
    let mut command = stage.command(&["--from", "docs", "--tools", "-v"]);
    let run = stage.checked(command.env("RUST_LOG", "trace").output().unwrap());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    let last = run.stderr.lines().last().unwrap();
    assert!(last.starts_with("textsearch: openai: "), "{last}");
    assert!(last.ends_with("try another key in OPENAI_API_KEY"), "{last}");
    assert!(run.stderr.lines().count() > 1, "nothing was logged");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_is_reported_with_its_address() {
    let nowhere = textsearch_conformance::Server::nowhere().await;
    let stage = Stage::new([]).await;
    let mut command = stage.command(&["--from", "docs"]);
    command.env("OPENAI_BASE_URL", format!("{nowhere}v1"));
    let run = stage.checked(command.output().unwrap());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains(nowhere.as_str()), "{}", run.stderr);
    assert!(run.stderr.contains("OPENAI_BASE_URL"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_before_a_failure_are_shown() {
    let quota = Turn::insufficient_quota;
    for more in [&[][..], &["--stream"]] {
        let stage = Stage::new([search(query()), quota()]).await;
        let run = stage.ask(&[&["--tools", "--show-calls"], more].concat());
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        let lines: Vec<&str> = run.stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{}", run.stderr);
        assert!(lines[0].contains(": 1 result in "), "{}", lines[0]);
        assert!(lines[1].contains("openai: "), "{}", lines[1]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_errors_come_before_any_request() {
    let stage = Stage::new([]).await;
    for (arguments, advice) in [
        (&["--rag", "--tools"][..], "cannot be used with"),
        (&["--allow-filter", "path"], "--tools"),
        (&["--max-rounds", "3"], "--tools"),
        (&["--tools", "--max-rounds", "0"], "--max-rounds"),
        (&["--tools", "--top", "0"], "try 1 or more"),
        (&["--stream", "--output", "json"], "try one of them"),
        (&["--kind", "text", "--check-citations"], "try --kind results"),
        (&["--filter", "colour = \"red\""], "try one of "),
        (&["--tools", "--allow-filter", "colour"], "try one of "),
    ] {
        let run = stage.ask(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(advice), "{arguments:?}: {}", run.stderr);
    }
    assert!(stage.model.requests().is_empty());
}
