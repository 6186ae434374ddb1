//! The moves of a walk: along the tree and back.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, GameError, san_of};
use deepanalyze_view::{EndOfLine, LinePosition, after, describe_value, name_of_line};

use super::action::Mode;
use super::explorer::Explorer;

impl Explorer {
    /// Plays moves in SAN or UCI notation from here, all of them or none.
    ///
    /// # Errors
    ///
    /// A text if a move is illegal.
    pub fn play_line(&mut self, text: &str) -> Result<(), String> {
        let mut game = Game::from_position(self.here.position.clone());
        game.play_line(text).map_err(in_words)?;
        let line = [&self.here.line[..], game.moves()].concat();
        self.go(&line);
        if self.is_beyond() {
            let known = self.tree.walk(&line).len() - 1;
            let (known, missing) = line.split_at(known.min(line.len()));
            let there = after(self.tree.game.root(), known);
            let san = missing.first().map(|missing| san_of(&there, *missing)).unwrap_or_default();
            let place = name_of_line(self.tree.game.root(), known);
            self.tell(format!("the tree has no {san} after {place}; Enter asks about it"));
        }
        Ok(())
    }

    /// The end of a line from the root, in the tree or beyond it.
    pub(super) fn at(&self, line: &[UciMove]) -> LinePosition {
        let mut there = LinePosition::at(&self.tree, line);
        if let Some(people) = &self.people {
            there.expect(&self.tree, people);
        }
        there
    }

    pub(super) fn go(&mut self, line: &[UciMove]) {
        self.here = self.at(line);
        self.selected = 0;
    }

    pub(super) fn select(&mut self, uci: Option<UciMove>) {
        let place = self.here.moves.iter().position(|choice| Some(choice.uci) == uci);
        self.selected = place.unwrap_or(0);
    }

    /// Goes to the end of a line, and selects a move there.
    pub(super) fn go_to(&mut self, line: &[UciMove], selected: Option<UciMove>) {
        self.go(line);
        self.select(selected);
    }

    pub(super) fn select_by(&mut self, rows: isize) {
        let (selected, count) = match &mut self.mode {
            Mode::List { entries, selected } => (selected, entries.len()),
            _ => (&mut self.selected, self.here.moves.len()),
        };
        *selected = selected.saturating_add_signed(rows).min(count.saturating_sub(1));
    }

    pub(super) fn play_selected(&mut self) {
        match self.choice().map(|choice| choice.uci) {
            Some(uci) => self.go(&[&self.here.line[..], &[uci]].concat()),
            None => self.tell(self.why_no_move()),
        }
    }

    /// Reason why no move can be played.
    pub fn why_no_move(&self) -> String {
        let LinePosition { end, known, value, stopped, .. } = &self.here;
        match (end, known, value) {
            (_, Some(known), _) => format!("for the side to move: {known}"),
            (_, _, Some(value)) => format!("your value: {}", describe_value(*value)),
            (Some(end), ..) if *end != EndOfLine::Repetition => end.name().to_owned(),
            _ if *stopped => "stopped here".to_owned(),
            _ if self.is_beyond() => "beyond the tree; Enter asks about the last move".to_owned(),
            _ => "not analysed: the tree ends here; i includes the line".to_owned(),
        }
    }

    /// Undoes one move; it is selected, so that it can be played again.
    pub(super) fn back(&mut self) {
        let Some((last, before)) = self.here.line.split_last() else {
            return self.tell("this is the root".to_owned());
        };
        let (last, before) = (*last, before.to_vec());
        self.go(&before);
        self.select(Some(last));
    }

    pub(super) fn go_to_root(&mut self) {
        let first = self.here.line.first().copied();
        self.go(&[]);
        self.select(first);
    }

    pub(super) fn play_best(&mut self, plies: usize) {
        let Some(best) = &self.here.best else {
            return self.tell(self.why_no_move());
        };
        let on = best.moves.iter().take(plies);
        let line: Vec<UciMove> = self.here.line.iter().chain(on).copied().collect();
        self.go(&line);
    }
}

/// The error in a typed line, without the position, which is on screen.
pub(super) fn in_words(error: GameError) -> String {
    match error {
        GameError::Illegal { token, reason, .. } => format!("{token} is {reason} there"),
        GameError::Notation { token, .. } => format!("{token:?} is not a move in SAN or UCI"),
        error @ (GameError::Fen(_) | GameError::Null { .. }) => error.to_string(),
    }
}
