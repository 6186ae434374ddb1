//! Moves that people play: candidates whatever their value (docs/algorithm.md, section 8).

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::chess::PositionKey;

use super::move_counts::{MoveCount, MoveCounts};

/// Moves by position that are followed whatever games say, each position's by their UCI text.
pub type Played = BTreeMap<PositionKey, Vec<UciMove>>;

/// Rule for the moves of a side that count as played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlayedRule {
    /// The least share of the position's games, in per cent, from 1 to 100.
    percent: u8,
    /// The least number of games, 1 or more.
    least: u64,
}

/// By default, the least number of games is one in this many of the set's, within these bounds.
const LEAST_PART: u64 = 50;
const LEAST: std::ops::RangeInclusive<u64> = 2..=10;

/// Text that is no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a rule is a share of 1 to 100 % and, behind a slash, a least number of games: 5% or 5%/20"
)]
pub struct NoPlayedRule;

impl PlayedRule {
    /// A rule of a least share in per cent and a least number of games.
    ///
    /// # Errors
    ///
    /// If the share is not from 1 to 100, or no game is needed.
    pub fn new(percent: u8, least: u64) -> Result<PlayedRule, NoPlayedRule> {
        let is_rule = (1..=100).contains(&percent) && least > 0;
        is_rule.then_some(PlayedRule { percent, least }).ok_or(NoPlayedRule)
    }

    /// The played moves of a position, by their UCI text.
    pub fn moves(self, counts: &MoveCounts) -> Vec<UciMove> {
        let enough = |m: &MoveCount| m.thousandths(counts.weight) >= self.least_thousandths();
        let has_share = |m: &MoveCount| counts.has_share(m.uci, self.percent.into());
        let played = counts.moves.iter().filter(|m| enough(m) && has_share(m));
        let mut played: Vec<UciMove> = played.map(|m| m.uci).collect();
        played.sort_by_key(ToString::to_string);
        played
    }

    fn least_thousandths(self) -> u64 {
        self.least.saturating_mul(1000)
    }

    /// True if a move of a position has the share, but too few games.
    pub fn lacks_games(self, counts: &MoveCounts, m: &MoveCount) -> bool {
        m.thousandths(counts.weight) < self.least_thousandths()
            && counts.has_share(m.uci, self.percent.into())
    }
}

impl fmt::Display for PlayedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%/{}", self.percent, self.least)
    }
}

/// `5%/20`.
impl FromStr for PlayedRule {
    type Err = NoPlayedRule;

    fn from_str(text: &str) -> Result<PlayedRule, NoPlayedRule> {
        let WrittenRule { percent, least } = text.parse()?;
        PlayedRule::new(percent, least.ok_or(NoPlayedRule)?)
    }
}

/// A rule as people write it: `5%`, whose least number of games follows from the set, or `5%/20`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenRule {
    percent: u8,
    least: Option<u64>,
}

impl WrittenRule {
    /// The rule in a set of this many games. By default, the least number of games is one in fifty
    /// of them: 2 at least and 10 at most.
    pub fn in_set(self, games: u64) -> PlayedRule {
        self.or_least((games / LEAST_PART).clamp(*LEAST.start(), *LEAST.end()))
    }

    /// The rule beside a net of human play, whose games are not counted: by default, the least
    /// number is 1.
    pub fn beside_net(self) -> PlayedRule {
        self.or_least(1)
    }

    fn or_least(self, least: u64) -> PlayedRule {
        PlayedRule { percent: self.percent, least: self.least.unwrap_or(least) }
    }
}

impl FromStr for WrittenRule {
    type Err = NoPlayedRule;

    fn from_str(text: &str) -> Result<WrittenRule, NoPlayedRule> {
        let (share, least) = match text.split_once('/') {
            Some((share, least)) => (share, Some(digits(least.trim())?)),
            None => (text, None),
        };
        let share = share.trim();
        let percent = digits(share.strip_suffix('%').map_or(share, str::trim_end))?;
        PlayedRule::new(percent, least.unwrap_or(1)).map(|_| WrittenRule { percent, least })
    }
}

/// The rules of the two sides as people write them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenRules {
    /// White's.
    pub white: Option<WrittenRule>,
    /// Black's.
    pub black: Option<WrittenRule>,
}

impl WrittenRules {
    /// The rules for a set with this many games.
    pub fn in_set(self, games: u64) -> PlayedRules {
        let of = |rule: Option<WrittenRule>| rule.map(|rule| rule.in_set(games));
        PlayedRules { white: of(self.white), black: of(self.black) }
    }
}

/// `5%` for both sides, or White's and Black's, `-` for none: `5%/-`, `-/5%/20`.
impl FromStr for WrittenRules {
    type Err = NoPlayedRule;

