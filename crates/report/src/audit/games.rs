//! A repertoire against people, by a tree with counts: how much of their games it answers, where
//! they leave it, and own moves that score less than others; in numbers and in words.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, parse_fen};
use deepanalyze_core::directives::{Finding, FindingKind};
use deepanalyze_core::tree::{Edge, Growth, NodeId};
use deepanalyze_view::{
    Gap, MoveCoverage, Part, People, PeopleAsked, after, describe_left_out, describe_played,
    games_told, grouped, is_few, numbered_line, numbered_move, part_of_games,
};

/// Losses of expected score up to this are ignored: a point in a thousand games.
const LEAST_LOSS: f64 = 0.001;

/// A repertoire against people.
#[derive(Debug, Clone, PartialEq)]
pub struct GamesAudit {
    /// The side, and the most its moves may lose.
    pub asked: PeopleAsked,
    /// The side's expected score at the root, 0 to 1.
    pub expected: Option<f64>,
    /// Chance that a game stays in the tree for one ply, two plies and so on, 0 to 1. The last is
    /// the coverage.
    pub coverage: Vec<f64>,
    /// Coverage before the tree ends, where hardly a reply has an answer.
    pub coverage_inside: f64,
    /// Coverage behind each move of the other side.
    pub by_move: Vec<MoveCoverage>,
    /// Moves left out by the rules of following for their number of games, in words.
    pub left_out: Option<String>,
    /// Counted replies without an answer, apart from those at ends.
    pub gap_count: usize,
    /// The likeliest of them; replies of fewer than three games come last.
    pub gaps: Vec<GapFound>,
    /// For each finding of the tree's audit, how often games meet its reply; `None` for other
    /// findings, and for replies of no game.
    pub met: Vec<Option<Met>>,
    /// Included own moves that score less than another sound one.
    pub loss_count: usize,
    /// The weightiest losses: their chance times what they lose.
    pub losses: Vec<OwnLoss>,
}

/// A counted reply without an answer in the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct GapFound {
    /// The moves by which most games reach it.
    pub line: Vec<UciMove>,
    /// The reply.
    pub uci: UciMove,
    /// Number of its games; `None` where a net alone knows the position.
    pub games: Option<u64>,
    /// Its share of the position's games, 0 to 1.
    pub share: f64,
    /// Chance that a game leaves the tree here.
    pub leaves: f64,
    /// True if it may be one player's whim.
    pub is_few: bool,
    /// How much less the side is expected to score behind it than behind the best reply, 0 to 1: 0
    /// if it scores more. `None` if unknown to the tree.
    pub cost: Option<f64>,
}

/// An included move with a lower expected score than another sound move there.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnLoss {
    /// The moves by which most games reach it.
    pub line: Vec<UciMove>,
    /// The included move, and its expected score.
    pub own: (UciMove, f64),
    /// The sound move that scores most.
    pub better: (UciMove, f64),
    /// Chance that a game plays it.
    pub reach: f64,
}

impl OwnLoss {
    /// How much less it scores.
    pub fn cost(&self) -> f64 {
        self.better.1 - self.own.1
    }

    /// Its chance times its loss.
    pub fn weight(&self) -> f64 {
        self.reach * self.cost()
    }
}

/// How often games meet a reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Met {
    /// Games that played it there; `None` where a net alone knows the position.
    pub games: Option<u64>,
    /// Its share of the position's games, 0 to 1.
    pub share: f64,
    /// Chance that a game plays it, 0 to 1.
    pub likely: f64,
    /// True if it may be one player's whim.
    pub is_few: bool,
}

/// Audits a tree with counts whose root has this position in its game, after these findings; at
/// most `top` of each kind are listed. `None` for a tree without counts.
pub fn games_audit(
    growth: &Growth,
    root: &Chess,
    findings: &[Finding],
    asked: PeopleAsked,
    top: usize,
) -> Option<GamesAudit> {
    growth.counts().rules?;
    let people = People::of(growth, asked);
    let gaps = people.gaps_inside(top).into_iter().map(|gap| gap_found(growth, &people, gap));
    let gaps = gaps.collect();
    let mut losses = losses(&people);
    let loss_count = losses.len();
    // The weightiest first; equal ones keep their order.
    losses.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    losses.truncate(top);
    Some(GamesAudit {
        asked,
        expected: people.expected(growth.root()),
        coverage: (1..=people.plies()).map(|plies| people.coverage_for(plies)).collect(),
        coverage_inside: people.coverage_inside(),
        by_move: people.coverage_by_move(root),
        left_out: describe_left_out(root, growth),
        gap_count: people.gap_count_inside(),
        gaps,
        met: findings.iter().map(|finding| met(growth, &people, finding)).collect(),
        loss_count,
        losses,
    })
}

fn met(growth: &Growth, people: &People<'_>, finding: &Finding) -> Option<Met> {
    let uci = finding.uci.filter(|_| finding.kind == FindingKind::Unprepared)?;
    let node = growth.find(&PositionKey::of(&parse_fen(&finding.epd).ok()?))?;
    let counts = people.counts(node)?;
    let (games, share) = (games_told(counts, uci), counts.share(uci)?);
    let is_few = is_few(counts, uci);
    (share > 0.0).then(|| Met { games, share, likely: share * people.reach(node), is_few })
}

