//! The contract of the API: an OpenAPI document of the table of routes and of the types that the handlers read and write.
//! Descriptions are the types' doc comments.

use std::path::Path;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use deepanalyze_report::{PageData, PageMove};

use super::error::ApiError;
use super::routes;

pub const PGN: &str = "application/x-chess-pgn";
pub const HTML: &str = "text/html";
pub const SQLITE: &str = crate::guard::SQLITE;

/// The schema of a type.
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What a route takes and gives.
#[derive(Debug, Default)]
pub struct Operation {
    id: &'static str,
    summary: &'static str,
    query: Option<SchemaOf>,
    header: Option<(&'static str, &'static str)>,
    takes: Vec<(&'static str, SchemaOf)>,
    gives: Vec<(&'static str, &'static str, Vec<(&'static str, SchemaOf)>)>,
    tells: Vec<SchemaOf>,
}

const JSON: &str = "application/json";

/// An operation by its name, and what it does.
pub fn says(id: &'static str, summary: &'static str) -> Operation {
    Operation { id, summary, ..Operation::default() }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn text(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "string" })
}

/// An object.
pub struct Anything;

impl JsonSchema for Anything {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Anything".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

impl Operation {
    /// What may stand behind the path.
    pub fn query<T: JsonSchema>(self) -> Self {
        Operation { query: Some(of::<T>), ..self }
    }

    /// A header that it reads.
    pub fn header(self, name: &'static str, description: &'static str) -> Self {
        Operation { header: Some((name, description)), ..self }
    }

    /// A body of JSON.
    pub fn takes<T: JsonSchema>(mut self) -> Self {
        self.takes.push((JSON, of::<T>));
        self
    }

    /// A file as its body.
    pub fn takes_file(mut self, kind: &'static str) -> Self {
        self.takes.push((kind, text));
        self
    }

    fn answer(
        mut self,
        status: &'static str,
        description: &'static str,
        content: Option<(&'static str, SchemaOf)>,
    ) -> Self {
        match self.gives.iter_mut().find(|(known, ..)| *known == status) {
            Some((.., contents)) => contents.extend(content),
            None => self.gives.push((status, description, content.into_iter().collect())),
        }
        self
    }

    /// An answer of JSON.
    pub fn gives<T: JsonSchema>(self, description: &'static str) -> Self {
        self.answer("200", description, Some((JSON, of::<T>)))
    }

    /// A file, of one of these kinds.
    pub fn gives_file(self, kinds: &[&'static str], description: &'static str) -> Self {
        kinds.iter().fold(self, |it, kind| it.answer("200", description, Some((kind, text))))
    }

    /// An answer that says that something is new.
    pub fn creates<T: JsonSchema>(self, description: &'static str) -> Self {
        self.answer("201", description, Some((JSON, of::<T>)))
    }

    /// An answer that says that something has begun.
    pub fn accepts<T: JsonSchema>(self, description: &'static str) -> Self {
        self.answer("202", description, Some((JSON, of::<T>)))
    }

    /// An answer without a body.
    pub fn gives_nothing(self, description: &'static str) -> Self {
        self.answer("204", description, None)
    }

    /// The answer to who has the newest.
    pub fn may_be_unchanged(self, description: &'static str) -> Self {
        self.answer("304", description, None)
    }

    /// That what is asked for is not there.
    pub fn may_be_missing(self, description: &'static str) -> Self {
        self.answer("404", description, Some((JSON, of::<ApiError>)))
    }

    /// What a stream tells.
    pub fn tells<T: JsonSchema>(mut self) -> Self {
        self.tells.push(of::<T>);
        self
    }
}

/// The schemas of bodies that are read, and of those that are written.
struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

impl Schemas {
    fn new() -> Schemas {
        let settings = || {
            let settings = SchemaSettings::draft2020_12();
            let settings = settings.with(|it| it.definitions_path = "/components/schemas".into());
            settings.with_transform(RecursiveTransform(|schema: &mut Schema| {
                // How many bits a number has is nobody's concern.
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

    /// The keys of a type that is read, which is then no component.
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
        if !operation.takes.is_empty() {
            object["requestBody"] =
                json!({ "required": true, "content": content(&operation.takes, &mut self.read) });
        }
        let mut answers = Map::new();
        for (status, description, contents) in &operation.gives {
            let mut answer = json!({ "description": description });
            if !contents.is_empty() {
                answer["content"] = content(contents, &mut self.written);
            }
            answers.insert((*status).to_owned(), answer);
        }
        let error: [(&str, SchemaOf); 1] = [(JSON, of::<ApiError>)];
        answers.insert(
            "default".to_owned(),
            json!({ "description": "An error", "content": content(&error, &mut self.written) }),
        );
        object["responses"] = Value::Object(answers);
        operation.tells.iter().for_each(|tells| drop(tells(&mut self.written)));
        object
    }

    /// All named types. One that is read and written is the same in both directions.
    fn components(mut self) -> Map<String, Value> {
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

/// What is left out where there is none is no null.
fn skipped_are_never_null(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let keys = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (key, value) in keys.into_iter().flatten() {
        if !required.contains(&json!(key)) {
            *value = without_null(value.take());
        }
    }
}

/// The document.
fn document() -> Value {
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

/// The types of the document, and what is written into the page of a tree, for the pages' scripts.
fn typescript(document: &Value) -> String {
    let mut schemas = Schemas::new();
    of::<PageData>(&mut schemas.written);
    let of_move = of::<PageMove>(&mut schemas.written).to_value();
    let mut all = schemas.components();
    all.insert("PageMove".to_owned(), of_move);
    all.extend(document["components"]["schemas"].as_object().cloned().unwrap());
    let types = all.iter().map(|(name, schema)| {
        let is_plain = !schema["properties"].is_null() && schema["oneOf"].is_null();
        let (begin, end) = if is_plain { ("interface", "") } else { ("type", ";") };
        let is = if is_plain { "" } else { "= " };
        format!("{}export {begin} {name} {is}{}{end}\n", comment(schema, ""), type_of(schema, ""))
    });
    format!("// Generated, as openapi.json is: {WRITE}\n\n{}", types.collect::<Vec<_>>().join("\n"))
}

fn comment(schema: &Value, indent: &str) -> String {
    let words = schema["description"].as_str().map(|words| words.replace('\n', " "));
    words.map_or(String::new(), |words| format!("{indent}/** {words} */\n"))
}

fn type_of(schema: &Value, indent: &str) -> String {
    if let Some(path) = schema["$ref"].as_str() {
        return path.rsplit('/').next().unwrap().to_owned();
    }
    let union =
        |all: &[Value]| all.iter().map(|one| type_of(one, indent)).collect::<Vec<_>>().join(" | ");
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let variants = schema["oneOf"].as_array().or(schema["anyOf"].as_array()).map(|all| union(all));
    match (variants, schema["properties"].is_null()) {
        (Some(variants), true) => variants,
        (Some(variants), false) => format!("{} & ({variants})", of_type("object", schema, indent)),
        (None, _) => match &schema["type"] {
            Value::Array(types) => {
                let types = types.iter().filter_map(Value::as_str);
                types.map(|one| of_type(one, schema, indent)).collect::<Vec<_>>().join(" | ")
            }
            one => of_type(one.as_str().unwrap_or("unknown"), schema, indent),
        },
    }
}

fn of_type(name: &str, schema: &Value, indent: &str) -> String {
    match name {
        "integer" => "number".to_owned(),
        "array" => match (schema["prefixItems"].as_array(), schema["maxItems"].as_u64()) {
            (Some(items), _) => {
                format!(
                    "[{}]",
                    items.iter().map(|one| type_of(one, indent)).collect::<Vec<_>>().join(", ")
                )
            }
            (None, Some(count)) => {
                format!("[{}]", vec![type_of(&schema["items"], indent); count as usize].join(", "))
            }
            (None, None) => match type_of(&schema["items"], indent) {
                one if one.contains(['|', '&']) => format!("({one})[]"),
                one => format!("{one}[]"),
            },
        },
        "object" => match (schema["properties"].as_object(), &schema["additionalProperties"]) {
            (Some(keys), _) => {
                let (inner, required) = (format!("{indent}  "), schema["required"].as_array());
                let key = |(key, schema): (&String, &Value)| {
                    let is_required = required.is_some_and(|all| all.iter().any(|one| one == key));
                    let mark = if is_required { "" } else { "?" };
                    format!(
                        "{}{inner}{key}{mark}: {};\n",
                        comment(schema, &inner),
                        type_of(schema, &inner)
                    )
                };
                format!("{{\n{}{indent}}}", keys.iter().map(key).collect::<String>())
            }
            (None, of @ Value::Object(_)) => format!("Record<string, {}>", type_of(of, indent)),
            _ => "Record<string, unknown>".to_owned(),
        },
        other => other.to_owned(),
    }
}

/// With one blank for each level: it is a part of the program.
fn pretty(document: &Value) -> String {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    document.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter)).unwrap();
    String::from_utf8(text).unwrap() + "\n"
}

/// What writes the files that are compared.
const WRITE: &str = "DEEPANALYZE_WRITE_CONTRACT=1 cargo test -p deepanalyze-serve contract";

#[test]
fn the_contract_is_that_of_the_types() {
    let (document, assets) = (document(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets"));
    for (file, text) in
        [("serve/openapi.json", pretty(&document)), ("shared/contract.ts", typescript(&document))]
    {
        let path = assets.join(file);
        if std::env::var_os("DEEPANALYZE_WRITE_CONTRACT").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{file} is another one: {WRITE}");
    }
}
