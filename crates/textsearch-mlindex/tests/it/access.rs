use std::sync::{Arc, Mutex};

use textsearch_core::{ErrorKind, Result};
use textsearch_mlindex::{IndexContext, MlIndex, MlIndexRegistry, ServiceAccess};

use crate::support::{
    SERVICE_KEY, SERVICE_URL, connect_with, nothing, service, variables, with_index,
};

const WITH_KEY: (&str, &str) = (SERVICE_KEY, "sesame");

fn registry(values: &[(&'static str, &'static str)]) -> MlIndexRegistry {
    MlIndexRegistry::new().with_variables(variables(values))
}

async fn connect(registry: MlIndexRegistry, endpoint: &str) -> Result<ServiceAccess> {
    let yaml = with_index(&format!("  kind: example\n  endpoint: {endpoint}\n"));
    connect_with(registry, service(), &yaml).await
}

fn key(access: &ServiceAccess) -> Option<&str> {
    access.key.as_ref().map(|key| key.expose())
}

#[tokio::test]
async fn no_key_is_sent_to_an_address_of_the_file() {
    let error = connect(registry(&[WITH_KEY]), "https://evil.example/v1").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "mlindex: the key in `EXAMPLE_API_KEY` isn't sent: `index.endpoint` is `https://evil.example` (line 5); \
         expected the address in `EXAMPLE_URL`, or a host that the program allows"
    );
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
}

#[tokio::test]
async fn without_a_key_any_address_is_asked() {
    let access = connect(registry(&[]), "http://10.0.0.1:6334/").await.unwrap();
    assert_eq!((access.address(), key(&access)), ("http://10.0.0.1:6334", None));
    let error = access.required_key().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    assert_eq!(error.message(), "no key: set the environment variable `EXAMPLE_API_KEY`");
}

#[tokio::test]
async fn the_origin_in_the_environment_gets_the_key() {
    let own = || registry(&[WITH_KEY, (SERVICE_URL, "http://10.0.0.1:6334, https://b.example/v1")]);
    for endpoint in ["http://10.0.0.1:6334", "https://b.example/other", "https://B.example:443"] {
        assert_eq!(key(&connect(own(), endpoint).await.unwrap()), Some("sesame"), "{endpoint}");
    }
    for endpoint in [
        "http://10.0.0.1:6335",
        "http://b.example/v1",
        "https://b.example.evil.example",
        "https://b.example.",
        "https://b.example%2eevil.example",
    ] {
        assert!(connect(own(), endpoint).await.is_err(), "{endpoint}");
    }
}

#[tokio::test]
async fn an_allowed_host_gets_the_key_over_https() {
    let allowed = || registry(&[WITH_KEY]).with_allowed_host("a.example").unwrap();
    assert_eq!(key(&connect(allowed(), "https://a.example").await.unwrap()), Some("sesame"));
    let error = connect(allowed(), "http://a.example").await.unwrap_err();
    assert!(error.message().ends_with("expected an address with https"), "{error}");
    let local = registry(&[WITH_KEY]).with_allowed_host("127.0.0.1").unwrap();
    assert_eq!(key(&connect(local, "http://127.0.0.1:80").await.unwrap()), Some("sesame"));
    assert!(registry(&[]).with_allowed_host("https://a.example").is_err());
}

#[tokio::test]
async fn a_provider_gets_its_key_at_its_own_address() {
    let hosted = service().with_hosted_address("https://api.example/v1");
    let connect = async |settings: &str| {
        connect_with(registry(&[WITH_KEY]), hosted, &with_index(settings)).await
    };
    let access = connect("  kind: example\n").await.unwrap();
    assert_eq!((access.address(), key(&access)), ("https://api.example/v1", Some("sesame")));
    let access = connect("  kind: example\n  endpoint: https://api.example/v2\n").await.unwrap();
    assert_eq!((access.address(), key(&access)), ("https://api.example/v2", Some("sesame")));
    assert!(connect("  kind: example\n  endpoint: http://api.example/v1\n").await.is_err());
}

#[tokio::test]
async fn other_hosts_can_be_refused() {
    let only = |values| registry(values).with_other_hosts(false);
    let error = connect(only(&[]), "http://169.254.169.254").await.unwrap_err();
    assert_eq!(
        error.message(),
        "`index.endpoint` is `http://169.254.169.254`, which isn't allowed (line 5); \
         expected a host that the program allows, or the address in `EXAMPLE_URL`"
    );
    let allowed = only(&[]).with_allowed_host("10.0.0.1:6334").unwrap();
    connect(allowed, "http://10.0.0.1:6334").await.unwrap();
    connect(only(&[(SERVICE_URL, "http://10.0.0.1")]), "http://10.0.0.1:80").await.unwrap();
}

