//! The task of a run, and requirements of a kept analysis: the same engine, tablebases and games.

use std::fmt;
use std::sync::Arc;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{DrawValue, Game, PositionKey, legal_uci};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Breadth, Wishes};
use deepanalyze_store::{AnalysisRow, KnownGames, RootOrigin, Store, StoreError, TreeSettings};
use deepanalyze_view::{Percent, describe_distance};

use crate::closing::{ClosingPlan, PreparedFor};
use crate::control::limits::RunLimits;
use crate::facts::{GamesUse, TableUse};
use crate::outcome::RunnerError;

/// How a tree is grown, whatever its game.
#[derive(Debug, Clone)]
pub struct TreePlan {
    /// The move distances, and the root's minimum of moves.
    pub breadth: Breadth,
    /// The tablebases it uses, if any.
    pub tables: Option<TableUse>,
    /// The games that it knows, if any.
    pub games: Option<GamesUse>,
    /// The value of a draw.
    pub draw: DrawValue,
}

impl TreePlan {
    /// The key of such trees; `None` if they know a set of games that the database has not.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn known(&self, store: &Store) -> Result<Option<TreeSettings>, StoreError> {
        Ok(match &self.games {
            None => Some(self.knowing(None)),
            Some(used) => used.known(store)?.map(|games| self.knowing(Some(games))),
        })
    }

    /// The key for a new tree: its set of games is in the database from then on.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn kept(&self, store: &Store) -> Result<TreeSettings, StoreError> {
        let games = self.games.as_ref().map(|used| used.keep(store)).transpose()?;
        Ok(self.knowing(games))
    }

    /// The key for trees that know these games.
    pub fn knowing(&self, games: Option<KnownGames>) -> TreeSettings {
        let tables = self.tables.as_ref().map(|used| used.tables);
        TreeSettings { breadth: self.breadth.clone(), tables, games, draw: self.draw }
    }
}

/// Its distance, and the value of a draw unless zero.
impl fmt::Display for TreePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&describe_distance(&self.breadth, self.draw))
    }
}

/// Without tables and games; a draw is worth nothing to either side.
impl From<Breadth> for TreePlan {
    fn from(breadth: Breadth) -> TreePlan {
        TreePlan { breadth, tables: None, games: None, draw: DrawValue::default() }
    }
}

/// A plain distance in centipawns.
impl From<u32> for TreePlan {
    fn from(distance: u32) -> TreePlan {
        Breadth::from(distance).into()
    }
}

/// Job of a run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The game up to the root.
    pub game: Game,
    /// The root's name, if it has none yet.
    pub name: Option<String>,
    /// Its label in reports of a queue of many: a move of the game, the `id` of an EPD line.
    pub label: String,
    /// How the root is given.
    pub origin: RootOrigin,
    /// How its tree is grown.
    pub tree: TreePlan,
    /// The depth to settle.
    pub depth: u32,
    /// Engine limits.
    pub schedule: Schedule,
    /// Its share of the engines' time among roots that grow at once, from 1 to 100.
    pub weight: u32,
    /// Limits of the work on it; in a queue of many this one's alone, in all stages.
    pub limits: RunLimits,
    /// Its closing searches.
    pub closing: ClosingPlan,
    /// The time of the second engine's look behind each; `None` for a sixth of theirs.
    pub second_time: Option<std::time::Duration>,
    /// The chance that the best move stays at which the run ends; `None` if stability does not end
    /// it.
    pub until_stable: Option<Percent>,
    /// At the end, leaves that could change the best move if off by this many centipawns are
    /// searched deeper; `None` if none are.
    pub until_holds: Option<u32>,
    /// Directives for the root in place of its own.
    pub directives: Option<Directives>,
    /// True if engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
    /// Number of the root's best lines in events.
    pub lines: usize,
    /// Kept results.
    pub keeping: Keeping,
}

impl Job {
    /// One analysis, or stages, of a game to a depth: nothing ends it before, engines that would be
    /// idle look ahead, and the tree is kept.
    pub fn new(game: Game, tree: impl Into<TreePlan>, schedule: Schedule, depth: u32) -> Job {
        Job {
            game,
            name: None,
            label: String::new(),
            origin: RootOrigin::Study,
            tree: tree.into(),
            depth,
            schedule,
            weight: 1,
            limits: RunLimits::default(),
            closing: ClosingPlan::None,
            second_time: None,
            until_stable: None,
            until_holds: None,
            directives: None,
            look_ahead: true,
            lines: 1,
            keeping: Keeping::default(),
        }
    }
}

impl Job {
    /// Its closing searches under these directives of the root: only requested ones if the tree is
    /// grown for more than its root's best move.
    pub fn closing_under(&self, said: &Directives) -> ClosingPlan {
        let is_prepared = || PreparedFor::of(&self.game, &self.tree, said).is_some();
        match self.closing {
            ClosingPlan::SecondHalf | ClosingPlan::Alternating if is_prepared() => {
                ClosingPlan::None
            }
            closing => closing,
        }
    }

    /// The tree's part of these limits. Stages never end by themselves: if its leaves are to be
    /// searched deeper, it has half of each.
    pub(crate) fn limits_of_tree(&self, limits: RunLimits, closing: ClosingPlan) -> RunLimits {
        let limits = closing.limits_of_tree(limits);
        let is_halved = self.until_holds.is_some() && self.schedule.has_stages();
        if is_halved { limits.halved() } else { limits }
    }
}

/// Plies between the engine depths of successive stages.
const STEP: usize = 2;
/// The greatest engine depth in plies.
const DEEPEST: u32 = 250;

