//! The players of a game, and the engines that all of them share.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use shakmaty::Chess;
use shakmaty::uci::UciMove;
use tempfile::TempDir;

use deepanalyze_core::chess::{Game, PositionKey, Value};
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_core::tree::{Breadth, Growth, ShareAnswer, ranked_shares};
use deepanalyze_engine::{
    EngineError, Event, FakeEngines, FakeSearch, FakeStart, Pool, Reason, Settings,
};
use deepanalyze_runner::{
    ClosingLimit, ClosingPlan, ControlReceiver, Job, RunLimits, Schedule, grow,
};
use deepanalyze_store::Store;
use deepanalyze_view::{ChosenBy, load_as_grown, told_verdict};

use super::arm::Arm;
use super::book::Book;
use crate::duel::statistics::SplitMix;
use crate::failure::LabFailure;

/// The move distance of trees, in centipawns, and their depth, in plies: those of `grow`.
const TREE: (u32, u32) = (10, 10);

/// Longer than a run waits for the last searches.
const NEVER: Duration = Duration::from_secs(3600);

/// The choice of a move, and its value for the side to move.
pub type Choice = (UciMove, Value);

/// One side of a game.
pub struct Player<'a> {
    contestant: &'a Contestant,
    memo: Option<Memo>,
    /// Varies the nodes of its searches.
    random: Option<SplitMix>,
    pub spent: Spent,
}

/// An arm with what it has before the first game.
pub struct Contestant {
    arm: Arm,
    book: Option<Book>,
}

impl Contestant {
    /// Reads its books, if it has some.
    pub fn new(arm: &Arm) -> Result<Contestant, LabFailure> {
        let book = match arm {
            Arm::Book(folder) => Some(Book::read(folder)?),
            _ => None,
        };
        Ok(Contestant { arm: arm.clone(), book })
    }
}

/// The work on the moves of a player.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    pub games: u64,
    pub moves: u64,
    /// Moves of its book.
    pub by_book: u64,
    /// Nodes of all searches, of unfinished ones those until the time was up.
    pub nodes: u64,
    /// Answers in the trees that spoke, from the second move of each game on, and how many of them
    /// were there before the move.
    pub answers: u64,
    pub known: u64,
    /// Moves of a growing player before whose end no tree had an answer.
    pub without_tree: u64,
    /// Moves that a tree chose.
    pub by_tree: u64,
    /// Moves where tree and closing search have chosen the same.
    pub agreed: u64,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        let Spent { games, moves, by_book, nodes, answers, known, without_tree, by_tree, agreed } =
            other;
        self.games += games;
        self.moves += moves;
        self.by_book += by_book;
        self.nodes += nodes;
        self.answers += answers;
        self.known += known;
        self.without_tree += without_tree;
        self.by_tree += by_tree;
        self.agreed += agreed;
    }
}

/// The answers of a game.
struct Memo {
    store: Store,
    _folder: TempDir,
}

