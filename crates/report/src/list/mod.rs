//! The roots of a database as a list: as JSON, and in a table, a line for each, no wider than the
//! terminal. Positions of one game are folded into one line: an annotated game has one per move.

pub mod text;

use std::collections::{HashMap, HashSet};
use std::io;
use std::io::Write;

use serde::Serialize;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Value, epd_of};
use deepanalyze_store::{AnalysisId, AnalysisRow, RootNote, Store, StoreError};
use deepanalyze_view::{
    AnalysisManner, DepthReached, Line, RecheckNote, StageVerdict, Stages, Variant, Verdict,
    describe_root, is_one_alone, json, last_move, settled_now, stored_line, told_verdict,
};

/// A root's stages, and the verdict of the one that speaks.
#[derive(Debug)]
pub struct RootSummary {
    /// The stage that speaks.
    pub row: AnalysisRow,
    /// The line of the verdict; for a root that is an end only its value.
    pub line: Option<Line>,
    /// The verdict; `None` without a move.
    pub told: Option<Verdict>,
    /// The game up to the root, if its moves are legal.
    pub game: Option<Game>,
    /// Its name, from the user or its file.
    pub name: Option<String>,
    /// The last change of any stage, in milliseconds since 1970, UTC.
    pub changed_at: i64,
    /// True if any stage is being grown.
    pub is_growing: bool,
    /// Rechecks of the stage that speaks by other profiles, the last one first.
    pub rechecks: Vec<RecheckNote>,
}

/// Notes on all roots of a database besides their analyses, read at once.
#[derive(Debug)]
pub struct RootNotes {
    said: HashMap<AnalysisId, RootNote>,
    growing: HashSet<AnalysisId>,
}

impl RootNotes {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn read(store: &Store) -> Result<RootNotes, StoreError> {
        Ok(RootNotes { said: store.root_notes()?, growing: store.growing() })
    }

    /// The note on the root of some stages.
    pub fn of(&self, stages: &Stages) -> RootNote {
        RootNote::of(&self.said, stages.rows().iter().map(|row| row.id))
    }

    /// True if any of them is being grown.
    pub fn are_growing(&self, stages: &Stages) -> bool {
        stages.rows().iter().any(|row| self.growing.contains(&row.id))
    }
}

/// A root with its details for programs.
#[derive(Debug)]
pub struct WithStages {
    /// The root.
    pub root: RootSummary,
    /// Its stages, if there are several.
    pub stages: Vec<StageVerdict>,
    /// Engine time of the answers in the tree that speaks.
    pub engine_time_ms: u64,
}

impl RootSummary {
    /// The root's name, or a description.
    pub fn called(&self) -> String {
        let described = || self.game.as_ref().map(describe_root);
        self.name.clone().or_else(described).unwrap_or_else(|| self.row.root.clone())
    }

    /// The summary of a root's stages; `None` without stages.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of(
        store: &Store,
        stages: &Stages,
        notes: &RootNotes,
    ) -> Result<Option<RootSummary>, StoreError> {
        let Some(speaking) = stages.speaking() else {
            return Ok(None);
        };
        let settled_depth = settled_now(store, speaking)?;
        let row = AnalysisRow { settled_depth, ..speaking.clone() };
        let game = row.game();
        let told = match &game {
            Some(game) => told_verdict(store, &row, game)?,
            None => None,
        };
        let line = match (&told, &game) {
            (Some(told), _) => Some(told.choice.clone()),
            (None, Some(game)) => stored_line(store, row.id, game.root())?,
            (None, None) => None,
        };
        let rechecks = match &game {
            Some(game) => RecheckNote::all(store, &row, game.root())?,
            None => Vec::new(),
        };
        let changed_at = stages.rows().iter().map(|row| row.changed_at).max();
        Ok(Some(RootSummary {
            line,
            told,
            name: notes.of(stages).name,
            game,
            changed_at: changed_at.unwrap_or(row.changed_at),
            is_growing: notes.are_growing(stages),
            rechecks,
            row,
        }))
    }
}

/// A root in JSON. Scores are the mover's.
#[derive(Serialize)]
struct ListedForPrograms<'a> {
    /// Of the stage that speaks, like all that follows.
    analysis: i64,
    /// Null if unnamed.
    name: Option<&'a str>,
    root: &'a str,
    #[serde(serialize_with = "json::line")]
    history: &'a [UciMove],
    /// The start of the history; only if it is not the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// Only of Chess960.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
    #[serde(flatten)]
    made_of: AnalysisManner<'a>,
    depth: DepthReached,
    value: Option<Value>,
    /// UCI notation.
    best: Option<String>,
    verdict: Option<&'a Verdict>,
    positions: u64,
    searches: u64,
    engine_time_ms: u64,
    /// Of the stage that was changed last.
    #[serde(serialize_with = "json::time")]
    changed_at: i64,
    #[serde(skip_serializing_if = "is_one_alone")]
    stages: &'a [StageVerdict],
    /// Absent if empty.
    #[serde(skip_serializing_if = "<[RecheckNote]>::is_empty")]
    recheck: &'a [RecheckNote],
}

