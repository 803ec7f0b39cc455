use serde_json::json;
use textsearch_core::ErrorKind;
use textsearch_mlindex::MlIndex;

use crate::support::{AZURE, error, with_index};

#[test]
fn a_file_of_azure_is_read_unchanged() {
    let MlIndex { embeddings, index, folder, .. } = MlIndex::from_yaml(AZURE).unwrap();
    assert_eq!((embeddings.kind.as_str(), embeddings.dimension), ("open_ai", Some(1536)));
    assert_eq!(embeddings.model.as_deref(), Some("text-embedding-ada-002"));
    assert_eq!(embeddings.deployment, embeddings.model);
    assert_eq!((embeddings.batch_size, embeddings.schema_version.as_deref()), (Some(1), Some("2")));
    assert_eq!(embeddings.api_type.as_deref(), Some("azure"));
    assert_eq!(embeddings.api_version.as_deref(), Some("2023-03-15-preview"));
    assert_eq!((index.kind.as_str(), index.required_index().unwrap()), ("acs", "my-index"));
    assert_eq!(index.fields.content.as_deref(), Some("content"));
    assert_eq!(index.fields.embedding.as_deref(), Some("content_vector_open_ai"));
    assert_eq!(index.fields.title.as_deref(), Some("title"));
    assert_eq!(index.fields.url.as_deref(), Some("sourcepage"));
    assert_eq!(index.fields.filename.as_deref(), Some("sourcefile"));
    assert_eq!(index.fields.metadata.as_deref(), Some("meta_json_string"));
    assert_eq!(folder, None);
}

#[test]
fn unknown_settings_are_kept_for_constructors() {
    let MlIndex { embeddings, index, .. } = MlIndex::from_yaml(AZURE).unwrap();
    assert_eq!(embeddings.other.names().collect::<Vec<_>>(), ["file_format_version"]);
    assert_eq!(index.other.get("engine"), Some(&json!("azure-sdk")));
    assert_eq!(index.other.names().count(), 2);
}

#[test]
fn other_sections_are_left_alone() {
    let yaml = format!(
        "name: docs\nversion: 1\nother: {{ a: [1, {{ b: c }}] }}\n{}",
        with_index("  kind: a\n")
    );
    assert_eq!(MlIndex::from_yaml(&yaml).unwrap().index.kind, "a");
}

#[test]
fn a_missing_section_is_named() {
    assert_eq!(
        error("").to_string(),
        "mlindex: `index` is missing; expected a section of settings"
    );
    let error = error("index: { kind: a }");
    assert_eq!(
        error.to_string(),
        "mlindex: `embeddings` is missing; expected a section of settings"
    );
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "embeddings")
    );
}

#[test]
fn a_missing_setting_is_named_with_path_and_line() {
    assert_eq!(
        error("embeddings:\n  kind: none\nindex:\n  index: docs\n").to_string(),
        "mlindex: `index.kind` is missing (line 4); expected the name of a kind, such as `qdrant` or `open_ai`"
    );
    let file = MlIndex::from_yaml(&with_index("  kind: a\n")).unwrap();
    assert_eq!(
        file.index.required_index().unwrap_err().to_string(),
        "mlindex: `index.index` is missing (line 4); expected the name of an index, here or in `index.collection`"
    );
}

#[test]
fn an_invalid_setting_is_named_with_path_and_line() {
    for (settings, message) in [
        (
            "  kind: [a]\n",
            "`index.kind` is something else than a text (line 4); expected a text of one line and at most 512 bytes",
        ),
        (
            "  kind: a\n  field_mapping: { content: 3 }\n",
            "`index.field_mapping.content` is no name of a field (line 5); \
             expected the name of a field, as a text of 1 to 256 bytes",
        ),
        (
            "  kind: a\n  field_mapping: content\n",
            "`index.field_mapping` is no list of settings (line 5); expected settings by name",
        ),
        (
            "  kind: a\n  connection_type: magic\n",
            "`index.connection_type` is another type (line 5); \
             expected `environment`, `workspace_connection` or `workspace_keyvault`",
        ),
        (
            "  kind: a\n  index: b\n  collection: c\n",
            "`index.collection` is another name than `index` (line 6); expected one of the two settings",
        ),
    ] {
        assert_eq!(error(&with_index(settings)).message(), message);
    }
}

#[test]
fn numbers_are_limited_and_never_wrap() {
    for number in ["0", "-1", "1.5", "1e400", "18446744073709551617", "'many'", "true", "1048577"] {
        let yaml = format!("embeddings: {{ kind: a, dimension: {number} }}\nindex: {{ kind: b }}");
        assert!(MlIndex::from_yaml(&yaml).is_err(), "{number}");
    }
    let yaml = "embeddings: { kind: a, dimension: '768' }\nindex: { kind: b }";
    assert_eq!(MlIndex::from_yaml(yaml).unwrap().embeddings.dimension, Some(768));
}

#[test]
fn a_file_or_its_folder_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("MLIndex"), format!("\u{feff}{AZURE}")).unwrap();
    for path in [folder.path().to_owned(), folder.path().join("MLIndex")] {
        let file = MlIndex::from_path(path).unwrap();
        assert_eq!(file.folder.as_deref(), Some(folder.path()));
    }
}

#[test]
fn an_unreadable_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("MLIndex");
    let error = MlIndex::from_path(&path).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Backend);
    assert!(error.message().contains(&path.display().to_string()), "{error}");
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert!(MlIndex::from_path(&path).unwrap_err().message().ends_with("it isn't UTF-8"));
    std::fs::write(&path, " ".repeat(100_000)).unwrap();
    let error = MlIndex::from_path(&path).unwrap_err();
    assert_eq!(error.message(), "the file can't be read: it has more than 65536 bytes");
}