#[tokio::test]
async fn a_file_without_address_uses_the_environment() {
    let yaml = with_index("  kind: example\n");
    let own = registry(&[WITH_KEY, (SERVICE_URL, "http://a:6334,http://b:6334")]);
    let access = connect_with(own, service(), &yaml).await.unwrap();
    assert_eq!(access.addresses, ["http://a:6334", "http://b:6334"]);
    assert_eq!(key(&access), Some("sesame"));
    let error = connect_with(registry(&[WITH_KEY]), service(), &yaml).await.unwrap_err();
    assert_eq!(
        error.message(),
        "`index.endpoint` is missing (line 4); expected an address, here or in the variable `EXAMPLE_URL`"
    );
}

#[tokio::test]
async fn a_file_cannot_choose_another_variable() {
    let file = |name| {
        with_index(&format!(
            "  kind: example\n  endpoint: http://a\n  connection_type: environment\n  connection: {{ key: {name} }}\n"
        ))
    };
    let error = connect_with(registry(&[]), service(), &file("AWS_SECRET_ACCESS_KEY")).await;
    assert_eq!(
        error.unwrap_err().message(),
        "`index.connection.key` is another variable (line 7); expected `EXAMPLE_API_KEY`"
    );
    connect_with(registry(&[]), service(), &file(SERVICE_KEY)).await.unwrap();
}

#[tokio::test]
async fn ports_change_before_origins_are_compared() {
    let service = service().with_port(|port| match port {
        None | Some(6333) => Some(6334),
        other => other,
    });
    let own = || registry(&[WITH_KEY, (SERVICE_URL, "http://a")]);
    for (endpoint, address) in [("http://a:6333", "http://a:6334"), ("http://a", "http://a:6334")] {
        let yaml = with_index(&format!("  kind: example\n  endpoint: {endpoint}\n"));
        let access = connect_with(own(), service, &yaml).await.unwrap();
        assert_eq!((access.address(), key(&access)), (address, Some("sesame")));
    }
    let yaml = with_index("  kind: example\n  endpoint: http://a:9\n");
    assert!(connect_with(own(), service, &yaml).await.is_err());
}

/// Returns the connection string in `EXAMPLE_URL`.
async fn connection_string(
    values: &[(&'static str, &'static str)],
    settings: &str,
) -> Result<String> {
    let mut registry = registry(values);
    let sent = Arc::<Mutex<String>>::default();
    let kept = Arc::clone(&sent);
    registry.register_index("example", move |context: IndexContext| {
        let string = context.connection_string(SERVICE_URL);
        let kept = Arc::clone(&kept);
        async move {
            string?.expose().clone_into(&mut kept.lock().unwrap());
            Ok(nothing())
        }
    })?;
    let yaml = with_index(&format!("  kind: example\n{settings}"));
    registry.open(&MlIndex::from_yaml(&yaml)?).await?;
    let string = sent.lock().unwrap().clone();
    Ok(string)
}

#[tokio::test]
async fn a_connection_string_comes_from_the_environment_alone() {
    let set = [(SERVICE_URL, "postgres://me:sesame@db/app"), (SERVICE_KEY, "other")];
    let named = "  connection: { key: EXAMPLE_URL }\n";
    for settings in ["", named] {
        assert_eq!(connection_string(&set, settings).await.unwrap(), set[0].1);
    }
    for (values, settings, expected) in [
        (&set[..], "  endpoint: https://a.example\n", "`index.endpoint` is set (line 5)"),
        (&set[..], "  uri: https://a.example\n", "`index.uri` is set (line 5)"),
        (&set[..], "  connection: { key: EXAMPLE_API_KEY }\n", "expected `EXAMPLE_URL`"),
        (&[][..], "", "expected an address in the variable `EXAMPLE_URL`"),
    ] {
        let error = connection_string(values, settings).await.unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains("sesame"), "{error}");
    }
}

#[tokio::test]
async fn an_address_may_be_called_uri() {
    let access_of = async |settings: &str| {
        let yaml = with_index(&format!("  kind: example\n{settings}"));
        connect_with(registry(&[]), service(), &yaml).await
    };
    let access = access_of("  uri: https://a.example:19530\n").await.unwrap();
    assert_eq!(access.address(), "https://a.example:19530");
    let error =
        access_of("  uri: https://a.example\n  endpoint: https://a.example\n").await.unwrap_err();
    assert!(error.message().contains("`index.uri` is set beside `endpoint` (line 5)"), "{error}");
}
