//! Commands of this program to go on with.

use crate::args::database::VARIABLE;
use crate::config::{Config, ConfigKey};
use deepanalyze_core::quoting;

use super::args::GrowArgs;

/// A command of this program, the database named where it was named here.
pub fn command_line(args: &GrowArgs, command: &[&str]) -> String {
    let mut words = vec!["deepanalyze".to_owned()];
    words.extend(command.iter().take(1).map(|word| (*word).to_owned()));
    if let Some(db) = &args.db.db
        && std::env::var_os(VARIABLE).as_deref() != Some(db.as_os_str())
        && Config::loaded().text(ConfigKey::Database).is_none_or(|text| text != db)
    {
        words.extend(["--db".to_owned(), db.to_string_lossy().into_owned()]);
    }
    words.extend(command.iter().skip(1).map(|word| (*word).to_owned()));
    quoting::join(words.iter().map(String::as_str))
}
