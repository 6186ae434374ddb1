//! Trees with counts, for tests: lines, lists and games.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{
    CountFacts, Growth, Lists, MoveCounts, PlayedRules, Selection, Settled, Wishes, grown_of,
};
use deepanalyze_store::{AnalysisKey, HumanNets, KeptGameSet, KnownGames, Store, TreeSettings};

use crate::tree::{StoredTree, load};

/// Lines of SAN from the root, with the number of games of each move in UCI behind them.
pub type Played<'a> = [(&'a str, &'a [(&'a str, u64)])];

/// A tree in a database of its own.
pub struct Kept {
    /// The database.
    pub store: Store,
    /// Its only tree.
    pub tree: StoredTree,
    _folder: tempfile::TempDir,
}

/// Counts by the position behind a line.
pub fn counted(game: &Game, rules: PlayedRules, played: &Played<'_>) -> CountFacts {
    let mut counts = CountFacts::new(rules);
    for (line, moves) in played {
        let mut there = game.clone();
        there.play_line(line).unwrap();
        let moves = moves.iter().map(|(uci, games)| (uci.parse().unwrap(), *games));
        counts.learn(PositionKey::of(there.root()), MoveCounts::new(moves));
    }
    counts
}

/// A tree of lists with counts, which has settled a depth.
pub fn grown(
    game: &Game,
    lists: &Lists<'_>,
    counts: CountFacts,
    wishes: Wishes,
    depth: u32,
) -> Growth {
    let selection = Selection { counts, wishes: wishes.into(), ..20.into() };
    let mut growth = grown_of(game, selection, lists);
    let settled = |depth| Settled { depth, passes: 1, searches: 1, analysed: 1 };
    growth.restore(9, (0..=depth).map(settled).collect());
    growth
}

/// The tree, stored.
pub fn kept(game: &Game, growth: Growth) -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open_for_now(&folder.path().join("tree.db")).unwrap();
    let (options, limit) = (BTreeMap::new(), Limit::Depth(8));
    let profile = Profile { engine: "Test".to_owned(), options, limit, kept_hash: None };
    let profile = store.profile_id(&profile).unwrap();
    let set = KeptGameSet {
        digest: "00ff".to_owned(),
        name: "club".to_owned(),
        filter: String::new(),
        games: 1234,
        nets: HumanNets::default(),
    };
    let known = |rules| KnownGames { set: store.game_set_id(&set).unwrap(), rules };
    let games = growth.counts().rules.map(known);
    let key = AnalysisKey { game, profile, settings: &TreeSettings { games, ..20.into() } };
    let analysis = store.open_analysis(key).unwrap();
    let mut tree = load(&store, analysis).unwrap();
    tree.tree.growth = growth.into();
    Kept { store, tree, _folder: folder }
}

/// The Italian bishop is 0.10 worse than the Spanish one, and of ten that meet it, seven err at once.
pub const LISTS: [(&str, &[(&str, i32)]); 6] = [
    ("", &[("f1b5", 30), ("f1c4", 20), ("d2d4", -40)]),
    ("Bb5", &[("a7a6", -30), ("g8f6", -40)]),
    ("Bc4", &[("g8f6", -20), ("f8c5", -25), ("h7h6", -90)]),
    ("Bc4 h6", &[("d2d4", 95)]),
    ("Bb5 a6", &[("b5a4", 30)]),
    ("d4", &[("e5d4", 40)]),
];

/// The games behind those moves; 3... d6 and 3... f5 have no answer in the tree.
pub const GAMES: [(&str, &[(&str, u64)]); 4] = [
    ("", &[("f1b5", 600), ("f1c4", 300), ("f3g5", 100)]),
    ("Bc4", &[("h7h6", 210), ("g8f6", 60), ("d7d6", 30)]),
    ("Bb5", &[("a7a6", 550), ("f7f5", 50)]),
    ("Bc4 h6", &[("d2d4", 210)]),
];

/// The game before the bishop's move.
pub fn before_the_bishop() -> Game {
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line("e4 e5 Nf3 Nc6").unwrap();
    game
}

/// A tree of them, which follows replies of Black from 5 % on.
pub fn bishops() -> Kept {
    let game = before_the_bishop();
    let rules = PlayedRules { white: None, black: Some("5%/10".parse().unwrap()) };
    let counts = counted(&game, rules, &GAMES);
    kept(&game, grown(&game, &LISTS, counts, Wishes::new(), 2))
}
