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
             expected one of the registered kinds: `acs`, `chroma`, `milvus`, `pgvector`, `pinecone`, `qdrant`\n"
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

/// Kind, and the variables with key and address.
#[cfg(feature = "stores")]
const KINDS: [(&str, &str, &str); 5] = [
    ("acs", "AZURE_SEARCH_API_KEY", "AZURE_SEARCH_ENDPOINT"),
    ("chroma", "CHROMA_API_KEY", "CHROMA_URL"),
    ("milvus", "MILVUS_TOKEN", "MILVUS_URL"),
    ("pinecone", "PINECONE_API_KEY", "PINECONE_ENDPOINT"),
    ("qdrant", "QDRANT_API_KEY", "QDRANT_URL"),
];

#[cfg(feature = "stores")]
#[test]
fn a_key_of_an_index_is_not_sent_to_another_host() {
    for (kind, key, address) in KINDS {
        let settings = [(key, "rosebud"), (address, "http://127.0.0.1:2")];
        let message = refused(&FILE.replace("qdrant", kind), &settings);
        let expected =
            format!("the key in `{key}` isn't sent: `index.endpoint` is `http://127.0.0.1:1`");
        assert!(message.contains(&expected) && !message.contains("rosebud"), "{message}");
    }
}

#[cfg(feature = "stores")]
#[test]
fn milvus_reads_the_connectors_variables() {
    let level = [("MILVUS_CONSISTENCY_LEVEL", "weak")];
    let message = refused(&FILE.replace("qdrant", "milvus"), &level);
    assert!(message.contains("`MILVUS_CONSISTENCY_LEVEL` is not readable"), "{message}");
    let place = Workplace::with(&[]);
    let mut command = place.command(&["search", "apple", "--store", "milvus://127.0.0.1:1/docs"]);
    let run: crate::support::Run = command.envs(level).output().unwrap().into();
    assert!(run.stderr.contains("`MILVUS_CONSISTENCY_LEVEL` is not readable"), "{}", run.stderr);
}

#[cfg(feature = "stores")]
#[test]
fn the_address_in_the_environment_is_asked() {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for connection in server.incoming() {
            count.fetch_add(1, Ordering::SeqCst);
            drop(connection);
        }
    });
    let file = FILE.replace("  endpoint: http://127.0.0.1:1\n", "");
    for (kind, key, variable) in KINDS {
        let place = Workplace::with(&[("MLIndex", &file.replace("qdrant", kind))]);
        let mut command = place.command(&["search", "apple", "--mlindex", "MLIndex"]);
        // Not for all attempts.
        let command = command.env(key, "rosebud").env(variable, &address);
        let _ = command.timeout(Duration::from_secs(5)).output();
        assert_ne!(asked.swap(0, Ordering::SeqCst), 0, "{kind} asks nothing");
    }
}

#[cfg(not(feature = "stores"))]
#[test]
fn a_kind_that_is_not_compiled_names_its_feature() {
    for kind in ["acs", "chroma", "milvus", "pgvector", "pinecone", "qdrant"] {
        let message = refused(&FILE.replace("qdrant", kind), &[]);
        let expected = "`index.kind` is a kind that this build lacks (line 4); \
                        expected a build with the feature `stores`: cargo install";
        assert!(message.contains(expected), "{message}");
    }
}

#[cfg(feature = "stores")]
#[test]
fn only_the_environment_names_a_database() {
    let file = FILE.replace("qdrant", "pgvector");
    assert_eq!(
        refused(&file, &[("POSTGRES_URL", "postgres://me:rosebud@127.0.0.1:1/app")]),
        format!(
            "{CANNOT}`index.endpoint` is set (line 5); \
             expected no address here: the variable `POSTGRES_URL` holds it\n"
        )
    );
    let file = file.replace("  endpoint: http://127.0.0.1:1\n", "");
    assert_eq!(
        refused(&file, &[("POSTGRES_URL", "")]),
        format!(
            "{CANNOT}`index.endpoint` is missing (line 4); \
             expected an address in the variable `POSTGRES_URL`\n"
        )
    );
    let other = format!("{file}  connection: {{ key: OPENAI_API_KEY }}\n");
    let message = refused(&other, &[("OPENAI_API_KEY", "rosebud")]);
    assert!(message.contains("another variable (line 7); expected `POSTGRES_URL`"), "{message}");
}

#[cfg(feature = "local-embeddings")]
#[test]
fn a_model_outside_the_folder_is_refused() {
    let file = FILE.replace("none", "hugging_face\n  model: ../elsewhere");
    assert!(
        refused(&file, &[]).contains("`embeddings.model` is a path that leads elsewhere (line 3)")
    );
}
