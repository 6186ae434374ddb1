//! Games with single moves and the rules by which moves are followed, in numbers and in words; a
//! position against people, in one line.

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::{Edge, Growth, MoveCounts, NodeId};

use crate::words::figures::{count, pawns};
use crate::words::numbered_move;

use super::coverage::describe_coverage;
use super::{People, PeopleAsked};

/// The line printed for a position: the side's score, and by which move.
pub fn advice(people: &People<'_>, node: NodeId, position: &Chess) -> Option<String> {
    let expected = people.expected(node)?;
    if !people.has_games_behind(node) {
        return Some("no counted game goes on from here".to_owned());
    }
    if !people.is_own(node) {
        let side = people.asked().side.fold_wb("White", "Black");
        return Some(format!(
            "{side}'s position is worth {} points in 100 against these players",
            points(expected)
        ));
    }
    let Some(advised) = people.recommended(node) else {
        return included_and_unsound(people, node, position);
    };
    let best = people.best_by_engine(node)?;
    let is_own = people.own_moves(node).any(|own| own.uci == best.uci);
    let advised = MoveWords::of(people, node, position, advised);
    let best = MoveWords::of(people, node, position, best);
    Some(if is_own { compared(&advised, &best) } else { included_beside(&advised, &best) })
}

/// Practical chances of the side to move, where a net of human play knows them: a sound move that scores
/// at least a point in 100 games more against people than the engine's best one; `None` without one.
pub fn practical_chances(growth: &Growth, node: NodeId, position: &Chess) -> Option<String> {
    let side = growth.graph().turn(node);
    if !has_net_of(growth, !side) {
        return None;
    }
    let people = People::of(growth, PeopleAsked::of(side));
    let (advised, best) = (people.recommended(node)?, people.best_by_engine(node)?);
    let gains = |of: &Edge| people.of_move(node, of);
    let is_told = 100.0 * (gains(advised) - gains(best)) >= 1.0;
    let words = |edge| MoveWords::of(&people, node, position, edge);
    is_told.then(|| format!("practical chances: {}", compared(&words(advised), &words(best))))
}

/// True if a net was asked about moves of a side.
pub fn has_net_of(growth: &Growth, side: Color) -> bool {
    let counts = growth.counts();
    let asked = |key: &PositionKey| counts.get(key).is_some_and(|counts| counts.weight() > 0);
    counts.positions().any(|key| key.turn() == side && asked(key))
}

/// Points in a hundred games.
fn points(expected: f64) -> i32 {
    // From 0 to 100.
    (100.0 * expected).round() as i32
}

/// A move, its score, and its idea.
struct MoveWords {
    name: String,
    /// From 0 to 1.
    expected: f64,
    /// In whole points of 100.
    points: i32,
    idea: deepanalyze_core::chess::Value,
}

impl MoveWords {
    fn of(people: &People<'_>, node: NodeId, position: &Chess, edge: &Edge) -> MoveWords {
        let expected = people.of_move(node, edge);
        MoveWords {
            name: numbered_move(position, edge.uci.unpack()),
            expected,
            points: points(expected),
            idea: people.idea_of(edge),
        }
    }
}

/// The recommended move, beside the engine's. A gain of less than a point in a hundred does not
/// justify the loss.
fn compared(advised: &MoveWords, best: &MoveWords) -> String {
    let more = 100.0 * (advised.expected - best.expected);
    if more < 1.0 {
        let MoveWords { name, points, .. } = best;
        return format!(
            "{name} is best against people, too: it is worth {points} points in 100 against these players"
        );
    }
    let (MoveWords { name, points, .. }, cost) = (advised, cost(advised, best));
    format!(
        "{name} is worth {points} points in 100 against these players, {more:.0} more than {}; {cost}",
        best.name
    )
}

/// If the user does not follow the engine's move: the score of the followed one beside it.
fn included_beside(own: &MoveWords, best: &MoveWords) -> String {
    let (MoveWords { name, points, .. }, cost) = (own, cost(own, best));
    let other = &best.name;
    let beside = match points - best.points {
        0 => format!("as {other} does"),
        more @ 1.. => format!("{more} more than {other}"),
        fewer => format!("{} fewer than {other}", fewer.unsigned_abs()),
    };
    format!(
        "{name}, which you have included, is worth {points} points in 100 against these players, {beside}; {cost}"
    )
}

