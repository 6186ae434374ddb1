//! Folds positions of one game into one line: an annotated game has one per move.

use deepanalyze_core::chess::epd_of;

use super::RootSummary;
use deepanalyze_view::last_move;

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
