//! The contract of the API, generated: an OpenAPI document from the table of routes and the types
//! that handlers read and write, whose doc comments are its descriptions; and the same types in
//! TypeScript.

mod document;

use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use deepanalyze_report::{PageData, PageMove};

use super::error::ApiError;
use document::Schemas;

const JSON: &str = "application/json";
pub const PGN: &str = "application/x-chess-pgn";
pub const HTML: &str = "text/html";
pub const SQLITE: &str = crate::guard::SQLITE;

/// The schema of a type.
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// Inputs and outputs of a route: an operation in OpenAPI.
#[derive(Debug, Default)]
pub struct Operation {
    id: &'static str,
    summary: &'static str,
    query: Option<SchemaOf>,
    header: Option<(&'static str, &'static str)>,
    bodies: Vec<(&'static str, SchemaOf)>,
    answers: Vec<Answer>,
    events: Vec<SchemaOf>,
}

/// An answer of a status, by the media types of its body.
#[derive(Debug)]
struct Answer {
    status: &'static str,
    description: &'static str,
    content: Vec<(&'static str, SchemaOf)>,
}

/// An operation by its name, and its summary.
pub fn operation(id: &'static str, summary: &'static str) -> Operation {
    Operation { id, summary, ..Operation::default() }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn text(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "string" })
}

impl Operation {
    /// Parameters in the query.
    pub fn query<T: JsonSchema>(self) -> Self {
        Operation { query: Some(of::<T>), ..self }
    }

    /// A header.
    pub fn header(self, name: &'static str, description: &'static str) -> Self {
        Operation { header: Some((name, description)), ..self }
    }

    /// A body of JSON.
    pub fn body<T: JsonSchema>(mut self) -> Self {
        self.bodies.push((JSON, of::<T>));
        self
    }

    /// A file as its body, by its media type.
    pub fn file_body(mut self, kind: &'static str) -> Self {
        self.bodies.push((kind, text));
        self
    }

    fn answer(
        mut self,
        status: &'static str,
        description: &'static str,
        content: Option<(&'static str, SchemaOf)>,
    ) -> Self {
        match self.answers.iter_mut().find(|known| known.status == status) {
            Some(known) => known.content.extend(content),
            None => {
                let content = content.into_iter().collect();
                self.answers.push(Answer { status, description, content });
            }
        }
        self
    }

    /// 200, with JSON.
    pub fn ok<T: JsonSchema>(self, description: &'static str) -> Self {
        self.answer("200", description, Some((JSON, of::<T>)))
    }

    /// 200, with a file of one of these media types.
    pub fn file(self, kinds: &[&'static str], description: &'static str) -> Self {
        kinds.iter().fold(self, |it, kind| it.answer("200", description, Some((kind, text))))
    }

    /// 201.
    pub fn created<T: JsonSchema>(self, description: &'static str) -> Self {
        self.answer("201", description, Some((JSON, of::<T>)))
    }

    /// 202.
    pub fn accepted<T: JsonSchema>(self, description: &'static str) -> Self {
        self.answer("202", description, Some((JSON, of::<T>)))
    }

    /// 204.
    pub fn no_content(self, description: &'static str) -> Self {
        self.answer("204", description, None)
    }

    /// 304.
    pub fn not_modified(self, description: &'static str) -> Self {
        self.answer("304", description, None)
    }

    /// 404.
    pub fn not_found(self, description: &'static str) -> Self {
        self.answer("404", description, Some((JSON, of::<ApiError>)))
    }

    /// An event of the stream.
    pub fn event<T: JsonSchema>(mut self) -> Self {
        self.events.push(of::<T>);
        self
    }
}

/// Indented by one blank a level: it is part of the program.
fn pretty(document: &Value) -> String {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    document.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter)).unwrap();
    String::from_utf8(text).unwrap() + "\n"
}

/// The command that writes the compared files.
const WRITE: &str = "DEEPANALYZE_WRITE_CONTRACT=1 cargo test -p deepanalyze-serve contract";

#[test]
fn the_contract_is_that_of_the_types() {
    let (document, web) =
        (document::document(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web"));
    for (file, text) in
        [("serve/openapi.json", pretty(&document)), ("shared/contract.ts", typescript(&document))]
    {
        let path = web.join(file);
        if std::env::var_os("DEEPANALYZE_WRITE_CONTRACT").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{file} is another one: {WRITE}");
    }
}

/// The types of the document, and of a tree's page data, for the pages' scripts.
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
