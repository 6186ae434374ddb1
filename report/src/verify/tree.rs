//! Proving a tree: grown again from nothing but the memo, and held against its rows.

use hashbrown::HashMap;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, epd_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, TableFacts};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, CoursePoint, KeptNode, NodeRow, Store, StoreError,
};

use crate::kept::reading::first_facts;
use crate::kept::verdict::{node_rows, whole_best_line};
use crate::verify::flaws_of;
use crate::verify::regrown::{KeptRoot, ReplayError, RootSeen, replay};

/// What is kept of a tree, all of one moment.
struct TreeKept {
    game: Game,
    directives: Directives,
    facts: TableFacts,
    course: Vec<CoursePoint>,
    root: Result<KeptRoot, String>,
    line: Result<Vec<UciMove>, String>,
    nodes: HashMap<PositionKey, NodeRow>,
}

/// The rows of a tree as they were read, or what is wrong with them already.
type Read = Result<TreeKept, Vec<String>>;

/// What is wrong with a tree; none where there is no such analysis any more.
///
/// Its rows are read at one moment, and answers one by one while it is grown again, which takes longest: they are
/// for good. Nearly: those of a worker may be taken back. So where something is wrong and somebody has written
/// meanwhile, all is read anew at one moment.
///
/// # Errors
///
/// [`StoreError`] where the database fails, or the row of the analysis is damaged.
pub fn tree_flaws(
    store: &Store,
    id: AnalysisId,
    step: &mut dyn FnMut(&str),
) -> Result<Option<Vec<String>>, StoreError> {
    let version = store.data_version()?;
    match flaws_once(store, id, step)? {
        Some(flaws) if !flaws.is_empty() && store.data_version()? != version => {
            store.at_one_moment(|| flaws_once(store, id, step))
        }
        flaws => Ok(flaws),
    }
}

fn flaws_once(
    store: &Store,
    id: AnalysisId,
    step: &mut dyn FnMut(&str),
) -> Result<Option<Vec<String>>, StoreError> {
    let what = format!("the tree of analysis {}", id.0);
    step(&what);
    let read = store.at_one_moment(|| {
        let Some(row) = store.analysis(id)? else {
            return Ok::<_, StoreError>(None);
        };
        let flaws = flaws_of(store.check_analysis(&row))?;
        let kept = match row.game().map(|game| read(store, &row, game)) {
            Some(Err(error)) if error.is_damage() => Err(vec![error.flaw()]),
            Some(read) => read?,
            // Reported with the row.
            None => Err(Vec::new()),
        };
        Ok(Some((row, flaws, kept)))
    })?;
    let Some((row, mut flaws, kept)) = read else {
        return Ok(None);
    };
    step(&what);
    flaws.extend(match kept {
        Ok(kept) => flaws_of(regrown_flaws(store, &row, kept))?,
        Err(flaws) => flaws,
    });
    Ok(Some(flaws))
}

/// The outer error is the database's.
fn read(store: &Store, row: &AnalysisRow, game: Game) -> Result<Read, StoreError> {
    let course = store.course(row.id)?;
    let flaws = store.check_grown_with(row, &game)?;
    if !flaws.is_empty() {
        return Ok(Err(flaws));
    }
    let mut nodes = HashMap::new();
    store.read_nodes(row.id, |KeptNode { position, row, .. }| {
        nodes.insert(PositionKey::of(&position), row);
    })?;
    Ok(Ok(TreeKept {
        directives: store.grown_with(row.id)?,
        facts: first_facts(store, &game, row.tables, row.fact_round)?,
        root: or_flaw(KeptRoot::read(store, row.id))?,
        line: or_flaw(store.best_line(row.id))?,
        game,
        course,
        nodes,
    }))
}

/// Damage of one thing is a flaw beside those of others.
fn or_flaw<T>(read: Result<T, StoreError>) -> Result<Result<T, String>, StoreError> {
    match read {
        Err(error) if error.is_damage() => Ok(Err(error.flaw())),
        read => read.map(Ok),
    }
}

/// Grows a tree again from nothing but the memo, and holds it against its rows.
fn regrown_flaws(
    store: &Store,
    row: &AnalysisRow,
    kept: TreeKept,
) -> Result<Vec<String>, StoreError> {
    let TreeKept { game, directives, facts, course, root, line, nodes } = kept;
    let mut seen = RootSeen::default();
    let grown = replay((store, row), (&game, &directives), facts, &mut seen);
    let growth = match grown {
        Ok(grown) => grown,
        Err(ReplayError::Flaw(missing)) => return Ok(vec![missing]),
        Err(ReplayError::Store(error)) => return Err(error),
    };
    let mut flaws = total_flaws(row, &growth);
    match root {
        Ok(kept) => flaws.extend(seen.settled_flaws(kept)),
        Err(flaw) => flaws.push(flaw),
    }
    flaws.extend(seen.course_flaws(&course));
    match line {
        Ok(kept) if kept != whole_best_line(&growth) => {
            flaws.push("its best line differs when grown again".to_owned());
        }
        Ok(_) => {}
        Err(flaw) => flaws.push(flaw),
    }
    flaws.extend(node_flaws(nodes, &growth));
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

fn node_flaws(mut kept: HashMap<PositionKey, NodeRow>, growth: &Growth) -> Vec<String> {
    let (mut flaws, mut missing) = (Vec::new(), Vec::new());
    for (node, right) in node_rows(growth) {
        let position = growth.position(node);
        match kept.remove(&PositionKey::of(&position)) {
            Some(kept) if kept == right => {}
            Some(kept) => flaws.push(format!(
                "{}: {} kept, {} when grown again",
                epd_of(&position),
                in_words(&kept),
                in_words(&right)
            )),
            None => missing.push(format!("{} is missing from the tree", epd_of(&position))),
        }
    }
    let epd = |key: PositionKey| epd_of(&key.position());
    let other = |key| format!("{} is in the tree, but not when grown again", epd(key));
    let mut others: Vec<String> = kept.into_keys().map(other).collect();
    others.sort();
    flaws.extend(others.into_iter().chain(missing));
    flaws
}

fn in_words(row: &NodeRow) -> String {
    format!("ply {}, {} admitted, idea {}", row.ply, row.admitted, row.idea)
}
