//! The connection to the database. It blocks, so it works on threads of its own.

use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, TransactionBehavior};
use textsearch_core::{Error, ErrorKind, Result};

use crate::CONNECTOR;

/// How long to wait for other processes that write to the file.
const BUSY: Duration = Duration::from_secs(10);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS collections (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS records (
        collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
        key TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (collection, key)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS vectors (
        collection INTEGER NOT NULL, key TEXT NOT NULL, field TEXT NOT NULL, elements BLOB NOT NULL,
        PRIMARY KEY (collection, key, field),
        FOREIGN KEY (collection, key) REFERENCES records ON DELETE CASCADE) WITHOUT ROWID;";

#[derive(Clone)]
pub(crate) struct Database {
    connection: Arc<Mutex<Connection>>,
}

impl Database {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.busy_timeout(BUSY)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        Ok(Self { connection: Arc::new(Mutex::new(open().map_err(backend)?)) })
    }

    /// Runs `work` in a transaction, which an error rolls back.
    ///
    /// If the caller stops waiting, the transaction still ends: whole, or not at all.
    pub(crate) async fn transact<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let connection = Arc::clone(&self.connection);
        let done = tokio::task::spawn_blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            // One that reads first and then writes fails if another program wrote in between.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
            let transaction = transaction.map_err(backend)?;
            let done = work(&transaction)?;
            transaction.commit().map_err(backend)?;
            Ok(done)
        });
        done.await.unwrap_or_else(|stopped| {
            let message = format!("a query did not end: {stopped}");
            Err(Error::new(ErrorKind::Backend, CONNECTOR, message))
        })
    }

    /// As [`transact`](Self::transact), for work that fails only in the database.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.transact(|connection| work(connection).map_err(backend)).await
    }
}

pub(crate) fn backend(error: rusqlite::Error) -> Error {
    Error::new(ErrorKind::Backend, CONNECTOR, "the database failed").with_source(error)
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Database").finish_non_exhaustive()
    }
}
