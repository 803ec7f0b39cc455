//! `--mlindex`, without a server.

use crate::support::Workplace;

const FILE: &str = "\
embeddings:
  kind: none
index:
  kind: qdrant
  endpoint: http://127.0.0.1:1
  collection: docs
  field_mapping: { content: text }
";

fn refused(file: &str, settings: &[(&str, &str)]) -> String {
    let place = Workplace::with(&[("index/MLIndex", file)]);
    let mut command = place.command(&["search", "apple", "--mlindex", "index"]);
    let run: crate::support::Run = command.envs(settings.iter().copied()).output().unwrap().into();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    run.stderr
}

const CANNOT: &str = "textsearch: the MLIndex file `index` cannot be opened: ";

#[test]
fn an_unknown_kind_lists_the_known_ones() {
    assert_eq!(
        refused(&FILE.replace("qdrant", "faiss"), &[]),
        format!(
            "{CANNOT}`index.kind` is `faiss`, which isn't registered (line 4); \
             expected one of the registered kinds: `qdrant`\n"
        )
    );
    assert_eq!(
        refused(&FILE.replace("none", "cohere"), &[]),
        format!(
            "{CANNOT}`embeddings.kind` is `cohere`, which isn't registered (line 2); \
             expected one of the registered kinds: `azure_open_ai`, `hugging_face`, `none`, `open_ai`\n"
        )
    );
}

#[test]
fn a_missing_field_is_named_with_its_line() {
    assert_eq!(
        refused(&FILE.replace("  kind: qdrant\n", ""), &[]),
        format!(
            "{CANNOT}`index.kind` is missing (line 4); \
             expected the name of a kind, such as `qdrant` or `open_ai`\n"
        )
    );
}

#[test]
fn a_key_in_the_file_is_refused_and_not_printed() {
    let message = refused(&format!("{FILE}  api_key: rosebud\n"), &[]);
    assert_eq!(
        message,
        format!(
            "{CANNOT}`index.api_key` is set (line 8); \
             expected no key in the file: put it into the environment\n"
        )
    );
}

#[test]
fn other_selections_conflict_with_a_file() {
    let place = Workplace::with(&[("MLIndex", FILE)]);
    for other in
        [["--from", "."], ["--store", "x"], ["--embeddings", "openai:x"], ["--mode", "text"]]
    {
        let arguments = [&["search", "apple", "--mlindex", "MLIndex"], &other[..]].concat();
        let run = place.run(&arguments);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
    }
}

#[test]
fn a_missing_file_is_named() {
    let run = Workplace::with(&[]).run(&["search", "apple", "--mlindex", "nowhere"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("textsearch: the MLIndex file `nowhere` cannot be opened: "));
}

#[cfg(feature = "ask")]
#[test]
fn a_missing_model_or_key_is_named() {
    for (embeddings, message) in [
        ("open_ai", "`embeddings.model` is missing (line 2); expected the name of a model"),
        (
            "open_ai\n  model: text-embedding-3-small",
            "no key: set the environment variable `OPENAI_API_KEY`",
        ),
        (
            "open_ai\n  api_type: Azure\n  deployment: mine",
            "`embeddings.api_version` is missing (line 2); \
             expected a version of Azure's API, such as 2024-10-21",
        ),
        (
            "azure_open_ai\n  api_version: 2024-10-21",
            "`embeddings.deployment` is missing (line 2); expected the name of a deployment on Azure",
        ),
        (
            "azure_open_ai\n  deployment: mine\n  api_version: 2024-10-21",
            "`embeddings.api_base` is missing (line 2); \
             expected an address, here or in the variable `AZURE_OPENAI_ENDPOINT`",
        ),
    ] {
        let file = FILE.replace("none", embeddings);
        assert_eq!(refused(&file, &[]), format!("{CANNOT}{message}\n"));
    }
}

#[cfg(feature = "ask")]
#[test]
fn a_key_is_not_sent_to_another_host() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    let model = "model: m\n  deployment: m\n  api_version: v";
    for (kind, key, own) in [
        ("open_ai", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ("azure_open_ai", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
    ] {
        let file = FILE.replace("none", &format!("{kind}\n  api_base: {address}/v1\n  {model}"));
        let settings = [(key, "rosebud"), (own, "https://own.example/v1")];
        assert_eq!(
            refused(&file, &settings),
            format!(
                "{CANNOT}the key in `{key}` isn't sent: `embeddings.api_base` is `{address}` (line 3); \
                 expected the address in `{own}`, or a host that the program allows\n"
            )
        );
    }
    server.set_nonblocking(true).unwrap();
    assert_eq!(server.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[cfg(feature = "qdrant")]
#[test]
fn a_key_of_qdrant_is_not_sent_to_another_host() {
    let settings = [("QDRANT_API_KEY", "rosebud"), ("QDRANT_URL", "http://127.0.0.1:2")];
    let message = refused(FILE, &settings);
    let expected =
        "the key in `QDRANT_API_KEY` isn't sent: `index.endpoint` is `http://127.0.0.1:1`";
    assert!(message.contains(expected) && !message.contains("rosebud"), "{message}");
}

#[cfg(not(feature = "qdrant"))]
#[test]
fn a_kind_that_is_not_compiled_names_its_feature() {
    let message = refused(FILE, &[]);
    let expected = "`index.kind` is a kind that this build lacks (line 4); \
                    expected a build with the feature `qdrant`: cargo install";
    assert!(message.contains(expected), "{message}");
}

#[cfg(feature = "local-embeddings")]
#[test]
fn a_model_outside_the_folder_is_refused() {
    let file = FILE.replace("none", "hugging_face\n  model: ../elsewhere");
    assert!(
        refused(&file, &[]).contains("`embeddings.model` is a path that leads elsewhere (line 3)")
    );
}
