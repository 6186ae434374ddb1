//! Whether a running server answers as the contract says.

use std::collections::HashSet;

use serde_json::{Value, json};

/// Panics where a value is not what the schema of this name describes, or has a key that it does not list.
pub fn check(schema: &str, value: &Value) {
    let fault = fault(schema, value);
    assert!(fault.is_none(), "{schema}{}\n{value:#}", fault.unwrap_or_default());
}

fn fault(schema: &str, value: &Value) -> Option<String> {
    let text = include_str!("../../assets/serve/openapi.json");
    let contract = Contract(serde_json::from_str(text).unwrap());
    let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
    contract.whole(&schema, value).err()
}

struct Contract(Value);

impl Contract {
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
