//! Errors in the formats of OpenAI and Azure.

use serde_json::{Value, json};

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

    /// `place` is the path of the wrong element.
    pub(super) fn invalid_request(place: &str, message: &str) -> Self {
        let mut failure = Self::new(400, "invalid_request_error", None, message);
        failure.body["error"]["param"] = Some(place).filter(|place| !place.is_empty()).into();
        failure
    }

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
