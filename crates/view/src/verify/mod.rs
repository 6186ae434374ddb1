//! Proving a database: its file, its lists, every tree as the function of them, and notes of
//! rechecks: each is made again from the tree, its margin and the memo.

mod tree;

use std::collections::BTreeSet;

use shakmaty::Chess;

use deepanalyze_core::chess::{TableFiles, TableMove, Wdl, epd_of};
use deepanalyze_store::{
    AnalysisRow, CheckedRows, LastPosition, PartOfRows, RecheckRow, Store, StoreError,
};

use crate::recheck::TreeRecheck;
use crate::tree::load_as_grown;
use crate::verify::tree::tree_flaws;
use crate::words::manner::describe_profile;

/// Result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct VerifyFindings {
    /// Answers that were checked.
    pub answers: u64,
    /// Trees that were grown again.
    pub trees: u64,
    /// Facts of tablebases checked.
    #[serde(rename = "tablebase_results")]
    pub facts: u64,
    /// Facts compared with files.
    pub compared: u64,
    /// All flaws, and where.
    pub flaws: Vec<String>,
}

/// Checks the whole database, stored tablebase facts against their files if there are any; `step`
/// is called before each part with its name. Data unreadable for damage is a flaw, not an error.
///
/// Each part is read at a moment of its own, so that a concurrent writer keeps a short log. Data
/// added during the check need not be checked.
///
/// # Errors
///
/// [`StoreError`] where the database cannot be reached: it is locked, or its disk fails.
pub fn verify(
    store: &Store,
    tables: Option<&TableFiles>,
    step: &mut dyn FnMut(&str),
) -> Result<VerifyFindings, StoreError> {
    let mut found = VerifyFindings::default();
    step("the file");
    found.flaws = flaws_of(store.integrity())?;
    found.flaws.extend(flaws_of(store.check_schema())?);
    if !found.flaws.is_empty() {
        // Data read from damaged pages proves nothing.
        return Ok(found);
    }
    let mut parts = PartsChecked { store, last: store.last_position()?, step };
    let flaws = &mut found.flaws;
    flaws.extend(
        parts.each("positions", CheckedRows::Positions, |part| store.check_positions(part))?,
    );
    flaws.extend(parts.each("links", CheckedRows::Links, |part| store.check_links(part))?);
    (parts.step)("directives");
    flaws.extend(flaws_of(store.check_directives())?);
    flaws.extend(flaws_of(store.check_closings())?);
    let flaws = fact_flaws(&mut parts, tables, &mut found)?;
    found.flaws.extend(flaws);
    found.flaws.extend(count_flaws(&mut parts)?);
    // Several profiles may have an answer without its link.
    let mut missing = BTreeSet::new();
    for profile in store.profiles()? {
        let flaws = parts.each("answers", CheckedRows::Answers(profile), |part| {
            let (answers, flaws) = store.check_lists(profile, part)?;
            found.answers += answers;
            missing.extend(store.check_children(profile, part)?);
            Ok(flaws)
        })?;
        found.flaws.extend(flaws);
    }
    found.flaws.extend(missing);
    for profile in store.profiles()? {
        let flaws = parts.each("answers to single moves", CheckedRows::Moves(profile), |part| {
            let (answers, flaws) = store.check_moves(profile, part)?;
            found.answers += answers;
            Ok(flaws)
        })?;
        found.flaws.extend(flaws);
    }
    for id in store.analysis_ids()? {
        match tree_flaws(store, id, parts.step) {
            Ok(Some(flaws)) => {
                found.trees += 1;
                let place = format!("analysis {}", id.0);
                found.flaws.extend(flaws.into_iter().map(|flaw| format!("{place}: {flaw}")));
            }
            // It was deleted meanwhile.
            Ok(None) => {}
            // Its row cannot be read.
            Err(error) => found.flaws.extend(flaws_of(Err(error))?),
        }
    }
    Ok(found)
}

/// Rows that are checked part by part.
struct PartsChecked<'a> {
    store: &'a Store,
    last: LastPosition,
    step: &'a mut dyn FnMut(&str),
}

