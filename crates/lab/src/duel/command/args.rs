//! The arguments of `lab duel`, and refusals of senseless combinations.
#![allow(rustdoc::broken_intra_doc_links, reason = "defaults stand in brackets in the help")]

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use deepanalyze_core::search::Profile;
use deepanalyze_engine::Settings;
use deepanalyze_view::PointOfView;

use crate::duel::alternatives::AlternativesContest;
use crate::duel::fleet::{FleetContest, Measure, Other};
use crate::duel::nodes::summary::Counting;
use crate::duel::nodes::{JudgeAsked, NodesContest};
use crate::duel::setting::{HashRule, Setting};
use crate::duel::suite::Suite;
use crate::failure::LabFailure;

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
    /// Database file, which keeps every answer
    #[arg(
        long,
        value_name = "PATH",
        env = "DEEPANALYZE_DB",
        default_value = "lab.db",
        hide_env_values = true,
        help_heading = "Database"
    )]
    pub db: PathBuf,
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
    /// for a last search of the position [none]. With --fleet the hash is
    /// always cleared, and all engines share the moves of the closing search out among themselves.
    #[arg(long = "tree", value_name = "SETTING", required = true)]
    pub trees: Vec<Setting>,
    /// Give both sides equal time instead: several engines on the tree, against single faster ones
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
    #[arg(long, value_enum, default_value_t = DuelFormat::Text)]
    pub format: DuelFormat,
    /// Point of view of scores in text
    #[arg(long, value_enum, default_value_t = ScoreSide::White)]
    pub pov: ScoreSide,
    /// Write to a file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write JSON to this file, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DuelFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Scores' point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScoreSide {
    /// White: plus is good for White
    White,
    /// The side that plays the move: plus is good for that side
    Mover,
}

impl From<ScoreSide> for PointOfView {
    fn from(side: ScoreSide) -> PointOfView {
        match side {
            ScoreSide::White => PointOfView::White,
            ScoreSide::Mover => PointOfView::Mover,
        }
    }
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

impl JudgeArgs {
    /// Scope of its questions.
    pub fn asked(&self) -> JudgeAsked {
        match (self.judge_all, self.judge_arms) {
            (true, _) => JudgeAsked::OwnMoves,
            (_, true) => JudgeAsked::Arms,
            _ => JudgeAsked::FirstChoices,
        }
    }
}

/// The command line again, all defaults written out, without parts that leave the result alone:
/// database, outputs, and how many positions are played side by side.
pub fn command(args: &DuelArgs) -> Vec<String> {
    let mut words: Vec<String> = ["lab", "duel"].map(str::to_owned).into();
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
        JudgeAsked::OwnMoves => words.push("--judge-all".to_owned()),
        JudgeAsked::Arms => words.push("--judge-arms".to_owned()),
        JudgeAsked::FirstChoices => {}
    }
    words
}

/// The engine option for threads.
const THREADS: &str = "Threads";

/// Refuses senseless combinations.
pub fn refuse(args: &DuelArgs) -> Result<(), LabFailure> {
    if args.arms.fleet.is_empty() {
        refuse_at_equal_nodes(args)?
    } else {
        refuse_at_equal_time(args)?
    }
    match args.list.alternatives {
        Some(_) => refuse_for_alternatives(args),
        None => Ok(()),
    }
}

/// Refuses at equal nodes the options for engines side by side.
fn refuse_at_equal_nodes(args: &DuelArgs) -> Result<(), LabFailure> {
    let ArmArgs { solved, split, threads, .. } = args.arms;
    let given = [(solved, "--solved"), (split, "--split"), (threads, "--threads")];
    if let Some((_, option)) = given.iter().find(|(is_given, _)| *is_given) {
        return Err(LabFailure::usage(format!("{option} needs --fleet")).hint(
            "--fleet 1,4 compares trees of 1 and of 4 engines with single searches at equal time",
        ));
    }
    match args.arms.trees.iter().find(|setting| setting.schedule.has_stages()) {
        None => Ok(()),
        Some(setting) => {
            let why = format!("\"{setting}\" has stages, which only --fleet takes");
            Err(LabFailure::usage(why))
        }
    }
}

