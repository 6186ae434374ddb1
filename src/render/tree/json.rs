//! The tree as one JSON object. The format is public; `"format": 1` names it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;

use crate::chess::{Score, epd_of, fen_of, san_of};
use crate::render::in_order::write_in_order;
use crate::render::report::walk::{Walk, WalkStep};
use crate::render::report::{Report, uci_of};
use crate::render::words::{BreadthObject, after};
use crate::search::Limit;
use crate::tree::Child;

#[derive(Serialize)]
struct Header<'a> {
    format: u32,
    root: String,
    history: Vec<String>,
    /// Where the history began; only where that was not the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    engine: Engine<'a>,
    #[serde(flatten)]
    breadth: BreadthObject,
    depth: Depth,
    positions: u64,
    searches: u64,
    passes: u64,
    value: Option<Score>,
    /// The last closing search; only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    closing: Option<ClosingObject>,
    /// Where printing begins; only below a line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<String>,
}

#[derive(Serialize)]
struct Engine<'a> {
    name: &'a str,
    options: BTreeMap<&'a str, &'a str>,
    limit: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct ClosingObject {
    uci: String,
    san: String,
    score: Score,
    limit: BTreeMap<&'static str, u64>,
    nodes: u64,
    passes: u64,
}

#[derive(Serialize)]
struct Depth {
    settled: Option<u32>,
    target: u32,
}

#[derive(Serialize)]
struct Move {
    uci: String,
    san: String,
    rank: Option<usize>,
    eval: Option<Score>,
    idea: Score,
    alpha: Score,
    epd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    repetition: bool,
    #[serde(skip_serializing_if = "is_false")]
    transposition: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Writes a tree. Scores are the mover's.
pub fn write_json(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_open(&header(report), out)?;
    write!(out, ",\"moves\":[")?;
    write_places(report, out)?;
    writeln!(out, "]}}")
}

fn header<'a>(report: &Report<'a>) -> Header<'a> {
    let (row, game) = (&report.tree.row, &report.tree.game);
    let growth = report.growth();
    let uci = |moves: &[shakmaty::uci::UciMove]| moves.iter().map(ToString::to_string).collect();
    Header {
        format: 1,
        root: fen_of(game.root()),
        history: uci(game.moves()),
        start: (!game.moves().is_empty() && *game.start() != Chess::default())
            .then(|| fen_of(game.start())),
        engine: Engine {
            name: &row.profile.engine,
            options: row.profile.described_options(),
            limit: limit(row.profile.limit),
        },
        breadth: BreadthObject::of(&row.breadth),
        depth: Depth {
            settled: growth.settled().last().map(|last| last.depth),
            target: row.target_depth,
        },
        positions: growth.analysed(),
        searches: growth.searches(),
        passes: growth.passes(),
        value: report.value().map(Score::from),
        closing: report.tree.closing.map(|closing| ClosingObject {
            uci: closing.uci.to_string(),
            san: san_of(game.root(), closing.uci),
            score: closing.score,
            limit: limit(closing.limit),
            nodes: closing.nodes,
            passes: closing.passes,
        }),
        line: uci(&report.line),
    }
}

fn limit(limit: Limit) -> BTreeMap<&'static str, u64> {
    BTreeMap::from([match limit {
        Limit::Depth(depth) => ("depth", u64::from(depth)),
        Limit::Nodes(nodes) => ("nodes", nodes),
    }])
}

/// An object without its closing brace: more is to come.
fn write_open(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string(object)?;
    out.write_all(text.strip_suffix('}').unwrap_or(&text).as_bytes())
}

/// Writes the moves of all places, each inside the move that leads to it.
fn write_places(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_in_order(Walk::new(report), |step, out| write_step(report, step, out), out)
}

fn write_step(report: &Report<'_>, step: &WalkStep<'_>, out: &mut dyn Write) -> io::Result<()> {
    let WalkStep::Move(visit) = step else {
        return write!(out, "]}}");
    };
    if visit.index > 0 {
        write!(out, ",")?;
    }
    write_open(&one_move(report, &visit.position, visit.child), out)?;
    let opens = visit.child.place.is_some();
    write!(out, "{}", if opens { ",\"moves\":[" } else { "}" })
}

fn one_move(report: &Report<'_>, position: &Chess, child: &Child) -> Move {
    let uci = uci_of(child);
    Move {
        uci: uci.to_string(),
        san: san_of(position, uci),
        rank: child.rank,
        eval: child.eval().map(Score::from),
        idea: Score::from(child.idea),
        alpha: Score::from(child.alpha),
        epd: epd_of(&after(position, [&uci])),
        end: report.growth().graph().ending(child.edge.child).map(|ending| ending.name()),
        repetition: child.repetition,
        transposition: child.transposition,
    }
}
