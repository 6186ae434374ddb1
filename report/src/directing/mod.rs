//! What each action does to a set, and the words for it.

mod lines;

pub use lines::{Line, Lines, line_in_tree};

use shakmaty::Chess;

use deepanalyze_core::chess::{GameError, PositionKey};
use deepanalyze_core::directives::{Dates, Directive, Directives, Refusal, Said};

use crate::words::figures::count;
use crate::words::manner::{describe_directives, describe_value};

/// Excludes the last move of a line.
pub fn exclude(set: &mut Directives, line: &Line) -> Result<String, DirectError> {
    let Some((position, uci)) = line.last() else {
        return Ok(String::new());
    };
    let name = line.name();
    Ok(match add(set, line.root(), &position, Directive::Exclude(uci), &name)? {
        true => format!("excluded {name}"),
        false => format!("{name} is already excluded"),
    })
}

/// Includes every move of a line.
pub fn include(set: &mut Directives, line: &Line) -> Result<String, DirectError> {
    let (mut all, mut new) = (0_u64, 0_u64);
    for (position, uci) in line.moves() {
        all += 1;
        let name = line.name_of(usize::try_from(all).unwrap_or(usize::MAX));
        new += u64::from(add(set, line.root(), &position, Directive::Include(uci), &name)?);
    }
    let name = line.name();
    Ok(match new {
        0 => format!("{name} is already included"),
        new if new == all => format!("included {name}"),
        new => format!("included {name} (new: {new} of {})", count(all, "move")),
    })
}

/// Says what the position after a line is worth.
pub fn value(set: &mut Directives, line: &Line, white: i32) -> Result<String, DirectError> {
    let (name, worth) = (line.name(), describe_value(white));
    Ok(match add(set, line.root(), line.end(), Directive::Value(white), &name)? {
        true => format!("{name} counts as {worth}"),
        false => format!("{name} already counts as {worth}"),
    })
}

/// Makes a leaf of the position after a line.
pub fn stop(set: &mut Directives, line: &Line) -> Result<String, DirectError> {
    let name = line.name();
    Ok(match add(set, line.root(), line.end(), Directive::Stop, &name)? {
        true => format!("stopped at {name}: nothing is searched there"),
        false => format!("{name} is already stopped"),
    })
}

/// Keeps a text with the position after a line.
pub fn note(set: &mut Directives, line: &Line, text: &str) -> Result<String, DirectError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DirectError::EmptyNote);
    }
    let name = line.name();
    let had = set.at(&PositionKey::of(line.end())).is_some_and(|said| said.note.is_some());
    let new = add(set, line.root(), line.end(), Directive::Note(text.to_owned()), &name)?;
    Ok(match (new, had) {
        (false, _) => format!("{name} already has this note"),
        (true, false) => format!("noted at {name}"),
        (true, true) => format!("noted at {name}, in place of the note that was there"),
    })
}

/// Takes back what was said of the last move of a line and of the position after it; of a line that was included, the
/// moves before it that one command has included with it, too, as far back as no other included move goes on from them.
pub fn undo(set: &mut Directives, line: &Line, dates: &Dates) -> Result<String, DirectError> {
    let mut words: Vec<String> = Vec::new();
    if let Some((position, uci)) = line.last() {
        let key = PositionKey::of(&position);
        let said = set.at(&key).cloned().unwrap_or_default();
        let about = |directive: &Directive| matches!(directive, Directive::Exclude(other) | Directive::Include(other) if *other == uci);
        words.extend(said.each().filter(about).map(|directive| taken_back(&directive)));
        match set.take_back_line(&line.to_said(), dates) {
            0 => {}
            with => words.push(format!("and with it {} before it", count(with as u64, "move"))),
        }
    }
    let key = PositionKey::of(line.end());
    let said = set.at(&key).cloned().unwrap_or_default();
    let own = Said { exclude: Vec::new(), include: Vec::new(), ..said };
    words.extend(own.each().map(|directive| taken_back(&directive)));
    set.take_back_position(&key);
    let name = line.name();
    match words.is_empty() {
        true => Err(DirectError::Nothing(name)),
        false => Ok(format!("took back at {name}: {}", words.join(", "))),
    }
}

/// Takes back everything.
pub fn undo_all(set: &mut Directives) -> Result<String, DirectError> {
    let all = std::mem::take(set);
    Ok(match all.is_empty() {
        true => "this root has no directives".to_owned(),
        false => format!("took back all directives: {}", describe_directives(&all)),
    })
}

/// Takes a set that comes from somewhere in place of all that was said.
pub fn apply(set: &mut Directives, new: &Directives, from: &str) -> Result<String, DirectError> {
    let old = std::mem::replace(set, new.clone());
    let is = count(new.len() as u64, "directive");
    let was = match describe_directives(&old) {
        none if none.is_empty() => "none".to_owned(),
        some => some,
    };
    Ok(match old == *new {
        true => format!("the root already has the {is} of {from}"),
        false => format!("{is} of {from} in place of {was}"),
    })
}

fn taken_back(directive: &Directive) -> String {
    match directive {
        Directive::Exclude(_) => "the exclusion".to_owned(),
        Directive::Include(_) => "the inclusion".to_owned(),
        Directive::Value(white) => format!("the value ({})", describe_value(*white)),
        Directive::Stop => "the stop".to_owned(),
        Directive::Note(_) => "the note".to_owned(),
    }
}

/// Says something of a position, which a line names; whether it is new.
fn add(
    set: &mut Directives,
    root: PositionKey,
    position: &Chess,
    directive: Directive,
    name: &str,
) -> Result<bool, DirectError> {
    let key = PositionKey::of(position);
    let before = set.at(&key).cloned();
    match set.add(&root, position, directive) {
        Ok(()) => Ok(set.at(&key) != before.as_ref()),
        Err(reason) => Err(refused(name, reason)),
    }
}

/// What is refused, with the line.
pub fn refused(name: &str, reason: Refusal) -> DirectError {
    DirectError::Refused { name: name.to_owned(), reason }
}

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
