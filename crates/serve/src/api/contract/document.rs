//! The OpenAPI document.

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value, json};

use super::{Answer, JSON, Operation, SchemaOf, of};
use crate::api::error::ApiError;
use crate::api::routes;

/// The document.
pub fn document() -> Value {
    let mut schemas = Schemas::new();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let operation = schemas.operation(route.path, &route.operation);
        paths.entry(route.path).or_insert_with(|| json!({}))[route.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "deepanalyze serve",
            "version": "1",
            "license": { "name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later" },
            "description": "What the page of `deepanalyze serve` uses, for scripts, too. Scores are those of the side to move where the score stands, and of a move those of the side that plays it. Times are milliseconds since 1970, UTC. Bodies are JSON objects, and keys that are not listed are refused.",
        },
        "servers": [{ "url": "http://127.0.0.1:7373" }],
        "security": [{ "bearer": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "The token of the printed address." },
                "cookie": {
                    "type": "apiKey", "in": "cookie", "name": "deepanalyze_7373",
                    "description": "Set by the printed address; the name ends with the port.",
                },
            },
            "schemas": schemas.components(),
        },
    })
}

/// The schemas of request bodies, and of answers.
pub struct Schemas {
    read: SchemaGenerator,
    pub written: SchemaGenerator,
}

impl Schemas {
    pub fn new() -> Schemas {
        let settings = || {
            let settings = SchemaSettings::draft2020_12();
            let settings = settings.with(|it| it.definitions_path = "/components/schemas".into());
            settings.with_transform(RecursiveTransform(|schema: &mut Schema| {
                // The width of numbers is not part of the contract.
                schema.remove("format");
            }))
        };
        Schemas {
            read: settings().for_deserialize().into_generator(),
            written: settings().for_serialize().into_generator(),
        }
    }

    fn parameters(&mut self, path: &str, operation: &Operation) -> Vec<Value> {
        let in_path = path.contains("{id}").then(|| {
            json!({
                "name": "id", "in": "path", "required": true, "schema": { "type": "integer" },
                "description": match path.split('/').nth(2) {
                    Some("games") => "The number of the game.",
                    Some("merges") => "The number of the merge.",
                    _ => "The number of any stage of the root.",
                },
            })
        });
        let header = operation.header.map(|(name, description)| json!({
            "name": name, "in": "header", "schema": { "type": "string" }, "description": description,
        }));
        let query =
            operation.query.map(|query| query(&mut self.read)).map(|schema| self.keys_of(&schema));
        let query = query.unwrap_or_default().into_iter().map(|(name, mut schema, required)| {
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let mut parameter = json!({ "name": name, "in": "query", "required": required, "schema": without_null(schema) });
            parameter["description"] = description.unwrap_or_default();
            parameter
        });
        in_path.into_iter().chain(query).chain(header).collect()
    }

    /// The keys of a request type, which is then no component.
    fn keys_of(&mut self, schema: &Schema) -> Vec<(String, Value, bool)> {
        let name =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        let schema = match name {
            Some(name) => self.read.definitions_mut().remove(name).unwrap(),
            None => schema.clone().to_value(),
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let keys = schema["properties"].as_object().cloned().unwrap_or_default().into_iter();
        keys.map(|(key, value)| {
            let is_required = required.contains(&json!(key));
            (key, value, is_required)
        })
        .collect()
    }

    fn operation(&mut self, path: &str, operation: &Operation) -> Value {
        let mut object = json!({ "operationId": operation.id, "summary": operation.summary });
        let parameters = self.parameters(path, operation);
        if !parameters.is_empty() {
            object["parameters"] = json!(parameters);
        }
        if !operation.bodies.is_empty() {
            object["requestBody"] =
                json!({ "required": true, "content": content(&operation.bodies, &mut self.read) });
        }
        let mut answers = Map::new();
        for Answer { status, description, content: kinds } in &operation.answers {
            let mut answer = json!({ "description": description });
            if !kinds.is_empty() {
                answer["content"] = content(kinds, &mut self.written);
            }
            answers.insert((*status).to_owned(), answer);
        }
        let error: [(&str, SchemaOf); 1] = [(JSON, of::<ApiError>)];
        answers.insert(
            "default".to_owned(),
            json!({ "description": "An error", "content": content(&error, &mut self.written) }),
        );
        object["responses"] = Value::Object(answers);
        operation.events.iter().for_each(|event| drop(event(&mut self.written)));
        object
    }

    /// All named types. A type in both directions has one schema.
    pub fn components(mut self) -> Map<String, Value> {
        let mut all = self.written.take_definitions(true);
        all.values_mut().for_each(skipped_are_never_null);
        for (name, schema) in self.read.take_definitions(true) {
            if let Some(other) = all.insert(name.clone(), schema.clone()) {
                assert_eq!(other, schema, "{name} is another thing where it is written");
            }
        }
        all
    }
}

fn content(kinds: &[(&'static str, SchemaOf)], generator: &mut SchemaGenerator) -> Value {
    let content = kinds
        .iter()
        .map(|(kind, schema)| ((*kind).to_owned(), json!({ "schema": schema(generator) })));
    Value::Object(content.collect())
}

/// A schema that null does not meet.
fn without_null(mut schema: Value) -> Value {
    if let Some(types) = schema["type"].as_array_mut() {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            schema["type"] = one.clone();
        }
    }
    if let Some(variants) = schema["anyOf"].as_array() {
        let variants: Vec<&Value> = variants.iter().filter(|one| one["type"] != "null").collect();
        if let [one] = variants.as_slice() {
            let mut one = (*one).clone();
            let description = schema.get("description").cloned();
            description.into_iter().for_each(|words| one["description"] = words);
            return one;
        }
    }
    schema
}

/// A key left out if absent is never null.
fn skipped_are_never_null(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let keys = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (key, value) in keys.into_iter().flatten() {
        if !required.contains(&json!(key)) {
            *value = without_null(value.take());
        }
    }
}
