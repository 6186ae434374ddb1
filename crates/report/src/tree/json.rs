//! The tree as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, GivenValue, Tables, Value, epd_of};
use deepanalyze_core::directives::DirectivesFile;
use deepanalyze_core::search::{Profile, WinDrawLoss};
use deepanalyze_core::tree::{DrawnBest, NodeId};

use crate::tree::layout::TreeReport;
use crate::tree::walk::{TreeWalk, WalkStep};
use deepanalyze_view::{
    AnalysisManner, Closing, DepthReached, DrawnObject, MoveWdl, NamedMove, NamedTableMove, People,
    PeopleAsked, RecheckNote, Shown, Side, StabilityObject, StageVerdict, Sureness, Verdict, after,
    are_computed, is_one_alone, json, rounded, write_in_order,
};

#[derive(Serialize)]
struct TreeHeader<'a> {
    format: u32,
    /// Its number in the database.
    analysis: i64,
    #[serde(flatten, serialize_with = "json::root")]
    game: &'a Game,
    /// Where the history began; only where that was not the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(flatten)]
    made_of: AnalysisManner<'a>,
    /// The directives that the tree was grown with, and the root's notes.
    directives: DirectivesFile,
    /// The tablebases it uses; only with tablebases.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<Tables>,
    /// The result for the root's side to move, from -2 to 2, where tables know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<i8>,
    /// The root's moves, the best first, where tables know it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    table_moves: Vec<NamedTableMove>,
    /// True if the root has other directives by now.
    #[serde(skip_serializing_if = "json::is_false")]
    pending: bool,
    /// Positions that the present directives ask for and that have no answer yet.
    waiting: usize,
    depth: DepthReached,
    positions: u64,
    searches: u64,
    passes: u64,
    value: Option<Value>,
    /// The stages of the root, the shallowest engine depth first; only where there are several.
    #[serde(skip_serializing_if = "is_one_alone")]
    stages: &'a [StageVerdict],
    /// The verdict of the root; only if there is a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// Where win, draw and loss come from: the engine, or the score that it has given; only where there are any.
    #[serde(rename = "wdl_from", skip_serializing_if = "Option::is_none")]
    figures_from: Option<&'static str>,
    /// The first moves that lose at most the distance, the least often drawn first; only where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_draws: Option<Vec<DrawnMove>>,
    /// The last closing search; only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    closing: Option<&'a Closing>,
    /// The chance in per cent that the move of the verdict stays; only where it is known. Of what a closing search has
    /// chosen: where all gets four times the time; else in the next stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays: Option<u8>,
    /// How sure the verdict is, in a word; only where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    sure: Option<Sureness>,
    /// Rechecks by other profiles, the last one first; only if there are any, and the whole tree is
    /// printed.
    #[serde(skip_serializing_if = "<[RecheckNote]>::is_empty")]
    recheck: &'a [RecheckNote],
    /// The reason why a draw is best where printing begins; only if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    draw: Option<DrawnObject<'a>>,
    /// How far the best move holds; only where the root has several moves, and all of it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<StabilityObject<'a>>,
    /// Value of the first printed position against people; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<PeopleObject>,
    /// Where printing begins; only below a line.
    #[serde(skip_serializing_if = "<[UciMove]>::is_empty", serialize_with = "json::line")]
    line: &'a [UciMove],
}

#[derive(Serialize)]
struct TreeMove<'a> {
    #[serde(flatten)]
    named: NamedMove,
    rank: Option<usize>,
    eval: Option<Value>,
    idea: Option<Value>,
    alpha: Option<Value>,
    #[serde(skip_serializing_if = "json::is_false")]
    included: bool,
    #[serde(skip_serializing_if = "json::is_false")]
    excluded: bool,
    /// True if it is followed because a closing search has found it, and not for its value.
    #[serde(skip_serializing_if = "json::is_false")]
    found: bool,
    #[serde(flatten)]
    games: MoveGames,
    epd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<MoveWdl>,
    /// Centipawns for White, or "draw", where the user has given the position a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<GivenValue>,
    #[serde(skip_serializing_if = "json::is_false")]
    stopped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "json::is_false")]
    repetition: bool,
    #[serde(skip_serializing_if = "json::is_false")]
    transposition: bool,
}

/// Games with a move, and its value against people.
#[derive(Serialize, Default)]
struct MoveGames {
    /// In how many games it was played; only where games are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    /// Their share of the position's games, 0 to 1; only where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    /// True if it is followed because it was played.
    #[serde(skip_serializing_if = "json::is_false")]
    played: bool,
    /// How likely a net of human play takes it to be, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    human: Option<f64>,
    /// The expected score of the side that people are asked for, 0 to 1; only where they are, and where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    /// How likely a game comes to the position behind it, in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    reach: Option<f64>,
}

impl MoveGames {
    fn of(report: &TreeReport<'_>, shown: Shown<'_>) -> MoveGames {
        let played = shown.played(report.growth());
        MoveGames {
            games: played.and_then(|played| played.games),
            share: played.and_then(|played| played.share).map(rounded),
            human: played.and_then(|played| played.human),
            played: played.is_some_and(|played| played.is_followed),
            expected: report.expected(shown).map(rounded),
            reach: report.reach(shown).map(rounded),
        }
    }
}

