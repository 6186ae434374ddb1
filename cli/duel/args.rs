//! The arguments of `deepanalyze duel`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::database::DbArgs;
use crate::args::engines::parse_option;
use crate::args::pov::PovArgs;
use crate::duels::{Asked, Setting};

/// Measure whether trees choose better moves than single searches of as many nodes
///
/// In each position of an EPD file the engine chooses one move by a single search of N nodes, and one by
/// a tree whose searches take N nodes together. Where they differ, a judge searches after both moves. With
/// --fleet, several engines on a tree are held against single faster ones at equal time; with --alternatives,
/// the best moves of a tree and their scores against those of MultiPV.
/// Stop at any moment: the same command goes on, and a finished duel repeats without searching.
#[derive(Debug, Args)]
pub struct DuelArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    #[command(flatten)]
    pub arms: ArmArgs,
    #[command(flatten)]
    pub list: AlternativesArgs,
    #[command(flatten)]
    pub judge: JudgeArgs,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Number of positions played side by side; the result does not depend on it
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
    /// EPD file, one position per line
    #[arg(long, value_name = "FILE")]
    pub epd: PathBuf,
    /// Draw this many positions at random [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: Option<u32>,
    /// Seed of the random draws: of positions, and for the confidence intervals
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Trees and searches")]
pub struct ArmArgs {
    /// UCI engine of both sides [default: the built-in one]
    #[arg(long, value_name = "CMD")]
    pub engine: Option<String>,
    /// Set a UCI option of the engine; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    pub options: Vec<(String, String)>,
    /// Nodes for each side in each position
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    pub nodes: u64,
    /// How the tree is grown ("engine-depth=10 distance=20"); may be repeated for several trees
    ///
    /// engine-depth or engine-nodes: of each search. stages=10: stages of engine depth 10, 12 and so on, with
    /// --fleet. distance: move distance in centipawns [10].
    /// root-moves: follow at least that many moves of the position [1].
    /// hash=cleared or hash=kept: between searches [cleared]. closing=1/2: keep that share of the nodes
    /// for a last search of the position, after the tree's best lines [none]. choice=settled: play the
    /// best move of the greatest complete depth, not of the tree as it stands. choice=less-luck:20: the best
    /// move once what is luck in its score is taken away, where the engine's scores are off by so many
    /// centipawns (standard deviation). With --fleet the hash is
    /// always cleared, and all engines share the moves of the closing search out among themselves;
    /// choice=second-look:1/5 keeps that share of the time for searching the ends of the best two moves' lines deeper
    /// until the best two have both been looked at, and order=setback searches those positions of a pass first
    /// of which the least has to change until the best line leads there.
    #[arg(long = "tree", value_name = "SETTING", required = true)]
    pub trees: Vec<Setting>,
    /// Give both sides equal time instead: so many engines on the tree, against single faster ones
    ///
    /// --nodes is then time: what one engine searches in it. Each tree is grown by that many engines side by
    /// side, as grow lets them; the other sides are single searches of 1, 2, 4 and so on times the nodes. The
    /// report says how many times as fast one engine must be to do as well as the tree.
    #[arg(long, value_name = "K,...", value_delimiter = ',', allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub fleet: Vec<u32>,
    /// Let that many engines share the position's moves out among themselves, too (needs --fleet)
    ///
    /// Each searches the position with its moves alone; the move of the best score counts. Nothing says which
    /// moves are good, and no tree is grown.
    #[arg(long)]
    pub split: bool,
    /// Let one engine with that many threads search K × --nodes, too (needs --fleet)
    ///
    /// Its answers differ from run to run. On fewer cores than threads they do not work side by side as they
    /// should.
    #[arg(long)]
    pub threads: bool,
    /// Count solved positions (bm and am of the EPD file) instead of asking a judge (needs --fleet)
    #[arg(long, conflicts_with_all = ["judge", "judge_nodes", "judge_all"])]
    pub solved: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Alternatives")]
pub struct AlternativesArgs {
    /// Compare the N best moves and their scores: each tree against one search with MultiPV N
    ///
    /// The judge names the N best moves and says what they are worth; the report has how far each side's scores are
    /// off, in which order it has the moves, and which it misses. With --fleet the search gets --nodes (equal time)
    /// and K × --nodes (equal nodes). "root-moves=N" in --tree lets the tree follow at least as many.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        conflicts_with_all = ["solved", "threads", "split", "judge_all", "judge_arms"],
        value_parser = clap::value_parser!(u8).range(2..=8))]
    pub alternatives: Option<u8>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Judge")]
pub struct JudgeArgs {
    /// UCI engine of the judge
    #[arg(long, value_name = "CMD", required_unless_present = "solved")]
    pub judge: Option<String>,
    /// Set a UCI option of the judge; may be repeated
    #[arg(long = "judge-option", value_name = "NAME=VALUE", value_parser = parse_option,
        requires = "judge")]
    pub judge_options: Vec<(String, String)>,
    /// Nodes of each of the judge's searches; if it is the same engine, at least 20 times --nodes, with --fleet
    /// 20 times K × --nodes
    #[arg(long, value_name = "M", required_unless_present = "solved", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    pub judge_nodes: Option<u64>,
    /// Count moves as equal that are this close, in centipawns (not with --fleet alone, which counts losses)
    #[arg(long, value_name = "CP", default_value_t = 10, allow_negative_numbers = true,
        conflicts_with = "solved", value_parser = clap::value_parser!(u32).range(0..=2000))]
    pub margin: u32,
    /// Let the judge choose a move in every position, too, and measure losses against it
    #[arg(long)]
    pub judge_all: bool,
    /// Let the judge look only at the moves that were chosen, not at those a tree first preferred
    #[arg(long, conflicts_with_all = ["judge_all", "fleet"])]
    pub judge_arms: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub pov: PovArgs,
    /// Write to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write JSON to this file, too
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
    let fleet: Vec<String> = args.arms.fleet.iter().map(ToString::to_string).collect();
    if !fleet.is_empty() {
        add("--fleet", fleet.join(","));
    }
    words.extend(args.arms.split.then(|| "--split".to_owned()));
    if let Some(moves) = args.list.alternatives {
        words.extend(["--alternatives".to_owned(), moves.to_string()]);
    }
    words.extend(args.arms.threads.then(|| "--threads".to_owned()));
    words.extend(args.arms.solved.then(|| "--solved".to_owned()));
    words.extend(command_of_judge(&args.judge));
    words
}

fn command_of_judge(judge: &JudgeArgs) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (Some(command), Some(nodes)) = (&judge.judge, judge.judge_nodes) else {
        return words;
    };
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    add("--judge", command.clone());
    judge.judge_options.iter().for_each(|(n, value)| add("--judge-option", format!("{n}={value}")));
    add("--judge-nodes", nodes.to_string());
    add("--margin", judge.margin.to_string());
    match judge.asked() {
        Asked::OwnMoves => words.push("--judge-all".to_owned()),
        Asked::Arms => words.push("--judge-arms".to_owned()),
        Asked::FirstChoices => {}
    }
    words
}
