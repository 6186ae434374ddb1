//! Audits the repertoire that a root has now, by its stored tree.

pub mod games;
pub mod pgn;
#[cfg(test)]
mod tests;
pub mod text;

use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Game, Value, epd_of};
use deepanalyze_core::directives::{Audit, Finding, FindingKind, audit};

use crate::audit::games::{GamesAudit, GapFound, Met, OwnLoss, games_audit};
use deepanalyze_view::{
    AnalysisManner, MoveCoverage, NamedMove, PeopleAsked, Side, Tree, after, json, rounded,
};

/// Audits a side's repertoire; own moves that lose more than `most_lost` centipawns are findings.
/// The root's present directives count, even if the tree was grown with others, so that what has
/// just been included counts.
pub fn audited(tree: &Tree, side: Color, most_lost: u32) -> Audit {
    audit(&tree.growth, &tree.directives, side, most_lost)
}

/// Audits the same repertoire, after this audit, against people; at most `top` findings of each
/// kind are listed. `None` for a tree without counts.
pub fn games_audited(
    tree: &Tree,
    audit: &Audit,
    asked: PeopleAsked,
    top: usize,
) -> Option<GamesAudit> {
    games_audit(&tree.growth, tree.game.root(), &audit.findings, asked, top)
}

/// An audited repertoire in a tree.
#[derive(Debug)]
pub struct Audited<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The repertoire's side.
    pub side: Color,
    /// Own moves that lose more centipawns are findings.
    pub most_lost: u32,
    /// The findings.
    pub audit: &'a Audit,
    /// The findings against people; `None` if no games are counted.
    pub games: Option<&'a GamesAudit>,
    /// True if text and PGN include unprepared replies at ends of lines.
    pub ends: bool,
}

/// A listed finding, with how often games meet its reply.
type MetFinding<'a> = (&'a Finding, Option<Met>);

impl<'a> Audited<'a> {
    /// True if moves are included at the root: without any there is no repertoire.
    fn has_moves(&self) -> bool {
        self.audit.positions > 1
    }

    /// Listed findings by the tree's scores: empty without a repertoire. Replies that games meet
    /// come first, in order of their chance; the others keep their order.
    fn findings(&self) -> Vec<MetFinding<'a>> {
        if !self.has_moves() {
            return Vec::new();
        }
        let met = |index: usize| self.games?.met.get(index).copied().flatten();
        let all = self.audit.findings.iter().enumerate();
        let mut told: Vec<MetFinding<'a>> =
            all.map(|(index, finding)| (finding, met(index))).collect();
        told.retain(|(finding, _)| self.ends || !finding.is_at_end_of_line());
        told.sort_by(|(_, a), (_, b)| {
            let key = |met: &Option<Met>| {
                met.map_or((true, true, 0.0), |met| (false, met.is_few, -met.likely))
            };
            let (a, b) = (key(a), key(b));
            (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2))
        });
        told
    }

    /// Number of ends of lines, and of replies within the distance there.
    fn line_ends(&self) -> LineEnds {
        let ends = self.audit.findings.iter().filter(|finding| finding.is_at_end_of_line());
        let positions: HashSet<&str> = ends.clone().map(|finding| finding.epd.as_str()).collect();
        LineEnds { positions: positions.len(), replies: ends.count() }
    }
}

/// Ends of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct LineEnds {
    /// Positions behind which no reply is prepared.
    positions: usize,
    /// Replies within the distance there.
    replies: usize,
}

/// An audit in JSON. Scores are the mover's.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Audit"))]
pub struct AuditForPrograms<'a> {
    analysis: i64,
    #[serde(flatten, serialize_with = "json::root")]
    #[cfg_attr(feature = "contract", schemars(with = "json::RootOfGame"))]
    game: &'a Game,
    #[serde(flatten)]
    made_of: AnalysisManner<'a>,
    side: Side,
    /// The tree was grown with other directives.
    #[serde(skip_serializing_if = "json::is_false")]
    pending: bool,
    /// Own moves that lose more are findings.
    most_lost: u32,
    positions: usize,
    ends: usize,
    own_moves: OwnMoves,
    replies: Replies,
    /// Positions where a line ends, and the replies there: findings without a cost.
    line_ends: LineEnds,
    unreached: usize,
    findings: Vec<FindingForPrograms<'a>>,
    /// The audit against people; only if games are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    against_people: Option<GamesForPrograms<'a>>,
}

/// A repertoire against people. Shares, chances and expected scores are from 0 to 1.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "GamesAudit"))]
struct GamesForPrograms<'a> {
    sound: u32,
    expected: Option<f64>,
    /// Chance that a game stays in the tree while it is walked: the last of `coverage_by_ply`.
    coverage: Option<f64>,
    /// Coverage before the tree ends.
    coverage_inside: f64,
    coverage_by_ply: Vec<f64>,
    /// Behind each move of the other side, before the tree ends, as in text.
    coverage_by_move: &'a [MoveCoverage],
    gap_count: usize,
    gaps: Vec<GapForPrograms<'a>>,
    loss_count: usize,
    losses: Vec<LossForPrograms<'a>>,
}

