//! The configuration file: where it is, what can stand in it, and what does.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::ValueEnum;
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, TableLike, Value};

use crate::args::engines::{parse_engine, parse_option};
use crate::error::CliError;
use crate::output::write_file;
use deepanalyze_core::reading::{MIB, read_text};
use deepanalyze_core::tree::Breadth;

/// The variable that names another file.
const VARIABLE: &str = "DEEPANALYZE_CONFIG";

/// The longest file that is read, in bytes.
const LONGEST: u64 = MIB;

/// Contents of the file.
#[derive(Debug, Clone, Default)]
pub struct Config {
    entries: BTreeMap<ConfigKey, ConfigEntry>,
}

/// A value of the file; options and engines may be several.
#[derive(Debug, Clone)]
pub struct ConfigEntry {
    pub texts: Vec<String>,
    /// From 1.
    pub line: usize,
}

/// As the process has read it first.
static LOADED: OnceLock<Config> = OnceLock::new();

impl Config {
    /// The configuration; empty if the file is wrong: commands that need it have refused it before.
    pub fn loaded() -> &'static Config {
        LOADED.get_or_init(|| Config::load().unwrap_or_default())
    }

    /// Reads the file; empty where there is none.
    pub fn load() -> Result<Config, CliError> {
        let path = path()?;
        match text_of(&path)? {
            Some(text) => Config::read(&text, &path.display().to_string()).map_err(|error| {
                CliError::usage(error).hint("`deepanalyze help config` says what can be configured")
            }),
            None => Ok(Config::default()),
        }
    }

    /// Takes a text apart; errors name the file, the line and the key.
    fn read(text: &str, file: &str) -> Result<Config, String> {
        let line_at = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let wrong = |line: usize, what: &str| format!("{file}, line {line}: {what}");
        let document = Document::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_at(span.start));
            wrong(line, error.message().trim())
        })?;
        let table = document.as_table();
        let mut entries = BTreeMap::new();
        for (name, item) in table.iter() {
            let span = table.key(name).and_then(|key| key.span()).or_else(|| item.span());
            let line = span.map_or(1, |span| line_at(span.start));
            let key =
                ConfigKey::of(name).ok_or_else(|| wrong(line, &format!("unknown key {name:?}")))?;
            let texts = key.read(item).map_err(|what| wrong(line, &format!("{name} {what}")))?;
            entries.insert(key, ConfigEntry { texts, line });
        }
        Ok(Config { entries })
    }

    /// The entry of a key.
    pub fn get(&self, key: ConfigKey) -> Option<&ConfigEntry> {
        self.entries.get(&key)
    }

    /// The value of a key that has only one.
    pub fn text(&self, key: ConfigKey) -> Option<&str> {
        self.get(key)?.texts.first().map(String::as_str)
    }

    /// All values of a key.
    pub fn texts(&self, key: ConfigKey) -> &[String] {
        self.get(key).map_or(&[], |entry| &entry.texts)
    }
}

/// Where the file is, whether there is one or not.
pub fn path() -> Result<PathBuf, CliError> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    let folders = directories::ProjectDirs::from("", "", "deepanalyze").ok_or_else(|| {
        CliError::usage("your configuration folder is unknown")
            .hint(format!("name a file with {VARIABLE}"))
    })?;
    Ok(folders.config_dir().join("config.toml"))
}

/// Writes values into the file, or takes a key out of it; all else in it stays as it is.
pub fn change(key: ConfigKey, texts: Option<&[String]>) -> Result<PathBuf, CliError> {
    let path = path()?;
    // A file that is wrong elsewhere is not made worse.
    Config::load()?;
    let text = text_of(&path)?.unwrap_or_default();
    let mut document: DocumentMut = text.parse().map_err(|error| CliError::failure(&error))?;
    match texts {
        Some(texts) => {
            document.insert(&key.name(), key.written(texts));
        }
        None => drop(document.remove(&key.name())),
    }
    let failed = |error| CliError::missing(format!("cannot write {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let text = document.to_string();
    // Whole or not at all: a full disk leaves what was there.
    write_file(&path, |mut file| file.write_all(text.as_bytes())).map_err(failed)?;
    Ok(path)
}

fn text_of(path: &Path) -> Result<Option<String>, CliError> {
    match read_text(path, LONGEST) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CliError::missing(format!("cannot read {}: {error}", path.display()))),
    }
}

