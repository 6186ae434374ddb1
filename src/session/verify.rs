//! Proving a database: its file, its lists, and every tree as the function of them.

use hashbrown::HashMap;

use crate::chess::{PositionKey, Value, epd_of};
use crate::store::{AnalysisRow, KeptAnswers, NodeRow, Store, StoreError};
use crate::tree::{Growth, Service, Values};

use super::ledger::{node_rows, root_value};

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

/// Checks the whole database; `step` is told what is being checked. Whatever cannot be read for the
/// damage is a flaw, not an error.
///
/// # Errors
///
/// [`StoreError`] where the database cannot be reached: it is locked, or its disk fails.
pub fn verify(store: &Store, step: &mut dyn FnMut(&str)) -> Result<Verdict, StoreError> {
    let mut verdict = Verdict::default();
    step("the file");
    verdict.flaws = flaws_of(store.integrity())?;
    verdict.flaws.extend(flaws_of(store.check_schema())?);
    if !verdict.flaws.is_empty() {
        // What is read from damaged pages proves nothing.
        return Ok(verdict);
    }
    store.at_one_moment(|| {
        step("positions");
        verdict.flaws.extend(flaws_of(store.check_positions())?);
        step("links");
        verdict.flaws.extend(flaws_of(store.check_links())?);
        let mut trees = HashMap::<_, Vec<AnalysisRow>>::new();
        for id in store.analysis_ids()? {
            match store.analysis(id) {
                Ok(Some(row)) => trees.entry(row.profile_id).or_default().push(row),
                Ok(None) => {}
                Err(error) => verdict.flaws.extend(flaws_of(Err(error))?),
            }
        }
        for profile in store.profiles()? {
            step("answers");
            let (lists, flaws) = store.check_lists(profile)?;
            verdict.answers += lists.values().map(|list| list.len() as u64).sum::<u64>();
            verdict.flaws.extend(flaws);
            for row in trees.remove(&profile).unwrap_or_default() {
                step(&format!("the tree of analysis {}", row.id.0));
                verdict.trees += 1;
                let place = format!("analysis {}", row.id.0);
                let mut flaws = flaws_of(store.check_analysis(&row))?;
                flaws.extend(flaws_of(tree_flaws(store, &row, &lists))?);
                verdict.flaws.extend(flaws.into_iter().map(|flaw| format!("{place}: {flaw}")));
            }
        }
        Ok(verdict)
    })
}

/// Damage that stops a check is what it found.
fn flaws_of(found: Result<Vec<String>, StoreError>) -> Result<Vec<String>, StoreError> {
    match found {
        Err(error) if error.is_damage() => Ok(vec![error.flaw()]),
        found => found,
    }
}

/// Grows a tree again from nothing but the memo, and holds it against its rows.
fn tree_flaws(
    store: &Store,
    row: &AnalysisRow,
    lists: &KeptAnswers,
) -> Result<Vec<String>, StoreError> {
    let Some(game) = row.game() else {
        // Reported with the row.
        return Ok(Vec::new());
    };
    let mut growth = Growth::new(&game, row.distance);
    let mut settled = Vec::new();
    // A finished game settles a depth with every pass, for ever: the kept count is no bound.
    while growth.passes() < row.passes && depth_settled(&growth) <= row.settled_depth {
        let values = Values::of(growth.graph());
        let mut services = growth.requests(&values);
        for service in &mut services {
            if let Err(missing) = serve(&growth, service, lists) {
                return Ok(vec![format!("pass {} needs {missing}", growth.passes() + 1)]);
            }
        }
        growth.finish_pass(services);
        let last = growth.settled().last().filter(|last| last.passes == growth.passes());
        let value = || root_value(&growth, &values).map(|value| i64::from(value.get()));
        settled.extend(last.map(|last| (*last, value())));
    }
    let mut flaws = total_flaws(row, &growth);
    if store.settled_values(row.id)? != settled {
        flaws.push("the table of settled depths differs when grown again".to_owned());
    }
    flaws.extend(node_flaws(store, row, &growth)?);
    Ok(flaws)
}

fn depth_settled(growth: &Growth) -> Option<u32> {
    growth.settled().last().map(|last| last.depth)
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

fn total_flaws(row: &AnalysisRow, growth: &Growth) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut compare = |what: &str, kept: u64, right: u64| {
        if kept != right {
            flaws.push(format!("{what}: {kept} kept, {right} when grown again"));
        }
    };
    compare("passes", row.passes, growth.passes());
    compare("positions", row.positions, growth.analysed());
    compare("searches", row.searches, growth.searches());
    if row.settled_depth != depth_settled(growth) {
        let word = |depth: Option<u32>| depth.map_or("none".to_owned(), |depth| depth.to_string());
        let (kept, right) = (word(row.settled_depth), word(depth_settled(growth)));
        flaws.push(format!("settled depth: {kept} kept, {right} when grown again"));
    }
    flaws
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
