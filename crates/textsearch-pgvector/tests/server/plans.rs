//! How the server plans the queries of a store.

use textsearch_pgvector::{PgVectorConfig, PgVectorStore, PgVectorTable};

use crate::{config, sql};

/// Connects once, under the name `application`.
pub(crate) async fn store(application: &str, table: PgVectorTable) -> PgVectorStore {
    let url = format!("{}&application_name={application}", config().url.expose());
    let config = PgVectorConfig::new(url).with_max_connections(1).with_table("docs", table);
    PgVectorStore::connect(config).await.unwrap()
}

/// Explains the last query of the store, without scans of whole tables. `values` are the types and
/// the values of its first parameters. The others are numbers.
pub(crate) async fn explained(application: &str, values: &[(&str, &str)]) -> String {
    let last = format!(
        "SELECT query FROM pg_stat_activity WHERE application_name = '{application}' \
         ORDER BY backend_start DESC LIMIT 1"
    );
    let query = sql(&last).await.remove(0);
    let types: Vec<&str> = values.iter().map(|(kind, _)| *kind).collect();
    let quoted = values.iter().map(|(_, value)| format!("'{value}'"));
    let count = (1..).take_while(|number| query.contains(&format!("${number}"))).count();
    let others = (values.len()..count).map(|_| "9".to_owned());
    let all: Vec<String> = quoted.chain(others).collect();
    let explain = format!(
        "SET enable_seqscan = off; PREPARE query ({}) AS {query}; \
         EXPLAIN (VERBOSE, COSTS OFF) EXECUTE query ({})",
        types.join(", "),
        all.join(", ")
    );
    sql(&explain).await.join("\n")
}