impl<'a> Player<'a> {
    /// A player who has seen nothing yet. With a seed, the nodes of each of its moves are up to a
    /// tenth more or fewer.
    pub fn new(contestant: &'a Contestant, seed: Option<u64>) -> Player<'a> {
        let random = seed.map(SplitMix::new);
        Player { contestant, memo: None, random, spent: Spent { games: 1, ..Spent::default() } }
    }

    /// The move in a position that is not over.
    pub fn choose(
        &mut self,
        position: &Chess,
        nodes: u64,
        engines: &mut LaneEngines,
    ) -> Result<(UciMove, Option<Value>), LabFailure> {
        let before = engines.nodes;
        let nodes = match &mut self.random {
            Some(random) => vary(nodes, random),
            None => nodes,
        };
        let of_book = self.contestant.book.as_ref().and_then(|book| book.best(position));
        if let Some(uci) = of_book {
            self.spent.moves += 1;
            self.spent.by_book += 1;
            // A book's move says nothing about the score.
            return Ok((uci, None));
        }
        let (uci, value) = match self.contestant.arm {
            Arm::Book(_) => engines.choose_alone(position, 1, nodes)?,
            Arm::Nodes(times) => engines.choose_alone(position, 1, nodes * times)?,
            Arm::Threads(threads) => engines.choose_alone(position, threads, nodes)?,
            Arm::Closing { engines: many, threads } => {
                engines.choose_by_shares(position, many, threads, nodes)?
            }
            Arm::Grown { engines: many, part } => {
                self.grow(position, many, nodes, nodes / part, engines)?
            }
        };
        self.spent.moves += 1;
        self.spent.nodes += engines.nodes - before;
        Ok((uci, Some(value)))
    }

    /// The verdict of `grow` in virtual time: a node of each engine is a microsecond.
    fn grow(
        &mut self,
        position: &Chess,
        many: usize,
        nodes: u64,
        of_tree: u64,
        engines: &mut LaneEngines,
    ) -> Result<Choice, LabFailure> {
        let is_first = self.memo.is_none();
        let memo = match &mut self.memo {
            Some(memo) => memo,
            none => none.insert(Memo::new()?),
        };
        let game = Game::from_position(position.clone());
        let (distance, depth) = TREE;
        let rest = nodes - of_tree;
        let closing = match rest {
            0 => ClosingPlan::None,
            rest => ClosingPlan::Asked(ClosingLimit::Time(Duration::from_micros(rest))),
        };
        let time = Some(Duration::from_micros(of_tree));
        let job = Job {
            limits: RunLimits { time, ..RunLimits::default() },
            closing,
            ..Job::new(game.clone(), Breadth::from(distance), Schedule::REFINED, depth)
        };
        let profile = Profile { limit: Schedule::REFINED.first(), ..engines.profile.clone() };
        engines.answered.clear();
        let mut timed =
            FakeEngines::scripted(many, profile, |start| engines.take_time(start, of_tree));
        timed.lend_threads(many);
        let never = ControlReceiver::never();
        let outcome = grow(&job, &mut memo.store, &mut timed, &never, &mut |_| {})?;
        drop(timed);
        let row = outcome.analysis.map(|id| memo.store.analysis(id)).transpose()?.flatten();
        let told = match row {
            Some(row) => told_verdict(&memo.store, &row, &game)?,
            None => None,
        };
        let (Some(told), Some(id)) = (told, outcome.analysis) else {
            self.spent.without_tree += 1;
            return Ok(engines.choose_by_shares(position, many, many, rest.max(1))?);
        };
        if !is_first {
            let tree = load_as_grown(&memo.store, id)?.growth;
            let lists = tree
                .graph()
                .analysed()
                .map(|node| (PositionKey::of(&tree.position(node)), tree.graph().list(node).len()));
            for (key, ranks) in lists {
                let is_new = |rank: &usize| engines.answered.contains(&(outcome.limit, key, *rank));
                self.spent.answers += ranks as u64;
                self.spent.known += (0..ranks).filter(|rank| !is_new(rank)).count() as u64;
            }
        }
        self.spent.by_tree += u64::from(told.by == ChosenBy::Tree);
        self.spent.agreed += u64::from(told.agree());
        Ok((told.best(), told.choice.value))
    }
}

impl Memo {
    fn new() -> Result<Memo, LabFailure> {
        let folder = tempfile::Builder::new().prefix("deepanalyze-games-").tempdir()?;
        let store = Store::open_for_now(&folder.path().join("memo.db"))?;
        Ok(Memo { store, _folder: folder })
    }
}

/// Engines of a lane of games: one process for each number of threads.
pub struct LaneEngines {
    settings: Settings,
    profile: Profile,
    pools: HashMap<usize, Pool>,
    ticket: u64,
    /// Answers in time of the run in virtual time, by limit, position and rank.
    answered: HashSet<(Limit, PositionKey, usize)>,
    /// Nodes searched by all.
    nodes: u64,
}

impl LaneEngines {
    /// Starts the engine with one thread.
    pub fn start(settings: Settings) -> Result<LaneEngines, EngineError> {
        let one = Pool::start(&settings)?;
        let profile = one.profile().clone();
        let pools = HashMap::from([(1, one)]);
        Ok(LaneEngines { settings, profile, pools, ticket: 0, answered: HashSet::new(), nodes: 0 })
    }

    /// The choice of one engine with all moves.
    fn choose_alone(
        &mut self,
        position: &Chess,
        threads: usize,
        nodes: u64,
    ) -> Result<Choice, EngineError> {
        let search = Search { position: position.clone(), excluded: Vec::new() };
        let answer = self.ask(search, Limit::Nodes(of_threads(nodes, threads)), threads)?;
        Ok((answer.best, Value::from(answer.score)))
    }

