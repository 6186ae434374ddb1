//! Which of its moves a tree's arm plays.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Growth, Rescoring, best_root_move};

use super::random::Random;
use super::setting::Share;

/// Which of its moves a tree's arm plays, where no closing search chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChoiceRule {
    /// The root's best alpha in the tree as it stands at the end.
    Standing,
    /// The root's best alpha when the greatest depth was settled; as it stands where none is.
    Settled,
    /// The root's best alpha less what is luck in it. Each leaf is taken to be off by an error with this standard
    /// deviation in centipawns, none by that of another: how much higher a move stands, on average, when such errors are
    /// added to all leaves, is how much too high it stands already (the bootstrap's estimate of bias: Efron and Tibshirani,
    /// "An Introduction to the Bootstrap", 1993, chapter 10). The greatest of many uncertain scores is a lucky one.
    LessLuck {
        /// The standard deviation.
        error: u32,
    },
    /// The root's best alpha after a second look: with this share of the time, the ends of the two best moves' lines are
    /// searched deeper until the two moves that are the best then have both been looked at.
    SecondLook {
        /// The share of the time, which the tree does not have.
        share: Share,
    },
}

/// The greatest error of a leaf, in centipawns.
const GREATEST_ERROR: u32 = 1000;

impl FromStr for ChoiceRule {
    type Err = String;

    fn from_str(text: &str) -> Result<ChoiceRule, String> {
        let known = match text.split_once(':') {
            None if text == "standing" => Some(ChoiceRule::Standing),
            None if text == "settled" => Some(ChoiceRule::Settled),
            Some(("less-luck", error)) => {
                let error = error.parse().ok().filter(|error| (1..=GREATEST_ERROR).contains(error));
                error.map(|error| ChoiceRule::LessLuck { error })
            }
            Some(("second-look", share)) => {
                share.parse().ok().map(|share| ChoiceRule::SecondLook { share })
            }
            _ => None,
        };
        known.ok_or_else(|| "standing, settled, less-luck:20 or second-look:1/2".to_owned())
    }
}

impl fmt::Display for ChoiceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceRule::Standing => write!(f, "standing"),
            ChoiceRule::Settled => write!(f, "settled"),
            ChoiceRule::LessLuck { error } => write!(f, "less-luck:{error}"),
            ChoiceRule::SecondLook { share } => write!(f, "second-look:{share}"),
        }
    }
}

impl ChoiceRule {
    /// The root's best move by this rule, without a second look, and its alpha; `settled` is the best one when the greatest
    /// depth was settled. None where the root is not analysed.
    pub fn of(
        self,
        growth: &Growth,
        settled: Option<(UciMove, Value)>,
    ) -> Option<(UciMove, Value)> {
        match self {
            ChoiceRule::Settled if settled.is_some() => settled,
            ChoiceRule::LessLuck { error } => least_lucky(&of_tree(growth), error),
            _ => best_root_move(growth.graph(), growth.values(), growth.root()),
        }
    }
}

/// A tree as it stands, for other scores of its leaves.
pub fn of_tree(growth: &Growth) -> Rescoring {
    Rescoring::new(growth.graph(), growth.values(), growth.root())
}

/// How often errors are added to the leaves.
const DRAWS: u32 = 400;
/// The errors are the same in every run.
const SEED: u64 = 1;

/// The move of the greatest alpha less its luck, of equal ones the first, with its alpha.
fn least_lucky(tree: &Rescoring, error: u32) -> Option<(UciMove, Value)> {
    let standing = tree.alphas();
    let mut with_errors = vec![0_i64; standing.len()];
    let mut random = Random::new(SEED);
    for _ in 0..DRAWS {
        let drawn = tree.alphas_with(|score| score.shifted(drawn_error(&mut random, error)));
        for (sum, (_, alpha)) in with_errors.iter_mut().zip(drawn) {
            *sum += i64::from(alpha.get());
        }
    }
    let moves = standing.into_iter().zip(with_errors).enumerate();
    let less_luck = moves.map(|(place, ((uci, alpha), with_errors))| {
        // As often as errors were added: the alpha, less what it stands higher with them.
        let corrected = 2 * i64::from(DRAWS) * i64::from(alpha.get()) - with_errors;
        ((corrected, Reverse(place)), (uci, alpha))
    });
    less_luck.max_by_key(|(key, _)| *key).map(|(_, chosen)| chosen)
}

/// Twelve numbers below this one have a sum of this standard deviation, nearly normal (Irwin and Hall), and six times it
/// less six on average.
const SCALE: usize = 1000;

/// An error in centipawns, of this standard deviation, in whole numbers alone: it is the same on every machine.
fn drawn_error(random: &mut Random, deviation: u32) -> i32 {
    let sum: usize = (0..12).map(|_| random.below(SCALE)).sum();
    let (sum, mean) = (i64::try_from(sum).unwrap_or(0), 6 * (SCALE as i64 - 1));
    let error = (sum - mean) * i64::from(deviation) / SCALE as i64;
    i32::try_from(error).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::grown_of;

    #[test]
    fn a_rule_is_what_its_text_says() {
        for text in ["standing", "settled", "less-luck:20", "second-look:1/5"] {
            assert_eq!(text.parse::<ChoiceRule>().unwrap().to_string(), text);
        }
        for text in
            ["best", "less-luck", "less-luck:0", "less-luck:1001", "second-look:2/2", "settled:1"]
        {
            text.parse::<ChoiceRule>().unwrap_err();
        }
    }

    #[test]
    fn errors_have_the_deviation_that_is_asked_for() {
        let mut random = Random::new(1);
        let errors: Vec<i32> = (0..10_000).map(|_| drawn_error(&mut random, 40)).collect();
        let mean = errors.iter().sum::<i32>() / 10_000;
        let variance = errors.iter().map(|error| error * error).sum::<i32>() / 10_000;
        assert!(mean.abs() <= 1 && (1500..1700).contains(&variance), "{mean} {variance}");
    }

    #[test]
    fn a_move_that_stands_high_by_the_best_of_many_scores_gives_way_to_one_that_does_not() {
        // After e4 c5 White has the greatest of six scores; d4 stands on one, nearly as high.
        let white =
            [("g1f3", 30), ("b1c3", 29), ("c2c3", 29), ("d2d4", 29), ("f2f4", 29), ("b2b3", 29)];
        let lists: [(&str, &[(&str, i32)]); 3] =
            [("", &[("e2e4", 30), ("d2d4", 26)]), ("e4", &[("c7c5", -30)]), ("e4 c5", &white)];
        let start = Game::from_position(shakmaty::Chess::default());
        let growth = grown_of(&start, 10, &lists);
        let chosen = |rule: &str| {
            let rule: ChoiceRule = rule.parse().unwrap();
            rule.of(&growth, None).map(|(uci, alpha)| format!("{uci} {}", alpha.get())).unwrap()
        };
        assert_eq!(chosen("standing"), "e2e4 30");
        assert_eq!(chosen("less-luck:1"), "e2e4 30", "nearly certain scores");
        assert_eq!(chosen("less-luck:20"), "d2d4 26");
        let settled = Some(growth_move("c2c4"));
        assert_eq!(ChoiceRule::Settled.of(&growth, settled), settled);
        assert_eq!(ChoiceRule::Standing.of(&growth, settled).unwrap().0.to_string(), "e2e4");
    }

    fn growth_move(uci: &str) -> (UciMove, Value) {
        (uci.parse().unwrap(), Value::DRAW)
    }
}
