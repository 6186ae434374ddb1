//! Reasons for a refusal.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, san_of};

use super::set::{Directive, Directives, Said};

/// Reason to refuse a directive (ALGORITHM, section 6).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The move cannot be played there.
    #[error("{0} is not legal there")]
    Illegal(UciMove),
    /// Nothing would be left to play.
    #[error("{0} is the last move there that is not excluded; at least one must remain")]
    LastMove(String),
    /// An included move is to be excluded.
    #[error("{0} is included there; undo that first")]
    Included(String),
    /// An excluded move is to be included.
    #[error("{0} is excluded there; undo that first")]
    Excluded(String),
    /// The root can have no value or stop.
    #[error("the root cannot be given a value or stopped")]
    Root,
    /// The rules decide its value.
    #[error("the game is over there: {}", .0.name())]
    Over(Ending),
    /// A valued position is an end: nothing is left to stop.
    #[error("the position has a value; undo that first")]
    Valued,
    /// A stopped position keeps the engine's score.
    #[error("the position is stopped; undo that first")]
    Stopped,
    /// An empty note.
    #[error("the note is empty")]
    EmptyNote,
    /// A value beyond a decided game.
    #[error("{0} centipawns are beyond a decided game: {max} at most", max = Directives::DECIDED)]
    Beyond(i32),
}

/// The reason to refuse a directive beside those of a position, if any.
pub fn refused(
    said: &Said,
    is_root: bool,
    position: &Chess,
    directive: &Directive,
) -> Option<Refusal> {
    match directive {
        Directive::Exclude(uci) => of_exclusion(said, position, *uci),
        Directive::Include(uci) => {
            let illegal = uci.to_move(position).is_err().then_some(Refusal::Illegal(*uci));
            let both = || said.exclude.contains(uci).then(|| san_of(position, *uci));
            illegal.or_else(|| both().map(Refusal::Excluded))
        }
        Directive::Value(value) => {
            let both = said.stop.then_some(Refusal::Stopped);
            let is_beyond = |white: &i32| white.unsigned_abs() > Directives::DECIDED.unsigned_abs();
            let beyond = value.centipawns().filter(is_beyond).map(Refusal::Beyond);
            beyond.or(of_position(is_root, position)).or(both)
        }
        Directive::Stop => {
            of_position(is_root, position).or(said.value.is_some().then_some(Refusal::Valued))
        }
        Directive::Note(text) => text.trim().is_empty().then_some(Refusal::EmptyNote),
    }
}

fn of_exclusion(said: &Said, position: &Chess, uci: UciMove) -> Option<Refusal> {
    if uci.to_move(position).is_err() {
        return Some(Refusal::Illegal(uci));
    }
    if said.include.contains(&uci) {
        return Some(Refusal::Included(san_of(position, uci)));
    }
    let left = position.legal_moves().len().saturating_sub(said.exclude.len());
    let is_last = left <= 1 && !said.exclude.contains(&uci);
    is_last.then(|| Refusal::LastMove(san_of(position, uci)))
}

fn of_position(is_root: bool, position: &Chess) -> Option<Refusal> {
    if is_root { Some(Refusal::Root) } else { Ending::of(position).map(Refusal::Over) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{GivenValue, PositionKey, parse_fen, uci_of};

    fn add(set: &mut Directives, position: &Chess, directive: Directive) -> Result<(), Refusal> {
        let root = PositionKey::of(&Chess::default());
        set.add(&root, position, directive)
    }

    fn value(white: i32) -> Directive {
        Directive::Value(GivenValue::Centipawns(white))
    }

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    #[test]
    fn a_move_is_refused_with_the_reason() {
        let (start, mut set) = (Chess::default(), Directives::default());
        let refusal = add(&mut set, &start, Directive::Exclude(uci("e2e5")));
        assert_eq!(refusal, Err(Refusal::Illegal(uci("e2e5"))));
        add(&mut set, &start, Directive::Exclude(uci("e2e4"))).unwrap();
        let refusal = add(&mut set, &start, Directive::Include(uci("e2e4")));
        assert_eq!(refusal, Err(Refusal::Excluded("e4".to_owned())));
        add(&mut set, &start, Directive::Include(uci("d2d4"))).unwrap();
        let refusal = add(&mut set, &start, Directive::Exclude(uci("d2d4")));
        assert_eq!(refusal, Err(Refusal::Included("d4".to_owned())));
        assert_eq!(set.len(), 2, "what is refused changes nothing");
    }

    #[test]
    fn one_move_must_be_left() {
        // Two moves: Kxg2 and Kh2.
        let position = parse_fen("8/8/8/8/8/4k3/6q1/7K w - - 0 1").unwrap();
        let moves = position.legal_moves();
        assert_eq!(moves.len(), 1);
        let only = moves.first().map(|m| uci_of(&position, *m)).unwrap();
        let refusal = add(&mut Directives::default(), &position, Directive::Exclude(only));
        assert_eq!(refusal, Err(Refusal::LastMove("Kxg2".to_owned())));
    }

    #[test]
    fn value_and_stop_exclude_root_ends_and_each_other() {
        let mut set = Directives::default();
        for directive in [Directive::Value(GivenValue::Draw), Directive::Stop] {
            let refusal = add(&mut set, &Chess::default(), directive.clone());
            assert_eq!(refusal, Err(Refusal::Root));
            let mated = parse_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
            let refusal = add(&mut set, &mated.unwrap(), directive);
            assert_eq!(refusal, Err(Refusal::Over(Ending::Checkmate)));
        }
        let e4 = parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
        assert_eq!(add(&mut set, &e4, value(30_001)), Err(Refusal::Beyond(30_001)));
        add(&mut set, &e4, value(-30_000)).unwrap();
        assert_eq!(add(&mut set, &e4, Directive::Stop), Err(Refusal::Valued));
        assert!(set.undo_position(&PositionKey::of(&e4)));
        add(&mut set, &e4, Directive::Stop).unwrap();
        assert_eq!(add(&mut set, &e4, Directive::Value(GivenValue::Draw)), Err(Refusal::Stopped));
    }
}
