//! A tree grown again from answers that are there.

use shakmaty::Chess;

use deepanalyze_core::chess::{Game, PositionKey, Value, Wdl, epd_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{
    Growth, IllegalMove, Selection, Served, Server, Service, TableFacts, grow_by,
};
use deepanalyze_store::{AnalysisRow, ListedAnswer, StoreError};

/// What is kept of a position that tables may have; nothing where it was not looked up.
pub type LookUp<'a> = &'a dyn Fn(&Chess) -> Result<Option<Option<Wdl>>, StoreError>;

/// The answers of the engine in a position, in rank order.
pub type Answers<'a> = &'a dyn Fn(&Chess) -> Result<Vec<ListedAnswer>, StoreError>;

/// What a tree is grown again from.
pub struct Sources<'a> {
    /// The answers of the engine.
    pub answers: Answers<'a>,
    /// What tables say of the root and of earlier positions.
    pub facts: TableFacts,
    /// What is kept of a position that tables may have; nothing where it was not looked up.
    pub look_up: LookUp<'a>,
}

/// Why a tree cannot be grown again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// What is missing or wrong, in words.
    #[error("{0}")]
    Flaw(String),
    /// The database fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IllegalMove> for ReplayError {
    fn from(illegal: IllegalMove) -> ReplayError {
        ReplayError::Flaw(illegal.to_string())
    }
}

/// Grows a tree again from its root to as many passes as its row has; `seen` is shown the tree before
/// its first pass and after every one.
///
/// # Errors
///
/// [`ReplayError`]: which answer is missing or wrong, or the database fails.
pub fn replay(
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
    sources: Sources<'_>,
    seen: impl FnMut(&Growth),
) -> Result<Growth, ReplayError> {
    let Sources { answers, facts, look_up } = sources;
    let (breadth, wishes) = (row.breadth.clone(), directives.wishes());
    let mut growth = Growth::new(game, Selection { breadth, wishes, facts });
    grow_by(&mut growth, &mut Replay { row, answers, look_up, seen })?;
    Ok(growth)
}

struct Replay<'a, F> {
    row: &'a AnalysisRow,
    answers: Answers<'a>,
    look_up: LookUp<'a>,
    seen: F,
}

impl<F: FnMut(&Growth)> Server for Replay<'_, F> {
    type End = ();
    type Error = ReplayError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, ReplayError> {
        (self.seen)(growth);
        let depth = growth.settled().last().map(|last| last.depth);
        // A finished game settles a depth with every pass, for ever: the kept count is no bound.
        let done = growth.passes() >= self.row.passes || depth > self.row.settled_depth;
        Ok(done.then_some(()))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, ReplayError> {
        for service in &mut services {
            serve(growth, service, self.answers)?;
        }
        for position in growth.to_look_up(&services)? {
            let found = (self.look_up)(&position)?.ok_or_else(|| {
                let (pass, epd) = (growth.passes() + 1, epd_of(&position));
                let needs = format!("what endgame tables said of {epd}");
                ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is nothing"))
            })?;
            growth.learn([(PositionKey::of(&position), found)]);
        }
        Ok(Served::Answers(services))
    }
}

fn serve(growth: &Growth, service: &mut Service, answers: Answers<'_>) -> Result<(), ReplayError> {
    let position = growth.position(service.node());
    let list = answers(&position)?;
    while service.wants_search() {
        let rank = service.next_rank();
        let answer = list.get(rank).ok_or_else(|| {
            let (pass, epd) = (growth.passes() + 1, epd_of(&position));
            let needs = format!("an answer of rank {rank} in {epd}");
            ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is none"))
        })?;
        service.answer(answer.uci, Value::from(answer.score));
    }
    Ok(())
}
