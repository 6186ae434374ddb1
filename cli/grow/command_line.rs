//! Commands of this program to go on with.

use crate::args::database::VARIABLE;
use crate::config::{Config, Key};
use deepanalyze_core::quoting;

use super::args::GrowArgs;

/// A command of this program, the database named where it was named here.
pub fn command_line(args: &GrowArgs, command: &[&str]) -> String {
    let mut words = vec!["deepanalyze".to_owned()];
    words.extend(command.iter().take(1).map(|word| (*word).to_owned()));
    if let Some(db) = &args.db.db
        && std::env::var_os(VARIABLE).as_deref() != Some(db.as_os_str())
        && Config::load().ok().and_then(|config| Some(config.text(Key::Database)? == db))
            != Some(true)
    {
        words.extend(["--db".to_owned(), db.to_string_lossy().into_owned()]);
    }
    words.extend(command.iter().skip(1).map(|word| (*word).to_owned()));
    quoting::join(words.iter().map(String::as_str))
}