    fn from_str(text: &str) -> Result<WrittenRules, NoPlayedRule> {
        let side = |text: &str| match text.trim() {
            "-" => Ok(None),
            rule => rule.parse().map(Some),
        };
        let is_side = |part: &str| part.trim() == "-" || part.contains('%');
        let mut parts = text.split('/');
        let first = parts.next().unwrap_or_default().len();
        let least = parts.next().filter(|part| !is_side(part)).map_or(0, |part| part.len() + 1);
        let (white, rest) = text.split_at(first + least);
        let white = side(white)?;
        let black = match rest.strip_prefix('/') {
            None => white,
            Some(rest) if is_side(rest) => side(rest)?,
            Some(_) => return Err(NoPlayedRule),
        };
        Ok(WrittenRules { white, black })
    }
}

/// A number of digits alone, without a sign.
fn digits<N: FromStr>(text: &str) -> Result<N, NoPlayedRule> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits).ok_or(NoPlayedRule)
}

/// The rules of the two sides; a side without one has no played moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PlayedRules {
    /// White's.
    pub white: Option<PlayedRule>,
    /// Black's.
    pub black: Option<PlayedRule>,
}

impl PlayedRules {
    /// The rule of a side.
    pub fn of(&self, side: Color) -> Option<PlayedRule> {
        side.fold_wb(self.white, self.black)
    }

    /// True if a tree prepares a side: it follows the moves of the other side, or those of neither.
    pub fn prepare(&self, side: Color) -> bool {
        self.of(!side).is_some() || self.of(side).is_none()
    }
}

/// Game counts of positions, as far as looked up: a tree is a function of them, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountFacts {
    /// The rules by which moves are followed; None if no games are looked up.
    pub rules: Option<PlayedRules>,
    known: Arc<HashMap<PositionKey, MoveCounts>>,
}

impl CountFacts {
    /// No counts yet, for a tree that follows what is played by these rules.
    pub fn new(rules: PlayedRules) -> CountFacts {
        CountFacts { rules: Some(rules), known: Arc::default() }
    }

    /// Takes the counts of a position.
    pub fn learn(&mut self, key: PositionKey, counts: MoveCounts) {
        Arc::make_mut(&mut self.known).insert(key, counts);
    }

    /// Forgets the counts of a position.
    pub fn forget(&mut self, key: &PositionKey) {
        Arc::make_mut(&mut self.known).remove(key);
    }

    /// The counts of a position; None if they were not looked up.
    pub fn get(&self, key: &PositionKey) -> Option<&MoveCounts> {
        self.known.get(key)
    }

    /// The positions of which counts are known.
    pub fn positions(&self) -> impl Iterator<Item = &PositionKey> {
        self.known.keys()
    }

