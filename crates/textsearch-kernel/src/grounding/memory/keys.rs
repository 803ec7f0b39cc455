//! Keys of records, kept apart by namespace.

use textsearch_core::vector::{KeyKind, RecordDefinition, RecordKey};

/// Longer ones are no names, and not every store takes them.
const MAX_KEY_BYTES: usize = 512;

pub(super) struct Keys<'m> {
    pub(super) definition: &'m RecordDefinition,
    pub(super) namespaces: &'m [(String, String)],
}

impl Keys<'_> {
    /// Returns the key under which the memory stores a record. Errors describe the allowed keys.
    pub(super) fn own(&self, key: &str) -> Result<RecordKey, String> {
        check(key)?;
        if self.namespaces.is_empty() {
            return self.foreign(key);
        }
        if self.definition.key.kind != KeyKind::String {
            return Err("none: a memory with namespaces saves only under text keys".to_owned());
        }
        Ok(RecordKey::String(self.prefix() + key))
    }

    /// The keys that a record may have: the memory's own, then the one given, of a record that
    /// another program stored.
    pub(super) fn candidates(&self, key: &str) -> Result<Vec<RecordKey>, String> {
        check(key)?;
        let own = self.own(key).ok();
        let foreign = self.foreign(key).ok().filter(|foreign| own.as_ref() != Some(foreign));
        Ok(own.into_iter().chain(foreign).collect())
    }

    /// Removes the namespaces from a stored key.
    pub(super) fn shorten(&self, key: &mut String) {
        if self.namespaces.is_empty() {
            return;
        }
        if let Some(own) = key.strip_prefix(&self.prefix()) {
            *key = own.to_owned();
        }
    }

    fn foreign(&self, key: &str) -> Result<RecordKey, String> {
        let field = &self.definition.key;
        let key = match field.kind {
            KeyKind::Integer => key.parse().ok().map(RecordKey::Integer),
            _ => Some(field.canonical(&RecordKey::from(key)).into_owned()),
        };
        key.filter(|key| field.accepts(key)).ok_or_else(|| field.expected().to_owned())
    }

    /// Different namespaces have different prefixes. One begins another only if its records include
    /// the other's.
    fn prefix(&self) -> String {
        let segment = |(field, value): &(String, String)| {
            [&escaped(field), "=", &escaped(value), "/"].concat()
        };
        self.namespaces.iter().map(segment).collect()
    }
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('/', "%2F").replace('=', "%3D")
}

fn check(key: &str) -> Result<(), String> {
    let is_valid = (1..=MAX_KEY_BYTES).contains(&key.len()) && !key.contains(char::is_control);
    if is_valid {
        return Ok(());
    }
    Err(format!("1 to {MAX_KEY_BYTES} bytes without control characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(namespaces: &[(&str, &str)], key: &str) -> RecordKey {
        let definition = RecordDefinition::new("id");
        let namespaces: Vec<_> = namespaces
            .iter()
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        Keys { definition: &definition, namespaces: &namespaces }.own(key).unwrap()
    }

    #[test]
    fn no_key_of_one_namespace_is_one_of_another() {
        let keys = [
            own(&[("t", "a")], "b/c"),
            own(&[("t", "a/b")], "c"),
            own(&[("t", "a%2Fb")], "c"),
            own(&[("u", "a")], "b/c"),
            own(&[("t", "a=b/u")], "c"),
            own(&[("t=a/u", "b")], "c"),
            own(&[("t", "a"), ("u", "b")], "c"),
            own(&[], "c"),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key}");
        }
        assert_eq!(keys[1], RecordKey::from("t=a%2Fb/c"));
    }

    #[test]
    fn keys_are_short_and_without_control_characters() {
        for key in ["", "a\u{7}", "a\nb", &"k".repeat(513)] {
            let error = check(key).unwrap_err();
            assert_eq!(error, "1 to 512 bytes without control characters");
        }
        check(&"k".repeat(512)).unwrap();
    }
}