/// Writes the roots as one JSON array.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_list_json(roots: &[WithStages], out: &mut dyn Write) -> io::Result<()> {
    let told = roots.iter().map(|WithStages { root, stages, engine_time_ms }| {
        let row = &root.row;
        ListedForPrograms {
            analysis: row.id.0,
            name: root.name.as_deref(),
            root: &row.root,
            history: &row.history,
            start: root.game.as_ref().and_then(json::start_of),
            variant: root.game.as_ref().and_then(json::variant_of),
            made_of: AnalysisManner::of(row),
            depth: DepthReached::of_row(row),
            value: root.line.as_ref().map(|line| line.value),
            best: root.line.as_ref().and_then(Line::best).map(|uci| uci.to_string()),
            verdict: root.told.as_ref(),
            positions: row.positions,
            searches: row.searches,
            engine_time_ms: *engine_time_ms,
            changed_at: root.changed_at,
            stages,
            recheck: &root.rechecks,
        }
    });
    json::write_json_array(&told.collect::<Vec<_>>(), out)
}

/// Positions of a game that make one line.
const FEWEST: usize = 4;

/// A root with a line, and the number of folded ones of its game.
#[derive(Debug, Clone, Copy)]
pub struct ListedRoot<'a> {
    /// The root of its game that was grown last.
    pub root: &'a RootSummary,
    /// Number of further positions of the game, analysed alike.
    pub more: usize,
}

/// Every root on its own line.
pub fn unfolded(roots: &[RootSummary]) -> Vec<ListedRoot<'_>> {
    roots.iter().map(|root| ListedRoot { root, more: 0 }).collect()
}

/// The roots; positions of one game that are analysed alike share the line of the first. Positions
/// with names of their own have their own lines.
pub fn folded(roots: &[RootSummary]) -> Vec<ListedRoot<'_>> {
    let mut games: Vec<GameOfRoots> = Vec::new();
    // The longest first: they contain the others.
    let mut order: Vec<usize> = (0..roots.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(roots.get(*at).map(|root| root.row.history.len())));
    for at in order {
        let Some((root, name)) = roots.get(at).and_then(|root| Some((root, name_of_game(root)?)))
        else {
            continue;
        };
        let found = games.iter_mut().find(|game| {
            roots.get(game.longest).is_some_and(|longest| is_of(root, longest, &name, game))
        });
        match found {
            Some(game) => game.members.push(at),
            None => games.push(GameOfRoots { longest: at, name, members: vec![at] }),
        }
    }
    let games: Vec<GameOfRoots> =
        games.into_iter().filter(|game| game.members.len() >= FEWEST).collect();
    let listed = roots.iter().enumerate().filter_map(|(at, root)| {
        let Some(game) = games.iter().find(|game| game.members.contains(&at)) else {
            return Some(ListedRoot { root, more: 0 });
        };
        let is_first = game.members.iter().min() == Some(&at);
        is_first.then(|| ListedRoot { root, more: game.members.len() - 1 })
    });
    listed.collect()
}

/// Roots on the way of one game.
struct GameOfRoots {
    /// The last position of the game that is a root.
    longest: usize,
    name: String,
    members: Vec<usize>,
}

/// Name of a game: the name of a root without the move behind the last comma; empty if unnamed.
/// `None` if the root has a name of its own, or is not behind a move.
fn name_of_game(root: &RootSummary) -> Option<String> {
    let game = root.game.as_ref().filter(|game| !game.moves().is_empty())?;
    let Some(name) = root.name.as_deref() else { return Some(String::new()) };
    Some(name.strip_suffix(&last_move(game))?.strip_suffix(", ")?.to_owned())
}

/// True if a root is a position of this game, analysed alike.
fn is_of(root: &RootSummary, longest: &RootSummary, name: &str, game: &GameOfRoots) -> bool {
    let (row, other) = (&root.row, &longest.row);
    let start = |root: &RootSummary| root.game.as_ref().map(|game| epd_of(game.start()));
    game.name == name
        && row.profile.is_same_engine(&other.profile)
        && row.settings == other.settings
        && other.history.starts_with(&row.history)
        && start(root) == start(longest)
}
