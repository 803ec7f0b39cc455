//! Serves a scripted model until Ctrl-C: `cargo run -p textsearch-conformance --features chat --example scripted_model -- 8080`
//!
//! Needs: a client that talks to it.
#![expect(clippy::print_stdout, reason = "a program talks to its terminal")]

use textsearch_conformance::chat::{ModelScript, ScriptedModel};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or_default();
    let model = ScriptedModel::start_on(port, ModelScript::demonstration()).await?;
    println!("OPENAI_BASE_URL={}", model.base_url());
    tokio::signal::ctrl_c().await?;
    for violation in model.violations() {
        println!("{violation}");
    }
    Ok(())
}