impl PartsChecked<'_> {
    /// Checks all parts of some rows, each at a moment of its own.
    fn each(
        &mut self,
        what: &str,
        rows: CheckedRows,
        mut check: impl FnMut(PartOfRows) -> Result<Vec<String>, StoreError>,
    ) -> Result<Vec<String>, StoreError> {
        let (mut part, mut flaws) = (PartOfRows::NONE, Vec::new());
        while !part.is_last(self.last) {
            (self.step)(what);
            let found = self.store.at_one_moment(|| {
                part = self.store.part_behind(rows, part, self.last)?;
                flaws_of(check(part))
            });
            flaws.extend(found?);
        }
        Ok(flaws)
    }
}

/// Turns damage that stops a check into a flaw.
pub fn flaws_of(found: Result<Vec<String>, StoreError>) -> Result<Vec<String>, StoreError> {
    match found {
        Err(error) if error.is_damage() => Ok(vec![error.flaw()]),
        found => found,
    }
}

/// Checks the stored games.
fn count_flaws(parts: &mut PartsChecked<'_>) -> Result<Vec<String>, StoreError> {
    let store = parts.store;
    let mut flaws = flaws_of(store.check_game_sets())?;
    flaws.extend(
        parts.each("what people play", CheckedRows::Counts, |part| store.check_counts(part))?,
    );
    Ok(flaws)
}

/// Checks stored tablebase facts. That a position was not found proves nothing: the tables may have
/// come since.
fn fact_flaws(
    parts: &mut PartsChecked<'_>,
    tables: Option<&TableFiles>,
    found: &mut VerifyFindings,
) -> Result<Vec<String>, StoreError> {
    let store = parts.store;
    let mut compare = |position: &Chess, kept: Option<Wdl>| {
        found.facts += 1;
        let (kept, right) = (kept?, tables?.wdl(position)?);
        found.compared += 1;
        (kept != right).then(|| {
            let (epd, kept, right) = (epd_of(position), kept.words(), right.words());
            format!("{epd} is kept as {kept}, tablebases say {right} (for the side to move)")
        })
    };
    let mut flaws = parts.each("what tablebases said", CheckedRows::Facts, |part| {
        store.check_facts(part, &mut compare)
    })?;
    let moves = store.check_table_moves(|position, kept| {
        let files = tables?;
        are_others(kept, || files.moves(position))
            .then(|| format!("the moves of {} are not those of the tablebases", epd_of(position)))
    });
    flaws.extend(flaws_of(moves)?);
    Ok(flaws)
}

/// True if the stored moves of a position, if any, contradict those of the files. Distances may
/// have been missing when they were looked up, or now.
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

/// Flaws of the rechecks of an analysis. Of a tree that has changed since nothing can be proved.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
fn recheck_flaws(store: &Store, row: &AnalysisRow) -> Result<Vec<String>, StoreError> {
    let mut flaws = Vec::new();
    for kept in store.rechecks_of(row.id)? {
        if kept.tree == (row.passes, row.regrown) {
            let whose = describe_profile(&kept.profile);
            let flaw = flaw_of(store, &kept)?;
            flaws.extend(flaw.map(|flaw| format!("its recheck by {whose}: {flaw}")));
        }
    }
    Ok(flaws)
}

fn flaw_of(store: &Store, kept: &RecheckRow) -> Result<Option<String>, StoreError> {
    let (tree, profile) =
        (load_as_grown(store, kept.analysis)?, (kept.profile_id, kept.profile.clone()));
    let Some(mut again) = TreeRecheck::new(tree, profile, kept.margin.clone()) else {
        return Ok(Some("the root has no move".to_owned()));
    };
    while again.asked() < kept.asked && again.follow(store)? {}
    if again.asked() < kept.asked
        && let Some(leaf) = again.next_leaf()
    {
        let (position, uci) = again.place(leaf);
        let needs = format!("it needs an answer to {uci} alone in {}", epd_of(&position));
        return Ok(Some(format!("{needs}, and there is none")));
    }
    let right = RecheckRow { changed_at: kept.changed_at, ..again.row() };
    Ok((right != *kept).then(|| "it differs when made again".to_owned()))
}
