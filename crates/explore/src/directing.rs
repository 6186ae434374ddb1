//! Changes of the directives, and what the keys for them do: they ask for a change, which is made where the database is
//! written.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{DrawValue, DrawValueError, Game, PositionKey};
use deepanalyze_core::directives::{Dates, Directive, Directives, Moves, Refusal, parse_value};
use deepanalyze_view::{Tree, after, describe_value, numbered_line};

use super::action::{Mode, Prompt};
use super::explorer::{Effect, Explorer};
use super::list::{DirectiveEntry, entries};
use super::walking::in_words;

/// A change of the root's directives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveChange {
    /// What it does, in words.
    pub words: String,
    /// Its steps.
    pub steps: Vec<ChangeStep>,
}

/// One step of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeStep {
    /// To say something of a position.
    Say(Box<Chess>, Directive),
    /// To take back what was said of a move of a position.
    TakeBackMove(PositionKey, UciMove),
    /// To take back what was said of the last move of a line, with the moves before it that were included with it.
    TakeBackLine(Moves),
    /// To take back what was said of a position itself.
    TakeBackPosition(PositionKey),
    /// To take back the note on a position.
    TakeBackNote(PositionKey),
    /// To take back the value of a position, or that it is a leaf.
    TakeBackEnd(PositionKey),
}

impl DirectiveChange {
    /// Makes the change in the directives of a root.
    ///
    /// # Errors
    ///
    /// [`Refusal`] at the first step that is refused; the set is of no use then.
    pub fn apply(
        &self,
        root: &PositionKey,
        set: &mut Directives,
        dates: &Dates,
    ) -> Result<(), Refusal> {
        for step in &self.steps {
            match step {
                ChangeStep::Say(position, directive) => {
                    set.add(root, position, directive.clone())?
                }
                ChangeStep::TakeBackMove(key, uci) => {
                    set.take_back_move(key, *uci);
                }
                ChangeStep::TakeBackLine(line) => {
                    set.take_back_line(line, dates);
                }
                ChangeStep::TakeBackPosition(key) => {
                    set.take_back_position(key);
                }
                ChangeStep::TakeBackNote(key) => {
                    set.take_back_note(key);
                }
                ChangeStep::TakeBackEnd(key) => {
                    set.take_back_end(key);
                }
            }
        }
        Ok(())
    }
}

impl Explorer {
    /// Excludes the selected move.
    pub(super) fn exclude(&mut self) -> Effect {
        let Some(uci) = self.choice().map(|choice| choice.uci) else {
            return self.nothing("there is no move to exclude");
        };
        let words = format!("excluded {}", self.named(&[uci]));
        let step = ChangeStep::Say(Box::new(self.here().position.clone()), Directive::Exclude(uci));
        Effect::Direct(DirectiveChange { words, steps: vec![step] })
    }

    /// Includes the selected move; where the tree ends, the line that leads there.
    pub(super) fn include(&mut self) -> Effect {
        let line = match self.choice() {
            Some(choice) => vec![choice.uci],
            None => return self.follow(),
        };
        let position = self.here().position.clone();
        self.include_moves(position, &line, format!("included {}", self.named(&line)))
    }

    /// Includes the whole line to here: it is analysed as the root is.
    fn follow(&mut self) -> Effect {
        let line = self.here().line.clone();
        if line.is_empty() {
            return self.nothing("there is no move to include");
        }
        let root = self.tree().game.root().clone();
        self.include_moves(root, &line, format!("included the line {}", self.named(&[])))
    }

    fn include_moves(&mut self, mut position: Chess, line: &[UciMove], words: String) -> Effect {
        let mut steps = Vec::new();
        for uci in line {
            steps.push(ChangeStep::Say(Box::new(position.clone()), Directive::Include(*uci)));
            position = after(&position, [uci]);
        }
        Effect::Direct(DirectiveChange { words, steps })
    }

    /// Takes back what was said of the selected move and of the position behind it.
    pub(super) fn take_back(&mut self) -> Effect {
        let Some(uci) = self.choice().map(|choice| choice.uci) else {
            return self.nothing("nothing to undo at this move");
        };
        let words = format!("took back {}", self.named(&[uci]));
        let line = [&self.here().line[..], &[uci]].concat();
        Effect::Direct(DirectiveChange { words, steps: of_line(self.tree().game.root(), &line) })
    }

    /// Takes back what was said of this position and of the move that led here.
    pub(super) fn take_back_here(&mut self) -> Effect {
        let here = self.here();
        let words = format!("took back {}", self.named(&[]));
        Effect::Direct(DirectiveChange {
            words,
            steps: of_line(self.tree().game.root(), &here.line),
        })
    }

    /// Makes this position a leaf.
    pub(super) fn stop(&mut self) -> Effect {
        let words = format!("stopped at {}", self.named(&[]));
        let step = ChangeStep::Say(Box::new(self.here().position.clone()), Directive::Stop);
        Effect::Direct(DirectiveChange { words, steps: vec![step] })
    }

