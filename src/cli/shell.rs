//! `deepanalyze completions` and `deepanalyze man`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};

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
    /// Of a subcommand
    command: Option<String>,
}

/// Writes completions.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "deepanalyze", &mut text);
    write(&text)
}

/// Writes a manual page.
pub fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let mut program = Cli::command();
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| CliError::usage(format!("no command {name:?}")))?;
            found.display_name(format!("deepanalyze-{name}"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    write(&text)
}

fn write(text: &[u8]) -> Result<ExitCode, CliError> {
    use std::io::Write;

    std::io::stdout().lock().write_all(text)?;
    Ok(ExitCode::SUCCESS)
}
