//! Limits the arguments of calls: every later request repeats them.

use std::collections::HashMap;

use textsearch_core::chat::{ChatMessage, MessagePart};

use super::{CallError, CallErrorKind, Meter, dropped_calls::shorten, meter::MAX_RUN_BYTES};

/// More than a model writes in one call on purpose: about 64,000 tokens of English.
const MAX_CALL_BYTES: usize = 256 * 1024;

/// As much as current models can write in one answer.
const MAX_ANSWER_BYTES: usize = 512 * 1024;

/// Why a call can't run, by its index in the answer.
pub(super) type Overlong = HashMap<usize, CallError>;

/// Empties the arguments of calls that exceed a limit.
pub(super) fn shorten_overlong(message: &mut ChatMessage, meter: &Meter) -> Overlong {
    let mut overlong = Overlong::new();
    let mut total: usize = 0;
    let calls = message.parts.iter_mut().filter_map(|part| match part {
        MessagePart::ToolCall(call) => Some(call),
        _ => None,
    });
    for (index, call) in calls.enumerate() {
        let bytes = call.name.len().saturating_add(call.arguments.len());
        match check(bytes, total.saturating_add(bytes), meter) {
            Ok(()) => total = total.saturating_add(bytes),
            Err(error) => {
                shorten(call);
                overlong.insert(index, error);
            }
        }
    }
    overlong
}

fn check(bytes: usize, total: usize, meter: &Meter) -> Result<(), CallError> {
    let invalid = |message| Err(CallError::new(CallErrorKind::InvalidArguments, message));
    if bytes > MAX_CALL_BYTES {
        return invalid(format!(
            "the arguments are too long ({bytes} bytes): at most {MAX_CALL_BYTES} bytes; send less"
        ));
    }
    if total > MAX_ANSWER_BYTES {
        return invalid(format!(
            "the calls of this answer are too long ({bytes} more bytes): at most {MAX_ANSWER_BYTES} bytes together; \
             send fewer or shorter ones"
        ));
    }
    if meter.arguments(bytes) {
        return Ok(());
    }
    let message = format!(
        "the calls of this chat are too long ({bytes} more bytes): at most {MAX_RUN_BYTES} bytes together; answer \
         without calling functions"
    );
    Err(CallError::new(CallErrorKind::BudgetSpent, message))
}
