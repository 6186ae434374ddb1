//! What is left behind of another database, and why.

use std::collections::BTreeMap;

/// Why an answer is left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyLeft {
    /// The row is not as a program has written it.
    Damaged,
    /// Its position is none, is written in another way, or the game is over there.
    Position,
    /// Its rank does not follow the one before.
    Rank,
    /// The move is not legal, or listed before.
    Move,
    /// The line does not begin with the move.
    Line,
    /// No engine gives such a score, or searches so much.
    Number,
    /// Its own source was taken back here.
    TakenBack,
    /// Its profile is not as a program writes it.
    Profile,
    /// Nobody can repeat it: it was made with several threads or on a kept hash.
    Unrepeatable,
    /// Its limit is larger than any that is searched again.
    Limit,
    /// It was searched without a move that is left behind, or that is another here.
    Behind,
}

impl WhyLeft {
    /// As JSON and SQL have it.
    pub fn name(self) -> &'static str {
        match self {
            WhyLeft::Damaged => "damaged",
            WhyLeft::Position => "position",
            WhyLeft::Rank => "rank",
            WhyLeft::Move => "move",
            WhyLeft::Line => "line",
            WhyLeft::Number => "number",
            WhyLeft::TakenBack => "taken_back",
            WhyLeft::Profile => "profile",
            WhyLeft::Unrepeatable => "unrepeatable",
            WhyLeft::Limit => "limit",
            WhyLeft::Behind => "behind",
        }
    }

    /// As people read it, of several answers.
    pub fn words(self) -> &'static str {
        match self {
            WhyLeft::Damaged => "do not match their checksums",
            WhyLeft::Position => "are of positions that cannot be searched",
            WhyLeft::Rank => "have ranks with a gap before them",
            WhyLeft::Move => "have moves that are illegal or listed twice",
            WhyLeft::Line => "have lines that do not begin with their moves",
            WhyLeft::Number => "have numbers that no engine gives",
            WhyLeft::TakenBack => "come from a source that was removed here",
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

/// How many answers are left behind, by the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftBehind(BTreeMap<WhyLeft, u64>);

impl LeftBehind {
    /// So many more.
    pub fn add(&mut self, why: WhyLeft, count: u64) {
        if count > 0 {
            *self.0.entry(why).or_default() += count;
        }
    }

    /// Those of another part, too.
    pub fn join(&mut self, other: &LeftBehind) {
        other.0.iter().for_each(|(why, count)| self.add(*why, *count));
    }

    /// The reasons that there are, and how many answers each has.
    pub fn each(&self) -> impl Iterator<Item = (WhyLeft, u64)> + '_ {
        self.0.iter().map(|(why, count)| (*why, *count))
    }

    /// How many there are.
    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }
}
