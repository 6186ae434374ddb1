//! Data that the page's script reads, but for the moves. Not public: page and data are always written together.

use std::collections::BTreeSet;

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, Game, TableEnd, Value, fen_of, san_of};
use deepanalyze_store::{CoursePoint, DepthVerdict};

use crate::tree::html::moves::Names;
use crate::tree::layout::TreeReport;
use deepanalyze_view::{
    ClosingMove, ListedMove, NamedMove, PointOfView, StageCourse, Verdict, WordedTableMove, advice,
    are_computed, describe_breadth, describe_closing, describe_drawn, describe_holds,
    describe_known_games, describe_limit, describe_line_end, describe_people, describe_profile,
    describe_sureness, numbered_line,
};

/// Values are [`Value::get`]'s integers, for the mover.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct PageData {
    pov: PointOfView,
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
    /// Beginning of a command about this root.
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
    /// The result by the tables for the side to move, in words.
    known: Option<&'static str>,
    /// Results by the tables, in words, as the moves' flags name them.
    table_words: [&'static str; 7],
    /// Its moves, the best first, where it is a root that tables know.
    table_moves: Vec<WordedTableMove>,
    opening: Option<usize>,
    openings: Vec<(&'static str, &'static str)>,
    verdicts: Vec<VerdictData>,
    lines: Vec<LineData>,
    stages: Vec<StageData>,
    /// How sure the verdict is, in words.
    stays: Option<String>,
    /// Reason why a draw is the best result where the page begins, in words: with scores for White, and for the side to move.
    drawn: Option<[String; 2]>,
    /// How far the best move of the root holds, in the same way.
    holds: Option<[String; 2]>,
    /// The closing search of the root, in the same way.
    closing: Option<[String; 2]>,
    /// The moves that its engines have chosen, the best first, where printing begins with the root.
    closing_moves: Vec<ClosingMoveData>,
    /// By which rules moves are followed since they are played, in words; none where games are not counted.
    games: Option<String>,
    /// For whom expected scores are, and what is to be said of them, in words; none where they are not asked for.
    people: Option<PeopleData>,
    /// The verdict of the root, where printing begins with it and a closing search has had its say.
    told: Option<BestMoveData>,
    /// True if win, draw and loss are computed from the score.
    wdl_computed: bool,
}

/// Facts about people's moves.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PagePeople"))]
struct PeopleData {
    #[cfg_attr(feature = "contract", schemars(extend("enum" = ["White", "Black"])))]
    side: &'static str,
    /// Advice where printing begins.
    advice: Option<String>,
    /// For whom, and how much of the games the tree answers.
    words: String,
}

/// The move that is told as the best.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PageBest"))]
struct BestMoveData {
    score: i16,
    /// It, and what is expected to follow, in UCI.
    line: String,
    /// The chooser (tree or closing search), in words.
    whose: [String; 2],
}

/// A move that an engine of the closing search has chosen.
#[derive(Serialize)]
#[cfg_attr(
    feature = "contract",
    derive(schemars::JsonSchema),
    schemars(rename = "PageClosingMove")
)]
struct ClosingMoveData {
    #[serde(flatten)]
    named: NamedMove,
    score: i16,
    /// It, and what its engine expects to follow.
    line: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PageVerdict"))]
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
#[cfg_attr(
    feature = "contract",
    derive(schemars::JsonSchema),
    schemars(rename = "PageVerdictMove")
)]
struct VerdictMoveData {
    uci: String,
    san: String,
    alpha: i16,
    line: String,
}

/// Gathers what the page shows, but for the moves.
pub fn page_data(report: &TreeReport<'_>, names: Names) -> PageData {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let start = report.start();
    let lines = report.first.iter().map(LineData::of);
    PageData {
        pov: report.options.pov,
        start: fen_of(&start),
        root: fen_of(game.root()),
        game: fen_of(game.start()),
        before: words_of(&[game.moves(), &report.line].concat()),
        line: numbered_line(game.root(), &report.line),
        ply: u32::try_from(report.line.len()).unwrap_or(u32::MAX),
        engine: describe_profile(&row.profile),
        distance: describe_breadth(&row.settings),
        directed: report.tree.describe_directives(),
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
        table_words: TableEnd::WORDS,
        table_moves: table_moves(report),
        opening: names.of_line,
        openings: names.list,
        verdicts: report.tree.verdicts.iter().map(|one| verdict(game.root(), one)).collect(),
        lines: lines.collect(),
        stages: report.courses.iter().map(StageData::from).collect(),
        stays: report.told().and_then(|told| describe_sureness(&told, report.stays())),
        drawn: report.drawn().map(|drawn| for_both(|pov| describe_drawn(&start, &drawn, pov))),
        holds: report.stability.as_ref().map(|stability| {
            let told = report.told();
            for_both(|pov| describe_holds(game.root(), stability, told.as_ref(), pov))
        }),
        closing: report.tree.closing.as_ref().map(|closing| {
            let root = game.root();
            let of = row.profile.limit;
            for_both(|pov| describe_closing(root, closing, of, pov))
        }),
        closing_moves: closing_moves(report),
        games: describe_known_games(row),
        people: report.people.as_ref().map(|people| PeopleData {
            side: people.asked().side.fold_wb("White", "Black"),
            advice: advice(people, report.start_node(), &start),
            words: describe_people(people, game.root()),
        }),
        wdl_computed: are_computed(&row.profile),
        told: report.told().and_then(|told| best_move_data(&told)),
    }
}

