//! Answers left out of a merge, and why.

use std::collections::BTreeMap;

/// Why an answer is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyLeft {
    /// The row was damaged.
    Damaged,
    /// Its position is invalid, not canonical, or a finished game.
    Position,
    /// Its rank does not follow the one before.
    Rank,
    /// The move is illegal, or listed before.
    Move,
    /// The line does not begin with the move.
    Line,
    /// No engine gives such a score, or searches this much.
    Number,
    /// Its own source was invalidated here.
    Invalidated,
    /// Its profile is invalid.
    Profile,
    /// It cannot be repeated: it used several threads or a kept hash.
    Unrepeatable,
    /// Its limit is too large for a check.
    Limit,
    /// It was searched without a move that is left out, or different here.
    Behind,
}

impl WhyLeft {
    /// Name in JSON and SQL.
    pub fn name(self) -> &'static str {
        match self {
            WhyLeft::Damaged => "damaged",
            WhyLeft::Position => "position",
            WhyLeft::Rank => "rank",
            WhyLeft::Move => "move",
            WhyLeft::Line => "line",
            WhyLeft::Number => "number",
            WhyLeft::Invalidated => "taken_back",
            WhyLeft::Profile => "profile",
            WhyLeft::Unrepeatable => "unrepeatable",
            WhyLeft::Limit => "limit",
            WhyLeft::Behind => "behind",
        }
    }

    /// Text for people, about several answers.
    pub fn words(self) -> &'static str {
        match self {
            WhyLeft::Damaged => "do not match their checksums",
            WhyLeft::Position => "are of positions that cannot be searched",
            WhyLeft::Rank => "have ranks with a gap before them",
            WhyLeft::Move => "have moves that are illegal or listed twice",
            WhyLeft::Line => "have lines that do not begin with their moves",
            WhyLeft::Number => "have numbers that no engine gives",
            WhyLeft::Invalidated => "come from a source that was removed here",
            WhyLeft::Profile => "are of engines that are not written down as the program does it",
            WhyLeft::Unrepeatable => {
                "were made with several threads, a kept hash or text options and cannot be repeated"
            }
            WhyLeft::Limit => {
                "were searched beyond depth 60 or 10,000,000,000 nodes, too much to search again"
            }
            WhyLeft::Behind => "stand behind one of these, or behind a conflict, in their lists",
        }
    }
}

/// Number of answers left out, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOutCounts(BTreeMap<WhyLeft, u64>);

impl LeftOutCounts {
    /// Adds this many.
    pub fn add(&mut self, why: WhyLeft, count: u64) {
        if count > 0 {
            *self.0.entry(why).or_default() += count;
        }
    }

    /// Adds another part.
    pub fn join(&mut self, other: &LeftOutCounts) {
        other.0.iter().for_each(|(why, count)| self.add(*why, *count));
    }

    /// The reasons that occur, with their counts.
    pub fn each(&self) -> impl Iterator<Item = (WhyLeft, u64)> + '_ {
        self.0.iter().map(|(why, count)| (*why, *count))
    }

    /// The total.
    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }
}