/// Refuses options that spoil equal time: engines side by side have no hash in common, and threads
/// that share their cores with other positions are not worth as much as alone.
fn refuse_at_equal_time(args: &DuelArgs) -> Result<(), LabFailure> {
    for setting in &args.arms.trees {
        if setting.hash == HashRule::Kept {
            return Err(LabFailure::usage(format!(
                "--fleet takes trees with hash=cleared, not \"{setting}\""
            )));
        }
    }
    let sets_threads = |(name, _): &(String, String)| name.eq_ignore_ascii_case(THREADS);
    if args.arms.threads && args.arms.options.iter().any(sets_threads) {
        return Err(LabFailure::usage("--threads sets the option Threads itself: leave it out"));
    }
    if args.arms.threads && args.engines > 1 {
        return Err(LabFailure::usage(
            "--threads needs all cores for one position at a time: leave --engines out",
        ));
    }
    Ok(())
}

/// The arms' engine with as many threads as there are engines, for each number of them.
pub fn threaded(args: &DuelArgs, player: &Settings) -> Vec<Settings> {
    let numbers = numbers(args).into_iter().filter(|_| args.arms.threads);
    let threaded = numbers.map(|threads| {
        let mut settings = player.clone();
        settings.options.push((THREADS.to_owned(), threads.to_string()));
        settings
    });
    threaded.collect()
}

/// The other arms of several engines.
fn others(args: &DuelArgs) -> Vec<Other> {
    let split = args.arms.split.then_some(Other::Split);
    split.into_iter().chain(args.arms.threads.then_some(Other::Threads)).collect()
}

/// The numbers of engines, in ascending order.
pub fn numbers(args: &DuelArgs) -> Vec<u32> {
    let mut numbers = args.arms.fleet.clone();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The contest of equal nodes.
pub fn nodes_contest(
    args: &DuelArgs,
    suite: Suite,
    player: Profile,
    judge: Profile,
) -> NodesContest {
    NodesContest {
        suite,
        player,
        nodes: args.arms.nodes,
        settings: args.arms.trees.clone(),
        judge,
        judge_nodes: args.judge.judge_nodes.unwrap_or_default(),
        asked: args.judge.asked(),
        counting: Counting { margin: args.judge.margin, seed: args.suite.seed },
    }
}

/// The contest of equal time.
pub fn fleet_contest(
    args: &DuelArgs,
    suite: Suite,
    player: Profile,
    judge: Option<Profile>,
) -> FleetContest {
    let measure = match (judge, args.judge.judge_nodes) {
        (Some(judge), Some(nodes)) => Measure::Losses { judge, nodes, own: args.judge.judge_all },
        _ => Measure::Solved,
    };
    FleetContest {
        suite,
        player,
        time: args.arms.nodes,
        engines: numbers(args),
        settings: args.arms.trees.clone(),
        others: others(args),
        measure,
        seed: args.suite.seed,
    }
}

/// Refuses trees that do not choose by the scores of all: those with a closing search of one
/// engine.
fn refuse_for_alternatives(args: &DuelArgs) -> Result<(), LabFailure> {
    let alone = numbers(args).first().is_none_or(|fewest| *fewest == 1);
    let chooses_one = |tree: &&Setting| alone && tree.closing.is_some();
    match args.arms.trees.iter().find(chooses_one) {
        None => Ok(()),
        Some(setting) => Err(LabFailure::usage(format!(
            "--alternatives takes trees without a closing search of one engine alone: that is for one move, \
             not \"{setting}\""
        ))),
    }
}

/// The contest of alternatives.
pub fn alternatives_contest(
    args: &DuelArgs,
    suite: Suite,
    player: Profile,
    judge: Profile,
) -> AlternativesContest {
    AlternativesContest {
        suite,
        player,
        moves: usize::from(args.list.alternatives.unwrap_or_default()),
        nodes: args.arms.nodes,
        engines: numbers(args),
        settings: args.arms.trees.clone(),
        judge,
        judge_nodes: args.judge.judge_nodes.unwrap_or_default(),
        counting: Counting { margin: args.judge.margin, seed: args.suite.seed },
    }
}
