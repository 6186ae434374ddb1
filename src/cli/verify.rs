//! `deepanalyze verify`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::session::verify;

use super::DbArgs;
use super::error::{CliError, FAILURE};

/// Prove the database: the file, every list, and every tree grown again from the answers
#[derive(Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    db: DbArgs,
    /// Print nothing but what is wrong
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, CliError> {
    let store = args.db.open_to_read()?;
    let mut step = |what: &str| {
        if !args.quiet {
            anstream::eprintln!("checking {what}");
        }
    };
    let verdict = verify(&store, &mut step)?;
    let mut out = anstream::stdout().lock();
    for flaw in &verdict.flaws {
        writeln!(out, "wrong: {flaw}")?;
    }
    if !verdict.flaws.is_empty() {
        writeln!(out, "{}: {} wrong", store.path().display(), verdict.flaws.len())?;
        return Ok(ExitCode::from(FAILURE));
    }
    if !args.quiet {
        writeln!(
            out,
            "{}: all is well ({} answers, {} trees grown again)",
            store.path().display(),
            verdict.answers,
            verdict.trees
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
