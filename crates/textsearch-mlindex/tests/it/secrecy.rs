use textsearch_conformance::LogCapture;
use textsearch_core::ErrorKind;
use textsearch_mlindex::{MlIndex, MlIndexRegistry};

use crate::support::{AZURE, SERVICE_KEY, connect_with, error, service, variables, with_index};

const SECRET: &str = "rosebud";

fn refusal(yaml: &str) -> String {
    let error = error(yaml);
    let printed = format!("{error} {error:?}");
    assert!(!printed.contains(SECRET), "{printed}");
    error.message().to_owned()
}

#[test]
fn a_key_in_the_file_is_refused_and_not_repeated() {
    for name in
        ["api_key", "key", "API-KEY", "openai_api_key", "password", "token", "connection_string"]
    {
        let yaml = with_index(&format!("  kind: a\n  {name}: {SECRET}\n"));
        let path = format!("`index.{name}`");
        assert_eq!(
            refusal(&yaml),
            format!(
                "{path} is set (line 5); expected no key in the file: put it into the environment"
            )
        );
    }
    let nested = with_index(&format!("  kind: a\n  auth: [{{ Header: x, Api_Key: {SECRET} }}]\n"));
    assert!(refusal(&nested).starts_with("`index.auth.Api_Key` is set (line 5)"));
    MlIndex::from_yaml(&with_index("  kind: a\n  api_key: null\n  token: ''\n")).unwrap();
}

#[test]
fn a_key_in_a_connection_is_refused_and_not_repeated() {
    for key in ["rosebud", "sk-rosebud", "{ a: rosebud }", "[rosebud]"] {
        let yaml = with_index(&format!("  kind: a\n  connection: {{ key: {key} }}\n"));
        assert!(
            refusal(&yaml).starts_with("`index.connection.key` is no name of a variable (line 5)")
        );
    }
    let inline =
        with_index("  kind: a\n  connection_type: inline\n  connection: { key: rosebud }\n");
    assert!(refusal(&inline).starts_with("`index.connection_type` is `inline` (line 5)"));
}

#[test]
fn a_key_elsewhere_is_refused_and_not_repeated() {
    for (settings, path) in [
        ("  connection: { id: x, api_key: rosebud }\n", "index.connection.api_key"),
        ("  connection: { id: x, auth: [{ token: rosebud }] }\n", "index.connection.auth.token"),
        (
            "  connection_type: workspace_connection\n  connection: { key: rosebud }\n",
            "index.connection.key",
        ),
        ("secrets: { openai: { Key: rosebud } }\n", "secrets.openai.Key"),
        ("api_key: rosebud\n", "api_key"),
    ] {
        let message = refusal(&with_index(&format!("  kind: a\n{settings}")));
        assert!(message.starts_with(&format!("`{path}` is set (line ")), "{message}");
    }
    let vault =
        "  kind: a\n  connection_type: workspace_keyvault\n  connection: { key: name-of-a-key }\n";
    MlIndex::from_yaml(&with_index(vault)).unwrap();
}

#[test]
fn a_key_in_place_of_a_name_is_not_repeated() {
    for settings in [
        "  kind: a\n  connection_type: sk-rosebud\n",
        "  kind: a\n  connection: { key: rosebud }\n",
        "  kind: a\n  field_mapping: { content: { x: rosebud } }\n",
    ] {
        refusal(&with_index(settings));
    }
}

#[tokio::test]
async fn an_unknown_kind_that_may_be_a_key_is_hidden() {
    let file = MlIndex::from_yaml(&with_index("  kind: sk-rosebud1\n")).unwrap();
    let error = MlIndexRegistry::new().open(&file).await.err().unwrap();
    assert_eq!(
        error.message(),
        "`index.kind` is another kind, which isn't registered (line 4); \
         expected a registered kind: there is none"
    );
}

#[test]
fn a_key_in_an_address_is_refused_and_not_repeated() {
    for address in [
        "https://me:rosebud@a.example",
        "https://rosebud@a.example",
        "https://a.example?key=rosebud",
        "https://a.example/#rosebud",
        "rosebud",
        "ftp://a.example/rosebud",
        "https://a.example:rosebud",
    ] {
        let yaml = with_index(&format!("  kind: a\n  endpoint: {address}\n"));
        assert!(refusal(&yaml).starts_with("`index.endpoint` is "), "{address}");
    }
}

#[test]
fn errors_of_the_parser_repeat_nothing() {
    for yaml in [
        "index: { dimension: !!int rosebud }",
        "index: { kind: a, rosebud }}",
        "index: 'rosebud",
        "index: !rosebud x",
        "rosebud",
        "index: *rosebud",
        "index: { rosebud: 1, rosebud: 2 }",
        "%rosebud\n---\n",
        "index: \"\\rosebud\"",
        "index: !!binary rosebud!",
    ] {
        refusal(yaml);
    }
}

#[test]
fn wrong_values_are_not_repeated() {
    for settings in [
        "  kind: ' rosebud rosebud'\n",
        "  kind: a\n  field_mapping: { content: [rosebud] }\n",
        "  kind: a\n  connection_type: 'rosebud rosebud'\n",
        "  kind: a\n  index: [rosebud]\n",
        "  kind: a\n  connection: rosebud\n",
    ] {
        refusal(&with_index(settings));
    }
}

#[test]
fn debug_shows_no_connection_and_no_unknown_value() {
    let yaml = AZURE.replace("azureml-default", SECRET);
    let file = MlIndex::from_yaml(&yaml).unwrap();
    let printed = format!("{file:?} {file:#?}");
    assert!(printed.contains("semantic_configuration_name"), "{printed}");
    assert!(!printed.contains(SECRET), "{printed}");
}

#[tokio::test]
async fn debug_of_an_open_service_hides_the_key() {
    let registry = MlIndexRegistry::new().with_variables(variables(&[(SERVICE_KEY, SECRET)]));
    let registry = registry.with_allowed_host("a.example").unwrap();
    let yaml = with_index("  kind: example\n  endpoint: https://a.example\n");
    let access = connect_with(registry.clone(), service(), &yaml).await.unwrap();
    assert_eq!(access.required_key().unwrap().expose(), SECRET);
    let printed = format!("{access:?} {registry:?}");
    assert!(!printed.contains(SECRET), "{printed}");
    let yaml = with_index("  kind: example\n  endpoint: https://b.example\n");
    let error = connect_with(registry, service(), &yaml).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(SECRET));
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
}

#[test]
fn logs_name_unknown_settings_without_their_values() {
    let log = LogCapture::start();
    MlIndex::from_yaml(&AZURE.replace("azureml-default", SECRET)).unwrap();
    let log = log.text();
    assert!(log.contains("semantic_configuration_name"), "{log}");
    assert!(!log.contains(SECRET), "{log}");
}
