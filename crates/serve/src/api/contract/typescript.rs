//! The types of the contract, and of data in pages, in TypeScript.

use serde_json::Value;

use super::document::Schemas;
use super::{WRITE, of};
use deepanalyze_report::{PageData, PageMove};

/// The types of the document, and of a tree's page data, for the pages' scripts.
pub fn typescript(document: &Value) -> String {
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
