//! Snapshots, and files that are not valid snapshots.

use std::{fs, path::Path, thread};

use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};
use textsearch_core::vector::{
    DataField, Distance, RecordDefinition, ScanOptions, SearchInput, StoredRecord, VectorField,
    VectorStore,
};
use textsearch_core::{Error, ErrorKind, Filter};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::{all, block_on, create, definition, point, record, scanned, scores};

async fn everything(
    store: &InMemoryVectorStore,
    name: &str,
    definition: &RecordDefinition,
) -> Vec<StoredRecord> {
    let collection = store.stored_collection(name, definition.clone()).unwrap();
    collection
        .scan(&ScanOptions::default().with_vectors(true))
        .await
        .unwrap()
        .into_vec()
        .await
        .unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

async fn two_collections() -> InMemoryVectorStore {
    let store = InMemoryVectorStore::new();
    let docs = create(&store, "docs", definition().with_name_field("title")).await;
    let bare = record("c", json!({ "title": "no vector", "year": 1.5 }));
    let full = record("a", json!({ "title": "Running", "tags": ["x"] }))
        .with_vector("embedding", vec![1e-40, -0.0]);
    docs.upsert(vec![full, point("b", &[1.0, 2.0]), bare, record("gone", json!({}))])
        .await
        .unwrap();
    docs.delete(&["gone".into()]).await.unwrap();
    create(&store, "empty", RecordDefinition::new("key")).await;
    store
}

fn open_error(path: &Path) -> Error {
    InMemoryVectorStore::open_file(path).expect_err("the file is no whole snapshot")
}

#[tokio::test]
async fn store_round_trips() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = two_collections().await;
    store.save_to_file(&path).unwrap();
    let opened = InMemoryVectorStore::open_file(&path).unwrap();
    assert_eq!(opened.collection_names().await.unwrap(), ["docs", "empty"]);
    let definition = definition().with_name_field("title");
    assert_eq!(
        everything(&opened, "docs", &definition).await,
        everything(&store, "docs", &definition).await
    );
    assert!(everything(&opened, "empty", &RecordDefinition::new("key")).await.is_empty());
    let docs = opened.stored_collection("docs", definition).unwrap();
    assert_eq!(scores(docs.full_text_search("run", &all()).await).await[0].0, "a");
    let options = all().with_filter(Filter::exists("year"));
    assert_eq!(scores(docs.full_text_search("vector", &options).await).await[0].0, "c");
    let ranking = scores(docs.search(&SearchInput::from(vec![1.0, 1.0]), &all()).await).await;
    assert_eq!(ranking[0], ("b".to_owned(), 3.0));
}

#[tokio::test]
async fn saving_replaces_the_file_and_leaves_no_other_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    fs::write(&path, "something else").unwrap();
    for _ in 0..2 {
        two_collections().await.save_to_file(&path).unwrap();
    }
    assert_eq!(
        InMemoryVectorStore::open_file(&path).unwrap().collection_names().await.unwrap().len(),
        2
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn failed_save_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join("inside")).unwrap();
    for path in [taken.as_path(), &folder.path().join("missing/store"), Path::new("/")] {
        let error = two_collections().await.save_to_file(path).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Backend);
        assert!(error.message().contains(&path.display().to_string()), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn concurrent_writers_keep_each_others_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..250 {
                    InMemoryVectorStore::new().save_to_file(&path).unwrap();
                }
            });
        }
    });
    InMemoryVectorStore::open_file(&path).unwrap();
    assert_eq!(names(folder.path()), ["store"]);
}

#[cfg(unix)]
#[test]
fn save_refuses_to_replace_a_non_file() {
    use std::os::unix::{fs::FileTypeExt as _, net::UnixListener};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    let error = InMemoryVectorStore::new().save_to_file(&path).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Backend);
    assert!(error.message().ends_with("the path is not a regular file"), "{error}");
    assert!(fs::metadata(&path).unwrap().file_type().is_socket());
    assert_eq!(names(folder.path()), ["socket"]);
}

#[test]
fn errors_explain_why_a_file_is_not_a_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let error = open_error(&path);
    assert_eq!(error.kind(), &ErrorKind::Backend);
    assert!(error.message().contains("cannot be read"), "{error}");
    for (bytes, what) in [
        (&b"{\"records\": []}"[..], "is not a snapshot"),
        (b"", "is truncated"),
        (b"\x89TSVS", "is truncated"),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = open_error(&path);
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        assert!(error.message().contains(what), "{error}");
        assert!(error.message().contains(&path.display().to_string()), "{error}");
    }
}