/// A setting of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum ConfigKey {
    /// The UCI engine, or several; "builtin" for the built-in one
    Engine,
    /// UCI options of that engine, NAME=VALUE
    Options,
    /// Another engine, which says after each closing search what it would play
    Second,
    /// The database file
    Database,
    /// Move distance in centipawns
    Distance,
    /// Folder with tablebases, or several
    Tables,
    /// Fifty-move rule with tablebases: fide or iccf
    Fifty,
    /// Point of view of the scores: white or mover
    Pov,
    /// Colours in the terminal: auto, always or never
    Colours,
    /// Address of the fleet's NATS server, "nats://host:4222", whose workers search, too; `--fleet no` goes without them
    Fleet,
    /// One search in this many is given to two workers of the fleet, to compare their answers; 0 compares none
    FleetCompare,
    /// File with your credentials for the fleet
    FleetLogin,
    /// File with the certificate authority of the fleet's server, in PEM
    FleetCa,
    /// File with your certificate for the fleet's server, in PEM
    FleetCert,
    /// File with the key of that certificate
    FleetKey,
}

impl ConfigKey {
    /// The name in the file.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The key of a name.
    pub fn of(name: &str) -> Option<ConfigKey> {
        ConfigKey::from_str(name, false).ok()
    }

    /// The value that stands in the file, each of several on its own: options as NAME=VALUE.
    ///
    /// # Errors
    ///
    /// The reason it is invalid; the message continues from the key.
    pub fn read(self, item: &Item) -> Result<Vec<String>, String> {
        let texts = match (self, item) {
            (ConfigKey::Options, item) => item.as_table_like().map(options_of).transpose()?,
            (_, Item::Value(Value::String(text))) => Some(vec![text.value().clone()]),
            (ConfigKey::Engine | ConfigKey::Tables, Item::Value(Value::Array(several))) => {
                several.iter().map(|one| one.as_str().map(str::to_owned)).collect()
            }
            (
                ConfigKey::Distance | ConfigKey::FleetCompare,
                Item::Value(Value::Integer(number)),
            ) => Some(vec![number.value().to_string()]),
            _ => None,
        };
        let texts = texts.ok_or(match self {
            ConfigKey::Options => "must be a table of names and values",
            ConfigKey::Engine | ConfigKey::Tables => "must be a text or a list of texts",
            ConfigKey::Distance | ConfigKey::FleetCompare => "must be a number or a text",
            _ => "must be a text",
        })?;
        self.check(&texts)?;
        Ok(texts)
    }

    /// Checks values.
    ///
    /// # Errors
    ///
    /// The reason they are invalid; the message continues from the key.
    pub fn check(self, texts: &[String]) -> Result<(), String> {
        let several = matches!(self, ConfigKey::Engine | ConfigKey::Options | ConfigKey::Tables);
        if texts.is_empty() || (!several && texts.len() > 1) {
            return Err("must be one value".to_owned());
        }
        texts.iter().try_for_each(|text| self.check_one(text))
    }

    fn check_one(self, text: &str) -> Result<(), String> {
        let one_of = |words: &[&str]| {
            if words.contains(&text) {
                Ok(())
            } else {
                Err(format!("must be one of {}, not {text:?}", words.join(", ")))
            }
        };
        match self {
            ConfigKey::Engine | ConfigKey::Second if text.trim().is_empty() => {
                Err("must be a command line".to_owned())
            }
            ConfigKey::Engine | ConfigKey::Second => parse_engine(text).map(drop),
            ConfigKey::Options => parse_option(text).map(drop),
            ConfigKey::Distance => {
                text.parse::<Breadth>().map(drop).map_err(|error| error.to_string())
            }
            ConfigKey::Fleet if text.trim().is_empty() => Err("must be an address".to_owned()),
            ConfigKey::Fleet => Ok(()),
            ConfigKey::FleetCompare => {
                text.parse::<u32>().map(drop).map_err(|_| format!("must be a number, not {text:?}"))
            }
            ConfigKey::Fifty => one_of(&["fide", "iccf"]),
            ConfigKey::Pov => one_of(&["white", "mover"]),
            ConfigKey::Colours => one_of(&["auto", "always", "never"]),
            _ if Path::new(text).is_absolute() => Ok(()),
            ConfigKey::Tables => Err(format!("must be the whole path of a folder, not {text:?}")),
            _ => Err(format!("must be the whole path of a file, not {text:?}")),
        }
    }

