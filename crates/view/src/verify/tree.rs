//! Proving a tree: grown again from nothing but the memo, and compared with its rows.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value, epd_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{
    CountFacts, Growth, IllegalMove, RootMove, Selection, Served, Server, Service, Settled,
    TableFacts, best_root_move, grow_by, root_moves,
};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, CoursePoint, KeptNode, NodeRow, PricedAnswer, Store, StoreError,
};

use crate::best_line::{best_moves, node_rows, root_value};
use crate::facts::{first_facts, known_counts};
use crate::verify::{flaws_of, recheck_flaws};

/// For a tree of an earlier version's file that differs by today's rule.
const FORMER_RULE: &str = "it was grown by an earlier version, for which a position that occurred once before the root was a \
    draw; the next `grow` into this database grows it again";

/// The stored rows of a tree, all of one moment.
struct TreeSnapshot {
    game: Game,
    directives: Directives,
    facts: TableFacts,
    counts: CountFacts,
    course: Vec<CoursePoint>,
    root: Result<KeptRoot, String>,
    line: Result<Vec<UciMove>, String>,
    nodes: HashMap<PositionKey, NodeRow>,
}

/// Flaws of a tree; none if the analysis is gone.
///
/// Its rows are read at one moment, and answers one by one while it is grown again, which takes
/// longest: answers are permanent, except that a worker's may be invalidated. So if there are flaws
/// and another process has written meanwhile, all is read anew at one moment.
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
        let mut flaws = flaws_of(store.check_analysis(&row))?;
        if let Some(game) = row.game()
            && store.is_of_former_rule(&row, &game)?
        {
            flaws.push(FORMER_RULE.to_owned());
            return Ok(Some((row, flaws, Err(Vec::new()))));
        }
        flaws.extend(flaws_of(store.missing_followed_links(id))?);
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
    // Nothing follows from a wrong tree.
    if flaws.is_empty() {
        flaws.extend(flaws_of(recheck_flaws(store, &row))?);
    }
    Ok(Some(flaws))
}

/// The rows of a tree, or flaws in them already. The outer error is the database's.
fn read(
    store: &Store,
    row: &AnalysisRow,
    game: Game,
) -> Result<Result<TreeSnapshot, Vec<String>>, StoreError> {
    let course = store.course(row.id)?;
    let flaws = store.check_grown_with(row, &game)?;
    if !flaws.is_empty() {
        return Ok(Err(flaws));
    }
    let mut nodes = HashMap::new();
    store.read_nodes(row.id, |KeptNode { position, row, .. }| {
        nodes.insert(PositionKey::of(&position), row);
    })?;
    Ok(Ok(TreeSnapshot {
        directives: store.grown_with(row.id)?,
        facts: first_facts(store, &game, row.settings.tables, row.fact_round)?,
        counts: known_counts(store, row)?,
        root: or_flaw(KeptRoot::read(store, row.id))?,
        line: or_flaw(store.best_line(row.id))?,
        game,
        course,
        nodes,
    }))
}

/// Turns damage of one thing into a flaw beside others.
fn or_flaw<T>(read: Result<T, StoreError>) -> Result<Result<T, String>, StoreError> {
    match read {
        Err(error) if error.is_damage() => Ok(Err(error.flaw())),
        read => read.map(Ok),
    }
}

/// Grows a tree again from nothing but the memo, and compares it with its rows.
fn regrown_flaws(
    store: &Store,
    row: &AnalysisRow,
    kept: TreeSnapshot,
) -> Result<Vec<String>, StoreError> {
    let TreeSnapshot { game, directives, facts, counts, course, root, line, nodes } = kept;
    let mut seen = RootSeen::default();
    let grown = replay((store, row), (&game, &directives), (facts, counts), &mut seen);
    let (growth, spent) = match grown {
        Ok(grown) => grown,
        Err(ReplayError::Flaw(missing)) => return Ok(vec![missing]),
        Err(ReplayError::Store(error)) => return Err(error),
    };
    let mut flaws = total_flaws(row, &growth, spent);
    match root {
        Ok(kept) => flaws.extend(seen.settled_flaws(kept)),
        Err(flaw) => flaws.push(flaw),
    }
    flaws.extend(seen.course_flaws(&course));
    match line {
        Ok(kept) if kept != best_moves(&growth) => {
            flaws.push("its best line differs when grown again".to_owned());
        }
        Ok(_) => {}
        Err(flaw) => flaws.push(flaw),
    }
    flaws.extend(node_flaws(nodes, &growth));
    Ok(flaws)
}

/// The greatest number in a row.
const MOST_NODES: u64 = i64::MAX.unsigned_abs();

fn depth_settled(growth: &Growth) -> Option<u32> {
    growth.settled().last().map(|last| last.depth)
}

fn total_flaws(row: &AnalysisRow, growth: &Growth, spent: u64) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut compare = |what: &str, kept: u64, right: u64| {
        if kept != right {
            flaws.push(format!("{what}: {kept} kept, {right} when grown again"));
        }
    };
    compare("passes", row.passes, growth.passes());
    compare("positions", row.positions, growth.analysed());
    compare("searches", row.searches, growth.searches());
    compare("nodes", row.nodes, spent.min(MOST_NODES));
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

