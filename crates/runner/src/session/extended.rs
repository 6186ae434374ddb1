//! The engine's own line beyond the edge of the tree.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Ending, Game, PositionKey, uci_of};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_store::{KeptSearch, ProfileId, Store, StoreError};

/// Length limit of a line, in plies.
const LONGEST: usize = 60;

/// A line extended by the engine's own moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extended {
    /// The moves.
    pub moves: Vec<UciMove>,
    /// Depth of the search at its end in plies from the root, extensions among them; `None` without
    /// an answer.
    pub seldepth: Option<u32>,
    /// The engine depth of that search.
    pub depth: Option<u32>,
    /// Win, draw and loss for the root's side to move.
    pub wdl: Option<WinDrawLoss>,
}

impl Extended {
    /// Plies from the root that are covered.
    pub fn reach(&self) -> u32 {
        self.seldepth.unwrap_or(0).max(u32::try_from(self.moves.len()).unwrap_or(0))
    }
}

/// The moves of a line from the root of a game, as far as legal, and those of the kept answer whose
/// move is its last.
///
/// # Errors
///
/// If the database fails.
pub fn extended(
    store: &Store,
    profile: ProfileId,
    game: &Game,
    line: &[UciMove],
) -> Result<Extended, StoreError> {
    let mut walk = VariationWalk::new(game);
    line.iter().for_each(|uci| walk.play(*uci));
    let plies = walk.moves.len();
    let kept = match walk.last() {
        Some((before, last)) if !walk.is_ended() => answer_of(store, profile, before, last)?,
        _ => None,
    };
    let wdl = match (&kept, walk.end()) {
        (Some(kept), _) => kept.wdl.map(|wdl| if plies % 2 == 1 { wdl } else { wdl.flipped() }),
        (None, Some(end)) if says_wdl(store, profile, game)? => Some(end),
        _ => None,
    };
    let behind = kept.iter().flat_map(|kept| kept.pv.iter().skip(1));
    behind.take(LONGEST.saturating_sub(plies)).for_each(|uci| walk.play(*uci));
    let before = u32::try_from(plies.saturating_sub(1)).unwrap_or(0);
    let depth = kept.as_ref().map(|kept| kept.depth);
    let seldepth = kept.map(|kept| before + kept.seldepth.max(kept.depth));
    Ok(Extended { moves: walk.moves, seldepth, depth, wdl })
}

/// True if the engine gave win, draw and loss for a root.
fn says_wdl(store: &Store, profile: ProfileId, game: &Game) -> Result<bool, StoreError> {
    let first = store.kept_search(profile, game.root(), 0)?;
    Ok(first.is_some_and(|first| first.wdl.is_some()))
}

/// The kept answer of a position with this move.
fn answer_of(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    uci: UciMove,
) -> Result<Option<KeptSearch>, StoreError> {
    for rank in 0..position.legal_moves().len() {
        match store.kept_search(profile, position, rank)? {
            Some(kept) if kept.pv.first() == Some(&uci) => return Ok(Some(kept)),
            Some(_) => {}
            None => break,
        }
    }
    Ok(None)
}

/// A walk along a line.
struct VariationWalk {
    /// Positions whose return ends the line: those repeated in the game, and those of the line.
    drawn: Vec<PositionKey>,
    positions: Vec<Chess>,
    moves: Vec<UciMove>,
    is_broken: bool,
}

impl VariationWalk {
    fn new(game: &Game) -> VariationWalk {
        let positions = vec![game.root().clone()];
        VariationWalk { drawn: game.repeated(), positions, moves: Vec::new(), is_broken: false }
    }

    /// Plays a move; after an illegal one none is played any more.
    fn play(&mut self, uci: UciMove) {
        let Some(position) = self.positions.last().filter(|_| !self.is_broken) else { return };
        let Ok(m) = uci.to_move(position) else {
            self.is_broken = true;
            return;
        };
        let mut next = position.clone();
        next.play_unchecked(m);
        self.drawn.push(PositionKey::of(position));
        self.moves.push(uci_of(position, m));
        self.positions.push(next);
    }