    /// Values as they stand in the file.
    pub fn written(self, texts: &[String]) -> Item {
        let value = match (self, texts) {
            (ConfigKey::Options, texts) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::read(text, "config.toml").unwrap_err()
    }

    #[test]
    fn all_keys_are_read_with_their_lines() {
        let database = if cfg!(windows) { r"C:\x\tree.db" } else { "/x/tree.db" };
        let text = "# mine\nengine = [\"stockfish\", \"8*ssh big stockfish\"]\ndistance = 20\n\
                    pov = 'mover'\ncolours = \"never\"\n\n\
                    [options]\nHash = 64\n\"Clear Hash\" = \"now\"\nOwnBook = false\n";
        let config = Config::read(text, "config.toml").unwrap();
        let path = Config::read(&format!("database = '{database}'"), "config.toml").unwrap();
        assert_eq!(path.text(ConfigKey::Database), Some(database));
        assert_eq!(config.texts(ConfigKey::Engine), ["stockfish", "8*ssh big stockfish"]);
        assert_eq!(
            config.texts(ConfigKey::Options),
            ["Hash=64", "Clear Hash=now", "OwnBook=false"]
        );
        assert_eq!(config.text(ConfigKey::Distance), Some("20"));
        assert_eq!(config.text(ConfigKey::Pov), Some("mover"));
        assert_eq!(config.text(ConfigKey::Colours), Some("never"));
        assert_eq!(config.get(ConfigKey::Distance).map(|entry| entry.line), Some(3));
        assert_eq!(config.get(ConfigKey::Options).map(|entry| entry.line), Some(7));
    }

    #[test]
    fn what_is_wrong_is_named_with_file_line_and_key() {
        for (text, expected) in [
            ("pov = \"white\"\nengin = \"x\"", "line 2: unknown key \"engin\""),
            ("\n\npov = 3", "line 3: pov must be a text"),
            ("pov = \"black\"", "line 1: pov must be one of white, mover, not \"black\""),
            ("engine = [\"a\", 3]", "line 1: engine must be a text or a list of texts"),
            ("engine = []", "line 1: engine must be one value"),
            ("options = \"Hash=3\"", "line 1: options must be a table"),
            ("[options]\nHash = [1]", "line 1: options Hash must be a text, a number"),
            ("database = \"tree.db\"", "line 1: database must be the whole path"),
            ("distance = true", "line 1: distance must be a number or a text"),
            ("distance = \"wide\"", "line 1: distance "),
            ("fleet-compare = \"x\"", "line 1: fleet-compare must be a number, not \"x\""),
            ("fleet-login = \"login\"", "line 1: fleet-login must be the whole path of a file"),
            ("pov = \"white\"\npov = \"mover\"", "line 2: "),
            ("pov = \"white\ncolours = 1", "line 1: "),
        ] {
            let error = error(text);
            assert!(error.starts_with(&format!("config.toml, {expected}")), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (key, texts) in [
            (ConfigKey::Engine, &["stockfish"][..]),
            (ConfigKey::Engine, &["a \"b\"", "2*ssh c"]),
            (ConfigKey::Options, &["Clear Hash=", "Hash=64"]),
            (ConfigKey::Distance, &["30,10+"]),
        ] {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let mut document = DocumentMut::new();
            document.insert(&key.name(), key.written(&texts));
            let config = Config::read(&document.to_string(), "config.toml").unwrap();
            assert_eq!(config.texts(key), texts);
        }
    }
}
