//! The arguments of `deepanalyze duel`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::database::DbArgs;
use crate::cli::args::engines::parse_option;
use crate::cli::args::pov::PovArgs;
use crate::duel::{Asked, Setting};

/// Measure whether the tree chooses better moves than one search of as many nodes
///
/// In each position of an EPD file the engine chooses a move by one search of N nodes, and by a tree
/// whose searches spend N nodes together. Where the two differ, a judge searches after both moves.
/// Stop it at any moment: the same command goes on, and a finished duel repeats without a search.
#[derive(Debug, Args)]
pub struct DuelArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    #[command(flatten)]
    pub arms: ArmArgs,
    #[command(flatten)]
    pub judge: JudgeArgs,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Positions side by side, each with processes of its own; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Run")]
    pub engines: u16,
    /// Print nothing but errors and the result
    #[arg(long, short, help_heading = "Run")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Positions")]
pub struct SuiteArgs {
    /// EPD file: a position per line
    #[arg(long, value_name = "FILE")]
    pub epd: PathBuf,
    /// Draw so many positions of the file [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: Option<u32>,
    /// Fixes which positions are drawn, and the intervals' resamples
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Arms")]
pub struct ArmArgs {
    /// Command line of the arms' UCI engine [default: the built-in one]
    #[arg(long, value_name = "CMD")]
    pub engine: Option<String>,
    /// Set a UCI option of it; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    pub options: Vec<(String, String)>,
    /// Engine nodes of each arm in each position
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    pub nodes: u64,
    /// How the tree is grown; several times for several settings. "engine-depth=10 distance=20
    /// hash=kept closing=1/2": engine-depth (or engine-nodes) of each search, the move distance in
    /// centipawns [10], hash cleared or kept between searches [cleared], and the share of the nodes
    /// that is left for one last search of the root [none], on the hash that the tree, or a rehearsal
    /// of its best lines, has warmed; choice=settled plays the best move of the greatest settled depth
    /// rather than of the tree as it stands
    #[arg(long = "tree", value_name = "SETTING", required = true)]
    pub trees: Vec<Setting>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Judge")]
pub struct JudgeArgs {
    /// Command line of the judge's UCI engine
    #[arg(long, value_name = "CMD")]
    pub judge: String,
    /// Set a UCI option of the judge; may be given several times
    #[arg(long = "judge-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    pub judge_options: Vec<(String, String)>,
    /// Engine nodes of each of the judge's searches: at least 20 times the arms' where it is their
    /// own engine
    #[arg(long, value_name = "M", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    pub judge_nodes: u64,
    /// Moves this close are worth the same, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=2000))]
    pub margin: u32,
    /// Ask the judge for its own move in every position, too: losses are beside that one then
    #[arg(long)]
    pub judge_all: bool,
    /// Ask it about the arms' moves alone, not about the trees' first choices where they left them:
    /// fewer searches
    #[arg(long, conflicts_with = "judge_all")]
    pub judge_arms: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub pov: PovArgs,
    /// Write to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the JSON to a file, beside what is printed
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

impl JudgeArgs {
    /// What it is asked about.
    pub fn asked(&self) -> Asked {
        match (self.judge_all, self.judge_arms) {
            (true, _) => Asked::OwnMoves,
            (_, true) => Asked::Arms,
            _ => Asked::FirstChoices,
        }
    }
}

/// The command line again, all defaults written out, without what the result does not depend on:
/// database, outputs, and how many positions are played side by side.
pub fn command(args: &DuelArgs) -> Vec<String> {
    let mut words: Vec<String> = ["deepanalyze", "duel"].map(str::to_owned).into();
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    add("--epd", args.suite.epd.to_string_lossy().into_owned());
    if let Some(positions) = args.suite.positions {
        add("--positions", positions.to_string());
    }
    add("--seed", args.suite.seed.to_string());
    if let Some(engine) = &args.arms.engine {
        add("--engine", engine.clone());
    }
    args.arms.options.iter().for_each(|(name, value)| add("--option", format!("{name}={value}")));
    add("--nodes", args.arms.nodes.to_string());
    args.arms.trees.iter().for_each(|tree| add("--tree", tree.to_string()));
    let judge = &args.judge;
    add("--judge", judge.judge.clone());
    judge.judge_options.iter().for_each(|(n, value)| add("--judge-option", format!("{n}={value}")));
    add("--judge-nodes", judge.judge_nodes.to_string());
    add("--margin", judge.margin.to_string());
    match judge.asked() {
        Asked::OwnMoves => words.push("--judge-all".to_owned()),
        Asked::Arms => words.push("--judge-arms".to_owned()),
        Asked::FirstChoices => {}
    }
    words
}
