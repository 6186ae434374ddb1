//! What can be configured, and what values may be.

use std::path::Path;

use clap::ValueEnum;
use toml_edit::{Array, InlineTable, Item, TableLike, Value};

use crate::args::engines::parse_option;
use crate::args::sources::parse_engine;
use deepanalyze_core::tree::Widths;

/// A setting of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Key {
    /// The UCI engine, or several; "builtin" for the built-in one
    Engine,
    /// UCI options of that engine, NAME=VALUE
    Options,
    /// The database file
    Database,
    /// Move distance in centipawns
    Distance,
    /// Folder with endgame tables, or several
    Tables,
    /// Whether the fifty-move rule counts beside tables: fide or iccf
    Fifty,
    /// Point of view of the scores: white or mover
    Pov,
    /// Colours in the terminal: auto, always or never
    Colours,
}

impl Key {
    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Key::Engine => "engine",
            Key::Options => "options",
            Key::Database => "database",
            Key::Distance => "distance",
            Key::Tables => "tables",
            Key::Fifty => "fifty",
            Key::Pov => "pov",
            Key::Colours => "colours",
        }
    }

    /// The key of a name.
    pub fn of(name: &str) -> Option<Key> {
        Key::value_variants().iter().copied().find(|key| key.name() == name)
    }

    /// The value that stands in the file, each of several on its own: options as NAME=VALUE.
    ///
    /// # Errors
    ///
    /// What is wrong with it; the message reads on from the key.
    pub fn read(self, item: &Item) -> Result<Vec<String>, String> {
        let texts = match (self, item) {
            (Key::Options, item) => {
                let table = item.as_table_like().ok_or("must be a table of names and values")?;
                options_of(table)?
            }
            (Key::Engine | Key::Tables, Item::Value(Value::Array(engines))) => {
                let texts = engines.iter().map(|engine| engine.as_str().map(str::to_owned));
                let texts: Option<Vec<String>> = texts.collect();
                texts.ok_or("must be a text or a list of texts")?
            }
            (Key::Distance, Item::Value(Value::Integer(number))) => {
                vec![number.value().to_string()]
            }
            (_, Item::Value(Value::String(text))) => vec![text.value().clone()],
            (Key::Engine | Key::Tables, _) => {
                return Err("must be a text or a list of texts".to_owned());
            }
            (Key::Distance, _) => return Err("must be a number or a text".to_owned()),
            _ => return Err("must be a text".to_owned()),
        };
        self.check(&texts)?;
        Ok(texts)
    }

    /// Whether values are possible.
    ///
    /// # Errors
    ///
    /// What is wrong with them; the message reads on from the key.
    pub fn check(self, texts: &[String]) -> Result<(), String> {
        let several = matches!(self, Key::Engine | Key::Options | Key::Tables);
        if texts.is_empty() || (!several && texts.len() > 1) {
            return Err("must be one value".to_owned());
        }
        texts.iter().try_for_each(|text| self.check_one(text))
    }

    fn check_one(self, text: &str) -> Result<(), String> {
        let one_of = |words: &[&str]| match words.contains(&text) {
            true => Ok(()),
            false => Err(format!("must be one of {}, not {text:?}", words.join(", "))),
        };
        match self {
            Key::Engine if text.trim().is_empty() => Err("must be a command line".to_owned()),
            Key::Engine => parse_engine(text).map(drop),
            Key::Options => parse_option(text).map(drop),
            Key::Database if Path::new(text).is_absolute() => Ok(()),
            Key::Database => Err(format!("must be the whole path of a file, not {text:?}")),
            Key::Distance => text.parse::<Widths>().map(drop).map_err(|error| error.to_string()),
            Key::Tables if Path::new(text).is_absolute() => Ok(()),
            Key::Tables => Err(format!("must be the whole path of a folder, not {text:?}")),
            Key::Fifty => one_of(&["fide", "iccf"]),
            Key::Pov => one_of(&["white", "mover"]),
            Key::Colours => one_of(&["auto", "always", "never"]),
        }
    }

    /// Values as they stand in the file.
    pub fn written(self, texts: &[String]) -> Item {
        let value = match (self, texts) {
            (Key::Options, texts) => {
                let options = texts.iter().filter_map(|text| parse_option(text).ok());
                Value::from(options.collect::<InlineTable>())
            }
            (_, [one]) => Value::from(one.as_str()),
            (_, several) => Value::from(several.iter().map(String::as_str).collect::<Array>()),
        };
        Item::Value(value)
    }
}

fn options_of(table: &dyn TableLike) -> Result<Vec<String>, String> {
    let text = |value: &Item| match value {
        Item::Value(Value::String(text)) => Some(text.value().clone()),
        Item::Value(Value::Integer(number)) => Some(number.value().to_string()),
        Item::Value(Value::Boolean(is)) => Some(is.value().to_string()),
        _ => None,
    };
    let option = |(name, value): (&str, &Item)| {
        let value = text(value).ok_or(format!("{name} must be a text, a number, true or false"))?;
        Ok(format!("{name}={value}"))
    };
    table.iter().map(option).collect()
}
