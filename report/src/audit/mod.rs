//! What a kept tree says of the repertoire that its root has now.

pub mod text;
pub mod words;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Score, Value, fen_of, san_of};
use deepanalyze_core::directives::{Audit, Finding, FindingKind, audit};
use deepanalyze_core::tree::{Growth, IllegalMove};

use crate::kept::tree::KeptTree;
use crate::words::manner::{BreadthObject, EngineObject};
use crate::words::moves::after;

/// Looks through a side's repertoire; own moves that lose more than so many centipawns are findings.
/// Where the root has other directives than those that the tree was grown with, it is what the present
/// tree says under them, so that what has just been included counts.
///
/// # Errors
///
/// Where an included move is not legal.
pub fn audited(tree: &KeptTree, side: Color, most_lost: u32) -> Result<Audit, IllegalMove> {
    let growth: Cow<'_, Growth> = match tree.is_pending() {
        true => Cow::Owned(tree.growth.under(tree.said.wishes())?),
        false => Cow::Borrowed(&tree.growth),
    };
    Ok(audit(&growth, &tree.said, side, most_lost))
}

/// A repertoire as a tree sees it.
#[derive(Debug)]
pub struct Audited<'a> {
    /// The tree.
    pub tree: &'a KeptTree,
    /// Whose repertoire it is.
    pub side: Color,
    /// Own moves that lose more than so many centipawns are findings.
    pub most_lost: u32,
    /// What was found.
    pub audit: &'a Audit,
}

impl Audited<'_> {
    /// Whether moves are included at the root: without any there is no repertoire.
    fn has_moves(&self) -> bool {
        self.audit.positions > 1
    }
}

#[derive(Serialize)]
struct AuditObject<'a> {
    format: u32,
    analysis: i64,
    root: String,
    history: Vec<String>,
    engine: EngineObject<'a>,
    #[serde(flatten)]
    breadth: BreadthObject,
    side: &'static str,
    /// The tree was grown with other directives.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pending: bool,
    /// Own moves that lose more are findings.
    most_lost: u32,
    positions: usize,
    ends: usize,
    own_moves: OwnMovesObject,
    replies: RepliesObject,
    unreached: usize,
    findings: Vec<FindingObject>,
}

#[derive(Serialize)]
struct OwnMovesObject {
    all: usize,
    with_value: usize,
    losing: usize,
    positions_with_several: usize,
}

#[derive(Serialize)]
struct RepliesObject {
    all: usize,
    unprepared: usize,
}

#[derive(Serialize)]
struct FindingObject {
    kind: &'static str,
    /// UCI moves from the root.
    line: Vec<String>,
    epd: String,
    #[serde(flatten)]
    one: Option<MoveObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<MoveObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<MoveObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<i32>,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    /// The mover's.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Score>,
}

/// Writes an audit. Scores are the mover's.
pub fn write_audit_json(audited: &Audited<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (tree, audit) = (audited.tree, audited.audit);
    let root = tree.game.root();
    let object = AuditObject {
        format: 1,
        analysis: tree.row.id.0,
        root: fen_of(root),
        history: texts(tree.game.moves()),
        engine: EngineObject::of(&tree.row.profile),
        breadth: BreadthObject::of(&tree.row.breadth),
        side: match audited.side {
            Color::White => "white",
            Color::Black => "black",
        },
        pending: tree.is_pending(),
        most_lost: audited.most_lost,
        positions: audit.positions,
        ends: audit.ends,
        own_moves: OwnMovesObject {
            all: audit.own_moves,
            with_value: audit.priced_moves,
            losing: audit.losing,
            positions_with_several: audit.several,
        },
        replies: RepliesObject { all: audit.replies, unprepared: audit.unprepared },
        unreached: audit.unreached,
        findings: audit.findings.iter().map(|found| finding(root, audited.side, found)).collect(),
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn finding(root: &Chess, side: Color, finding: &Finding) -> FindingObject {
    let position = after(root, &finding.line);
    // The mover's: an own move's value is the side's, a reply's the other one's.
    let score = |value: Value| Score::from(if position.turn() == side { value } else { -value });
    let one = finding.uci.map(|uci| of_move(&position, uci, finding.value.map(score)));
    let against = finding.best.map(|uci| of_move(&position, uci, finding.against.map(score)));
    let there = after(&position, finding.uci.as_ref());
    FindingObject {
        kind: match finding.kind {
            FindingKind::Loss => "loss",
            FindingKind::Unprepared => "unprepared",
            FindingKind::Unreached => "unreached",
        },
        line: texts(&finding.line),
        epd: finding.epd.clone(),
        one,
        against,
        answer: finding.answer.map(|uci| of_move(&there, uci, None)),
        cost: finding.cost,
    }
}

fn of_move(position: &Chess, uci: UciMove, value: Option<Score>) -> MoveObject {
    MoveObject { uci: uci.to_string(), san: san_of(position, uci), value }
}

fn texts(moves: &[UciMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}
