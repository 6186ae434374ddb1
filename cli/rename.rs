//! `deepanalyze rename`.

use std::process::ExitCode;

use clap::Args;

use deepanalyze_report::Stages;
use deepanalyze_report::{describe_root, one_line};

use super::args::chosen::ChosenArgs;
use super::error::CliError;

/// Give an analysed position another name
///
/// `deepanalyze list` shows the name. With --analysis it is that of this analysis alone; else it belongs to the position
/// with the game before it, whatever has analysed it. It stays until you give another.
#[derive(Debug, Args)]
pub struct RenameArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// The new name; an empty one takes the name away
    #[arg(allow_hyphen_values = true)]
    name: String,
}

/// Runs the command.
pub fn run(args: &RenameArgs) -> Result<ExitCode, CliError> {
    let (row, mut store) = args.chosen.choose_to_change()?;
    let game = row.game().ok_or_else(|| {
        CliError::missing(format!("the moves of analysis {} cannot be played", row.id.0))
            .hint("`deepanalyze verify` says what is damaged")
    })?;
    let name = Some(one_line(&args.name)).filter(|name| !name.is_empty());
    match args.chosen.is_analysis() {
        true => {
            let stages = Stages::of(&store, row.clone())?;
            store.rename_analysis(stages.rows(), name.as_deref())?;
        }
        false => store.rename(&game, name.as_deref())?,
    }
    match name {
        Some(name) => anstream::println!("#{} is called \"{name}\" now", row.id.0),
        None => {
            let described = describe_root(&game);
            anstream::println!("#{} has no name now; it is listed as \"{described}\"", row.id.0);
        }
    }
    Ok(ExitCode::SUCCESS)
}
