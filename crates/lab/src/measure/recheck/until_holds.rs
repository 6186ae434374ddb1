//! The worth of asking the leaves that could make another move the best two plies deeper, beside as
//! many nodes in the same tree and in a tree of the deeper limit.

use std::path::PathBuf;

use crate::duel::question::{HashState, Question};
use deepanalyze_core::chess::{Ending, Value};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Graph, Margin};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::duel::lane::Oracle;
use crate::duel::setting::Setting;
use crate::duel::statistics::mean;
use crate::failure::LabFailure;

use super::cached::CachedEngine;
use super::orders::{Asking, by_flips};
use super::{grow, positions, start};

/// More centipawns are a won game.
const WON: i32 = 1000;

/// Measure what it is worth to ask deeper until the best move holds
#[derive(Debug, clap::Args)]
pub struct UntilHoldsArgs {
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
    /// The engine's command line
    #[arg(long)]
    engine: String,
    /// How the tree is grown, as `lab duel` takes it, and of how many nodes
    #[arg(long)]
    tree: Setting,
    #[arg(long)]
    nodes: u64,
    /// The best move is to hold if the scores are off by this many centipawns
    #[arg(long, default_value_t = 20)]
    within: u32,
    /// Plies to search deeper
    #[arg(long, default_value_t = 2)]
    deeper: u32,
    /// The most leaves asked, in hundredths of the tree's nodes
    #[arg(long, default_value_t = 100)]
    most: u64,
    /// The judge's nodes for the position after a move
    #[arg(long, default_value_t = 2_000_000)]
    judge_nodes: u64,
}

/// Outcome of a position: best moves, and their worth by the judge.
struct Held {
    spent: u64,
    moves: [UciMove; 4],
    worth: [i32; 4],
}

const ARMS: [&str; 4] = ["the tree", "until it holds", "a further stage", "the tree, further"];

/// Runs the command.
pub fn run(args: &UntilHoldsArgs) -> Result<(), LabFailure> {
    let Limit::Depth(depth) = args.tree.schedule.first() else {
        return Err(LabFailure::usage("--tree has no engine-depth"));
    };
    let deeper = Limit::Depth(depth + args.deeper);
    let mut engine = start(&args.engine, deeper, &args.cache)?;
    let mut all = Vec::new();
    for entry in positions(&args.epd, args.positions, args.seed)? {
        let held = measure(args, deeper, &entry.position, &mut engine)?;
        let moves = held.moves.map(|uci| uci.to_string()).join(" ");
        eprintln!("{} spent {} moves {moves} worth {:?}", entry.id, held.spent, held.worth);
        all.push(held);
    }
    println!(
        "{}, {} of {} nodes, then until {} centipawns by {deeper}",
        engine.engine(),
        args.tree,
        args.nodes,
        args.within
    );
    tell(args, &all);
    Ok(())
}

fn measure(
    args: &UntilHoldsArgs,
    deeper: Limit,
    position: &Chess,
    engine: &mut CachedEngine,
) -> Result<Held, LabFailure> {
    let tree = grow(position, args.nodes, &args.tree, engine)?;
    let mut asking = Asking { engine, limit: deeper, most: tree.nodes * args.most / 100 };
    let (steps, recheck) = by_flips(&tree.growth, Margin::Fixed(args.within), &mut asking)?;
    let spent = steps.last().map_or(0, |step| step.nodes);
    let [stage, further] = match spent {
        0 => [tree.best; 2],
        _ => {
            let schedule = deepanalyze_runner::Schedule::Once(deeper);
            let stage = Setting { schedule, ..args.tree };
            let further = tree.nodes + spent;
            [
                grow(position, spent, &stage, engine)?.best,
                grow(position, further, &args.tree, engine)?.best,
            ]
        }
    };
    let moves = [tree.best, recheck.best_move(), stage, further];
    let mut worth = [0; 4];
    // If all have chosen the same move there is nothing to judge.
    if moves.iter().any(|uci| *uci != tree.best) {
        for (worth, uci) in worth.iter_mut().zip(moves) {
            *worth = judged(position, uci, args.judge_nodes, engine)?;
        }
    }
    Ok(Held { spent, moves, worth })
}

/// The worth of a move for its mover by a search of the position after it.
fn judged(
    position: &Chess,
    uci: UciMove,
    nodes: u64,
    engine: &mut CachedEngine,
) -> Result<i32, LabFailure> {
    let mut after = position.clone();
    if let Ok(m) = uci.to_move(position) {
        after.play_unchecked(m);
    }
    let value = match Ending::of(&after) {
        Some(ending) => Graph::end_value(ending, Value::EVEN),
        None => {
            let question = Question::new(after, Limit::Nodes(nodes), HashState::Cleared);
            Value::from(engine.ask(question)?.score)
        }
    };
    Ok(i32::from(value.step().get()).clamp(-WON, WON))
}

fn tell(args: &UntilHoldsArgs, all: &[Held]) {
    let asked = all.iter().filter(|held| held.spent > 0).count();
    let spent: u64 = all.iter().map(|held| held.spent).sum();
    println!(
        "{} positions, leaves asked in {asked}; {:.1} % of the tree's nodes on the mean",
        all.len(),
        100.0 * spent as f64 / (args.nodes.max(1) * all.len().max(1) as u64) as f64
    );
    for (index, name) in ARMS.iter().enumerate() {
        if index == 1 {
            continue;
        }
        let gains: Vec<i64> = all.iter().map(|h| i64::from(h.worth[1] - h.worth[index])).collect();
        let other = all.iter().filter(|h| h.moves[1] != h.moves[index]).count();
        let [better, worse] = [1, -1].map(|sign| gains.iter().filter(|g| **g * sign > 0).count());
        if let Some(gain) = mean(&gains, 1) {
            println!(
                "beside {name}: another move in {other}, better in {better}, worse in {worse}; centipawns a position {:+.2} ({:+.2} to {:+.2})",
                gain.value, gain.low, gain.high
            );
        }
    }
}
