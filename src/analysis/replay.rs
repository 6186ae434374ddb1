//! A tree grown again from answers that are there.

use crate::chess::{Game, PositionKey, Value, epd_of};
use crate::store::{AnalysisRow, KeptAnswers};
use crate::tree::{Growth, Service};

/// Grows a tree again from its root to as many passes as its row has; `seen` is shown the tree before
/// its first pass and after every one.
///
/// # Errors
///
/// In words, which answer is missing.
pub fn replay(
    row: &AnalysisRow,
    game: &Game,
    lists: &KeptAnswers,
    mut seen: impl FnMut(&Growth),
) -> Result<Growth, String> {
    let mut growth = Growth::new(game, row.distance);
    loop {
        seen(&growth);
        let depth = growth.settled().last().map(|last| last.depth);
        // A finished game settles a depth with every pass, for ever: the kept count is no bound.
        if growth.passes() >= row.passes || depth > row.settled_depth {
            return Ok(growth);
        }
        let mut services = growth.requests();
        for service in &mut services {
            serve(&growth, service, lists)
                .map_err(|missing| format!("pass {} needs {missing}", growth.passes() + 1))?;
        }
        growth.finish_pass(services).map_err(|error| error.to_string())?;
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