    /// The last move, and the position before it.
    fn last(&self) -> Option<(&Chess, UciMove)> {
        let before = self.positions.get(self.moves.len().checked_sub(1)?)?;
        Some((before, *self.moves.last()?))
    }

    /// How the game ends with its last move, for the root's side to move, if it does: the mating
    /// side has played it.
    fn end(&self) -> Option<WinDrawLoss> {
        let last = self.positions.last().filter(|_| !self.is_broken)?;
        match Ending::of(last) {
            Some(Ending::Checkmate) if self.moves.len() % 2 == 1 => Some(WinDrawLoss::WON),
            Some(Ending::Checkmate) => Some(WinDrawLoss::LOST),
            _ => self.is_ended().then_some(WinDrawLoss::DRAWN),
        }
    }

    /// True if the line ends with its last move: the game is over there, or a position has come
    /// back.
    fn is_ended(&self) -> bool {
        let end = self.positions.last();
        self.is_broken
            || end.is_none_or(|end| {
                Ending::of(end).is_some() || self.drawn.contains(&PositionKey::of(end))
            })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::{Answer, Limit, Profile};
    use deepanalyze_store::NewAnswer;

    fn moves(text: &str) -> Vec<UciMove> {
        text.split_whitespace().map(|uci| parse_uci(uci).unwrap()).collect()
    }

    fn answer(pv: &str) -> Answer {
        let (pv, time) = (moves(pv), Duration::ZERO);
        Answer {
            best: pv[0],
            score: Score::Cp(1),
            wdl: None,
            depth: 10,
            seldepth: 14,
            nodes: 1,
            time,
            pv,
        }
    }

    #[test]
    fn line_extends_by_the_answer_with_its_last_move() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let (engine, options) = ("Some".to_owned(), BTreeMap::new());
        let profile = Profile { engine, options, limit: Limit::Depth(10), kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("e4").unwrap();
        let kept = [answer("c7c5 g1f3"), answer("e7e5 g1f3 b8c6 e1e8 a7a6")];
        for (rank, answer) in kept.iter().enumerate() {
            let excluded: Vec<UciMove> = kept[..rank].iter().map(|answer| answer.best).collect();
            let (position, answer) = (game.root().clone(), answer.clone());
            let row = NewAnswer { position, excluded, answer, worker: None };
            store.keep(profile, &[row]).unwrap();
        }
        let start = Game::from_start("startpos").unwrap();
        let long = extended(&store, profile, &start, &moves("e2e4 e7e5")).unwrap();
        assert_eq!(long.moves, moves("e2e4 e7e5 g1f3 b8c6"), "as far as it is legal");
        assert_eq!(long.seldepth, Some(15));
        let short = extended(&store, profile, &start, &moves("e2e4 d7d5")).unwrap();
        assert_eq!((short.moves, short.seldepth), (moves("e2e4 d7d5"), None));
        let broken = extended(&store, profile, &start, &moves("e2e4 e1e8 e7e5")).unwrap();
        assert_eq!((broken.moves, broken.seldepth), (moves("e2e4"), None));
    }

    #[test]
    fn nothing_follows_a_repetition() {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("Nf3 Nf6 Ng1").unwrap();
        let is_ended_after = |line: &str| {
            let mut walk = VariationWalk::new(&game);
            moves(line).into_iter().for_each(|uci| walk.play(uci));
            walk.is_ended()
        };
        assert!(!is_ended_after(""));
        assert!(!is_ended_after("f6g8"), "the game was there once");
        assert!(is_ended_after("f6g8 g1f3 g8f6 f3g1"), "back at the root");
        let mut twice = game.clone();
        twice.play_line("Ng8 Nf3 Nf6 Ng1").unwrap();
        let mut walk = VariationWalk::new(&twice);
        walk.play(parse_uci("f6g8").unwrap());
        assert!(walk.is_ended(), "the third occurrence");
    }
}
