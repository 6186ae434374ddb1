//! `deepanalyze completions` and `deepanalyze man`.

use std::process::ExitCode;

use clap::builder::Resettable;
use clap::{Args, CommandFactory};
use clap_mangen::roff::{Roff, bold, roman};

use super::Cli;
use super::error::CliError;

/// Print completions for your shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page of the program or of one command
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command ("grow"), and its action if it has any ("direct include") [default: the program]
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
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = command.after_help(Resettable::Reset);
    clap_mangen::Man::new(command).render(&mut text)?;
    let mut more = Roff::new();
    for (heading, entries) in [("EXIT STATUS", EXIT_STATUS), ("ENVIRONMENT", ENVIRONMENT)] {
        more.control("SH", [heading]);
        for (name, meaning) in entries {
            more.control("TP", []).text([bold(*name)]).text([roman(*meaning)]);
        }
    }
    let mut examples = examples.lines().skip(1).peekable();
    if examples.peek().is_some() {
        more.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples {
            more.text([roman(line)]);
        }
        more.control("fi", []);
    }
    more.to_writer(&mut text)?;
    write(&text)
}

/// Exit codes and what they mean; the same for every command.
const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Done; for grow: the analysis is complete, or a limit is reached."),
    (
        "1",
        "Failure: a message on standard error says what went wrong. For verify: something is damaged. For --game all: \
         some games cannot be read and are left out, each with its reason; the others are done.",
    ),
    ("2", "Wrong usage: a message says what is wrong with the command line."),
    ("3", "For grow --exit-code: a limit ended the run before the analysis was complete."),
    (
        "130",
        "Stopped by Ctrl-C or another signal; every answer is kept, and the same command goes on.",
    ),
];

/// The variables that the program looks at.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("DEEPANALYZE_DB", "The database file, unless --db names one."),
    (
        "DEEPANALYZE_CONFIG",
        "The configuration file, instead of the one in your configuration folder.",
    ),
    ("XDG_CONFIG_HOME", "The folder for configuration files on Linux [default: ~/.config]."),
    ("XDG_DATA_HOME", "The folder for databases on Linux [default: ~/.local/share]."),
    ("NO_COLOR", "If set to anything, there are no colours."),
    ("CLICOLOR_FORCE", "If set to 1, there are colours even in files and pipes."),
    ("COLUMNS", "The width of text, on a terminal that does not tell its own."),
];

fn write(text: &[u8]) -> Result<ExitCode, CliError> {
    use std::io::Write;

    std::io::stdout().lock().write_all(text)?;
    Ok(ExitCode::SUCCESS)
}
