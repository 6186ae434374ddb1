//! The searches that every worker makes when it joins.
//!
//! If the grower has the engine itself, a worker must answer as that does. Else answers two workers
//! agree on are right, and dissenters are rejected; a lone worker is trusted until there are
//! others.

use std::collections::BTreeMap;

use shakmaty::Chess;

use crate::message::{LimitedSearch, Token};
use deepanalyze_core::chess::parse_fen;
use deepanalyze_core::search::{Limit, Search};

use super::{Testimony, Witness};

/// Positions of different kinds: a middlegame, a pawn ending, a mating attack.
const POSITIONS: [&str; 3] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9",
    "8/5pk1/6p1/7p/5P1P/6P1/5K2/8 w - - 0 40",
    "r4rk1/1bq1bppp/p2ppn2/1p6/3BPP2/2NB4/PPPQ2PP/R4RK1 w - - 0 15",
];

/// Judgement of a worker by its first searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryVerdict {
    /// They are not done, or not yet decidable.
    Open,
    /// It answers as it should.
    Same,
    /// No other has searched: it is trusted.
    Alone,
    /// It answers otherwise; how.
    Other(String),
}

/// The searches and their answers.
#[derive(Debug)]
pub struct Canaries {
    asked: Vec<LimitedSearch>,
    /// In the order of joining.
    heard: Vec<(Witness, BTreeMap<usize, Testimony>)>,
    judge: Judge,
}

/// Judge of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// The grower's own engine.
    Own,
    /// Most workers: the grower's engine fails.
    Most,
    /// None: the engine is not deterministic.
    Absent,
}

impl Canaries {
    /// Searches to this limit, with this authority.
    pub fn new(limit: Limit, judge: Judge) -> Canaries {
        // A test checks that all can be read.
        let positions = POSITIONS.iter().filter_map(|fen| parse_fen(fen).ok());
        let search = |position: Chess| Search { position, excluded: Vec::new() };
        let asked =
            positions.map(|position| LimitedSearch { search: search(position), limit }).collect();
        Canaries { asked, heard: Vec::new(), judge }
    }

    /// Goes on without the grower's own engine.
    pub fn without_own(&mut self) {
        if self.judge == Judge::Own {
            self.judge = Judge::Most;
        }
    }

    /// The searches.
    pub fn asked(&self) -> &[LimitedSearch] {
        &self.asked
    }

    /// Notes an answer to one.
    pub fn hear(&mut self, witness: &Witness, number: usize, word: Testimony) {
        if number >= self.asked.len() {
            return;
        }
        match self.heard.iter_mut().find(|(known, _)| known == witness) {
            Some((_, words)) => drop(words.entry(number).or_insert(word)),
            None => self.heard.push((witness.clone(), BTreeMap::from([(number, word)]))),
        }
    }

    /// Forgets a worker; one that comes back is another.
    pub fn forget(&mut self, worker: &Token) {
        self.heard.retain(|(witness, _)| *witness != Witness::Worker(worker.clone()));
    }

    /// Judges a worker.
    pub fn verdict(&self, worker: &Token) -> CanaryVerdict {
        let witness = Witness::Worker(worker.clone());
        let Some(words) = self.words(&witness) else { return CanaryVerdict::Open };
        let right = match self.judge {
            Judge::Own => self.words(&Witness::Own),
            Judge::Most => self.agreed(),
            Judge::Absent => return CanaryVerdict::Same,
        };
        match right {
            Some(right) if right == words => CanaryVerdict::Same,
            Some(right) => CanaryVerdict::Other(self.difference(words, right)),
            None if self.judge == Judge::Own || self.first() != Some(&witness) => {
                CanaryVerdict::Open
            }
            None => CanaryVerdict::Alone,
        }
    }

    /// A witness's answers, once complete.
    fn words(&self, witness: &Witness) -> Option<&BTreeMap<usize, Testimony>> {
        let heard = self.heard.iter().find(|(known, _)| known == witness);
        heard.map(|(_, words)| words).filter(|words| words.len() == self.asked.len())
    }

    fn complete(&self) -> impl Iterator<Item = &(Witness, BTreeMap<usize, Testimony>)> {
        self.heard.iter().filter(|(_, words)| words.len() == self.asked.len())
    }

