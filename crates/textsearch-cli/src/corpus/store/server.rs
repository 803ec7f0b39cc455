//! The kinds of servers that have stores.

use anyhow::Result;

use super::server_location::ServerLocation;
use crate::errors::usage;

/// Describes a kind of server: schemes, form of the address, and its parser.
macro_rules! kind {
    ($schemes:expr, $form:literal, $parse:expr) => {
        ServerKind {
            schemes: &$schemes,
            form: $form,
            #[cfg(feature = "stores")]
            parse: Some($parse),
            #[cfg(not(feature = "stores"))]
            parse: None,
        }
    };
}

/// Each kind of server, whether or not this build has it. A further kind is a module and a line.
const KINDS: &[ServerKind] = &[
    kind!(
        ["postgres", "postgresql"],
        "USER@HOST:PORT/DATABASE?collection=NAME",
        super::pgvector::parse
    ),
    kind!(["chroma", "chromas"], "HOST:PORT/COLLECTION", |scheme, rest| {
        super::chroma::KIND.parse(scheme, rest)
    }),
    kind!(["milvus", "milvuss"], "HOST:PORT/COLLECTION", |scheme, rest| {
        super::milvus::KIND.parse(scheme, rest)
    }),
    kind!(["pinecone"], "INDEX or INDEX/NAMESPACE", super::pinecone::parse),
    kind!(["azure-search"], "SERVICE/INDEX", super::azure_search::parse),
    kind!(["qdrant", "qdrants"], "HOST:PORT/COLLECTION", |scheme, rest| {
        super::qdrant::KIND.parse(scheme, rest)
    }),
];

struct ServerKind {
    /// In lower case.
    schemes: &'static [&'static str],
    /// What follows `SCHEME://`, for messages.
    form: &'static str,
    /// `None` if this build lacks the feature.
    parse: Option<Parse>,
}

/// Parses the text after `SCHEME://`. Its errors must not repeat a key.
type Parse = fn(scheme: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>>;

/// Parses `rest`, the text after `SCHEME:`.
///
/// # Errors
/// Returns a usage error for an unknown kind, a kind that this build lacks, and a bad address.
pub(super) fn parse(scheme: &str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let Some((kind, scheme)) = find(scheme) else {
        return Err(missing(scheme, "file:PATH"));
    };
    let Some(rest) = rest.strip_prefix("//") else {
        // The rest may contain a key, so the message omits it.
        return Err(usage(format!(
            "after `{scheme}:` two slashes are missing: try {scheme}://{}, or file:PATH for a file of such a name",
            kind.form
        )));
    };
    let Some(parse) = kind.parse else {
        let build = "a build with the feature `stores`: cargo install --path crates/textsearch-cli --features stores";
        return Err(missing(scheme, build));
    };
    parse(scheme, rest)
}

/// Returns whether servers have this scheme, in lower case.
pub(super) fn is_scheme(scheme: &str) -> bool {
    find(scheme).is_some()
}

fn find(scheme: &str) -> Option<(&'static ServerKind, &'static str)> {
    KINDS.iter().find_map(|kind| {
        let known = kind.schemes.iter().find(|known| **known == scheme)?;
        Some((kind, *known))
    })
}

fn missing(scheme: &str, instead: &str) -> anyhow::Error {
    usage(format!(
        "there are no stores of the kind `{scheme}` in this build: try a path, or {instead}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(scheme: &str, rest: &str) -> String {
        parse(scheme, rest).unwrap_err().to_string()
    }

    #[test]
    fn other_schemes_are_refused_by_name() {
        assert_eq!(
            refusal("redis", "//localhost:6379"),
            "there are no stores of the kind `redis` in this build: try a path, or file:PATH"
        );
    }

    #[test]
    fn a_server_without_slashes_is_refused() {
        for rest in ["localhost:6334/docs", "/localhost/docs", "key@host/docs"] {
            assert_eq!(
                refusal("qdrant", rest),
                "after `qdrant:` two slashes are missing: try qdrant://HOST:PORT/COLLECTION, or file:PATH for a file \
                 of such a name"
            );
        }
        assert!(refusal("qdrants", "localhost/docs").contains("try qdrants://HOST"));
    }

    #[test]
    fn a_kind_missing_from_the_build_names_its_feature() {
        for kind in KINDS.iter().filter(|kind| kind.parse.is_none()) {
            let error = refusal(kind.schemes[0], "//localhost/docs");
            let advice = "or a build with the feature `stores`: cargo install --path crates/textsearch-cli --features \
                          stores";
            assert!(error.ends_with(advice), "{error}");
        }
    }

    #[test]
    fn schemes_are_unique_and_in_lower_case() {
        let all: Vec<&str> = KINDS.iter().flat_map(|kind| kind.schemes).copied().collect();
        for (place, scheme) in all.iter().enumerate() {
            assert_eq!(*scheme, scheme.to_lowercase());
            assert!(!all[..place].contains(scheme), "{scheme}");
        }
    }
}
