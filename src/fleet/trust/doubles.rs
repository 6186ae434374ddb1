//! Searches that are given to two, and to a third where those two differ.

use std::collections::BTreeMap;

use crate::fleet::message::{Asked, Token};

use super::{Witness, Word};

/// So many witnesses can tell which of them is odd.
const ENOUGH: usize = 3;
/// More searches than this are not compared at once.
const MOST: usize = 1000;

/// What has come of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// All say the same.
    Agreed,
    /// They differ: another has to say.
    Differ(Asked, Vec<Witness>),
    /// These are wrong; how.
    Odd(Vec<Token>, String),
}

#[derive(Debug)]
struct Doubt {
    asked: Asked,
    words: Vec<(Witness, Word)>,
}

/// The searches that are being compared.
#[derive(Debug)]
pub struct Doubles {
    one_in: u32,
    since: u32,
    numbered: u64,
    open: BTreeMap<u64, Doubt>,
    begun: u64,
}

impl Doubles {
    /// One search in so many; 0 means none.
    pub fn new(one_in: u32) -> Doubles {
        Doubles { one_in, since: 0, numbered: 0, open: BTreeMap::new(), begun: 0 }
    }

    /// Whether the answer that has just come is to be compared.
    pub fn is_due(&mut self) -> bool {
        self.since += 1;
        let is_due = self.one_in > 0 && self.since >= self.one_in && self.open.len() < MOST;
        if is_due {
            self.since = 0;
        }
        is_due
    }

    /// Compares an answer from now on; gives the number of the comparison.
    pub fn begin(&mut self, asked: Asked, witness: Witness, word: Word) -> u64 {
        self.numbered += 1;
        self.begun += 1;
        self.open.insert(self.numbered, Doubt { asked, words: vec![(witness, word)] });
        self.numbered
    }

    /// Another has made the search.
    pub fn hear(&mut self, number: u64, witness: Witness, word: Word) -> Finding {
        let Some(doubt) = self.open.get_mut(&number) else { return Finding::Agreed };
        if doubt.words.iter().all(|(known, _)| *known != witness) {
            doubt.words.push((witness, word));
        }
        let finding = doubt.finding();
        if !matches!(finding, Finding::Differ(..)) {
            self.open.remove(&number);
        }
        finding
    }

    /// Forgets a comparison: whoever was to say something has left.
    pub fn forget(&mut self, number: u64) {
        self.open.remove(&number);
    }

    /// How many comparisons there were.
    pub fn begun(&self) -> u64 {
        self.begun
    }
}

impl Doubt {
    fn finding(&self) -> Finding {
        let Some((_, first)) = self.words.first() else { return Finding::Agreed };
        if self.words.iter().all(|(_, word)| word == first) {
            return Finding::Agreed;
        }
        let Some(right) = self.right() else {
            let asked = self.words.iter().map(|(witness, _)| witness.clone()).collect();
            return Finding::Differ(self.asked.clone(), asked);
        };
        let odd = self.words.iter().filter(|(_, word)| *word != right);
        Finding::Odd(workers(odd.map(|(witness, _)| witness)), self.told())
    }

    /// What the grower's own engine says, or the most of three.
    fn right(&self) -> Option<Word> {
        let own = self.words.iter().find(|(witness, _)| *witness == Witness::Own);
        if let Some((_, word)) = own {
            return Some(*word);
        }
        let votes = |word: &Word| self.words.iter().filter(|(_, other)| other == word).count();
        let most = self.words.iter().map(|(_, word)| word).max_by_key(|word| votes(word))?;
        (self.words.len() >= ENOUGH && votes(most) >= 2).then_some(*most)
    }

    fn told(&self) -> String {
        let words = self.words.iter().map(|(witness, word)| match witness {
            Witness::Own => format!("our engine {word}"),
            Witness::Worker(worker) => format!("{worker} {word}"),
        });
        let position = crate::chess::fen_of(&self.asked.search.position);
        format!("{} in {position} to {}", words.collect::<Vec<_>>().join(", "), self.asked.limit)
    }
}

fn workers<'a>(witnesses: impl Iterator<Item = &'a Witness>) -> Vec<Token> {
    let of = |witness: &Witness| match witness {
        Witness::Own => None,
        Witness::Worker(worker) => Some(worker.clone()),
    };
    witnesses.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;

    use super::*;
    use crate::chess::{Score, parse_uci};
    use crate::search::{Limit, Search};

    fn word(nodes: u64) -> Word {
        Word { best: parse_uci("e2e4").unwrap(), score: Score::Cp(3), nodes }
    }

    fn token(name: &str) -> Token {
        Token::try_from(name.to_owned()).unwrap()
    }

    fn worker(name: &str) -> Witness {
        Witness::Worker(token(name))
    }

    fn asked() -> Asked {
        let search = Search { position: Chess::default(), excluded: Vec::new() };
        Asked { search, limit: Limit::Depth(8) }
    }

    #[test]
    fn one_search_in_so_many_is_compared() {
        let mut doubles = Doubles::new(3);
        let due: Vec<bool> = (0..6).map(|_| doubles.is_due()).collect();
        assert_eq!(due, [false, false, true, false, false, true]);
        assert!(!(0..9).any(|_| Doubles::new(0).is_due()));
    }

    #[test]
    fn the_odd_one_of_three_is_found_and_so_is_who_contradicts_our_engine() {
        let mut doubles = Doubles::new(1);
        let number = doubles.begin(asked(), worker("a"), word(1));
        assert_eq!(doubles.hear(number, worker("b"), word(1)), Finding::Agreed);
        let number = doubles.begin(asked(), worker("a"), word(1));
        let differ = doubles.hear(number, worker("b"), word(2));
        assert_eq!(differ, Finding::Differ(asked(), vec![worker("a"), worker("b")]));
        let Finding::Odd(odd, _) = doubles.hear(number, worker("c"), word(2)) else { panic!() };
        assert_eq!(odd, [token("a")]);
        let number = doubles.begin(asked(), worker("a"), word(1));
        let Finding::Odd(odd, _) = doubles.hear(number, Witness::Own, word(2)) else { panic!() };
        assert_eq!(odd, [token("a")]);
    }
}