    /// The moves of a position that its side's rule follows, by their UCI text.
    pub fn played(&self, key: &PositionKey) -> Vec<UciMove> {
        let counts = self.get(key).filter(|counts| !counts.is_empty());
        let rule = counts.and_then(|_| self.rules?.of(key.turn()));
        rule.zip(counts).map_or_else(Vec::new, |(rule, counts)| rule.moves(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> MoveCounts {
        MoveCounts::new(counts.iter().map(|(uci, games)| (uci.parse().unwrap(), *games)))
    }

    fn written(moves: &[UciMove]) -> String {
        moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    fn played(rule: &str) -> String {
        let counts = counts(&[("g1f3", 30), ("e2e4", 60), ("d2d4", 9), ("a2a3", 1)]);
        written(&rule.parse::<WrittenRule>().unwrap().in_set(900).moves(&counts))
    }

    #[test]
    fn move_is_played_from_the_share_and_game_count_on() {
        assert_eq!(played("30%/30"), "e2e4 g1f3");
        assert_eq!(played("31/30"), "e2e4");
        assert_eq!(played("30 % / 31"), "e2e4");
        assert_eq!(played("1%/1"), "a2a3 d2d4 e2e4 g1f3");
        assert_eq!(played("1%"), "e2e4 g1f3");
        assert_eq!(played("61%/1"), "");
        assert_eq!(PlayedRule::new(1, 1).unwrap().moves(&MoveCounts::default()), []);
    }

    #[test]
    fn a_rule_is_a_share_and_a_number_of_games() {
        for text in ["5%/10", "5%/20", "100%/1"] {
            let rule: PlayedRule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
        }
        for text in ["7", "7%", "7 %", " 7% / 10 "] {
            let rule: WrittenRule = text.parse().unwrap();
            assert_eq!(rule.in_set(5000).to_string(), "7%/10", "{text}");
        }
        let others = ["5%%%", "5%%", "+5%", "5%/+20", "+5", "5%/20/3", "5% 20", "5 % %"];
        let none = ["", "0%", "101%", "5%/0", "5%/", "5%/x", "-5%", "5.5%", "%", "5%/20%"];
        for text in none.into_iter().chain(others) {
            assert_eq!(text.parse::<WrittenRule>(), Err(NoPlayedRule), "{text}");
        }
        assert_eq!("5%".parse::<PlayedRule>(), Err(NoPlayedRule), "what is kept names both");
    }

    #[test]
    fn each_side_may_have_a_rule_of_its_own() {
        let sides = |text: &str| {
            let rules = text.parse::<WrittenRules>().unwrap().in_set(900);
            [rules.white, rules.black].map(|rule| rule.map_or("-".to_owned(), |r| r.to_string()))
        };
        for (text, white, black) in [
            ("5%", "5%/10", "5%/10"),
            ("5/20", "5%/20", "5%/20"),
            ("5%/-", "5%/10", "-"),
            ("-/5%/3", "-", "5%/3"),
            ("5%/20/10%", "5%/20", "10%/10"),
            ("5% / 20 / 10%/3", "5%/20", "10%/3"),
        ] {
            assert_eq!(sides(text), [white, black], "{text}");
        }
        for text in ["", "5%/", "5%/20/3", "5%/-/5%", "/5%", "5%/20/10%/3/4"] {
            assert_eq!(text.parse::<WrittenRules>(), Err(NoPlayedRule), "{text}");
        }
    }

    #[test]
    fn the_least_number_of_games_sinks_with_the_set() {
        let least =
            |rule: &str, games| rule.parse::<WrittenRule>().unwrap().in_set(games).to_string();
        let sets = [0, 65, 130, 199, 499, 500, 4600, u64::MAX].map(|games| least("5%", games));
        assert_eq!(sets, ["5%/2", "5%/2", "5%/2", "5%/3", "5%/9", "5%/10", "5%/10", "5%/10"]);
        assert_eq!([1, 9999].map(|games| least("5%/4", games)), ["5%/4"; 2]);
    }

    #[test]
    fn counts_are_in_order_of_games_and_have_shares() {
        let counts = counts(&[("d2d4", 1), ("g1f3", 3), ("b1c3", 3), ("e2e4", 5)]);
        let moves: Vec<UciMove> = counts.iter().map(|m| m.uci).collect();
        assert_eq!(written(&moves), "e2e4 b1c3 g1f3 d2d4");
        let share = |uci: &str| counts.share(uci.parse().unwrap());
        assert_eq!((counts.games(), share("b1c3"), share("a2a3")), (12, Some(0.25), Some(0.0)));
        assert_eq!(MoveCounts::default().share("e2e4".parse().unwrap()), None);
    }

    #[test]
    fn shares_are_told_of_games_and_rules_go_by_the_sum() {
        let (e4, knight) = ("e2e4".parse().unwrap(), "g1f3".parse().unwrap());
        let counts = counts(&[("e2e4", 2), ("g1f3", 1)]).with_games(2);
        assert_eq!((counts.games_here(), counts.games()), (2, 3));
        assert_eq!([e4, knight].map(|uci| counts.share_of_games(uci)), [Some(1.0), Some(0.5)]);
        assert_eq!(counts.share(e4), Some(2.0 / 3.0));
        let rule = |rule: &str| written(&rule.parse::<PlayedRule>().unwrap().moves(&counts));
        assert_eq!([rule("33%/1"), rule("34%/1")], ["e2e4 g1f3", "e2e4"]);
        let wrong = |games: u64| counts.clone().with_games(games).games_here();
        assert_eq!([wrong(0), wrong(9)], [2, 3], "what cannot be is not taken");
    }

    #[test]
    fn a_net_weighs_as_much_as_its_games() {
        let uci = |uci: &str| -> UciMove { uci.parse().unwrap() };
        let likely = [("e2e4", 600), ("d2d4", 300), ("b1a3", 4)].map(|(m, p)| (uci(m), p));
        let alone = MoveCounts::default().with_human(&likely, 30);
        assert_eq!((alone.games(), alone.games_here(), alone.n_of_all()), (0, 0, 27.12));
        assert_eq!((alone.n(uci("e2e4")), alone.human(uci("a2a3"))), (18.0, Some(0.0)));
        assert_eq!(alone.share(uci("d2d4")), Some(300.0 / 904.0));
        let rule = |rule: &str, counts| {
            written(&rule.parse::<WrittenRule>().unwrap().beside_net().moves(counts))
        };
        assert_eq!([rule("1%", &alone), rule("40%", &alone)], ["d2d4 e2e4", "e2e4"]);
        let games = counts(&[("d2d4", 50), ("g1f3", 2)]).with_human(&likely, 30);
        let order: Vec<UciMove> = games.iter().map(|m| m.uci).collect();
        assert_eq!(written(&order), "d2d4 e2e4 g1f3 b1a3", "games overrule");
        assert_eq!((games.n(uci("d2d4")), games.of(uci("d2d4"))), (59.0, 50));
        assert_eq!(games.share_of_games(uci("e2e4")), Some(0.0));
        assert_eq!([rule("2%", &games), rule("2%/3", &games)], ["d2d4 e2e4 g1f3", "d2d4 e2e4"]);
    }
}
