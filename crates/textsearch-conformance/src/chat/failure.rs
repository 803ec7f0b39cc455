//! Errors in OpenAI's and in Azure's words.

use serde_json::{Value, json};

/// A status with an error object.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Failure {
    pub(super) fn new(status: u16, kind: &str, code: Option<&str>, message: &str) -> Self {
        let error = json!({ "message": message, "type": kind, "param": null, "code": code });
        Self { status, headers: Vec::new(), body: json!({ "error": error }) }
    }

    /// What OpenAI says of a request that does not fit; `place` is the path of what is wrong.
    pub(super) fn invalid_request(place: &str, code: Option<&str>, message: &str) -> Self {
        let mut failure = Self::new(400, "invalid_request_error", code, message);
        if let Some(param) = failure.body.pointer_mut("/error/param") {
            *param = Value::from(Some(place).filter(|place| !place.is_empty()));
        }
        failure
    }

    /// What Azure says of a prompt that its filter does not let through.
    pub(super) fn content_filter() -> Self {
        let filtered = json!({ "filtered": true, "severity": "high" });
        let passed = json!({ "filtered": false, "severity": "safe" });
        let error = json!({
            "message": "The response was filtered due to the prompt triggering the content management policy.",
            "type": null,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {
                "code": "ResponsibleAIPolicyViolation",
                "content_filter_result": {
                    "hate": passed, "self_harm": passed, "sexual": passed, "violence": filtered,
                },
            },
        });
        Self { status: 400, headers: Vec::new(), body: json!({ "error": error }) }
    }
}
