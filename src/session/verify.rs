//! Proving a database: its file, its lists, and every tree as the function of them.

use hashbrown::HashMap;

use crate::chess::{PositionKey, Value, epd_of};
use crate::store::{AnalysisRow, KeptAnswers, NodeRow, Store, StoreError};
use crate::tree::{Growth, Service, Values};

use super::ledger::node_rows;

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Answers that were checked.
    pub answers: u64,
    /// Trees that were grown again.
    pub trees: u64,
    /// All that is wrong, and where.
    pub flaws: Vec<String>,
}

/// Checks the whole database; `step` is told what is being checked.
///
/// # Errors
///
/// [`StoreError`] where the file is so damaged that it cannot be read at all.
pub fn verify(store: &Store, step: &mut dyn FnMut(&str)) -> Result<Verdict, StoreError> {
    let mut verdict = Verdict::default();
    step("the file");
    verdict.flaws = store.integrity()?;
    if !verdict.flaws.is_empty() {
        // What is read from damaged pages proves nothing.
        return Ok(verdict);
    }
    store.at_one_moment(|| {
        step("positions");
        verdict.flaws.extend(store.check_positions()?);
        for profile in store.profiles()? {
            step("answers");
            let (lists, flaws) = store.check_lists(profile)?;
            verdict.answers += lists.values().map(|list| list.len() as u64).sum::<u64>();
            verdict.flaws.extend(flaws);
            for row in store.analyses()? {
                if row.profile_id == profile {
                    step(&format!("the tree of analysis {}", row.id.0));
                    verdict.trees += 1;
                    verdict.flaws.extend(tree_flaws(store, &row, &lists)?);
                }
            }
        }
        Ok(verdict)
    })
}

/// Grows a tree again from nothing but the memo, and holds it against its rows.
fn tree_flaws(
    store: &Store,
    row: &AnalysisRow,
    lists: &KeptAnswers,
) -> Result<Vec<String>, StoreError> {
    let place = format!("analysis {}", row.id.0);
    let Some(game) = row.game() else {
        return Ok(vec![format!("{place}: its root or game history cannot be played")]);
    };
    let mut growth = Growth::new(&game, row.distance);
    while growth.passes() < row.passes {
        let values = Values::of(growth.graph());
        let mut services = growth.requests(&values);
        for service in &mut services {
            if let Err(missing) = serve(&growth, service, lists) {
                let pass = growth.passes() + 1;
                return Ok(vec![format!("{place}: pass {pass} needs {missing}")]);
            }
        }
        growth.finish_pass(services);
    }
    let mut flaws = total_flaws(store, row, &growth)?;
    flaws.extend(node_flaws(store, row, &growth)?);
    Ok(flaws.into_iter().map(|flaw| format!("{place}: {flaw}")).collect())
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

fn total_flaws(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
) -> Result<Vec<String>, StoreError> {
    let mut flaws = Vec::new();
    let mut compare = |what: &str, kept: u64, right: u64| {
        if kept != right {
            flaws.push(format!("{what}: {kept} kept, {right} when grown again"));
        }
    };
    compare("positions", row.positions, growth.analysed());
    compare("searches", row.searches, growth.searches());
    let settled = growth.settled().last().map(|last| last.depth);
    if row.settled_depth != settled {
        flaws.push(format!(
            "settled depth: {:?} kept, {settled:?} when grown again",
            row.settled_depth
        ));
    }
    if store.settled(row.id)? != growth.settled() {
        flaws.push("the table of settled depths differs when grown again".to_owned());
    }
    Ok(flaws)
}

fn node_flaws(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
) -> Result<Vec<String>, StoreError> {
    let values = Values::of(growth.graph());
    let mut right: HashMap<PositionKey, NodeRow> = node_rows(growth, &values)
        .map(|(node, row)| (PositionKey::of(&growth.position(node)), row))
        .collect();
    let mut flaws = Vec::new();
    for (position, kept) in store.node_rows(row.id)? {
        let epd = epd_of(&position);
        match right.remove(&PositionKey::of(&position)) {
            None => flaws.push(format!("{epd} is in the tree, but not when grown again")),
            Some(right) if right != kept => flaws.push(format!(
                "{epd}: {} kept, {} when grown again",
                in_words(&kept),
                in_words(&right)
            )),
            Some(_) => {}
        }
    }
    let mut missing: Vec<String> = right.into_keys().map(|key| epd_of(&key.position())).collect();
    missing.sort();
    flaws.extend(missing.into_iter().map(|epd| format!("{epd} is missing from the tree")));
    Ok(flaws)
}

fn in_words(row: &NodeRow) -> String {
    format!("ply {}, {} admitted, idea {}", row.ply, row.admitted, row.idea)
}
