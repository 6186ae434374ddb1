//! Does a recheck find the best moves that a better engine changes, and for how many nodes? The truth is a tree
//! that the better engine has grown as a whole.
//!
//! For each position a tree of the old engine and one of the new are grown, to given nodes each.
//! Then the leaves of the old one are asked anew by the new engine, in several orders. All answers
//! are kept in a file: the same command repeats its result without a search.

mod cached;
mod orders;
mod tables;
pub mod until_holds;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::duel::question::HashState;
use deepanalyze_core::chess::Value;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Errors, Growth, MOST_CHANGE, Margin, Recheck, Rescoring, stability};
use deepanalyze_engine::{HangPolicy, Settings};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duel::arm::grower::{TreeGrower, listed};
use crate::duel::setting::Setting;
use crate::duel::suite::{Suite, SuitePosition};
use crate::failure::LabFailure;

use cached::CachedEngine;
use orders::{Asking, Order, Step, by_flips, in_order};

/// An engine that node compiles first takes its time on a busy machine.
const START: Duration = Duration::from_secs(300);

/// Measure whether a recheck finds the best moves that a better engine changes
#[derive(Debug, clap::Args)]
pub struct RecheckArgs {
    /// The positions, an EPD file
    #[arg(long)]
    epd: PathBuf,
    /// Draw this many at random [default: all]
    #[arg(long)]
    positions: Option<usize>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the answers are kept
    #[arg(long)]
    cache: PathBuf,
    /// The old engine's command line
    #[arg(long)]
    old: String,
    /// How its trees are grown, as `lab duel` takes it, and of how many nodes
    #[arg(long)]
    old_tree: Setting,
    #[arg(long)]
    old_nodes: u64,
    /// The new engine's command line
    #[arg(long)]
    new: String,
    #[arg(long)]
    new_tree: Setting,
    #[arg(long)]
    new_nodes: u64,
    /// Possible error of the scores in centipawns [default: two thirds of the errors so far]
    #[arg(long)]
    within: Option<u32>,
    /// The most leaves asked, in hundredths of the new tree's nodes in each order [default: all
    /// leaves]
    #[arg(long)]
    most: Option<u64>,
}

/// A grown tree.
struct Tree {
    growth: Growth,
    nodes: u64,
    best: UciMove,
}

/// Outcome of a position.
pub struct RootOutcome {
    id: String,
    old_best: UciMove,
    new_best: UciMove,
    /// True if the new tree's best move is one of the old tree's.
    is_listed: bool,
    /// By how many centipawns the new tree has its best move before the old tree's, if it has that.
    lead: Option<u32>,
    /// The new tree's nodes.
    whole: u64,
    positions: [u64; 2],
    leaves: usize,
    /// Margin for which the old tree's best move holds at first.
    at_first: u32,
    /// The differences of all leaves' scores, as far as asked.
    errors: Vec<u32>,
    recheck: Recheck,
    steps: Vec<Step>,
    /// In each order, to the end; by flips at any margin.
    runs: Vec<(Order, Vec<Step>)>,
}

/// Runs the command.
pub fn run(args: &RecheckArgs) -> Result<(), LabFailure> {
    let mut engines = Engines::start(args)?;
    let mut errors = Errors::default();
    let mut outcomes = Vec::new();
    for entry in positions(&args.epd, args.positions, args.seed)? {
        let outcome = engines.measure(args, &entry.position, &entry.id, errors.clone())?;
        if let Margin::Shown(shown) = outcome.recheck.margin() {
            errors = shown.clone();
        }
        eprintln!("{}", tables::line(&outcome));
        outcomes.push(outcome);
    }
    let [old, new] = [engines.old.engine(), engines.new.engine()];
    println!(
        "{old}, {} of {} nodes → {new}, {} of {} nodes",
        args.old_tree, args.old_nodes, args.new_tree, args.new_nodes
    );
    tables::print(&outcomes);
    Ok(())
}

