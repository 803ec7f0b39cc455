//! A turn as server-sent events.

use serde_json::{Value, json};

use super::{
    Fault, ModelRequest,
    chunks::Random,
    completion::{CREATED, id, tool_call},
    turn::Message,
};

/// In characters. Of a longer text, as much as makes a few thousand pieces.
const LONGEST_PIECE: u64 = 12;

pub(super) fn events(
    message: &Message,
    request: &ModelRequest,
    number: usize,
    fault: Option<&Fault>,
    line_end: &str,
) -> Vec<Vec<u8>> {
    let mut payloads: Vec<String> = chunks(message, request, number);
    disturb(&mut payloads, fault);
    let ends =
        !matches!(fault, Some(Fault::WithoutDone | Fault::EndsEarly | Fault::ErrorEvent { .. }));
    payloads.extend(ends.then(|| "[DONE]".to_owned()));
    let event = |(place, payload): (usize, &String)| {
        // Comments may appear at any time, to keep connections alive.
        let comment =
            if place % 3 == 1 { format!(": ping{line_end}{line_end}") } else { String::new() };
        format!("{comment}data: {payload}{line_end}{line_end}").into_bytes()
    };
    payloads.iter().enumerate().map(event).collect()
}

fn disturb(payloads: &mut Vec<String>, fault: Option<&Fault>) {
    let middle = payloads.len() / 2;
    match fault {
        Some(Fault::MalformedEvent) => payloads.insert(middle, "{\"id\": \"chatcmpl".to_owned()),
        Some(Fault::EndsEarly) => payloads.truncate(middle),
        Some(Fault::ErrorEvent { code, message }) => {
            payloads.truncate(middle);
            let error = json!({ "message": message, "type": code, "param": null, "code": code });
            payloads.push(json!({ "error": error }).to_string());
        }
        _ => {}
    }
}

fn chunks(message: &Message, request: &ModelRequest, number: usize) -> Vec<String> {
    let wants_usage = request.wants_usage();
    let chunk = |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({
            "id": id(number),
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": request.model(),
            "service_tier": "default",
            "system_fingerprint": "fp_scripted",
            "choices": choices,
        });
        if wants_usage {
            chunk["usage"] = usage.unwrap_or_default();
        }
        chunk.to_string()
    };
    let choice = |delta: Value, reason: Option<&str>| {
        let choice =
            json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason });
        chunk(json!([choice]), None)
    };
    let mut all: Vec<String> =
        deltas(message, number).into_iter().map(|delta| choice(delta, None)).collect();
    all.push(choice(json!({}), Some(message.finish_reason())));
    all.extend(wants_usage.then(|| chunk(json!([]), Some(message.usage(request)))));
    all
}

/// The role, then texts, then the calls with their arguments interleaved.
fn deltas(message: &Message, number: usize) -> Vec<Value> {
    let mut random = Random::new(u64::try_from(number).unwrap_or_default());
    // As llama.cpp's, also before a text.
    let is_null = number % 2 == 1 || message.text.is_none();
    let content = (!is_null).then_some("");
    let mut deltas = vec![json!({ "role": "assistant", "content": content, "refusal": null })];
    let mut say = |name: &str, text: &Option<String>, random: &mut Random| {
        let pieces = pieces(text.as_deref().unwrap_or_default(), random);
        deltas.extend(pieces.into_iter().map(|piece| json!({ name: piece })));
    };
    say("content", &message.text, &mut random);
    say("refusal", &message.refusal, &mut random);
    deltas.extend(calls(message, number, &mut random));
    deltas
}

/// OpenAI announces all calls and may interleave their arguments. llama.cpp sends one call after the
/// other, and its first fragment already has arguments. Every second answer is like llama.cpp's.
fn calls(message: &Message, number: usize, random: &mut Random) -> Vec<Value> {
    let calls = || message.tool_calls.iter().enumerate();
    let mut left: Vec<(usize, std::vec::IntoIter<String>)> =
        calls().map(|(index, call)| (index, pieces(&call.arguments, random).into_iter())).collect();
    let more = |index: usize, piece: String| {
        fragment(index, json!({ "function": { "arguments": piece } }))
    };
    let mut deltas = Vec::new();
    if number % 2 == 1 {
        for ((index, call), (_, mut pieces)) in calls().zip(left) {
            let first = pieces.next().unwrap_or_default();
            deltas.push(fragment(index, tool_call(call, number, index, &first)));
            deltas.extend(pieces.map(|piece| more(index, piece)));
        }
        return deltas;
    }
    deltas.extend(calls().map(|(index, call)| fragment(index, tool_call(call, number, index, ""))));
    while !left.is_empty() {
        left.retain_mut(|(index, pieces)| {
            let piece = pieces.next();
            let has_more = piece.is_some();
            deltas.extend(piece.map(|piece| more(*index, piece)));
            has_more
        });
    }
    deltas
}

fn fragment(index: usize, mut call: Value) -> Value {
    call["index"] = index.into();
    json!({ "tool_calls": [call] })
}

fn pieces(text: &str, random: &mut Random) -> Vec<String> {
    let longest = LONGEST_PIECE.max(u64::try_from(text.len() / 1_000).unwrap_or_default());
    let mut characters = text.chars().peekable();
    let mut pieces = Vec::new();
    while characters.peek().is_some() {
        let length = usize::try_from(1 + random.below(longest)).unwrap_or(1);
        pieces.push(characters.by_ref().take(length).collect());
    }
    pieces
}