    /// Does what was asked for with what was typed.
    pub(super) fn answer(&mut self, ask: Prompt, text: &str) -> Effect {
        let asked = match ask {
            Prompt::Line => self.play_line(text).map(|()| Effect::None),
            Prompt::Include => self.include_typed(text),
            Prompt::Value => self.give_value(text),
            Prompt::Draw => self.value_draws(text),
            Prompt::Note => Ok(self.give_note(text)),
        };
        asked.unwrap_or_else(|why| {
            self.complain(why);
            Effect::None
        })
    }

    fn include_typed(&mut self, text: &str) -> Result<Effect, String> {
        let position = self.here().position.clone();
        let mut game = Game::from_position(position.clone());
        game.play_line(text).map_err(in_words)?;
        if game.moves().is_empty() {
            return Ok(Effect::None);
        }
        let words = format!("included {}", self.named(game.moves()));
        Ok(self.include_moves(position, game.moves(), words))
    }

    fn value_draws(&mut self, text: &str) -> Result<Effect, String> {
        let draw: DrawValue =
            text.trim().parse().map_err(|error: DrawValueError| error.to_string())?;
        if self.tree().row.settings.draw == draw {
            return Ok(self.nothing("that is what a draw is worth"));
        }
        Ok(Effect::Draw(draw))
    }

    fn give_value(&mut self, text: &str) -> Result<Effect, String> {
        let value = parse_value(text)?;
        let words = format!("{} is now {}", self.named(&[]), describe_value(value));
        let step = ChangeStep::Say(Box::new(self.here().position.clone()), Directive::Value(value));
        Ok(Effect::Direct(DirectiveChange { words, steps: vec![step] }))
    }

    fn give_note(&mut self, text: &str) -> Effect {
        let position = &self.here().position;
        let (words, step) = match text.trim() {
            "" => ("took the note back", ChangeStep::TakeBackNote(PositionKey::of(position))),
            note => {
                let note = Directive::Note(note.to_owned());
                ("noted", ChangeStep::Say(Box::new(position.clone()), note))
            }
        };
        Effect::Direct(DirectiveChange { words: words.to_owned(), steps: vec![step] })
    }

    /// Shows all directives, or says that there are none.
    pub(super) fn open_list(&mut self) -> Effect {
        let entries = entries(self.tree());
        if entries.is_empty() {
            return self.nothing("no directives at this root");
        }
        self.mode = Mode::List { entries, selected: 0 };
        Effect::None
    }

    /// Goes to where the selected directive belongs.
    pub(super) fn jump(&mut self) -> Effect {
        let Some(entry) = self.entry().cloned() else {
            return Effect::None;
        };
        self.mode = Mode::Browse;
        let line = entry.line.clone().unwrap_or_default();
        self.go_to(&line, entry.uci());
        if self.here().line.len() < line.len()
            || PositionKey::of(&self.here().position) != entry.key
        {
            return self.nothing("the tree does not reach that position");
        }
        Effect::None
    }

    /// Takes the selected directive back.
    pub(super) fn take_back_entry(&mut self) -> Effect {
        let Some(entry) = self.entry() else {
            return Effect::None;
        };
        let step = match &entry.directive {
            Directive::Exclude(uci) | Directive::Include(uci) => {
                ChangeStep::TakeBackMove(entry.key, *uci)
            }
            Directive::Note(_) => ChangeStep::TakeBackNote(entry.key),
            Directive::Value(_) | Directive::Stop => ChangeStep::TakeBackEnd(entry.key),
        };
        let words = format!("took back: {}", entry.words);
        Effect::Direct(DirectiveChange { words, steps: vec![step] })
    }

    /// The selected directive of the list.
    pub fn entry(&self) -> Option<&DirectiveEntry> {
        match &self.mode {
            Mode::List { entries, selected } => entries.get(*selected),
            _ => None,
        }
    }

    /// The list as the directives are now; nothing is shown where there are none left. A tree that has only
    /// grown has the same lines: working them out takes a while.
    pub(super) fn renew_list(&mut self, before: &Tree) {
        let now = self.tree();
        if (before.row.regrown, &before.directives) == (now.row.regrown, &now.directives) {
            return;
        }
        if let Mode::List { selected, .. } = &self.mode {
            let (selected, entries) = (*selected, entries(self.tree()));
            self.mode = match entries.len() {
                0 => Mode::Browse,
                count => Mode::List { selected: selected.min(count - 1), entries },
            };
        }
    }

    fn nothing(&mut self, why: &str) -> Effect {
        self.tell(why.to_owned());
        Effect::None
    }

    /// The line to here and moves behind it, in SAN; or that it is the root.
    fn named(&self, moves: &[UciMove]) -> String {
        let line = [&self.here().line[..], moves].concat();
        let named = numbered_line(self.tree().game.root(), &line);
        if named.is_empty() { "the root".to_owned() } else { named }
    }
}

/// Takes back what was said of the last move of a line and of the position behind it.
fn of_line(root: &Chess, line: &[UciMove]) -> Vec<ChangeStep> {
    let (mut position, mut moves) = (root.clone(), Vec::new());
    for uci in line {
        moves.push((PositionKey::of(&position), *uci));
        position = after(&position, [uci]);
    }
    let end = PositionKey::of(&position);
    vec![ChangeStep::TakeBackLine(Moves { moves, end }), ChangeStep::TakeBackPosition(end)]
}