fn gap_found(growth: &Growth, people: &People<'_>, gap: Gap) -> GapFound {
    let Gap { node, uci, games, share, leaves, is_few } = gap;
    let behind = score_behind(growth, people, node, uci);
    let best = people.best_by_engine(node).map(|edge| people.of_move(node, edge));
    let cost = best.zip(behind).map(|(best, behind)| (best - behind).max(0.0));
    GapFound { line: people.line_to(node), uci, games, share, leaves, is_few, cost }
}

/// The side's expected score behind a reply that does not count, if it leads to a position of the
/// tree, or the engine has listed it.
fn score_behind(growth: &Growth, people: &People<'_>, node: NodeId, uci: UciMove) -> Option<f64> {
    let graph = growth.graph();
    let there: Chess = after(&growth.position(node), [&uci]);
    let child = growth.find(&PositionKey::of(&there));
    let known = child.and_then(|child| {
        let end = || Some(people.scored(child, graph.end(child)?));
        people.expected(child).or_else(end)
    });
    let listed = || {
        let edge = graph.list(node).iter().find(|edge| edge.uci.unpack() == uci)?;
        Some(people.scored(node, edge.eval))
    };
    known.or_else(listed)
}

/// The included own moves that score less than another sound one.
fn losses(people: &People<'_>) -> Vec<OwnLoss> {
    let mut losses = Vec::new();
    for node in people.reached().filter(|node| people.is_own(*node)) {
        let Some(better) = people.best_sound(node).filter(|_| people.follows_included(node)) else {
            continue;
        };
        let scored = |edge: &Edge| (edge.uci.unpack(), people.of_move(node, edge));
        let own: Vec<&Edge> = people.own_moves(node).collect();
        #[expect(clippy::cast_precision_loss, reason = "a position has 218 moves at most")]
        let each = people.reach(node) / own.len().max(1) as f64;
        let found = own.into_iter().map(|edge| OwnLoss {
            line: people.line_to(node),
            own: scored(edge),
            better: scored(better),
            reach: each,
        });
        losses.extend(found.filter(|loss| loss.cost() > LEAST_LOSS));
    }
    losses
}

/// A frequency: `one in 31 games`, `70 of 100 games`.
pub fn describe_often(likely: f64) -> String {
    if likely <= 0.0 {
        return "no game".to_owned();
    }
    if likely >= 0.35 {
        return match part_of_games(likely.min(1.0)) {
            Part::All | Part::None => "every game".to_owned(),
            Part::Some(part) => format!("{part} games"),
        };
    }
    // Digits do not matter below one in a thousand million.
    let one_in = (1.0 / likely).round().min(1e9) as u64;
    format!("one in {} games", grouped(one_in))
}

/// The place behind a line: ` after 1. e4 c6`, ` at the root`.
fn place(root: &Chess, line: &[shakmaty::uci::UciMove]) -> String {
    match line {
        [] => " at the root".to_owned(),
        line => format!(" after {}", numbered_line(root, line)),
    }
}

impl Met {
    /// `; one in 31 games (30 games, 10%)`.
    pub fn words(&self) -> String {
        let often = describe_often(self.likely);
        format!("; {often} ({})", describe_played(self.games, Some(self.share)))
    }
}

impl GapFound {
    /// In words: `one in 31 games leaves the tree with 3... d6 after 3. Bc4 (30 of them, 10%)`.
    pub fn words(&self, root: &Chess) -> String {
        self.words_at(root, &place(root, &self.line))
    }

    /// The gap where its line is visible: `one in 31 games leaves the tree with 3... d6 (30 of
    /// them, 10%)`.
    pub fn words_here(&self, root: &Chess) -> String {
        self.words_at(root, "")
    }

    fn words_at(&self, root: &Chess, place: &str) -> String {
        let reply = numbered_move(&after(root, &self.line), self.uci);
        let often = describe_often(self.leaves);
        let verb =
            if often.starts_with("one in") || often == "every game" { "leaves" } else { "leave" };
        let played = describe_played(self.games, Some(self.share));
        let cost = match self.cost {
            None => String::new(),
            Some(cost) if cost < 0.0005 => "; it costs nothing".to_owned(),
            Some(cost) => format!("; it costs {:.1} points in 100", 100.0 * cost),
        };
        format!("{often} {verb} the tree with {reply}{place} ({played}){cost}")
    }
}

impl OwnLoss {
    /// The loss in words: `3. Bb5 scores 53 in 100, 3. Bc4 56 (every game comes there)`.
    pub fn words(&self, root: &Chess) -> String {
        self.words_at(root, &place(root, &self.line))
    }

    /// The loss where its line is visible.
    pub fn words_here(&self, root: &Chess) -> String {
        self.words_at(root, "")
    }

    fn words_at(&self, root: &Chess, place: &str) -> String {
        let position = after(root, &self.line);
        let points = |score: f64| format!("{:.1}", 100.0 * score);
        let [own, better] = [self.own, self.better]
            .map(|(uci, score)| (numbered_move(&position, uci), points(score)));
        let often = describe_often(self.reach);
        let verb =
            if often.starts_with("one in") || often == "every game" { "comes" } else { "come" };
        format!(
            "{}{place} scores {} in 100, {} {}; {often} {verb} there",
            own.0, own.1, better.0, better.1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_games_are_told_as_people_tell_them() {
        let often = [0.0, 0.000_4, 0.032, 0.1, 0.34, 0.7, 0.97, 1.0, 1.8].map(describe_often);
        let right = [
            "no game",
            "one in 2,500 games",
            "one in 31 games",
            "one in 10 games",
            "one in 3 games",
            "70 of 100 games",
            "97 of 100 games",
            "every game",
            "every game",
        ];
        assert_eq!(often, right);
    }
}
