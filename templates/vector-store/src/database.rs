//! The connection to the database. Its calls block, so they run on blocking threads.

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
        FOREIGN KEY (collection, key) REFERENCES records ON DELETE CASCADE) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS fields (
        collection INTEGER NOT NULL, key TEXT NOT NULL, field TEXT NOT NULL, value NOT NULL,
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
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        Ok(Self { connection: Arc::new(Mutex::new(open().map_err(backend)?)) })
    }

    /// Reads in a transaction, so that all queries see the same records.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.transact(TransactionBehavior::Deferred, work).await
    }

    /// Writes in a transaction, which an error rolls back.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // A deferred transaction fails if another program writes between its first read and its write.
        self.transact(TransactionBehavior::Immediate, work).await
    }

    /// If the caller stops waiting, the transaction still ends: whole, or not at all.
    async fn transact<T: Send + 'static>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let connection = Arc::clone(&self.connection);
        let done = tokio::task::spawn_blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let transaction = connection.transaction_with_behavior(behavior).map_err(backend)?;
            let done = work(&transaction)?;
            transaction.commit().map_err(backend)?;
            Ok(done)
        });
        done.await.unwrap_or_else(|stopped| {
            let message = format!("a query did not end: {stopped}");
            Err(Error::new(ErrorKind::Backend, CONNECTOR, message))
        })
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