    /// The choice of a closing search without a tree.
    fn choose_by_shares(
        &mut self,
        position: &Chess,
        engines: usize,
        threads: usize,
        nodes: u64,
    ) -> Result<Choice, EngineError> {
        let tree = Growth::new(&Game::from_position(position.clone()), 0);
        let mut answers = Vec::new();
        for share in tree.root_shares(engines, threads) {
            let search = Search { position: position.clone(), excluded: share.elsewhere };
            let limit = Limit::Nodes(of_threads(nodes, share.threads));
            let answer = self.ask(search, limit, share.threads)?;
            let (uci, value) = (answer.best, Value::from(answer.score));
            answers.push(ShareAnswer { all: share.all, uci, value });
        }
        let best = ranked_shares(&answers).first().and_then(|place| answers.get(*place));
        // A position that is not over has a move.
        let nothing = || EngineError::new("any", Reason::NothingToSearch(String::new()));
        best.map(|best| (best.uci, best.value)).ok_or_else(nothing)
    }

    /// A search of a run in virtual time, whose tree has `of_tree` of it: one that takes longer never
    /// ends.
    fn take_time(&mut self, start: &FakeStart, of_tree: u64) -> FakeSearch {
        let before = self.nodes;
        let (answer, takes) = match self.timed(start) {
            Ok(timed) => timed,
            Err(error) => return FakeSearch::ending(Err(error)),
        };
        let mut made = FakeSearch::ending(Ok(answer)).taking(Duration::from_micros(takes));
        if start.long.is_none() {
            let began = u64::try_from(start.at.as_micros()).unwrap_or(u64::MAX);
            let left = of_tree.saturating_sub(began);
            self.nodes = before + takes.min(left);
            if takes <= left {
                let key = PositionKey::of(&start.search.position);
                self.answered.insert((start.limit, key, start.search.excluded.len()));
            } else {
                made.takes = NEVER;
            }
        }
        made
    }

    /// Its answer, and the nodes of each thread that it took.
    fn timed(&mut self, start: &FakeStart) -> Result<(Answer, u64), EngineError> {
        let (Some(long), Some(left)) = (&start.long, start.left) else {
            let answer = self.ask(start.search.clone(), start.limit, 1)?;
            let nodes = answer.nodes.max(1);
            return Ok((answer, nodes));
        };
        let all = u64::try_from(left.as_micros()).unwrap_or(u64::MAX);
        let limit = Limit::Nodes(of_threads(all, long.threads).max(1));
        Ok((self.ask(long.search.clone(), limit, long.threads)?, all))
    }

    fn ask(&mut self, search: Search, limit: Limit, threads: usize) -> Result<Answer, EngineError> {
        self.ticket += 1;
        let pool = match self.pools.entry(threads) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let mut settings = self.settings.clone();
                settings.options.push(("Threads".to_owned(), threads.to_string()));
                new.insert(Pool::start(&settings)?)
            }
        };
        pool.submit_as(self.ticket, search, limit, false);
        loop {
            match pool.events().recv() {
                Ok(Event::Answered { answer, .. }) => {
                    self.nodes += answer.nodes;
                    return Ok(answer);
                }
                Ok(Event::Failed { error, .. }) => return Err(error),
                Ok(_) => {}
                Err(_) => return Err(EngineError::new("any", Reason::Stopped)),
            }
        }
    }
}

/// So many nodes, a tenth more or fewer at most.
fn vary(nodes: u64, random: &mut SplitMix) -> u64 {
    let fifth = usize::try_from(nodes / 5).unwrap_or(usize::MAX);
    let drawn = u64::try_from(random.below(fifth)).unwrap_or_default();
    nodes - nodes / 10 + drawn
}

fn of_threads(nodes: u64, threads: usize) -> u64 {
    nodes.saturating_mul(u64::try_from(threads).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_vary_by_a_tenth_at_most() {
        let mut random = SplitMix::new(1);
        let drawn: Vec<u64> = (0..200).map(|_| vary(1000, &mut random)).collect();
        assert!(drawn.iter().all(|nodes| (900..1100).contains(nodes)), "{drawn:?}");
        assert!(drawn.iter().any(|nodes| *nodes < 920) && drawn.iter().any(|nodes| *nodes > 1080));
    }
}
