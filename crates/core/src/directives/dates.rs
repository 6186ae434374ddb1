//! Dates of directives: each command has one date, shared with no other.

use std::collections::HashMap;

use shakmaty::uci::UciMove;

use crate::chess::PositionKey;

use super::set::{Directive, Directives};

/// Dates of a set's directives, in milliseconds since 1970, UTC.
#[derive(Debug, Clone, Default)]
pub struct Dates {
    said: HashMap<(PositionKey, Directive), i64>,
    are_apart: bool,
}

impl Dates {
    /// The date of a directive, if known.
    pub fn of(&self, position: &PositionKey, directive: &Directive) -> Option<i64> {
        self.said.get(&(*position, directive.clone())).copied()
    }

    /// Records the date of a directive from elsewhere.
    pub fn put(&mut self, position: PositionKey, directive: Directive, at: i64) {
        self.said.insert((position, directive), at);
    }

    /// The latest date.
    pub fn last(&self) -> Option<i64> {
        self.said.values().max().copied()
    }

    /// Gives each new directive a date of its own: a whole set is not one command.
    pub fn set_apart(&mut self) {
        self.are_apart = true;
    }

    /// True if dates are not shared.
    pub fn are_apart(&self) -> bool {
        self.are_apart
    }
}

impl FromIterator<(PositionKey, Directive, i64)> for Dates {
    fn from_iter<I: IntoIterator<Item = (PositionKey, Directive, i64)>>(said: I) -> Dates {
        let said = said.into_iter().map(|(position, said, at)| ((position, said), at)).collect();
        Dates { said, are_apart: false }
    }
}

/// A line: each move with the position in which it is played, and the position after the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    /// The moves.
    pub moves: Vec<(PositionKey, UciMove)>,
    /// The position after them.
    pub end: PositionKey,
}

impl Directives {
    /// Undoes the directives on the last move of a line and, if that was its inclusion, on the
    /// moves before it that the same command has included, as far back as no other included move
    /// goes on from them. Returns the number of these.
    pub fn undo_line(&mut self, line: &Moves, dates: &Dates) -> usize {
        let mut before = line.moves.iter().rev();
        let Some((position, uci)) = before.next() else {
            return 0;
        };
        let date = dates.of(position, &Directive::Include(*uci));
        let is_included = self.at(position).is_some_and(|said| said.include.contains(uci));
        self.undo_move(position, *uci);
        let Some(date) = date.filter(|_| is_included && !self.goes_on(&line.end)) else {
            return 0;
        };
        let (mut after, mut count) = (position, 0);
        for (position, uci) in before {
            let is_of_it = dates.of(position, &Directive::Include(*uci)) == Some(date);
            if !is_of_it || self.goes_on(after) || !self.undo_move(position, *uci) {
                break;
            }
            (after, count) = (position, count + 1);
        }
        count
    }

    /// True if a move of a position is included.
    fn goes_on(&self, position: &PositionKey) -> bool {
        self.at(position).is_some_and(|said| !said.include.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;

    use super::*;
    use crate::chess::Game;

    fn line(text: &str) -> Moves {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(text).unwrap();
        let before = std::iter::once(Chess::default()).chain(game.positions());
        let before = before.map(|position| PositionKey::of(&position));
        Moves {
            moves: before.zip(game.moves().iter().copied()).collect(),
            end: PositionKey::of(game.root()),
        }
    }

    /// Moves included by successive commands, as lines separated by commas.
    fn included(commands: &[&str]) -> (Directives, Dates) {
        let (mut set, mut said) = (Directives::default(), Vec::new());
        for (at, lines) in (0..).zip(commands) {
            let moves = lines.split(", ").flat_map(|text| line(text).moves);
            for (position, uci) in moves {
                let new = Directive::Include(uci);
                let there = set.at(&position).is_some_and(|there| there.include.contains(&uci));
                if !there {
                    set.put(position, new.clone());
                    said.push((position, new, at));
                }
            }
        }
        (set, said.into_iter().collect())
    }

    /// Number of moves undone before the last one of a line, and of directives left.
    fn undone(commands: &[&str], undo: &str) -> (usize, usize) {
        let (mut set, dates) = included(commands);
        let count = set.undo_line(&line(undo), &dates);
        (count, set.len())
    }

    #[test]
    fn undoing_the_last_move_undoes_its_command() {
        assert_eq!(undone(&["e4 e5 Nf3"], "e4 e5 Nf3"), (2, 0));
        assert_eq!(undone(&["e4", "e4 e5 Nf3"], "e4 e5 Nf3"), (1, 1), "e4 is another's");
        assert_eq!(undone(&["e4 e5 Nf3", "e4 e5 Nc3"], "e4 e5 Nf3"), (0, 3), "e5 goes on");
        assert_eq!(undone(&["e4 e5 Nf3", "e4 e5 Nc3"], "e4 e5 Nc3"), (0, 3));
        assert_eq!(undone(&["e4 e5 Nf3 Nc6, e4 c5"], "e4 e5 Nf3 Nc6"), (2, 2), "to the fork");
        assert_eq!(undone(&["e4 e5 Nf3"], "e4 e5"), (0, 2), "its last move goes on from there");
    }

    #[test]
    fn what_is_not_included_or_has_no_date_is_one_move() {
        assert_eq!(undone(&["e4 e5 Nf3"], "e4 e5 Nc3"), (0, 3));
        assert_eq!(undone(&["e4 e5"], ""), (0, 2));
        let mut set = included(&["e4 e5"]).0;
        assert_eq!((set.undo_line(&line("e4 e5"), &Dates::default()), set.len()), (0, 1));
        let (mut set, dates) = included(&["e4"]);
        let e5 = line("e4 e5");
        set.put(e5.moves[1].0, Directive::Exclude(e5.moves[1].1));
        assert_eq!((set.undo_line(&e5, &dates), set.len()), (0, 1), "e4 stays");
    }
}
