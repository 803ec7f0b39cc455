//! Prints an answer as it streams.

use anyhow::Result;
use textsearch_kernel::chat::{ChatEvent, ChatEvents, ChatOutcome};

use super::{calls::Call, conversation::failure};
use crate::output::{Output, printable};

/// Prints the text as it arrives, and returns the outcome of the run. If the run fails, the text
/// before the failure is printed.
pub(crate) async fn print(
    mut events: ChatEvents,
    shows_calls: bool,
    output: &mut Output,
) -> Result<ChatOutcome> {
    let mut is_line_open = false;
    loop {
        let event = events.next().await.transpose();
        if let Ok(Some(ChatEvent::Text(piece))) = &event {
            let piece = printable(piece);
            is_line_open = if piece.is_empty() { is_line_open } else { !piece.ends_with('\n') };
            output.text(&piece)?;
            output.flush()?;
            continue;
        }
        if std::mem::take(&mut is_line_open) {
            output.text("\n")?;
            output.flush()?;
        }
        match event {
            Ok(Some(ChatEvent::CallFinished(record))) if shows_calls => Call::from(&*record).show(),
            Ok(Some(ChatEvent::Finished(outcome))) => return Ok(*outcome),
            Ok(Some(_)) => {}
            Ok(None) => anyhow::bail!("the answer ended before it was complete"),
            // The calls before the failure were printed already.
            Err(error) => return Err(failure(error)),
        }
    }
}
