//! The contract of the API, generated: an OpenAPI document from the table of routes and the types
//! that handlers read and write, whose doc comments are its descriptions; and the same types in
//! TypeScript.

mod document;
mod typescript;

use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::error::ApiError;

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
    for (file, text) in [
        ("serve/openapi.json", pretty(&document)),
        ("shared/contract.ts", typescript::typescript(&document)),
    ] {
        let path = web.join(file);
        if std::env::var_os("DEEPANALYZE_WRITE_CONTRACT").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{file} is another one: {WRITE}");
    }
}
