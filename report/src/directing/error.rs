//! Why an action on directives was refused.

use deepanalyze_core::chess::GameError;
use deepanalyze_core::directives::Refusal;

/// Why an action on directives was refused, in words that name the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectError {
    /// The line cannot be played.
    #[error(transparent)]
    Line(#[from] GameError),
    /// The action needs a move.
    #[error("the line is empty: give the moves from the root")]
    EmptyLine,
    /// A note without a word.
    #[error("the note is empty")]
    EmptyNote,
    /// There is nothing to take back.
    #[error("there is no directive on {0}")]
    Nothing(String),
    /// Section 6 of the algorithm refuses it.
    #[error("{}", of_line(name, reason))]
    Refused {
        /// The line.
        name: String,
        /// Why.
        reason: Refusal,
    },
}

impl DirectError {
    /// Whether the words of the user make no sense, whatever has been said before.
    pub fn is_usage(&self) -> bool {
        matches!(self, DirectError::Line(_) | DirectError::EmptyLine | DirectError::EmptyNote)
    }

    /// What the user can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            DirectError::EmptyLine => Some("like \"e4 e5 Nf3\"".to_owned()),
            DirectError::EmptyNote => Some("`undo` takes a note back".to_owned()),
            DirectError::Refused { name, reason } => match reason {
                Refusal::Included(_)
                | Refusal::Excluded(_)
                | Refusal::Valued
                | Refusal::Stopped => Some(format!("undo \"{name}\" takes it back")),
                _ => None,
            },
            DirectError::Line(_) | DirectError::Nothing(_) => None,
        }
    }
}

fn of_line(name: &str, reason: &Refusal) -> String {
    match reason {
        Refusal::Root => reason.to_string(),
        _ => format!("{name}: {reason}"),
    }
}