#[test]
fn is_snapshot_checks_the_first_bytes_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    block_on(two_collections()).save_to_file(&path).unwrap();
    assert!(InMemoryVectorStore::is_snapshot(&path).unwrap());
    for (bytes, expected) in [
        (&b"\x89TSVS\r\n\x1a\x09\0\0\0damaged"[..], true),
        (b"", true),
        (b"# Notes", false),
        (b"\x89TSVS, or so", false),
    ] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(InMemoryVectorStore::is_snapshot(&path).unwrap(), expected, "{bytes:?}");
    }
    for path in [folder.path(), &folder.path().join("missing")] {
        let error = InMemoryVectorStore::is_snapshot(path).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Backend);
        assert!(error.message().contains("cannot be read"), "{error}");
    }
}

#[test]
fn newer_version_is_refused_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut header = b"\x89TSVS\r\n\x1a\x02\0\0\0".to_vec();
    header.extend(crc32fast::hash(&header).to_le_bytes());
    fs::write(&path, header).unwrap();
    let error = open_error(&path);
    assert!(
        error.message().ends_with("has format version 2: this program reads version 1"),
        "{error}"
    );
}

#[test]
fn file_truncated_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    block_on(two_collections()).save_to_file(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = open_error(&path);
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        assert!(error.message().contains("is truncated"), "{length}: {error}");
    }
}

#[test]
fn file_with_any_byte_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    block_on(two_collections()).save_to_file(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        for change in [0x01, 0xff] {
            let mut bytes = whole.clone();
            bytes[place] ^= change;
            fs::write(&path, bytes).unwrap();
            assert_eq!(open_error(&path).kind(), &ErrorKind::Undecodable, "{place}");
        }
    }
    fs::write(&path, [whole.as_slice(), b"\n"].concat()).unwrap();
    assert!(open_error(&path).message().contains("data follows its end section"));
}

/// The checksums are valid.
fn forged(sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let sealed = |mut bytes: Vec<u8>| {
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    };
    let mut file = sealed(b"\x89TSVS\r\n\x1a\x01\0\0\0".to_vec());
    for (kind, body) in sections {
        let mut header = kind.to_le_bytes().to_vec();
        header.extend((body.len() as u64).to_le_bytes());
        header.extend(crc32fast::hash(body).to_le_bytes());
        file.extend(sealed(header));
        file.extend(body);
    }
    file
}

fn records(count: u64, data: &[&str], rest: &[u8]) -> Vec<u8> {
    let mut body = count.to_le_bytes().to_vec();
    for data in data {
        body.extend((data.len() as u64).to_le_bytes());
        body.extend(data.as_bytes());
    }
    body.extend(rest);
    body
}

fn head(definition: Value) -> Vec<u8> {
    json!({ "name": "docs", "definition": definition }).to_string().into_bytes()
}