/// The cost of a move beside the engine's.
fn cost(own: &MoveWords, best: &MoveWords) -> String {
    match i32::from(best.idea.get()) - i32::from(own.idea.get()) {
        0 => "the engine takes both for equal".to_owned(),
        _ if own.idea.is_mate() => "it mates later".to_owned(),
        cost => format!("it is {} worse by the engine", pawns(cost.unsigned_abs())),
    }
}

/// If the user follows moves that lose more than is sound, none is recommended.
fn included_and_unsound(people: &People<'_>, node: NodeId, position: &Chess) -> Option<String> {
    let own = people.best(node)?;
    let MoveWords { name, points, idea, .. } = MoveWords::of(people, node, position, own);
    let best = people.idea_of(people.best_by_engine(node)?);
    let loses = (i32::from(best.get()) - i32::from(idea.get())).unsigned_abs();
    let loses = if best.is_mate() || idea.is_mate() {
        "much more than is sound".to_owned()
    } else {
        format!("{}, more than is sound", pawns(loses))
    };
    Some(format!(
        "{name}, which you have included, is worth {points} points in 100 against these players; it loses {loses}"
    ))
}

/// The side of the expected scores, and the share of the games that the tree answers.
pub fn describe_people(people: &People<'_>, root: &Chess) -> String {
    let side = people.asked().side.fold_wb("White", "Black");
    let other = people.asked().side.fold_wb("Black", "White");
    let sound = pawns(people.asked().sound);
    let how = if people.has_net() { "as people would" } else { "as in the games" };
    let stays = describe_coverage(&people.coverage_by_move(root));
    let stays = stays.map_or(String::new(), |stays| format!(": {stays}"));
    format!("for {side}, who loses {sound} at most with a move; {other} plays {how}{stays}")
}

/// Share of a position's play that a move has, from 0 to 1: of its games, each once; beside a net,
/// of n(p). `None` if nothing is known.
pub fn share_told(counts: &MoveCounts, uci: UciMove) -> Option<f64> {
    if counts.weight() > 0 { counts.share(uci) } else { counts.share_of_games(uci) }
}

/// Number of games with a move; `None` where a net alone knows the position, or nothing does.
pub fn games_told(counts: &MoveCounts, uci: UciMove) -> Option<u64> {
    (counts.games_here() > 0).then(|| counts.of(uci))
}

/// `210 games, 70%`; `70% of people` by a net alone.
pub fn describe_played(games: Option<u64>, share: Option<f64>) -> String {
    let games = games.map(|games| count(games, "game"));
    let of = if games.is_none() { " of people" } else { "" };
    let share = share.map(|share| format!("{}{of}", describe_share(share)));
    games.into_iter().chain(share).collect::<Vec<_>>().join(", ")
}

/// How often a move is played, in a tree that knows counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovePlayed {
    /// Number of games with it ([`games_told`]).
    pub games: Option<u64>,
    /// Its share of the position's play ([`share_told`]).
    pub share: Option<f64>,
    /// How likely a net takes it to be, 0 to 1; `None` without one.
    pub human: Option<f64>,
    /// True if the tree follows it for that.
    pub is_followed: bool,
}

impl MovePlayed {
    /// Of a move of a position; `None` if the position's counts are unknown.
    pub fn of(growth: &Growth, node: NodeId, uci: UciMove) -> Option<MovePlayed> {
        let counted = growth.counts();
        counted.rules?;
        let key = PositionKey::of(&growth.position(node));
        let counts = counted.get(&key)?;
        // A move that the user has excluded or included is not followed for its games.
        let may_follow = growth.graph().is_played(node, PackedUciMove::pack(uci));
        Some(MovePlayed {
            games: games_told(counts, uci),
            share: share_told(counts, uci),
            human: counts.human(uci),
            is_followed: may_follow && counted.played(&key).contains(&uci),
        })
    }
}

/// A share or a chance in whole per cent: `23%`, and `<1%` instead of 0.
pub fn describe_share(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.5 {
        "<1%".to_owned()
    } else {
        format!("{:.0}%", percent.round())
    }
}

/// An expected score: `58.3%`.
pub fn describe_expected(expected: f64) -> String {
    format!("{:.1}%", 100.0 * expected)
}

/// A share, chance or expected score as programs read it: 0 to 1, six digits.
pub fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_not_nothing() {
        let words = [0.0, 0.001, 0.005, 0.234, 0.999, 1.0].map(describe_share);
        assert_eq!(words, ["0%", "<1%", "1%", "23%", "100%", "100%"]);
        assert_eq!([0.5834, 1.0].map(describe_expected), ["58.3%", "100.0%"]);
        assert_eq!(rounded(1.0 / 3.0), 0.333_333);
    }
}