impl<'a> GamesForPrograms<'a> {
    fn of(root: &Chess, audit: &'a GamesAudit) -> GamesForPrograms<'a> {
        GamesForPrograms {
            sound: audit.asked.sound,
            expected: audit.expected.map(rounded),
            coverage: audit.coverage.last().copied().map(rounded),
            coverage_inside: rounded(audit.coverage_inside),
            coverage_by_ply: audit.coverage.iter().copied().map(rounded).collect(),
            coverage_by_move: &audit.by_move,
            gap_count: audit.gap_count,
            gaps: audit.gaps.iter().map(|gap| GapForPrograms::of(root, gap)).collect(),
            loss_count: audit.loss_count,
            losses: audit.losses.iter().map(|loss| LossForPrograms::of(root, loss)).collect(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Gap"))]
struct GapForPrograms<'a> {
    /// From the root, by the moves of most games.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
    epd: String,
    #[serde(flatten)]
    named: NamedMove,
    games: Option<u64>,
    share: f64,
    /// Chance that a game leaves the tree here.
    leaves: f64,
    /// Null if unknown.
    cost: Option<f64>,
}

impl<'a> GapForPrograms<'a> {
    fn of(root: &Chess, gap: &'a GapFound) -> GapForPrograms<'a> {
        let position = after(root, &gap.line);
        GapForPrograms {
            line: &gap.line,
            epd: epd_of(&position),
            named: NamedMove::of(&position, gap.uci),
            games: gap.games,
            share: rounded(gap.share),
            leaves: rounded(gap.leaves),
            cost: gap.cost.map(rounded),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Loss"))]
struct LossForPrograms<'a> {
    /// From the root, by the moves of most games.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
    epd: String,
    #[serde(flatten)]
    named: NamedMove,
    expected: f64,
    better: ExpectedMove,
    /// Chance that a game plays it.
    reach: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct ExpectedMove {
    #[serde(flatten)]
    named: NamedMove,
    expected: f64,
}

impl<'a> LossForPrograms<'a> {
    fn of(root: &Chess, loss: &'a OwnLoss) -> LossForPrograms<'a> {
        let position = after(root, &loss.line);
        let (better, expected) = loss.better;
        LossForPrograms {
            line: &loss.line,
            epd: epd_of(&position),
            named: NamedMove::of(&position, loss.own.0),
            expected: rounded(loss.own.1),
            better: ExpectedMove {
                named: NamedMove::of(&position, better),
                expected: rounded(expected),
            },
            reach: rounded(loss.reach),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct OwnMoves {
    all: usize,
    with_value: usize,
    losing: usize,
    positions_with_several: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct Replies {
    all: usize,
    unprepared: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Finding"))]
struct FindingForPrograms<'a> {
    kind: FindingKind,
    /// From the root.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
    epd: &'a str,
    #[serde(flatten)]
    one: Option<MoveFound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<MoveFound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<MoveFound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<i32>,
    /// How often games meet the reply; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<MetForPrograms>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Met"))]
struct MetForPrograms {
    games: Option<u64>,
    share: f64,
    likely: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct MoveFound {
    #[serde(flatten)]
    named: NamedMove,
    /// The mover's.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// Writes an audit as one JSON object.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_audit_json(audited: &Audited<'_>, out: &mut dyn Write) -> io::Result<()> {
    let line_ends = audited.line_ends();
    let Audited { tree, side, most_lost, audit, games, .. } = *audited;
    let told = AuditForPrograms {
        analysis: tree.row.id.0,
        game: &tree.game,
        made_of: AnalysisManner::of(&tree.row),
        side: side.into(),
        pending: tree.is_pending(),
        most_lost,
        positions: audit.positions,
        ends: audit.ends,
        own_moves: OwnMoves {
            all: audit.own_moves,
            with_value: audit.priced_moves,
            losing: audit.losing,
            positions_with_several: audit.several,
        },
        replies: Replies { all: audit.replies, unprepared: audit.unprepared },
        line_ends,
        unreached: audit.unreached,
        findings: (0..)
            .zip(&audit.findings)
            .map(|(index, one)| {
                let met = games.and_then(|games| games.met.get(index).copied().flatten());
                finding(tree.game.root(), side, (one, met))
            })
            .collect(),
        against_people: games.map(|games| GamesForPrograms::of(tree.game.root(), games)),
    };
    json::write_json(&told, out)
}

fn finding<'a>(
    root: &Chess,
    side: Color,
    (finding, met): (&'a Finding, Option<Met>),
) -> FindingForPrograms<'a> {
    let position = after(root, &finding.line);
    // The mover's: an own move's value is the side's, a reply's the other one's.
    let score = |value: Value| if position.turn() == side { value } else { -value };
    let found = |position: &Chess, uci: Option<UciMove>, value: Option<Value>| {
        uci.map(|uci| MoveFound { named: NamedMove::of(position, uci), value: value.map(score) })
    };
    FindingForPrograms {
        kind: finding.kind,
        line: &finding.line,
        epd: &finding.epd,
        one: found(&position, finding.uci, finding.value),
        against: found(&position, finding.best, finding.against),
        answer: found(&after(&position, finding.uci.as_ref()), finding.answer, None),
        cost: finding.cost,
        met: met.map(|Met { games, share, likely, .. }| MetForPrograms {
            games,
            share: rounded(share),
            likely: rounded(likely),
        }),
    }
}
