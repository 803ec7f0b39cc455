//! Maps record keys to point identifiers.

use qdrant_client::qdrant::{PointId, point_id::PointIdOptions};
use textsearch_core::vector::{KeyField, KeyKind, RecordKey};
use uuid::Uuid;

/// The namespace of the version 5 UUIDs of text keys: the UUID of the URL
/// `https://docs.rs/textsearch-qdrant` in the [URL
/// namespace](https://www.rfc-editor.org/rfc/rfc9562#section-6.6).
pub const KEY_NAMESPACE: Uuid = Uuid::from_u128(0x86ae_1440_6ecd_5c62_a028_eb3c_0f36_acb2);

/// Returns the identifier of the point that stores the record with this key. Integers and UUIDs are
/// used as they are. Any other text becomes the version 5 UUID of its UTF-8 bytes in
/// [`KEY_NAMESPACE`].
///
/// ```
/// use textsearch_qdrant::{point_id, vector::{KeyKind, RecordKey}};
///
/// let id = point_id(KeyKind::String, &RecordKey::from("notes.md#3"));
/// assert_eq!(id.to_string(), "e2afca82-81c8-506a-8f34-67fa16a729cc");
/// ```
pub fn point_id(kind: KeyKind, key: &RecordKey) -> RecordKey {
    match (kind, key) {
        (_, RecordKey::Integer(_)) | (KeyKind::Uuid, RecordKey::String(_)) => key.clone(),
        (_, key) => {
            let uuid = Uuid::new_v5(&KEY_NAMESPACE, key.to_string().as_bytes());
            RecordKey::String(uuid.to_string())
        }
    }
}

pub(crate) fn point(kind: KeyKind, key: &RecordKey) -> PointId {
    match point_id(kind, key) {
        RecordKey::Integer(number) => number.into(),
        uuid => uuid.to_string().into(),
    }
}

/// Returns `None` for a key of another kind than the collection's, which no record has.
pub(crate) fn point_of(field: &KeyField, key: &RecordKey) -> Option<PointId> {
    let key = field.canonical(key);
    field.accepts(&key).then(|| point(field.kind, &key))
}

/// Reads the key of a point that another program may have written, without a key field.
pub(crate) fn key_of(id: Option<PointId>) -> Option<RecordKey> {
    match id?.point_id_options? {
        PointIdOptions::Num(number) => Some(RecordKey::Integer(number)),
        PointIdOptions::Uuid(uuid) => Some(RecordKey::String(uuid)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: KeyKind, key: impl Into<RecordKey>) -> String {
        point_id(kind, &key.into()).to_string()
    }

    #[test]
    fn the_namespace_is_that_of_its_url() {
        let url = b"https://docs.rs/textsearch-qdrant";
        assert_eq!(KEY_NAMESPACE, Uuid::new_v5(&Uuid::NAMESPACE_URL, url));
    }

    #[test]
    fn integers_and_uuids_are_point_identifiers_unchanged() {
        assert_eq!(text(KeyKind::Integer, u64::MAX), u64::MAX.to_string());
        let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        assert_eq!(text(KeyKind::Uuid, uuid), uuid);
        // In a collection with text keys, a UUID is hashed like any other text.
        assert_ne!(text(KeyKind::String, uuid), uuid);
    }

    #[test]
    fn text_maps_to_the_same_point() {
        assert_eq!(text(KeyKind::String, "a"), Uuid::new_v5(&KEY_NAMESPACE, b"a").to_string());
    }

    #[test]
    fn key_of_another_kind_has_no_point() {
        let field = RecordKey::Integer(1);
        let text_field = textsearch_core::vector::RecordDefinition::new("id").key;
        assert_eq!(point_of(&text_field, &field), None);
    }
}
