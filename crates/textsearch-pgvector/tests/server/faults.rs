//! Tests with a server that is killed in the middle of requests and restarted.

use textsearch_conformance::core::vector::{RecordDefinition, VectorField};

use crate::{BATCH, kills::kill_while_writing};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_record_is_lost_and_no_batch_is_half() {
    let definition = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 32));
    kill_while_writing(definition, async |server| {
        assert_eq!(server.keys.len() % BATCH, 0, "half a batch is stored");
    })
    .await;
}
