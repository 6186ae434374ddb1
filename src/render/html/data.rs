//! What the page's script reads; `assets/page/src/data.ts` is the other end. Not public: page and
//! data are always written together.

use hashbrown::HashMap;
use serde::Serialize;
use shakmaty::Chess;

use crate::chess::{Ending, Opening, Value, fen_of, opening_of, san_of};
use crate::render::report::{PointOfView, Report, uci_of};
use crate::render::words::{after, describe_profile, numbered_line};
use crate::store::Verdict;
use crate::tree::{Child, NodeId, Place};

const CANDIDATE: u32 = 1;
const REPETITION: u32 = 2;
const TRANSPOSITION: u32 = 4;
const CHECKMATE: u32 = 8;
const STALEMATE: u32 = 16;
const INSUFFICIENT_MATERIAL: u32 = 32;
/// Analysed, but not among the printed plies.
const CUT: u32 = 64;

/// Values are [`Value::get`]'s integers, for the mover.
#[derive(Serialize)]
pub struct Data {
    pov: &'static str,
    start: String,
    root: String,
    history: String,
    line: String,
    ply: u32,
    engine: String,
    distance: u32,
    settled: Option<u32>,
    target: u32,
    positions: u64,
    searches: u64,
    passes: u64,
    value: Option<i16>,
    ending: Option<&'static str>,
    opening: Option<usize>,
    openings: Vec<(&'static str, &'static str)>,
    verdicts: Vec<VerdictData>,
    places: Vec<Vec<Move>>,
}

#[derive(Serialize)]
struct VerdictData {
    depth: u32,
    positions: u64,
    searches: u64,
    /// Milliseconds since 1970, UTC.
    time: i64,
    value: Option<i16>,
    moves: Vec<VerdictMoveData>,
}

#[derive(Serialize)]
struct VerdictMoveData {
    uci: String,
    san: String,
    alpha: i16,
    line: String,
}

/// A move as a list, not an object: there are many.
struct Move {
    uci: String,
    san: String,
    rank: usize,
    eval: Value,
    idea: Value,
    alpha: Value,
    flags: u32,
    target: Option<usize>,
    opening: Option<usize>,
}

impl Serialize for Move {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (eval, idea, alpha) = (self.eval.get(), self.idea.get(), self.alpha.get());
        let target = self.target.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1);
        let Move { uci, san, rank, flags, .. } = self;
        match self.opening {
            None => (uci, san, rank, eval, idea, alpha, flags, target).serialize(to),
            Some(name) => (uci, san, rank, eval, idea, alpha, flags, target, name).serialize(to),
        }
    }
}

/// Gathers what the page shows.
pub fn page_data(report: &Report<'_>, pov: PointOfView) -> Data {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let mut names = Names::default();
    let opening = report.opening().map(|opening| names.index(opening));
    let places = all_places(report, &mut names);
    Data {
        pov: match pov {
            PointOfView::Mover => "mover",
            PointOfView::White => "white",
        },
        start: fen_of(&report.start()),
        root: fen_of(game.root()),
        history: numbered_line(game.start(), game.moves()),
        line: numbered_line(game.root(), &report.line),
        ply: u32::try_from(report.line.len()).unwrap_or(u32::MAX),
        engine: describe_profile(&row.profile),
        distance: row.distance,
        settled: growth.settled().last().map(|last| last.depth),
        target: row.target_depth,
        positions: growth.analysed(),
        searches: growth.searches(),
        passes: growth.passes(),
        value: report.value().map(Value::get),
        ending: Ending::of(&report.start()).map(Ending::name),
        opening,
        openings: names.list,
        verdicts: report.tree.verdicts.iter().map(|one| verdict(game.root(), one)).collect(),
        places,
    }
}

/// The names in use, each once.
#[derive(Default)]
struct Names {
    list: Vec<(&'static str, &'static str)>,
    index: HashMap<Opening, usize>,
}

impl Names {
    fn index(&mut self, opening: Opening) -> usize {
        *self.index.entry(opening).or_insert_with(|| {
            self.list.push((opening.eco, opening.name));
            self.list.len() - 1
        })
    }
}

fn all_places(report: &Report<'_>, names: &mut Names) -> Vec<Vec<Move>> {
    let place_of: HashMap<NodeId, usize> =
        report.places.iter().enumerate().map(|(index, place)| (place.node, index)).collect();
    let moves = |place: &Place| {
        let position = report.position(place);
        let moves = place.moves.iter();
        moves.map(|child| one_move(report, &position, child, &place_of, names)).collect()
    };
    report.places.iter().map(moves).collect()
}

fn one_move(
    report: &Report<'_>,
    position: &Chess,
    child: &Child,
    place_of: &HashMap<NodeId, usize>,
    names: &mut Names,
) -> Move {
    let uci = uci_of(child);
    let target = place_of.get(&child.edge.child).copied();
    Move {
        uci: uci.to_string(),
        san: san_of(position, uci),
        rank: child.rank,
        eval: child.edge.eval,
        idea: child.idea,
        alpha: child.alpha,
        flags: flags(report, child, target.is_some()),
        target,
        opening: opening_of(&after(position, [&uci])).map(|opening| names.index(opening)),
    }
}

fn flags(report: &Report<'_>, child: &Child, printed: bool) -> u32 {
    let graph = report.growth().graph();
    let ending = match graph.ending(child.edge.child) {
        Some(Ending::Checkmate) => CHECKMATE,
        Some(Ending::Stalemate) => STALEMATE,
        Some(Ending::InsufficientMaterial) => INSUFFICIENT_MATERIAL,
        None => 0,
    };
    let cut = graph.is_analysed(child.edge.child) && !printed;
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    ending
        | flag(child.candidate, CANDIDATE)
        | flag(child.repetition, REPETITION)
        | flag(child.transposition, TRANSPOSITION)
        | flag(cut, CUT)
}

fn verdict(root: &Chess, verdict: &Verdict) -> VerdictData {
    let moves = verdict.moves.iter().map(|m| VerdictMoveData {
        uci: m.uci.to_string(),
        san: san_of(root, m.uci),
        alpha: m.alpha.get(),
        line: numbered_line(root, &m.line),
    });
    VerdictData {
        depth: verdict.settled.depth,
        positions: verdict.settled.analysed,
        searches: verdict.settled.searches,
        time: verdict.settled_at,
        value: verdict.value.map(Value::get),
        moves: moves.collect(),
    }
}
