//! Checks of a running server's answers against the contract.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::serving::Answer;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let text = include_str!("../../web/serve/openapi.json");
    Contract(serde_json::from_str(text).unwrap())
});

/// Panics where an answer is not what the contract describes, or has a key that it does not list.
pub fn check_answer(method: &str, path: &str, answer: &Answer) {
    let is_json = answer.header("Content-Type") == Some("application/json");
    if !path.starts_with("/api/") || !is_json || answer.header("Content-Encoding").is_some() {
        return;
    }
    let Answer { status, .. } = answer;
    let schema = CONTRACT.answer(method, path, *status);
    let schema = schema.unwrap_or_else(|| panic!("{method} {path} has no answer {status}"));
    if schema.is_null() {
        // A file of the user's choice.
        return;
    }
    let fault = CONTRACT.whole(&schema, &answer.json()).err();
    assert!(fault.is_none(), "{method} {path}{}: {}", fault.unwrap_or_default(), answer.text());
}

/// Checks an event.
pub fn check_event(kind: &str, data: &Value) {
    let schema = match kind {
        "hello" => "HelloEvent",
        "roots" => "RootsEvent",
        "tree" => "TreeEvent",
        "engines" => "EngineStates",
        "message" => "MessageEvent",
        _ => return,
    };
    let fault = CONTRACT.whole(&named(schema), data).err();
    assert!(fault.is_none(), "{kind}{}: {data}", fault.unwrap_or_default());
}

fn named(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

struct Contract(Value);

impl Contract {
    /// The schema of an answer: of its status, of an error, or of an error of an unknown route.
    fn answer(&self, method: &str, path: &str, status: u16) -> Option<Value> {
        let path: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').collect();
        let is_same = |written: &str| {
            let written: Vec<&str> = written.split('/').collect();
            let parts = || written.iter().zip(&path);
            written.len() == path.len()
                && parts().all(|(one, other)| one == other || *one == "{id}")
        };
        let mut paths = self.0["paths"].as_object().into_iter().flatten();
        let item = paths.find(|(written, _)| is_same(written)).map(|(_, item)| item);
        let answers = item.and_then(|item| item.get(method.to_ascii_lowercase()));
        let answers = answers.map(|operation| &operation["responses"]);
        let answer = answers.and_then(|answers| {
            answers.get(status.to_string()).or(answers.get("default").filter(|_| status >= 400))
        });
        let json = answer.map(|answer| answer["content"]["application/json"]["schema"].clone());
        json.or_else(|| (answers.is_none() && status >= 400).then(|| named("Error")))
    }

    /// A value, all of whose keys are listed.
    fn whole(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let listed = self.part(schema, value)?;
        let mut keys = value.as_object().into_iter().flatten().map(|(key, _)| key);
        keys.find(|key| !listed.contains(*key))
            .map_or(Ok(()), |key| Err(format!(".{key} is not listed")))
    }

    /// The keys that a schema lists of a value that meets it.
    fn part(&self, schema: &Value, value: &Value) -> Result<HashSet<String>, String> {
        if let Some(path) = schema["$ref"].as_str() {
            return self.part(self.0.pointer(&path[1..]).unwrap(), value);
        }
        let mut listed = HashSet::new();
        if let Some(variants) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            let met: Result<Vec<_>, String> = variants
                .iter()
                .map(|one| self.part(one, value))
                .reduce(Result::or)
                .unwrap()
                .map(|one| vec![one]);
            listed.extend(met?.into_iter().flatten());
        }
        let is = |name: &str| match name {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            _ => value.is_object(),
        };
        let types = schema["type"]
            .as_array()
            .map_or_else(|| vec![&schema["type"]], |all| all.iter().collect());
        let fixed =
            schema["enum"].as_array().cloned().or(schema.get("const").map(|one| vec![one.clone()]));
        let beyond = |bound: &str, is_beyond: fn(f64, f64) -> bool| {
            schema[bound]
                .as_f64()
                .zip(value.as_f64())
                .is_some_and(|(bound, value)| is_beyond(value, bound))
        };
        if types.iter().filter_map(|one| one.as_str()).next().is_some()
            && !types.iter().filter_map(|one| one.as_str()).any(is)
            || fixed.is_some_and(|fixed| !fixed.contains(value))
            || beyond("minimum", |value, least| value < least)
            || beyond("maximum", |value, most| value > most)
        {
            return Err(format!(": {value} is not {schema}"));
        }
        for (index, one) in value.as_array().into_iter().flatten().enumerate() {
            self.whole(&schema["items"], one).map_err(|fault| format!("[{index}]{fault}"))?;
        }
        let required =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(key) = required.into_iter().find(|key| value.get(key).is_none()) {
            return Err(format!(".{key} is missing"));
        }
        for (key, one) in value.as_object().into_iter().flatten() {
            let known = schema["properties"].get(key).or(schema.get("additionalProperties"));
            match known {
                None | Some(Value::Bool(false)) => continue,
                Some(Value::Bool(true)) => {}
                Some(schema) => {
                    self.whole(schema, one).map_err(|fault| format!(".{key}{fault}"))?
                }
            }
            listed.insert(key.clone());
        }
        Ok(listed)
    }
}

#[test]
fn a_wrong_answer_is_seen() {
    let fault = |schema: &str, value: &Value| CONTRACT.whole(&named(schema), value).err();
    let state = |number: Value| json!({ "number": number, "searching": null });
    assert_eq!(fault("EngineState", &state(json!(1))), None);
    for (schema, value, wrong) in [
        ("EngineState", state(json!("1")), ".number: "),
        ("EngineState", state(json!(-1)), ".number: "),
        ("EngineState", json!({ "number": 1 }), ".searching is missing"),
        ("Score", json!({ "cp": 1, "mate": 2 }), " is not listed"),
        ("Merges", json!({ "merges": [{ "id": 1, "name": "x", "state": "done" }] }), ".merges[0]"),
    ] {
        let fault = fault(schema, &value).unwrap_or_default();
        assert!(fault.contains(wrong), "{value}: {fault}");
    }
}
