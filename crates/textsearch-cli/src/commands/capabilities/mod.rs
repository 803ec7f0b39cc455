//! `textsearch capabilities`: what each connector of this build can do.

mod in_memory;
mod table;

use anyhow::Result;

use crate::{
    arguments::{CapabilitiesArguments, OutputFormat},
    output::Output,
    web,
};

pub(crate) async fn run(arguments: &CapabilitiesArguments, output: &mut Output) -> Result<()> {
    let mut all = vec![in_memory::probe().await?];
    all.extend(web::capabilities().await?);
    match (arguments.markdown, arguments.output) {
        (true, _) => output.text(&table::markdown(&all)),
        (false, OutputFormat::Json) => output.json(&all),
        (false, OutputFormat::Text) => output.text(&table::plain(&all)),
    }
}