    fn first(&self) -> Option<&Witness> {
        self.complete().map(|(witness, _)| witness).next()
    }

    /// The answers of most, if there are at least two, and no others are as many.
    fn agreed(&self) -> Option<&BTreeMap<usize, Testimony>> {
        let votes = |words: &BTreeMap<usize, Testimony>| {
            self.complete().filter(|(_, other)| other == words).count()
        };
        let (_, most) = self.complete().max_by_key(|(_, words)| votes(words))?;
        let count = votes(most);
        let is_tied = self.complete().any(|(_, words)| words != most && votes(words) == count);
        (count >= 2 && !is_tied).then_some(most)
    }

    fn difference(
        &self,
        words: &BTreeMap<usize, Testimony>,
        right: &BTreeMap<usize, Testimony>,
    ) -> String {
        let differing = words.iter().find_map(|(number, word)| {
            let right = right.get(number).filter(|right| *right != word)?;
            Some((POSITIONS.get(*number)?, word, right))
        });
        differing.map_or_else(String::new, |(fen, word, right)| {
            format!("it answers {word} where {right} is right, in {fen}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Score, parse_uci};

    fn word(nodes: u64) -> Testimony {
        Testimony { best: parse_uci("e2e4").unwrap(), score: Score::Cp(3), nodes }
    }

    fn worker(name: &str) -> (Token, Witness) {
        let token = Token::try_from(name.to_owned()).unwrap();
        (token.clone(), Witness::Worker(token))
    }

    fn says(canaries: &mut Canaries, witness: &Witness, nodes: u64) {
        (0..POSITIONS.len()).for_each(|number| canaries.hear(witness, number, word(nodes)));
    }

    #[test]
    fn what_the_growers_own_engine_says_is_right() {
        let mut canaries = Canaries::new(Limit::Depth(9), Judge::Own);
        assert_eq!(canaries.asked().len(), POSITIONS.len(), "a position cannot be read");
        let ((a, a_says), (b, b_says)) = (worker("a"), worker("b"));
        says(&mut canaries, &a_says, 1);
        says(&mut canaries, &b_says, 1);
        assert_eq!(canaries.verdict(&a), CanaryVerdict::Open, "its own engine is not done");
        says(&mut canaries, &Witness::Own, 2);
        assert!(matches!(canaries.verdict(&a), CanaryVerdict::Other(_)));
        canaries.forget(&b);
        canaries.hear(&b_says, 0, word(2));
        assert_eq!(canaries.verdict(&b), CanaryVerdict::Open, "it is not done");
        says(&mut canaries, &b_says, 2);
        assert_eq!(canaries.verdict(&b), CanaryVerdict::Same);
    }

    #[test]
    fn without_a_judge_every_worker_is_trusted() {
        let mut canaries = Canaries::new(Limit::Depth(9), Judge::Absent);
        let (a, a_says) = worker("a");
        assert_eq!(canaries.verdict(&a), CanaryVerdict::Open);
        says(&mut canaries, &a_says, 1);
        says(&mut canaries, &Witness::Own, 2);
        assert_eq!(canaries.verdict(&a), CanaryVerdict::Same);
    }

    #[test]
    fn without_an_own_engine_two_who_agree_are_right() {
        let mut canaries = Canaries::new(Limit::Depth(9), Judge::Own);
        canaries.without_own();
        let ((a, a_says), (b, b_says), (c, c_says)) = (worker("a"), worker("b"), worker("c"));
        says(&mut canaries, &a_says, 1);
        assert_eq!(canaries.verdict(&a), CanaryVerdict::Alone);
        says(&mut canaries, &b_says, 2);
        assert_eq!(canaries.verdict(&a), CanaryVerdict::Alone);
        assert_eq!(canaries.verdict(&b), CanaryVerdict::Open, "nobody can tell which is right");
        says(&mut canaries, &c_says, 2);
        assert!(matches!(canaries.verdict(&a), CanaryVerdict::Other(_)));
        assert_eq!(
            (canaries.verdict(&b), canaries.verdict(&c)),
            (CanaryVerdict::Same, CanaryVerdict::Same)
        );
    }
}