/// The positions of an EPD file, or a sample.
pub(crate) fn positions(
    epd: &Path,
    wanted: Option<usize>,
    seed: u64,
) -> Result<Vec<SuitePosition>, LabFailure> {
    let text = std::fs::read_to_string(epd)?;
    let suite = Suite::parse(&text)
        .map_err(|bad| LabFailure::usage(format!("{}: {bad}", epd.display())))?;
    Ok(match wanted {
        Some(wanted) => suite.sampled(wanted, seed).entries,
        None => suite.entries,
    })
}

struct Engines {
    old: CachedEngine,
    new: CachedEngine,
}

impl Engines {
    fn start(args: &RecheckArgs) -> Result<Engines, LabFailure> {
        Ok(Engines {
            old: start(&args.old, args.old_tree.schedule.first(), &args.cache)?,
            new: start(&args.new, args.new_tree.schedule.first(), &args.cache)?,
        })
    }

    fn measure(
        &mut self,
        args: &RecheckArgs,
        position: &Chess,
        id: &str,
        errors: Errors,
    ) -> Result<RootOutcome, LabFailure> {
        let old = grow(position, args.old_nodes, &args.old_tree, &mut self.old)?;
        let new = grow(position, args.new_nodes, &args.new_tree, &mut self.new)?;
        let margin = args.within.map_or(Margin::Shown(errors), Margin::Fixed);
        let limit = args.new_tree.schedule.first();
        let most = args.most.map_or(u64::MAX, |most| new.nodes * most / 100);
        let mut asking = Asking { engine: &mut self.new, limit, most };
        let (steps, recheck) = by_flips(&old.growth, margin, &mut asking)?;
        let (on_and_on, all) = by_flips(&old.growth, Margin::Fixed(MOST_CHANGE), &mut asking)?;
        let mut runs = vec![(Order::Flips, on_and_on)];
        for order in [Order::Lines, Order::Gap, Order::Random] {
            runs.push((order, in_order(&old.growth, order, &mut asking)?));
        }
        let alphas = listed(&new.growth);
        let alpha = |uci| alphas.iter().find(|(other, _)| *other == uci).map(|(_, score)| *score);
        Ok(RootOutcome {
            id: id.to_owned(),
            is_listed: listed(&old.growth).iter().any(|(uci, _)| *uci == new.best),
            lead: alpha(new.best)
                .zip(alpha(old.best))
                .map(|(new, old)| difference(new.into(), old.into())),
            old_best: old.best,
            new_best: new.best,
            whole: new.nodes,
            positions: [old.growth.analysed(), new.growth.analysed()],
            leaves: leaves_of(&old.growth),
            errors: all.asked().iter().map(|leaf| difference(leaf.old, leaf.new)).collect(),
            at_first: holds(&old.growth),
            recheck,
            steps,
            runs,
        })
    }
}

fn holds(growth: &Growth) -> u32 {
    let stability = stability(growth.graph(), growth.values(), growth.root());
    stability.map_or(MOST_CHANGE + 1, |stability| stability.at_least)
}

fn leaves_of(growth: &Growth) -> usize {
    Rescoring::new(growth.graph(), growth.values(), growth.root()).leaves().count()
}

fn difference(one: Value, other: Value) -> u32 {
    u32::from(one.get().abs_diff(other.get()))
}

fn start(command: &str, limit: Limit, cache: &Path) -> Result<CachedEngine, LabFailure> {
    let hang = HangPolicy { startup: START, ..HangPolicy::default().for_any_length() };
    CachedEngine::start(&Settings { hang, ..Settings::new(command, limit) }, cache)
}

/// A tree of `nodes` nodes, each search on a cleared hash.
fn grow(
    position: &Chess,
    nodes: u64,
    setting: &Setting,
    engine: &mut CachedEngine,
) -> Result<Tree, LabFailure> {
    let mut grower = TreeGrower::new(position, nodes, setting, HashState::Cleared, engine);
    grower.grow()?;
    let arm = grower.arm().ok_or_else(|| LabFailure::new("a tree without a move"))?;
    Ok(Tree { growth: grower.growth().clone(), nodes: arm.nodes, best: arm.best })
}
