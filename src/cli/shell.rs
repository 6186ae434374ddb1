//! `deepanalyze completions` and `deepanalyze man`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_mangen::roff::{Roff, bold, roman};

use super::Cli;
use super::error::CliError;

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Of a subcommand, and of one of its actions ("direct include")
    command: Vec<String>,
}

/// Writes completions.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "deepanalyze", &mut text);
    write(&text)
}

/// Writes a manual page.
pub fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let mut command = Cli::command();
    command.build();
    let mut page = "deepanalyze".to_owned();
    for name in &args.command {
        let found = command.find_subcommand(name).cloned();
        let found = found.ok_or_else(|| CliError::usage(format!("no command {name:?}")))?;
        page = format!("{page}-{name}");
        command = found.display_name(page.clone());
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    let mut more = Roff::new();
    for (heading, entries) in [("EXIT STATUS", EXIT_STATUS), ("ENVIRONMENT", ENVIRONMENT)] {
        more.control("SH", [heading]);
        for (name, meaning) in entries {
            more.control("TP", []).text([bold(*name)]).text([roman(*meaning)]);
        }
    }
    more.to_writer(&mut text)?;
    write(&text)
}

/// Exit codes and what they mean; the same for every command.
const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Done; for grow: the depth is settled, or a limit is reached."),
    (
        "1",
        "Failure: a message on standard error says what went wrong. For verify: there are flaws.",
    ),
    ("2", "Usage: the command line does not make sense."),
    ("3", "For grow --exit-code: a limit ended the run before the depth was complete."),
    ("130", "Interrupted by a signal; every answer is kept, and the same command goes on."),
];

/// The variables that the program looks at.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("DEEPANALYZE_DB", "The database file, where --db does not name one."),
    (
        "DEEPANALYZE_CONFIG",
        "The configuration file, in place of the one in your configuration folder.",
    ),
    ("XDG_CONFIG_HOME", "Where configuration folders are on Linux; without it ~/.config."),
    ("XDG_DATA_HOME", "Where data directories are on Linux; without it ~/.local/share."),
    ("NO_COLOR", "Set to anything: no colour."),
    ("CLICOLOR_FORCE", "Set to 1: colour even where standard output is no terminal."),
    ("COLUMNS", "The width for show's text on a terminal that does not tell its own."),
];

fn write(text: &[u8]) -> Result<ExitCode, CliError> {
    use std::io::Write;

    std::io::stdout().lock().write_all(text)?;
    Ok(ExitCode::SUCCESS)
}