/// Reason why a tree cannot be grown again.
#[derive(Debug, thiserror::Error)]
enum ReplayError {
    /// A missing or wrong answer, in words.
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

/// Grows a tree again from its root to as many passes as its row has, and adds up the engine nodes
/// of its answers; `seen` is called with the tree before its first pass and after each. It begins
/// with tablebase facts of the root and of positions that the game has repeated.
///
/// # Errors
///
/// [`ReplayError`]: which answer is missing or wrong, or the database fails.
fn replay(
    (store, row): (&Store, &AnalysisRow),
    (game, directives): (&Game, &Directives),
    (facts, counts): (TableFacts, CountFacts),
    seen: &mut RootSeen,
) -> Result<(Growth, u64), ReplayError> {
    let (breadth, wishes, played) =
        (row.settings.breadth.clone(), directives.wishes(), row.played(game));
    let draw = row.settings.draw;
    let mut growth = Growth::new(game, Selection { breadth, draw, wishes, played, counts, facts });
    let mut replay = Replay { store, row, seen, spent: 0 };
    grow_by(&mut growth, &mut replay)?;
    Ok((growth, replay.spent))
}

struct Replay<'a> {
    store: &'a Store,
    row: &'a AnalysisRow,
    seen: &'a mut RootSeen,
    /// The engine nodes of the answers so far.
    spent: u64,
}

impl Server for Replay<'_> {
    type End = ();
    type Error = ReplayError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, ReplayError> {
        self.seen.see(growth);
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
            self.answer(growth, service)?;
        }
        if let Some(key) = growth.to_count(&services).first() {
            let (pass, epd) = (growth.passes() + 1, epd_of(&key.position()));
            let needs =
                format!("pass {pass} needs what people play in {epd}, and there is nothing");
            return Err(ReplayError::Flaw(needs));
        }
        for position in growth.to_look_up(&services)? {
            let found = self.store.fact(&position, self.row.fact_round)?.ok_or_else(|| {
                let (pass, epd) = (growth.passes() + 1, epd_of(&position));
                let needs = format!("what tablebases said of {epd}");
                ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is nothing"))
            })?;
            growth.learn([(PositionKey::of(&position), found)]);
        }
        Ok(Served::Answers(services))
    }
}

impl Replay<'_> {
    fn answer(&mut self, growth: &Growth, service: &mut Service) -> Result<(), ReplayError> {
        let position = growth.position(service.node());
        let list = self.store.sound_list(self.row.profile_id, &position)?;
        while service.wants_search() {
            let rank = service.next_rank();
            let PricedAnswer { answer, nodes } = *list.get(rank).ok_or_else(|| {
                let (pass, epd) = (growth.passes() + 1, epd_of(&position));
                let needs = format!("an answer of rank {rank} in {epd}");
                ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is none"))
            })?;
            service.answer(answer.uci, Value::from(answer.score));
            self.spent = self.spent.saturating_add(nodes);
        }
        Ok(())
    }
}

/// The stored settled depths of a root.
#[derive(Debug)]
struct KeptRoot {
    settled: Vec<(Settled, Option<i64>)>,
    moves: BTreeMap<u32, Vec<RootMove>>,
}

impl KeptRoot {
    /// Reads them.
    fn read(store: &Store, analysis: AnalysisId) -> Result<KeptRoot, StoreError> {
        let settled = store.settled_values(analysis)?;
        Ok(KeptRoot { settled, moves: store.verdict_moves(analysis)? })
    }
}

/// The root's history, pass after pass.
#[derive(Debug, Default)]
struct RootSeen {
    settled: Vec<(Settled, Option<i64>)>,
    moves: Vec<Vec<RootMove>>,
    /// A point per change.
    course: Vec<CoursePoint>,
}

impl RootSeen {
    /// Looks at the root after a pass.
    fn see(&mut self, growth: &Growth) {
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        if let Some(last) = growth.settled().last().filter(|last| last.passes == growth.passes()) {
            let value = root_value(growth).map(|value| i64::from(value.get()));
            self.settled.push((*last, value));
            self.moves.push(root_moves(graph, values, root));
        }
        let Some((uci, alpha)) = best_root_move(graph, values, root) else {
            return;
        };
        if self.course.last().is_none_or(|last| (last.best, last.alpha) != (uci, alpha)) {
            self.course.push(CoursePoint {
                passes: growth.passes(),
                searches: growth.searches(),
                positions: growth.analysed(),
                best: uci,
                alpha,
                noted_at: 0,
            });
        }
    }

    /// Differences in the settled depths and their verdicts.
    fn settled_flaws(&self, mut kept: KeptRoot) -> Vec<String> {
        let mut flaws = Vec::new();
        if kept.settled != self.settled {
            flaws.push("the table of settled depths differs when grown again".to_owned());
        }
        for ((settled, _), right) in self.settled.iter().zip(&self.moves) {
            let depth = settled.depth;
            if kept.moves.remove(&depth).is_some_and(|kept| kept != *right) {
                flaws.push(format!("the verdict of depth {depth} differs when grown again"));
            }
        }
        flaws
    }

    /// A difference in the course.
    fn course_flaws(&self, kept: &[CoursePoint]) -> Option<String> {
        let kept = kept.iter().map(|point| CoursePoint { noted_at: 0, ..*point });
        (!kept.eq(self.course.iter().copied()))
            .then(|| "the course of its best move differs when grown again".to_owned())
    }
}
