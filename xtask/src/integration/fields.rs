//! Stores on a server whose records get other fields.

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::{program::Program, shell};

/// Checks that `store` rejects records with other fields than before, with advice, and accepts them
/// once the advice is followed.
pub(super) fn change(program: &Program, store: &str) -> Result<()> {
    let scratch = TempDir::new()?;
    let records = scratch.path().join("records.jsonl");
    let index = |record: &str, more: &[&str]| {
        std::fs::write(&records, record).context("the records cannot be kept")?;
        let mut index = program.command("index");
        shell::read(index.arg(&records).args(["--store", store]).args(more))
    };
    index(r#"{ "id": "a", "text": "apple", "year": 2024 }"#, &[])?;
    for (record, filter) in [
        (r#"{ "id": "a", "text": "apple", "year": 2024, "pages": 7 }"#, "pages = 7"),
        (r#"{ "id": "a", "text": "apple", "year": "soon", "pages": 7 }"#, r#"year = "soon""#),
    ] {
        match index(record, &[]) {
            Ok(_) => bail!("the server takes {record} beside records of other fields"),
            Err(error) if error.to_string().contains("--rebuild") => {}
            Err(error) => return Err(error.context("no advice to rebuild the store")),
        }
        index(record, &["--rebuild"])?;
        let mut search = program.command("search");
        search.args(["apple", "--store", store, "--filter", filter]);
        if !shell::read(search.args(["--output", "json"]))?.contains("records.jsonl#a") {
            bail!("{filter} does not find {record} after the store was rebuilt");
        }
    }
    println!("     records of other fields are refused until the store is rebuilt");
    Ok(())
}
