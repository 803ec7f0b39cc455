//! Messages about parameters that a service refuses.

use serde_json::Value;

const MAX_FAULTS: usize = 5;

/// Describes at most 5 faults of a list: the place (`loc`) and the message (`msg`) of each, as FastAPI
/// writes them, or `field` and `description`, as Google does. Returns `None` for anything else.
///
/// [`ErrorDetails::message`](crate::http::ErrorDetails::message) bounds the foreign
/// text and removes secrets and control characters.
///
/// ```
/// use serde_json::json;
/// use textsearch_core::http::described_faults;
///
/// let faults = json!([{ "loc": ["query", "count"], "msg": "Input should be a valid integer" }]);
/// assert_eq!(described_faults(&faults).unwrap(), "query.count: Input should be a valid integer");
/// ```
pub fn described_faults(faults: &Value) -> Option<String> {
    let described = faults.as_array()?.iter().filter_map(described);
    let mut described: Vec<String> = described.collect();
    let more = described.len().saturating_sub(MAX_FAULTS);
    described.truncate(MAX_FAULTS);
    if more > 0 {
        described.push(format!("and {more} more"));
    }
    Some(described.join("; ")).filter(|text| !text.is_empty())
}

fn described(fault: &Value) -> Option<String> {
    let text = |name: &str| fault.get(name)?.as_str().filter(|text| !text.is_empty());
    let place = match fault.get("loc").or_else(|| fault.get("field")) {
        Some(Value::Array(steps)) => steps.iter().map(step).collect::<Vec<_>>().join("."),
        Some(step_alone) => step(step_alone),
        None => String::new(),
    };
    match (place.as_str(), text("msg").or_else(|| text("description"))) {
        ("", message) => message.map(str::to_owned),
        (place, Some(message)) => Some(format!("{place}: {message}")),
        (place, None) => Some(format!("{place} is refused")),
    }
}

fn step(step: &Value) -> String {
    step.as_str().map_or_else(|| step.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_fault_has_its_place_and_its_message() {
        let faults = json!([
            { "loc": ["body", "items", 3], "msg": "Field required", "type": "missing" },
            { "field": "query", "description": "too long" },
            { "msg": "no place" },
            { "loc": ["query", "count"] },
            7,
        ]);
        let expected =
            "body.items.3: Field required; query: too long; no place; query.count is refused";
        assert_eq!(described_faults(&faults).unwrap(), expected);
    }

    #[test]
    fn only_the_first_faults_are_described() {
        let faults: Vec<Value> =
            (0..9).map(|number| json!({ "loc": [number], "msg": "x" })).collect();
        let described = described_faults(&faults.into()).unwrap();
        assert_eq!(described, "0: x; 1: x; 2: x; 3: x; 4: x; and 4 more");
    }

    #[test]
    fn anything_but_a_list_of_faults_has_no_description() {
        for other in [json!(null), json!("x"), json!([]), json!([1, {}]), json!({ "loc": ["a"] })] {
            assert_eq!(described_faults(&other), None, "{other}");
        }
    }
}