fn closing_moves(report: &TreeReport<'_>) -> Vec<ClosingMoveData> {
    let closing = report.tree.closing.as_ref().filter(|_| report.line.is_empty());
    let moves = closing.into_iter().flat_map(|of| std::iter::once(&of.best).chain(&of.others));
    let data = |chosen: &ClosingMove| ClosingMoveData {
        named: chosen.named.clone(),
        score: Value::from(chosen.score).get(),
        line: words_of(&chosen.line),
    };
    moves.map(data).collect()
}

fn best_move_data(told: &Verdict) -> Option<BestMoveData> {
    told.other.as_ref()?;
    Some(BestMoveData {
        score: told.choice.value.get(),
        line: words_of(&told.choice.moves),
        whose: for_both(|pov| told.describe(pov).unwrap_or_default()),
    })
}

/// With scores for White, and for the side to move: the reader chooses.
fn for_both(words: impl Fn(PointOfView) -> String) -> [String; 2] {
    [PointOfView::White, PointOfView::Mover].map(words)
}

/// The moves of a root that tables know; none where printing begins elsewhere.
fn table_moves(report: &TreeReport<'_>) -> Vec<WordedTableMove> {
    let tree = report.tree;
    let moves = if report.line.is_empty() { tree.table_moves.as_slice() } else { &[] };
    WordedTableMove::all(tree.game.root(), tree.row.settings.tables, moves)
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

pub fn words_of(moves: &[UciMove]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn verdict(root: &Chess, verdict: &DepthVerdict) -> VerdictData {
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

/// The tree behind a move.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PageLine"))]
pub struct LineData {
    /// The tree's best line, the move first, and how the engine goes on behind it, in UCI.
    moves: String,
    own: String,
    /// Both in SAN.
    sans: String,
    /// Why the line ends, where that is not seen.
    end: Option<&'static str>,
}

impl LineData {
    /// The tree behind a move of the position where printing begins.
    fn of(first: &ListedMove) -> LineData {
        let sans: Vec<&str> = first.line.iter().map(|named| named.san.as_str()).collect();
        LineData {
            sans: sans.join(" "),
            moves: words_of(&NamedMove::ucis(first.in_tree())),
            own: words_of(&NamedMove::ucis(first.own())),
            end: describe_line_end(first.line_end),
        }
    }
}

/// A stage of the root; times are in milliseconds since 1970, UTC.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PageStage"))]
pub struct StageData {
    analysis: i64,
    limit: String,
    /// When, the best move from then on, and its alpha for the mover.
    points: Vec<(i64, String, i16)>,
    /// Depth and when.
    settled: Vec<(u32, i64)>,
    /// From when on it speaks for the root.
    speaks: Option<i64>,
}

impl From<&StageCourse> for StageData {
    fn from(course: &StageCourse) -> StageData {
        let points = thinned(&course.points).into_iter();
        let points = points.map(|one| (one.noted_at, one.best.to_string(), one.alpha.get()));
        StageData {
            analysis: course.analysis.0,
            limit: describe_limit(course.limit),
            points: points.collect(),
            settled: course.settled.clone(),
            speaks: course.speaks_from,
        }
    }
}

/// A course of more points is thinned: a plot has no more columns.
const MANY: usize = 1000;

/// The first and the last point, those at which the best move changes, and of each equal part of the time
/// the lowest and the highest.
fn thinned(points: &[CoursePoint]) -> Vec<&CoursePoint> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= MANY {
        return points.iter().collect();
    }
    let (span, parts) = ((last.noted_at - first.noted_at).max(1), 400);
    let part = |point: &CoursePoint| (point.noted_at - first.noted_at) * parts / span;
    let numbered: Vec<(usize, &CoursePoint)> = points.iter().enumerate().collect();
    let changes = numbered.windows(2).filter_map(|pair| match pair {
        [(_, before), (index, point)] if before.best != point.best => Some(*index),
        _ => None,
    });
    let of_parts = numbered.chunk_by(|one, other| part(one.1) == part(other.1));
    let extremes = of_parts.flat_map(|of_part| {
        let lowest = of_part.iter().min_by_key(|(_, point)| point.alpha);
        let highest = of_part.iter().max_by_key(|(_, point)| point.alpha);
        [lowest, highest].into_iter().flatten().map(|(index, _)| *index)
    });
    let ends = [0, points.len() - 1].into_iter();
    let kept: BTreeSet<usize> = ends.chain(changes).chain(extremes).collect();
    kept.into_iter().filter_map(|index| points.get(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Value, parse_uci};

    /// A night: a point every second, the best move another one after each thousand.
    fn night(count: i64) -> Vec<CoursePoint> {
        let point = |index: i64| CoursePoint {
            passes: index.unsigned_abs(),
            searches: 1,
            positions: 1,
            best: parse_uci(if index / 1000 % 2 == 0 { "e2e4" } else { "d2d4" }).unwrap(),
            alpha: Value::new(if index == 7777 { 300 } else { index % 17 }).unwrap(),
            noted_at: 1_800_000_000_000 + index * 1000,
        };
        (0..count).map(point).collect()
    }

    #[test]
    fn a_long_night_is_thinned_to_what_the_plot_can_show() {
        let (short, long) = (night(1000), night(30_000));
        assert_eq!(thinned(&short).len(), 1000);
        assert!(thinned(&[]).is_empty());
        let kept = thinned(&long);
        assert!(kept.len() < 1000, "{}", kept.len());
        assert!(kept.is_sorted_by_key(|point| point.passes));
        let has = |passes: u64| kept.iter().any(|point| point.passes == passes);
        assert!(has(0) && has(29_999), "the ends");
        assert!((1..30).all(|change| has(change * 1000)), "where the best move changes");
        assert!(has(7777), "the highest");
    }
}
