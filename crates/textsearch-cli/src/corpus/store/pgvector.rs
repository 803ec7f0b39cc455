//! A store in Postgres: `postgres://USER@HOST:PORT/DATABASE?collection=NAME`.

use std::fmt;

use anyhow::Result;
use textsearch_core::{
    async_trait,
    secret::{Secret, variable},
};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_pgvector::{PgVectorConfig, PgVectorStore};

use super::{address::Address, server_location::ServerLocation};
use crate::errors::usage;

/// Environment variable with the password, as for the programs of Postgres.
const PGPASSWORD: &str = "PGPASSWORD";

/// Default port of Postgres.
const PORT: u16 = 5432;

const EXAMPLE: &str =
    "try postgres://me@localhost/app?collection=docs, with the password in PGPASSWORD";

/// Options that are shown. Others may hold a password.
const SHOWN: [&str; 2] = ["schema", "sslmode"];

struct PgVectorLocation {
    /// Without `collection` and `schema`, which Postgres doesn't know.
    url: Secret,
    has_password: bool,
    collection: String,
    schema: Option<String>,
    /// The address without its password.
    shown: String,
}

/// Parses server, database and collection from `rest`, the text after `//`.
pub(super) fn parse(scheme: &'static str, rest: &str) -> Result<Box<dyn ServerLocation>> {
    let location = PgVectorLocation::parse(scheme, rest);
    Ok(Box::new(location.map_err(|refused| usage(format!("{refused}: {EXAMPLE}")))?))
}

#[async_trait]
impl ServerLocation for PgVectorLocation {
    /// Connects to the database.
    async fn open(&self) -> Result<DocumentIndex> {
        let mut config = PgVectorConfig::new(self.url_with_password()?);
        if let Some(schema) = &self.schema {
            config = config.with_schema(schema);
        }
        let store = PgVectorStore::connect(config).await?;
        Ok(DocumentIndex::new(store, &self.collection))
    }
}

impl PgVectorLocation {
    /// No error repeats a part of `rest` that may be the password.
    fn parse(scheme: &str, rest: &str) -> Result<Self, String> {
        let (server, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, place) = server.rsplit_once('@').unwrap_or(("", server));
        if place.split('/').nth(1).is_none_or(str::is_empty) || place.matches('/').count() > 1 {
            return Err("--store needs one server and one database on it".to_owned());
        }
        let address = Address::parse(scheme, place, PGPASSWORD)?;
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let logins = [("user", user), ("password", password)].into_iter();
        let logins = logins.filter(|(_, value)| !value.is_empty());
        let mut passed: Vec<String> =
            logins.map(|(name, value)| format!("{name}={}", value.replace('&', "%26"))).collect();
        let mut collection = None;
        let mut schema = None;
        let mut shown = String::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match name {
                "collection" => collection = decoded(value),
                "schema" => schema = decoded(value),
                "host" | "hostaddr" | "port" | "dbname" | "user" => {
                    return Err(format!("`{name}` of --store goes before the `?`"));
                }
                _ => passed.push(option.to_owned()),
            }
            if SHOWN.contains(&name) {
                shown.extend(["&", option]);
            }
        }
        let Some(collection) = collection.filter(|collection| !collection.is_empty()) else {
            return Err("the address of --store needs a collection".to_owned());
        };
        let has_password = passed.iter().any(|option| option.starts_with("password="));
        let user = if user.is_empty() { String::new() } else { format!("{user}@") };
        let name = encoded(&collection);
        let shown = format!("{scheme}://{user}{address}?collection={name}{shown}");
        let server = address.url(scheme, PORT);
        let database = address.collection;
        let url = Secret::from(format!("{server}/{database}?{}", passed.join("&")));
        Ok(Self { url, has_password, collection, schema, shown })
    }

    fn url_with_password(&self) -> Result<Secret> {
        let password = if self.has_password { None } else { variable("pgvector", PGPASSWORD)? };
        let Some(password) = password else { return Ok(self.url.clone()) };
        let url = self.url.expose();
        let separator = if url.ends_with('?') { "" } else { "&" };
        Ok(Secret::from(format!("{url}{separator}password={}", encoded(&password))))
    }
}

impl fmt::Display for PgVectorLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl fmt::Debug for PgVectorLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("PgVectorLocation").field(&self.shown).finish()
    }
}

/// Returns `None` if the text isn't percent-encoded UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part.get(2..)?.bytes());
    }
    String::from_utf8(bytes).ok()
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> PgVectorLocation {
        PgVectorLocation::parse("postgres", rest).unwrap()
    }

    #[test]
    fn options_of_the_store_leave_the_url() {
        let location = read("me:sesame@db:5433/app?sslmode=disable&collection=my%20docs&schema=s");
        let url = "postgres://db:5433/app?user=me&password=sesame&sslmode=disable";
        assert_eq!(location.url.expose(), url);
        assert_eq!(location.collection, "my docs");
        assert_eq!(location.schema.as_deref(), Some("s"));
        assert!(location.has_password);
        let shown = "postgres://me@db:5433/app?collection=my%20docs&sslmode=disable&schema=s";
        assert_eq!(location.to_string(), shown);
    }

    #[test]
    fn an_address_as_shown_opens_the_same_collection() {
        let first = read("db/app?connect_timeout=3&collection=a%26b%25");
        let (_, rest) = first.shown.split_once("//").unwrap();
        assert_eq!(read(rest).collection, "a&b%");
    }

    #[test]
    fn incomplete_addresses_are_refused() {
        for (rest, expected) in [
            ("", "needs one server"),
            ("/app?collection=docs", "names no server"),
            ("localhost?collection=docs", "one database on it"),
            ("localhost/?collection=docs", "one database on it"),
            ("localhost/app/docs", "one database on it"),
            ("localhost/app", "needs a collection"),
            ("localhost/app?collection=", "needs a collection"),
            ("localhost/app?collection=%zz", "needs a collection"),
            ("localhost/app?host=other&collection=docs", "`host` of --store goes before"),
        ] {
            let error = parse("postgres", rest).unwrap_err().to_string();
            assert!(error.contains(expected) && error.ends_with(EXAMPLE), "{rest}: {error}");
        }
    }

    #[test]
    fn no_output_shows_the_password() {
        for rest in [
            "me:sesame@localhost/app?collection=docs",
            "me:ses@ame@localhost/app?collection=docs",
            "me:ses/ame@localhost/app?collection=docs",
            "me:ses?ame@localhost/app?collection=docs",
            "me:ses#ame@localhost/app?collection=docs",
            "me:ses?ame@localhost/app&collection=docs",
            "localhost/app?password=sesame&collection=docs",
            "localhost:sesame/app?collection=docs",
        ] {
            let shown = match PgVectorLocation::parse("postgres", rest) {
                Ok(location) => format!("{location} {location:?}"),
                Err(refused) => refused,
            };
            assert!(!shown.contains("ses") && !shown.contains("ame"), "{rest}: {shown}");
        }
    }
}
