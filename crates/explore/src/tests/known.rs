//! A root that tablebases know.

use super::*;
use deepanalyze_core::chess::{FiftyMoves, TableFiles, Tables};
use deepanalyze_core::tree::{Selection, TableFacts};

/// A queen against a bare king: more moves than there are rows.
const WON: &str = "8/8/4k3/8/4K3/8/4Q3/8 w - - 0 1";

fn known_root() -> Arc<Tree> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables");
    let files = TableFiles::find(&[folder.into()]).unwrap();
    let game = Game::from_start(WON).unwrap();
    let (root, tables) = (game.root().clone(), Tables { men: 3, fifty: FiftyMoves::Fide });
    let mut facts = TableFacts::new(tables, 0);
    facts.learn(PositionKey::of(&root), files.wdl(&root));
    let growth = Growth::new(&game, Selection { facts, ..Selection::from(20) });
    let mut row = tree_of("", &[]).row.clone();
    row.settings.tables = Some(tables);
    let none = Directives::default;
    let tree = Tree::new(row, game, Arc::new(growth), none(), none());
    Arc::new(Tree { table_moves: files.moves(&root).unwrap(), ..tree })
}

#[test]
fn moves_show_results_and_hidden_ones_are_counted() {
    let explorer = Explorer::new(known_root(), PointOfView::Mover);
    let moves = &explorer.here().table_moves;
    assert!(moves.len() > 20 && explorer.here().moves.is_empty());
    let tall = screen(&explorer, PLAIN, 100, 40);
    assert!(tall.contains("for the side to move: won (tables)"), "{tall}");
    assert!(tall.contains("DTZ  move") && !tall.contains("more move"), "{tall}");
    let last = tall.lines().filter(|line| line.contains("drawn (tables)")).count();
    assert_eq!(last, moves.iter().filter(|m| m.known == "drawn (tables)").count(), "{tall}");
    let low = screen(&explorer, PLAIN, 100, 14);
    let words = low.lines().find(|line| line.contains("more moves")).expect("a count");
    let left: usize = words.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    let shown = low.lines().filter(|line| line.contains("(tables)")).count() - 1;
    assert_eq!(shown + left, moves.len(), "{low}");
}

#[test]
fn no_size_of_the_screen_is_too_small_for_them() {
    let explorer = Explorer::new(known_root(), PointOfView::Mover);
    for (width, height) in SIZES.iter().flat_map(|w| HEIGHTS.iter().map(move |h| (*w, *h))) {
        drawn(&explorer, RICH, width, height);
    }
}
