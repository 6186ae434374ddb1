//! What a run keeps beside the answers.

use std::sync::Arc;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, legal_uci};
use deepanalyze_core::tree::Wishes;

/// What a run keeps beside the answers of its engines, which are kept always.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Keeping {
    /// The tree, as an analysis of its own. No other run may grow it meanwhile.
    #[default]
    Tree,
    /// Nothing: no analysis is made or changed, and no lock is needed. The directives of the root are those
    /// of the run's beginning.
    AnswersAlone {
        /// The only moves of the root that count; where there are none here, all do.
        only: Vec<UciMove>,
    },
}

/// What is wanted of positions where only some moves of the root are to count. What the user has said of
/// others at the root does not matter then.
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

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_uci;
    use deepanalyze_core::directives::{Directive, Directives};

    fn moves(text: &str) -> Vec<UciMove> {
        text.split(' ').map(|uci| parse_uci(uci).unwrap()).collect()
    }

    #[test]
    fn only_the_named_moves_of_the_root_count_whatever_the_user_has_said_of_them() {
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