#[test]
fn invalid_sections_with_valid_checksums_are_refused() {
    let definition = json!({ "key": { "name": "id", "kind": "string" }, "vectors": [{ "name": "v", "dimensions": 1 }] });
    let collection = || (1, head(definition.clone()));
    let with = |body: Vec<u8>| vec![collection(), (2, body), (3, vec![])];
    let a = r#"{"id":"a"}"#;
    let nan = [&[1][..], &f32::NAN.to_le_bytes()].concat();
    let cases = [
        (vec![(2, records(0, &[], &[])), (3, vec![])], "records belong to no collection"),
        (vec![collection(), collection(), (3, vec![])], "it contains a collection twice"),
        (vec![(9, vec![])], "a section is of an unknown kind"),
        (vec![(1, b"{}".to_vec())], "a collection has no name"),
        (vec![(1, head(json!({})))], "missing field"),
        (vec![(1, head(json!({ "key": { "name": "", "kind": "string" } })))], "naming a field"),
        (
            vec![(
                1,
                head(
                    json!({ "key": { "name": "id", "kind": "string" }, "vectors": [{ "name": "v", "dimensions": 65_537 }] }),
                ),
            )],
            "`v.dimensions` is 65537; expected from 1 to 65536",
        ),
        (with(records(u64::MAX, &[], &[])), "shorter than its content"),
        (
            with([&1_u64.to_le_bytes()[..], &u64::MAX.to_le_bytes()].concat()),
            "shorter than its content",
        ),
        (with(records(1, &["[1]"], &[0])), "invalid type"),
        (with(records(1, &[r#"{"id":7}"#], &[0])), "the key field `id` is 7"),
        (with(records(1, &[r#"{"v":null}"#], &[0])), "the key field `id` is missing"),
        (with(records(1, &[r#"{"id":"a","v":[1]}"#], &[0])), "its data hold `v`"),
        (with(records(1, &[r#"{"id":"a"} "x""#], &[0])), "trailing characters"),
        (with(records(2, &[a, a], &[0, 0])), "it contains a key twice"),
        (with(records(1, &[a], &[2])), "neither 0 nor 1"),
        (with(records(1, &[a], &[1])), "shorter than its content"),
        (with(records(1, &[a], &nan)), "holds NaN"),
        (with(records(1, &[a], &[0, 0])), "records end before their section"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    for (sections, what) in cases {
        fs::write(&path, forged(&sections)).unwrap();
        let error = open_error(&path);
        assert!(error.message().contains(what), "{error} for {what}");
    }
    fs::write(&path, forged(&with(records(1, &[a], &[0])))).unwrap();
    InMemoryVectorStore::open_file(&path).unwrap();
}

#[test]
fn small_file_that_requests_gigabytes_is_refused() {
    let vectors = json!([{ "name": "v", "dimensions": 65_536 }]);
    let fields: Vec<Value> = (0..20_000)
        .map(
            |number| json!({ "name": format!("f{number}"), "kind": "integer", "filterable": true }),
        )
        .collect();
    let defined_by = |definition: Value| {
        let mut whole = json!({ "key": { "name": "id", "kind": "string" } });
        whole.as_object_mut().unwrap().extend(definition.as_object().unwrap().clone());
        (1, head(whole))
    };
    // One record of each 1,024 has a vector, which allocates memory for all.
    let run = |number: usize| {
        let data: Vec<String> =
            (0..1024).map(|row| format!("{{\"id\":\"{number}-{row}\"}}")).collect();
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        let mut rest = vec![0; 1023];
        rest.push(1);
        rest.extend([0, 0, 128, 63].repeat(65_536));
        (2, records(1024, &data, &rest))
    };
    let of_columns = |number: usize| {
        let data: Vec<String> =
            (0..1024).map(|row| format!("{{\"id\":\"{number}-{row}\"}}")).collect();
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        (2, records(1024, &data, &[]))
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let sparse: Vec<_> = std::iter::once(defined_by(json!({ "vectors": vectors })))
        .chain((0..8).map(run))
        .chain([(3, vec![])])
        .collect();
    let wide: Vec<_> = std::iter::once(defined_by(json!({ "data": fields })))
        .chain((0..8).map(of_columns))
        .chain([(3, vec![])])
        .collect();
    for sections in [sparse, wide] {
        let file = forged(&sections);
        assert!(file.len() < 3 << 20);
        fs::write(&path, &file).unwrap();
        let error = open_error(&path);
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        let limit = format!("more than {} bytes of memory", (file.len() << 4) + (256 << 20));
        assert!(error.message().contains(&limit), "{error}");
    }
}

#[test]
fn empty_collections_count_towards_the_memory_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let collection = |number: usize| {
        let definition = json!({ "key": { "name": "id", "kind": "string" } });
        let head = json!({ "name": number.to_string(), "definition": definition });
        (1, head.to_string().into_bytes())
    };
    let sections: Vec<_> = (0..80_000).map(collection).chain([(3, vec![])]).collect();
    fs::write(&path, forged(&sections)).unwrap();
    let error = open_error(&path);
    assert!(error.message().contains("bytes of memory, 256 MiB and 16 times"), "{error}");
}

#[test]
fn opening_checks_all_data_of_records() {
    let definition = json!({ "key": { "name": "id", "kind": "string" } });
    let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
    let cases = [
        (deep, "recursion limit exceeded at line 1 column 145"),
        ("1e999".to_owned(), "number out of range at line 1 column"),
        ("{\"a\":[-1e999]}".to_owned(), "number out of range at line 1 column"),
        (r#""\ud800""#.to_owned(), "unexpected end of hex escape"),
        (r#"{"\udc00":1}"#.to_owned(), "lone leading surrogate in hex escape"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let file = |other: &str| {
        let bad = format!(r#"{{"id":"b","other":{other}}}"#);
        let good = records(2, &[r#"{"id":"x"}"#, r#"{"id":"y"}"#], &[]);
        let sections = [
            (1, head(definition.clone())),
            (2, good),
            (2, records(2, &[r#"{"id":"a"}"#, &bad], &[])),
            (3, vec![]),
        ];
        fs::write(&path, forged(&sections)).unwrap();
    };
    for (other, what) in cases {
        file(&other);
        let error = open_error(&path);
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
        let expected = format!("is damaged: a record: {what}");
        assert!(error.message().contains(&expected), "{error} for {what}");
    }
    file(&format!("{}{}", "[".repeat(100), "]".repeat(100)));
    let store = InMemoryVectorStore::open_file(&path).unwrap();
    let definition = serde_json::from_value(definition).unwrap();
    assert_eq!(block_on(everything(&store, "docs", &definition)).len(), 4);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(".*", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn records_round_trip_bit_for_bit(
        fields in vec((".{0,8}", value(), vec(prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO, 2), any::<bool>()), 0..20),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let definition = definition()
            .with_vector(VectorField::new("second", 1).with_distance(Distance::EuclideanSquared));
        block_on(async {
            let store = InMemoryVectorStore::new();
            let collection = create(&store, "docs", definition.clone()).await;
            let records = fields.iter().enumerate().map(|(number, (title, value, vector, has_vector))| {
                let record = record(&format!("{number}-{title}"), json!({ "title": title, "year": value, "other": value }));
                if *has_vector { record.with_vector("embedding", vector.clone()) } else { record }
            });
            let records: Vec<_> = records.collect();
            collection.upsert(records.clone()).await.unwrap();
            store.save_to_file(&path).unwrap();
            let opened = InMemoryVectorStore::open_file(&path).unwrap();
            let before = everything(&store, "docs", &definition).await;
            let after = everything(&opened, "docs", &definition).await;
            assert_eq!(before, after);
            assert!(records.iter().all(|record| before.contains(record)));
            let bits = |records: &[StoredRecord]| -> Vec<Vec<u32>> {
                let vectors = records.iter().flat_map(|record| record.vectors.values());
                vectors.map(|vector| vector.iter().map(|element| element.to_bits()).collect()).collect()
            };
            assert_eq!(bits(&before), bits(&after));
            let reopened = opened.stored_collection("docs", definition).unwrap();
            let query = SearchInput::from(vec![0.5, -1.0]);
            assert_eq!(
                scores(collection.search(&query, &all()).await).await,
                scores(reopened.search(&query, &all()).await).await,
            );
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn filterable_values_round_trip(values in vec((value(), value()), 1..20)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        for name in ["flat", "part.of"] {
            let definition = RecordDefinition::new("id")
                .with_data(DataField::integer("year").filterable())
                .with_data(DataField::string(name).filterable());
            block_on(async {
                let store = InMemoryVectorStore::new();
                let collection = create(&store, "docs", definition.clone()).await;
                let records = values.iter().enumerate().map(|(number, (value, other))| {
                    let data = json!({ "year": value, "flat": other, "part": { "of": other }, "more": [value] });
                    record(&format!("{number}"), data)
                });
                collection.upsert(records.collect()).await.unwrap();
                store.save_to_file(&path).unwrap();
                let opened = InMemoryVectorStore::open_file(&path).unwrap();
                assert_eq!(
                    everything(&store, "docs", &definition).await,
                    everything(&opened, "docs", &definition).await
                );
                let reopened = opened.stored_collection("docs", definition.clone()).unwrap();
                for filter in [
                    Filter::exists(name),
                    Filter::gt("year", 0),
                    Filter::contains(name, "a"),
                    Filter::eq(name, true),
                    Filter::eq("id", "3"),
                ] {
                    let options = ScanOptions::default().with_filter(filter);
                    assert_eq!(scanned(&collection, &options).await, scanned(&reopened, &options).await);
                }
            });
        }
    }
}

#[cfg(unix)]
#[test]
fn replaced_file_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store");
    let link = folder.path().join("link");
    let store = block_on(two_collections());
    store.save_to_file(&file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&file, &link).unwrap();
    store.save_to_file(&link).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(InMemoryVectorStore::open_file(&file).is_ok());
}

#[tokio::test]
async fn full_text_finds_every_record_despite_gaps() {
    let store = InMemoryVectorStore::new();
    let folder = tempfile::tempdir().unwrap();
    let docs = create(&store, "docs", definition()).await;
    let records =
        (0..2048).map(|number| record(&format!("{number:04}"), json!({ "title": "same" })));
    docs.upsert(records.collect()).await.unwrap();
    docs.delete(&["0007".into(), "0009".into()]).await.unwrap();
    let path = folder.path().join("store");
    store.save_to_file(&path).unwrap();
    let opened = InMemoryVectorStore::open_file(&path).unwrap();
    let docs = opened.stored_collection("docs", definition()).unwrap();
    let ranking = scores(docs.full_text_search("same", &all()).await).await;
    assert_eq!(ranking.len(), 2046);
    assert_eq!(ranking.last().map(|entry| entry.0.as_str()), Some("2047"));
}
