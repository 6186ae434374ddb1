//! What a user asks for: directives to give and to take back.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::directives::{Dates, Directive, Directives, Moves, Refusal};

/// A change of the root's directives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What it does, in words.
    pub words: String,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// One step of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
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

impl Change {
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
                Step::Say(position, directive) => set.add(root, position, directive.clone())?,
                Step::TakeBackMove(key, uci) => {
                    set.take_back_move(key, *uci);
                }
                Step::TakeBackLine(line) => {
                    set.take_back_line(line, dates);
                }
                Step::TakeBackPosition(key) => {
                    set.take_back_position(key);
                }
                Step::TakeBackNote(key) => {
                    set.take_back_note(key);
                }
                Step::TakeBackEnd(key) => {
                    set.take_back_end(key);
                }
            }
        }
        Ok(())
    }
}