/// Engine limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Every search goes to this limit: one analysis.
    Once(Limit),
    /// Stages: an analysis whose searches are `first` plies deep, then one with two plies more, and
    /// so on, while there is time.
    Stages {
        /// The engine depth of the first stage, in plies.
        first: u32,
    },
}

impl Schedule {
    /// The stages if the user names no engine depth: 10, 12, 14, and so on.
    pub const REFINED: Schedule = Schedule::Stages { first: 10 };

    /// True if there are stages.
    pub fn has_stages(self) -> bool {
        matches!(self, Schedule::Stages { .. })
    }

    /// The limits of the searches, one analysis after the other.
    pub fn limits(self) -> Box<dyn Iterator<Item = Limit>> {
        match self {
            Schedule::Once(limit) => Box::new(std::iter::once(limit)),
            Schedule::Stages { first } => {
                Box::new((first..=DEEPEST).step_by(STEP).map(Limit::Depth))
            }
        }
    }

    /// The limit of the first analysis.
    pub fn first(self) -> Limit {
        match self {
            Schedule::Once(limit) => limit,
            Schedule::Stages { first } => Limit::Depth(first),
        }
    }
}

/// Results kept beside the answers of a run's engines, which are kept always.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Keeping {
    /// The tree, as an analysis of its own. No other run may grow it meanwhile.
    #[default]
    Tree,
    /// Nothing: no analysis is made or changed, and no lock is needed. The directives of the root
    /// are those of the run's beginning.
    AnswersAlone {
        /// The only moves of the root that count; if empty, all do.
        only: Vec<UciMove>,
    },
}

/// Wishes for positions if only some moves of the root count. The user's directives for other root
/// moves are then ignored.
pub fn narrowed(wishes: Arc<Wishes>, game: &Game, only: &[UciMove]) -> Arc<Wishes> {
    if only.is_empty() {
        return wishes;
    }
    let mut wishes = Arc::unwrap_or_clone(wishes);
    let wish = wishes.entry(PositionKey::of(game.root())).or_default();
    wish.include.retain(|uci| only.contains(uci));
    wish.exclude = legal_uci(game.root());
    wish.exclude.retain(|uci| !only.contains(uci));
    wish.exclude.sort_by_key(ToString::to_string);
    Arc::new(wishes)
}

/// Checks that an analysis can go on with this engine, these tablebases and games.
///
/// # Errors
///
/// Names the first that is missing or differs.
pub fn has_what_it_needs(
    row: &AnalysisRow,
    here: &Profile,
    tables: Option<&TableUse>,
    games: Option<&GamesUse>,
) -> Result<(), RunnerError> {
    if let Some(wanted) = row.settings.tables {
        tables.and_then(|used| used.for_tree(wanted)).ok_or(RunnerError::NoTables(wanted.men))?;
    }
    has_games(row, games)?;
    if row.profile.is_same_engine(here) {
        return Ok(());
    }
    let (root, here) = (Box::new(row.profile.clone()), Box::new(here.clone()));
    Err(RunnerError::OtherEngine { root, here })
}

/// Checks that an analysis knows these games, or none.
///
/// # Errors
///
/// If they are not.
pub(crate) fn has_games(row: &AnalysisRow, games: Option<&GamesUse>) -> Result<(), RunnerError> {
    let Some(known) = &row.game_set else { return Ok(()) };
    if games.is_some_and(|here| here.set.digest == known.digest) {
        Ok(())
    } else {
        Err(RunnerError::OtherGames(Box::new(known.clone())))
    }
}

impl TreePlan {
    /// The plan of a kept tree, with those of these tablebases and games that it knows.
    pub fn of_kept(
        settings: &TreeSettings,
        tables: Option<&TableUse>,
        games: Option<&GamesUse>,
    ) -> TreePlan {
        TreePlan {
            tables: settings.tables.and_then(|wanted| tables?.for_tree(wanted)),
            games: settings.games.and_then(|known| Some(games?.following(known.rules))),
            draw: settings.draw,
            ..settings.breadth.clone().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_uci;
    use deepanalyze_core::directives::Directive;

    #[test]
    fn stages_go_two_plies_deeper_each() {
        let limits: Vec<Limit> = Schedule::REFINED.limits().take(3).collect();
        assert_eq!(limits, [10, 12, 14].map(Limit::Depth));
        assert_eq!(Schedule::REFINED.first(), limits[0]);
        let once = Schedule::Once(Limit::Nodes(5));
        assert_eq!(once.limits().collect::<Vec<_>>(), [once.first()]);
    }

    fn moves(text: &str) -> Vec<UciMove> {
        text.split(' ').map(|uci| parse_uci(uci).unwrap()).collect()
    }

    #[test]
    fn only_named_root_moves_count_despite_directives() {
        let game = Game::from_start("startpos").unwrap();
        let root = PositionKey::of(game.root());
        let mut said = Directives::default();
        for uci in moves("e2e4 a2a3") {
            said.add(&root, game.root(), Directive::Exclude(uci)).unwrap();
        }
        for uci in moves("d2d4 h2h4") {
            said.add(&root, game.root(), Directive::Include(uci)).unwrap();
        }
        let narrow = narrowed(said.wishes(), &game, &moves("e2e4 d2d4"));
        let wish = narrow.get(&root).unwrap();
        assert_eq!((wish.exclude.len(), &wish.include), (18, &moves("d2d4")));
        assert!(moves("e2e4 d2d4").iter().all(|uci| !wish.exclude.contains(uci)));
        assert_eq!(narrowed(said.wishes(), &game, &[]), said.wishes(), "none named: all count");
    }
}