/// Value of a position against people.
#[derive(Serialize)]
struct PeopleObject {
    side: Side,
    /// How many centipawns a move of that side may lose.
    sound: u32,
    expected: Option<f64>,
    /// The move to be advised, in UCI; null where the other side is to move.
    advised: Option<String>,
    /// How likely a game stays in the tree as long as it is walked, 0 to 1.
    coverage: f64,
    /// How likely it does before the tree ends, 0 to 1: what text tells.
    coverage_inside: f64,
}

impl PeopleObject {
    fn of(people: &People<'_>, node: NodeId) -> PeopleObject {
        let PeopleAsked { side, sound } = people.asked();
        PeopleObject {
            side: side.into(),
            sound,
            expected: people.expected(node).map(rounded),
            advised: people.recommended(node).map(|edge| edge.uci.unpack().to_string()),
            coverage: rounded(people.coverage()),
            coverage_inside: rounded(people.coverage_inside()),
        }
    }
}

/// Writes a tree. Scores are the mover's.
pub fn write_tree_json(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_open(&header(report, report.drawn().as_ref()), out)?;
    write!(out, ",\"moves\":[")?;
    write_places(report, out)?;
    writeln!(out, "]}}")
}

fn header<'a>(report: &'a TreeReport<'_>, drawn: Option<&'a DrawnBest>) -> TreeHeader<'a> {
    let (tree, growth) = (report.tree, report.growth());
    let (row, game) = (&tree.row, &tree.game);
    let root = game.root();
    TreeHeader {
        format: 1,
        analysis: row.id.0,
        game,
        start: json::start_of(game),
        made_of: AnalysisManner::of(row),
        directives: DirectivesFile::of(&tree.directives),
        tables: row.settings.tables,
        wdl: report.known(growth.root()).map(|known| known.wdl.get()),
        table_moves: tree.table_moves.iter().map(|m| NamedTableMove::of(root, m)).collect(),
        pending: tree.is_pending(),
        waiting: tree.waiting,
        depth: DepthReached::of(growth.settled().last().map(|last| last.depth), row),
        positions: growth.analysed(),
        searches: growth.searches(),
        passes: growth.passes(),
        value: report.value(),
        stages: &tree.stages,
        verdict: tree.verdict(),
        figures_from: report.figures.as_ref().map(|_| figures_from(&row.profile)),
        by_draws: report.options.by_draws.then(|| by_draws(report)),
        closing: tree.closing.as_ref(),
        stays: report.stays().map(|stays| stays.chance.get()),
        sure: report.told().and_then(|told| Sureness::of(&told, report.stays())),
        recheck: if report.line.is_empty() { &tree.rechecks } else { &[] },
        draw: drawn.map(|drawn| DrawnObject::of(&report.start(), drawn)),
        stability: report.stability.as_ref().map(|found| StabilityObject::of(root, found)),
        people: report.people.as_ref().map(|people| PeopleObject::of(people, report.start_node())),
        line: &report.line,
    }
}

/// Where win, draw and loss come from, in one word.
fn figures_from(profile: &Profile) -> &'static str {
    if are_computed(profile) { "score" } else { "engine" }
}

/// A move among those that lose little.
#[derive(Serialize)]
struct DrawnMove {
    #[serde(flatten)]
    named: NamedMove,
    alpha: Option<Value>,
    wdl: Option<WinDrawLoss>,
}

fn by_draws(report: &TreeReport<'_>) -> Vec<DrawnMove> {
    let start = report.start();
    let told = |shown: Shown<'_>| DrawnMove {
        named: NamedMove::of(&start, shown.uci),
        alpha: shown.alpha(),
        wdl: report.wdl(shown),
    };
    report.first_moves().into_iter().map(told).collect()
}

/// An object without its closing brace: more is to come.
fn write_open(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string(object)?;
    out.write_all(text.strip_suffix('}').unwrap_or(&text).as_bytes())
}

/// Writes the moves of all places, each inside the move that leads to it.
fn write_places(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_in_order(TreeWalk::new(report), |step, out| write_step(report, step, out), out)
}

fn write_step(report: &TreeReport<'_>, step: &WalkStep<'_>, out: &mut dyn Write) -> io::Result<()> {
    let WalkStep::Move(visit) = step else {
        return write!(out, "]}}");
    };
    if visit.index > 0 {
        write!(out, ",")?;
    }
    write_open(&one_move(report, &visit.position, visit.shown), out)?;
    let opens = visit.shown.place().is_some();
    write!(out, "{}", if opens { ",\"moves\":[" } else { "}" })
}

fn one_move<'a>(report: &TreeReport<'a>, position: &Chess, shown: Shown<'_>) -> TreeMove<'a> {
    let uci = shown.uci;
    let said = report.said(shown.node);
    TreeMove {
        named: NamedMove::of(position, uci),
        rank: shown.rank,
        eval: shown.eval,
        idea: shown.idea(),
        alpha: shown.alpha(),
        included: shown.included,
        excluded: shown.excluded,
        found: shown.is_found(report.growth()),
        games: MoveGames::of(report, shown),
        epd: epd_of(&after(position, [&uci])),
        end: report.end(shown.node),
        wdl: MoveWdl::of(report.known(shown.node), report.wdl(shown)),
        value: said.value,
        stopped: said.stopped,
        note: said.note,
        repetition: shown.is_repetition(),
        transposition: shown.is_transposition(),
    }
}
