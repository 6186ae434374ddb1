//! What the page's script reads, but for the moves; `assets/page/src/data.ts` is the other end. Not
//! public: page and data are always written together.

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::render::report::Report;
use crate::render::words::{
    WordedTableMove, describe_breadth, describe_closing, describe_pending, describe_profile,
    describe_stays, numbered_line, numbered_move,
};
use crate::render::{PointOfView, describe_holds};
use deepanalyze_core::chess::{Ending, Game, TableEnd, Value, fen_of, san_of};
use deepanalyze_store::Verdict;

use super::Beside;
use super::lines::{LineData, StageData};
use super::names::Names;

/// Values are [`Value::get`]'s integers, for the mover.
#[derive(Serialize)]
pub struct Data {
    pov: &'static str,
    start: String,
    root: String,
    /// The position where the game begins, and the moves from there to where printing begins.
    game: String,
    before: String,
    line: String,
    ply: u32,
    engine: String,
    distance: String,
    /// How many directives the tree was grown with, and whether the root has others by now, in words.
    directed: Option<String>,
    /// What a command about this root begins with.
    command: String,
    /// The moves to where printing begins, as a command takes them.
    command_line: String,
    /// The note on the position where printing begins.
    note: Option<String>,
    settled: Option<u32>,
    target: u32,
    positions: u64,
    searches: u64,
    passes: u64,
    value: Option<i16>,
    ending: Option<&'static str>,
    /// What tables say of it for the side to move, in words.
    known: Option<&'static str>,
    /// Its moves, the best first, where it is a root that tables know.
    table_moves: Vec<WordedTableMove>,
    opening: Option<usize>,
    openings: Vec<(&'static str, &'static str)>,
    verdicts: Vec<VerdictData>,
    lines: Vec<LineData>,
    stages: Vec<StageData>,
    /// How likely it is that the best move of the root stays, in words.
    stays: Option<String>,
    /// How far the best move of the root holds, in words: with scores for White, and for the side to move.
    holds: Option<[String; 2]>,
    /// The closing search of the root, in the same way.
    closing: Option<[String; 2]>,
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

/// Gathers what the page shows, but for the moves.
pub fn page_data(report: &Report<'_>, beside: Beside<'_>, pov: PointOfView, names: Names) -> Data {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let start = report.start();
    let lines = beside.prospects.iter().map(|prospect| LineData::new(&start, prospect));
    Data {
        pov: match pov {
            PointOfView::Mover => "mover",
            PointOfView::White => "white",
        },
        start: fen_of(&start),
        root: fen_of(game.root()),
        game: fen_of(game.start()),
        before: words_of(&[game.moves(), &report.line].concat()),
        line: numbered_line(game.root(), &report.line),
        ply: u32::try_from(report.line.len()).unwrap_or(u32::MAX),
        engine: describe_profile(&row.profile),
        distance: describe_breadth(&row.breadth),
        directed: describe_pending(&report.tree.directives, &report.tree.said),
        command: command(game),
        command_line: words_of(&report.line),
        note: report.said(report.start_node()).note.map(str::to_owned),
        settled: growth.settled().last().map(|last| last.depth),
        target: row.target_depth,
        positions: growth.analysed(),
        searches: growth.searches(),
        passes: growth.passes(),
        value: report.value().map(Value::get),
        ending: Ending::of(&start).map(Ending::name),
        known: report.known(report.start_node()).map(TableEnd::words),
        table_moves: table_moves(report),
        opening: names.of_line,
        openings: names.list,
        verdicts: report.tree.verdicts.iter().map(|one| verdict(game.root(), one)).collect(),
        lines: lines.collect(),
        stages: beside.courses.iter().map(StageData::from).collect(),
        stays: report
            .stays()
            .map(|stays| describe_stays(stays, &numbered_move(game.root(), stays.best))),
        holds: report
            .stability
            .as_ref()
            .map(|stability| for_both(|pov| describe_holds(game.root(), stability, pov))),
        closing: report.tree.closing.as_ref().map(|closing| {
            let root = game.root();
            let of = row.profile.limit;
            for_both(|pov| describe_closing(root, closing, of, pov))
        }),
    }
}

/// With scores for White, and for the side to move: the reader chooses.
fn for_both(words: impl Fn(PointOfView) -> String) -> [String; 2] {
    [PointOfView::White, PointOfView::Mover].map(words)
}

/// The moves of a root that tables know; none where printing begins elsewhere.
fn table_moves(report: &Report<'_>) -> Vec<WordedTableMove> {
    let tree = report.tree;
    let moves = if report.line.is_empty() { tree.table_moves.as_slice() } else { &[] };
    WordedTableMove::all(tree.game.root(), tree.row.tables, moves)
}

/// `deepanalyze direct --root "FEN" --moves "e2e4"`. Double quotes mean the same in every shell around what
/// a FEN and moves consist of.
fn command(game: &Game) -> String {
    let mut command = "deepanalyze direct".to_owned();
    if *game.start() != Chess::default() {
        command.push_str(&format!(" --root \"{}\"", fen_of(game.start())));
    }
    if !game.moves().is_empty() {
        command.push_str(&format!(" --moves \"{}\"", words_of(game.moves())));
    }
    command
}

pub(super) fn words_of(moves: &[UciMove]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
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
