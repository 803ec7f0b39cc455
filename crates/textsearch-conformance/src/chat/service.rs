//! Answers requests by path and script.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::Ordering,
};

use http_body_util::BodyExt;
use hyper::{Request, Response, body::Incoming};

use super::{
    ModelRequest, Turn, answer::Answers, body::AnswerBody, check::Violation,
    embeddings::embeddings, failure::Failure, request::Operation, shared::Shared,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    OpenAi,
    /// The model is in the path, the version in the query.
    AzureDeployment,
}

pub(super) async fn answer(
    request: Request<Incoming>,
    connection: usize,
    shared: &Shared,
) -> Response<AnswerBody> {
    let request = read(request, connection).await;
    let number = shared.record(&request);
    let answers = Answers { settings: &shared.script.settings, hung_up: &shared.hung_up };
    match respond(&request, number, shared, &answers).await {
        Ok(response) => response,
        Err(failure) => answers.of_failure(&failure, None),
    }
}

async fn respond(
    request: &ModelRequest,
    number: usize,
    shared: &Shared,
    answers: &Answers<'_>,
) -> Result<Response<AnswerBody>, Failure> {
    let (operation, dialect) = route(request)?;
    check_key(request, dialect, shared.script.settings.key.as_deref())?;
    let needs_model = dialect == Dialect::OpenAi;
    let violations = shared.checker.check(operation, request, number, needs_model);
    if let Some(first) = violations.first() {
        shared.complain(&violations);
        return Err(first.failure());
    }
    if operation == Operation::Embeddings {
        let scripted = shared.script.embeddings.as_ref().and_then(|play| play(request));
        return Ok(match scripted {
            Some(turn) => play(turn, request, number, answers).await,
            None => answers.of_json(&embeddings(request, shared.script.settings.dimensions)),
        });
    }
    let before = shared.turns.fetch_add(1, Ordering::SeqCst);
    // A script may assert on the request. Its panic counts even if the client expects a failure.
    let Ok(turn) = catch_unwind(AssertUnwindSafe(|| shared.script.turn(before, request))) else {
        return Err(complain(number, "the script panicked".to_owned(), shared));
    };
    let Some(turn) = turn else {
        let words = format!("the script has {before} turns, and none for this request");
        return Err(complain(number, words, shared));
    };
    Ok(play(turn, request, number, answers).await)
}

async fn play(
    turn: Turn,
    request: &ModelRequest,
    number: usize,
    answers: &Answers<'_>,
) -> Response<AnswerBody> {
    if !turn.delay.is_zero() {
        tokio::time::sleep(turn.delay).await;
    }
    answers.of_turn(turn, request, number)
}

/// A mistake in the script is a violation, too.
fn complain(number: usize, words: String, shared: &Shared) -> Failure {
    let violation = Violation::new(number, String::new(), words);
    let failure = violation.failure();
    shared.complain(&[violation]);
    failure
}

fn route(request: &ModelRequest) -> Result<(Operation, Dialect), Failure> {
    let unknown = || {
        let message = format!("Invalid URL ({} {})", request.method, request.path);
        Failure::new(404, "invalid_request_error", None, &message)
    };
    let azure =
        request.path.strip_prefix("/openai/deployments/").and_then(|path| path.split_once('/'));
    let (path, dialect) = match azure {
        Some((_, path)) if has_version(request) => (path, Dialect::AzureDeployment),
        Some(_) => return Err(Failure::new(404, "", Some("404"), "Resource not found")),
        None => {
            let path = request.path.strip_prefix("/openai").unwrap_or(&request.path);
            (path.strip_prefix("/v1/").ok_or_else(unknown)?, Dialect::OpenAi)
        }
    };
    let operation = match (request.method.as_str(), path) {
        ("POST", "chat/completions") => Operation::Chat,
        ("POST", "embeddings") => Operation::Embeddings,
        _ => return Err(unknown()),
    };
    Ok((operation, dialect))
}

fn has_version(request: &ModelRequest) -> bool {
    let mut versions = request.query.split('&').filter_map(|it| it.strip_prefix("api-version="));
    versions.any(|version| !version.is_empty())
}

/// Azure takes a key in `api-key` or a token, and rejects requests without either.
fn check_key(request: &ModelRequest, dialect: Dialect, key: Option<&str>) -> Result<(), Failure> {
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let sent_key = request.header("api-key").or(bearer);
    let is_right = match key {
        Some(key) => sent_key == Some(key),
        None => dialect == Dialect::OpenAi || sent_key.is_some_and(|sent_key| !sent_key.is_empty()),
    };
    if is_right {
        return Ok(());
    }
    let code = if dialect == Dialect::OpenAi { "invalid_api_key" } else { "401" };
    let message = match sent_key {
        // As OpenAI does: clients must not pass it on.
        Some(sent_key) => format!("Incorrect API key provided: {sent_key}."),
        None => "You didn't provide an API key.".to_owned(),
    };
    Err(Failure::new(401, "invalid_request_error", Some(code), &message))
}

async fn read(request: Request<Incoming>, connection: usize) -> ModelRequest {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    ModelRequest {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: head.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        connection,
    }
}
