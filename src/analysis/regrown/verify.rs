//! Proving a database: its file, its lists, and every tree as the function of them.

use hashbrown::HashMap;
use shakmaty::Chess;

use crate::chess::{PositionKey, TableFiles, TableMove, epd_of};
use crate::store::{AnalysisRow, KeptAnswers, KeptNode, NodeRow, Store, StoreError};
use crate::tree::Growth;

use super::replay::{ReplayError, Sources, replay};
use super::root_seen::RootSeen;
use crate::analysis::kept::first_facts;
use crate::analysis::rows::{node_rows, whole_best_line};

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Answers that were checked.
    pub answers: u64,
    /// Facts of endgame tables that were checked.
    pub facts: u64,
    /// Those of them that were compared with files.
    pub compared: u64,
    /// Trees that were grown again.
    pub trees: u64,
    /// All that is wrong, and where.
    pub flaws: Vec<String>,
}

/// Checks the whole database, what is kept of endgame tables against their files where there are any; `step` is
/// told what is being checked. Whatever cannot be read for the
/// damage is a flaw, not an error.
///
/// # Errors
///
/// [`StoreError`] where the database cannot be reached: it is locked, or its disk fails.
pub fn verify(
    store: &Store,
    tables: Option<&TableFiles>,
    step: &mut dyn FnMut(&str),
) -> Result<Findings, StoreError> {
    let mut found = Findings::default();
    step("the file");
    found.flaws = flaws_of(store.integrity())?;
    found.flaws.extend(flaws_of(store.check_schema())?);
    if !found.flaws.is_empty() {
        // What is read from damaged pages proves nothing.
        return Ok(found);
    }
    store.at_one_moment(|| {
        step("positions");
        found.flaws.extend(flaws_of(store.check_positions())?);
        step("links");
        found.flaws.extend(flaws_of(store.check_links())?);
        step("directives");
        found.flaws.extend(flaws_of(store.check_directives())?);
        step("what endgame tables said");
        let flaws = flaws_of(fact_flaws(store, tables, &mut found))?;
        found.flaws.extend(flaws);
        let mut trees = HashMap::<_, Vec<AnalysisRow>>::new();
        for id in store.analysis_ids()? {
            match store.analysis(id) {
                Ok(Some(row)) => trees.entry(row.profile_id).or_default().push(row),
                Ok(None) => {}
                Err(error) => found.flaws.extend(flaws_of(Err(error))?),
            }
        }
        for profile in store.profiles()? {
            step("answers");
            let (lists, flaws) = store.check_lists(profile)?;
            found.answers += lists.values().map(|list| list.len() as u64).sum::<u64>();
            found.flaws.extend(flaws);
            for row in trees.remove(&profile).unwrap_or_default() {
                step(&format!("the tree of analysis {}", row.id.0));
                found.trees += 1;
                let place = format!("analysis {}", row.id.0);
                let mut flaws = flaws_of(store.check_analysis(&row))?;
                flaws.extend(flaws_of(tree_flaws(store, &row, &lists))?);
                found.flaws.extend(flaws.into_iter().map(|flaw| format!("{place}: {flaw}")));
            }
        }
        Ok(found)
    })
}

/// Damage that stops a check is what it found.
fn flaws_of(found: Result<Vec<String>, StoreError>) -> Result<Vec<String>, StoreError> {
    match found {
        Err(error) if error.is_damage() => Ok(vec![error.flaw()]),
        found => found,
    }
}

/// Checks what is kept of endgame tables. That a position was not found proves nothing: the tables may have come
/// since.
fn fact_flaws(
    store: &Store,
    tables: Option<&TableFiles>,
    found: &mut Findings,
) -> Result<Vec<String>, StoreError> {
    let mut flaws = store.check_facts(|position, kept| {
        found.facts += 1;
        let (kept, right) = (kept?, tables?.wdl(position)?);
        found.compared += 1;
        (kept != right).then(|| {
            let (epd, kept, right) = (epd_of(position), kept.words(), right.words());
            format!("{epd} is kept as {kept}, endgame tables say {right} (for the side to move)")
        })
    })?;
    flaws.extend(store.check_table_moves(|position, kept| {
        let files = tables?;
        are_others(kept, || files.moves(position)).then(|| {
            format!("the moves of {} are not those of the endgame tables", epd_of(position))
        })
    })?);
    Ok(flaws)
}

/// Whether the moves that are kept of a position, if any are, contradict those of the files. Distances may have been
/// missing when they were looked up, or now.
fn are_others(kept: &[TableMove], right: impl FnOnce() -> Option<Vec<TableMove>>) -> bool {
    let Some(right) = right() else {
        return false;
    };
    let has_distances = |moves: &[TableMove]| moves.iter().all(|m| m.dtz.is_some());
    if has_distances(kept) && has_distances(&right) {
        return kept != right;
    }
    let legal = |moves: &[TableMove]| {
        let mut legal: Vec<String> = moves.iter().map(|m| m.uci.to_string()).collect();
        legal.sort();
        legal
    };
    legal(kept) != legal(&right)
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
    let course = store.course(row.id)?;
    let mut root = RootSeen::new(course.from);
    let seen = |growth: &Growth| root.see(growth);
    let flaws = store.check_grown_with(row, &game)?;
    if !flaws.is_empty() {
        return Ok(flaws);
    }
    let directives = store.grown_with(row.id)?;
    let facts = first_facts(store, &game, row.tables, row.fact_round)?;
    let look_up = |position: &Chess| store.fact(position, row.fact_round);
    let sources = Sources { lists, facts, look_up: &look_up };
    let growth = match replay(row, (&game, &directives), sources, seen) {
        Ok(grown) => grown,
        Err(ReplayError::Flaw(missing)) => return Ok(vec![missing]),
        Err(ReplayError::Store(error)) => return Err(error),
    };
    let mut flaws = total_flaws(row, &growth);
    flaws.extend(flaws_of(root.settled_flaws(store, row.id))?);
    flaws.extend(root.course_flaws(&course, row.passes));
    flaws.extend(line_flaw(store, row, &growth)?);
    flaws.extend(node_flaws(store, row, &growth)?);
    Ok(flaws)
}

fn depth_settled(growth: &Growth) -> Option<u32> {
    growth.settled().last().map(|last| last.depth)
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

fn line_flaw(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
) -> Result<Option<String>, StoreError> {
    let kept = match store.best_line(row.id) {
        Err(error) if error.is_damage() => return Ok(Some(error.flaw())),
        kept => kept?,
    };
    let differs = kept.is_some_and(|kept| kept != whole_best_line(growth));
    Ok(differs.then(|| "its best line differs when grown again".to_owned()))
}

fn node_flaws(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
) -> Result<Vec<String>, StoreError> {
    let mut right: HashMap<PositionKey, NodeRow> = node_rows(growth)
        .map(|(node, row)| (PositionKey::of(&growth.position(node)), row))
        .collect();
    let mut flaws = Vec::new();
    store.read_nodes(row.id, |KeptNode { position, row: kept, .. }| {
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
    })?;
    let mut missing: Vec<String> = right.into_keys().map(|key| epd_of(&key.position())).collect();
    missing.sort();
    flaws.extend(missing.into_iter().map(|epd| format!("{epd} is missing from the tree")));
    Ok(flaws)
}

fn in_words(row: &NodeRow) -> String {
    format!("ply {}, {} admitted, idea {}", row.ply, row.admitted, row.idea)
}
