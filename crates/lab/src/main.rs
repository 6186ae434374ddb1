//! The laboratory of deepanalyze: measurements, and products of measurements. Not part of the
//! installed program.

mod duel;
mod failure;
mod measure;
mod teller;

use std::io::{BufReader, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::LabFailure;
use measure::{
    books, game_sets, games, human, look_ahead_speed, random_games, recheck, search_overhead,
    selfplay, synthetic_database,
};

/// Measure deepanalyze, and train its engine
#[derive(Debug, Parser)]
#[command(name = "lab")]
struct Lab {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Debug, Subcommand)]
enum LabCommand {
    Duel(Box<duel::DuelArgs>),
    Selfplay(selfplay::SelfplayArgs),
    LookAheadSpeed(look_ahead_speed::LookAheadArgs),
    /// Time the quiescence paper's positions at depth 4 with quiescence depth 2
    ///
    /// Each search from cleared memory: the plain search, which does what the paper's does, and the full one.
    QuiescencePaper,
    RandomGames(random_games::RandomGamesArgs),
    Games(games::GamesArgs),
    Books(books::BooksArgs),
    GameSets(game_sets::GameSetArgs),
    Human(human::HumanArgs),
    SearchOverhead(search_overhead::OverheadArgs),
    Recheck(Box<recheck::RecheckArgs>),
    UntilHolds(recheck::until_holds::UntilHoldsArgs),
    SyntheticDatabase(synthetic_database::SyntheticArgs),
    /// Run the built-in engine, as duels do
    #[command(hide = true)]
    Engine,
}

/// The command that starts a duel's engine guard. Not for users.
const GUARD: &str = "--guard-engines";

fn main() -> ExitCode {
    if std::env::args_os().skip(1).eq([GUARD]) {
        deepanalyze_engine::guard(std::io::stdin().lock());
        return ExitCode::SUCCESS;
    }
    run(Lab::parse().command).unwrap_or_else(|failure| {
        // A closed standard error cannot be reported.
        let _ = writeln!(std::io::stderr(), "{}", failure.text());
        failure.code()
    })
}

fn run(command: LabCommand) -> Result<ExitCode, LabFailure> {
    match command {
        LabCommand::Duel(args) => return duel::run(&args),
        LabCommand::Selfplay(args) => selfplay::run(&args)?,
        LabCommand::LookAheadSpeed(args) => look_ahead_speed::run(&args)?,
        LabCommand::QuiescencePaper => measure::quiescence_paper::run()?,
        LabCommand::RandomGames(args) => random_games::run(&args)?,
        LabCommand::Games(args) => games::run(&args)?,
        LabCommand::Books(args) => books::run(&args)?,
        LabCommand::GameSets(args) => game_sets::run(&args),
        LabCommand::Human(args) => human::run(&args),
        LabCommand::SearchOverhead(args) => search_overhead::run(&args)?,
        LabCommand::Recheck(args) => recheck::run(&args)?,
        LabCommand::UntilHolds(args) => recheck::until_holds::run(&args)?,
        LabCommand::SyntheticDatabase(args) => synthetic_database::run(&args),
        LabCommand::Engine => {
            deepanalyze_builtin::uci::run(BufReader::new(std::io::stdin()), std::io::stdout());
        }
    }
    Ok(ExitCode::SUCCESS)
}
