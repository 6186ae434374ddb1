//! A tree grown again from answers that are there.

use crate::chess::{Game, PositionKey, Value, epd_of};
use crate::directives::Directives;
use crate::store::{AnalysisRow, KeptAnswers};
use crate::tree::{Growth, IllegalMove, Selection, Served, Server, Service, TableFacts, grow_by};

/// Grows a tree again from its root to as many passes as its row has; `seen` is shown the tree before
/// its first pass and after every one.
///
/// # Errors
///
/// In words, which answer is missing or wrong.
pub fn replay(
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
    (lists, facts): (&KeptAnswers, TableFacts),
    seen: impl FnMut(&Growth),
) -> Result<Growth, String> {
    let (breadth, wishes) = (row.breadth.clone(), directives.wishes());
    let selection = Selection { breadth, wishes, facts };
    let mut growth = Growth::new(game, selection);
    grow_by(&mut growth, &mut Replay { row, lists, seen }).map_err(|Flaw(flaw)| flaw)?;
    Ok(growth)
}

struct Replay<'a, F> {
    row: &'a AnalysisRow,
    lists: &'a KeptAnswers,
    seen: F,
}

/// What is missing or wrong, in words.
struct Flaw(String);

impl From<IllegalMove> for Flaw {
    fn from(illegal: IllegalMove) -> Flaw {
        Flaw(illegal.to_string())
    }
}

impl<F: FnMut(&Growth)> Server for Replay<'_, F> {
    type End = ();
    type Error = Flaw;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, Flaw> {
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
    ) -> Result<Served<()>, Flaw> {
        for service in &mut services {
            serve(growth, service, self.lists)
                .map_err(|missing| Flaw(format!("pass {} needs {missing}", growth.passes() + 1)))?;
        }
        if let Some(position) = growth.to_look_up(&services)?.first() {
            let (pass, epd) = (growth.passes() + 1, epd_of(position));
            return Err(Flaw(format!(
                "pass {pass} needs what tables say of {epd}, and there is nothing"
            )));
        }
        Ok(Served::Answers(services))
    }
}

fn serve(growth: &Growth, service: &mut Service, lists: &KeptAnswers) -> Result<(), String> {
    let position = growth.position(service.node());
    let list = lists.get(&PositionKey::of(&position));
    while service.wants_search() {
        let rank = service.next_rank();
        let answer = list.and_then(|list| list.get(rank)).ok_or_else(|| {
            format!("an answer of rank {rank} in {}, and there is none", epd_of(&position))
        })?;
        service.answer(answer.uci, Value::from(answer.score));
    }
    Ok(())
}
