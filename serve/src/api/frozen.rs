//! What the documentation of the API promised before it was generated: routes, parameters, keys and types, as lines.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Routes and keys of a document: each with what it takes or holds, whether it is always there, and its types.
fn promises(document: &Value) -> BTreeSet<String> {
    let mut found = Promises { document, lines: BTreeSet::new() };
    for (path, item) in entries(&document["paths"]) {
        let shared = item["parameters"].as_array().cloned().unwrap_or_default();
        for (method, operation) in entries(item).filter(|(key, _)| *key != "parameters") {
            let own = operation["parameters"].as_array().cloned().unwrap_or_default();
            let route = format!("{method} {path}");
            for parameter in shared.iter().chain(&own) {
                let name = parameter["name"].as_str().unwrap();
                found.schema(
                    &format!("{route} ?{name}"),
                    &parameter["schema"],
                    parameter["required"] == true,
                );
            }
            for (kind, content) in entries(&operation["requestBody"]["content"]) {
                found.schema(&format!("{route} {kind}"), &content["schema"], true);
            }
            for (status, answer) in entries(&operation["responses"]) {
                found.lines.insert(format!("{route} {status}"));
                for (kind, content) in entries(&answer["content"]) {
                    found.schema(&format!("{route} {status} {kind}"), &content["schema"], true);
                }
            }
        }
    }
    for (name, schema) in entries(&document["components"]["schemas"]) {
        found.schema(name, schema, true);
    }
    found.lines
}

fn entries(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    object.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

struct Promises<'d> {
    document: &'d Value,
    lines: BTreeSet<String>,
}

impl Promises<'_> {
    fn schema(&mut self, at: &str, schema: &Value, is_required: bool) {
        // What a route takes and gives is named there, and listed once.
        if at.contains(' ')
            && let Some(name) = schema["$ref"].as_str()
        {
            let name = name.rsplit('/').next().unwrap();
            self.lines.insert(format!("{at}: {name}"));
            return;
        }
        let mut shapes = Shapes::default();
        self.shapes(schema, &mut shapes);
        let types = shapes.types.into_iter().collect::<Vec<_>>().join(" | ");
        self.lines.insert(format!("{at}{}: {types}", if is_required { "" } else { "?" }));
        for (key, (schema, required)) in shapes.keys {
            self.schema(&format!("{at}.{key}"), &schema, required);
        }
        for (key, schema) in shapes.inner {
            self.schema(&format!("{at}{key}"), &schema, true);
        }
    }

    fn shapes(&self, schema: &Value, shapes: &mut Shapes) {
        if let Some(path) = schema["$ref"].as_str() {
            return self.shapes(self.document.pointer(&path[1..]).unwrap(), shapes);
        }
        for one in
            ["oneOf", "anyOf", "allOf"].iter().filter_map(|of| schema[of].as_array()).flatten()
        {
            self.shapes(one, shapes);
        }
        let fixed = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
        let fixed: Vec<String> = fixed.map(ToString::to_string).collect();
        let types =
            schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        if fixed.is_empty() {
            shapes.types.extend(types.iter().filter_map(|one| Some(one.as_str()?.to_owned())));
        }
        shapes.types.extend(fixed);
        let required = schema["required"].as_array();
        for (key, value) in entries(&schema["properties"]) {
            let is_required = required.is_some_and(|keys| keys.iter().any(|one| one == key));
            shapes.keys.insert(key.to_owned(), (value.clone(), is_required));
        }
        let parts = [("[]", &schema["items"]), ("{}", &schema["additionalProperties"])];
        let parts = parts.into_iter().filter(|(_, part)| part.is_object());
        shapes.inner.extend(parts.map(|(key, part)| (key, part.clone())));
    }
}

/// What a value may be.
#[derive(Default)]
struct Shapes {
    types: BTreeSet<String>,
    keys: BTreeMap<String, (Value, bool)>,
    inner: Vec<(&'static str, Value)>,
}

#[test]
fn what_was_promised_is_kept() {
    let document = include_str!("../../../assets/serve/openapi.json");
    let now = promises(&serde_json::from_str(document).unwrap());
    let now: String = now.into_iter().map(|line| line + "\n").collect();
    assert_eq!(now, include_str!("frozen.txt"));
}
