//! The user's directives: the lines to their positions, the effect of each action on a set, and the
//! words for it.

use std::collections::VecDeque;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{
    Game, GameError, GivenValue, PositionKey, epd_of, legal_uci, san_of,
};
use deepanalyze_core::directives::{Change, Dates, Directive, Directives, Moves, Refusal, Said};
use deepanalyze_core::tree::Growth;

use crate::words::figures::{count, one_line};
use crate::words::manner::{describe_directives, describe_directives_or, describe_value};
use crate::words::{after, name_of_line};

/// Removes everything.
pub fn undo_all(set: &mut Directives) -> Result<String, DirectError> {
    let all = std::mem::take(set);
    Ok(if all.is_empty() {
        "this root has no directives".to_owned()
    } else {
        format!("took back all directives: {}", describe_directives(&all))
    })
}

/// Replaces all directives by a set from elsewhere.
pub fn apply_directives(
    set: &mut Directives,
    new: &Directives,
    from: &str,
) -> Result<String, DirectError> {
    let old = std::mem::replace(set, new.clone());
    // The file does not say how the moves are written.
    *set.written_mut() = old.written().clone();
    let is = count(new.len() as u64, "directive");
    Ok(if old == *set {
        format!("the root already has the {is} of {from}")
    } else {
        format!("{is} of {from} in place of {}", describe_directives_or(&old, "none"))
    })
}

fn undone(directive: &Directive) -> String {
    match directive {
        Directive::Exclude(_) => "the exclusion".to_owned(),
        Directive::Include(_) => "the inclusion".to_owned(),
        Directive::Value(given) => format!("the value ({})", describe_value(*given)),
        Directive::Stop => "the stop".to_owned(),
        Directive::Note(_) => "the note".to_owned(),
    }
}

/// Refusal of an action on directives, in words that name the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectError {
    /// The line cannot be played.
    #[error(transparent)]
    Line(#[from] GameError),
    /// The action needs a move.
    #[error("the line is empty: give the moves from the root")]
    EmptyLine,
    /// A note without text.
    #[error("the note is empty")]
    EmptyNote,
    /// There is nothing to undo.
    #[error("no directive on {0}")]
    Nothing(String),
    /// Section 6 of the algorithm refuses it.
    #[error("{}", of_line(name, reason))]
    Refused {
        /// The line.
        name: String,
        /// The reason.
        reason: Refusal,
    },
}

impl DirectError {
    /// True if the user's input makes no sense whatever the directives.
    pub fn is_usage(&self) -> bool {
        matches!(self, DirectError::Line(_) | DirectError::EmptyLine | DirectError::EmptyNote)
    }

    /// A hint for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            DirectError::EmptyLine => Some("like \"e4 e5 Nf3\"".to_owned()),
            DirectError::EmptyNote => Some("`undo` removes a note".to_owned()),
            DirectError::Refused { name, reason } => match reason {
                Refusal::Included(_)
                | Refusal::Excluded(_)
                | Refusal::Valued
                | Refusal::Stopped => Some(format!("`direct undo \"{name}\"` removes it")),
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

/// A line from a root, along which directives are changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectedLine {
    /// It begins at the root.
    game: Game,
    /// Leading moves that are not to be included.
    lead: usize,
}

impl DirectedLine {
    /// Reads moves in SAN or UCI notation.
    pub fn read(root: &Chess, text: &str) -> Result<DirectedLine, DirectError> {
        DirectedLine::read_behind(root, &[], text)
    }

    /// Reads moves behind a line, not included with them; without moves the line itself is.
    pub fn read_behind(
        root: &Chess,
        lead: &[UciMove],
        text: &str,
    ) -> Result<DirectedLine, DirectError> {
        let mut game = Game::from_position(root.clone());
        for uci in lead {
            game.play_line(&uci.to_string())?;
        }
        game.play_line(text)?;
        let lead = if game.moves().len() == lead.len() { 0 } else { lead.len() };
        Ok(DirectedLine { game, lead })
    }

    /// The position after it.
    fn end(&self) -> &Chess {
        self.game.root()
    }

    /// Its last move, with the position in which it is played.
    fn last(&self) -> Option<(Chess, UciMove)> {
        self.moves().last()
    }

    /// Each move with the position in which it is played.
    fn moves(&self) -> impl Iterator<Item = (Chess, UciMove)> + '_ {
        let before = std::iter::once(self.game.start().clone()).chain(self.game.positions());
        before.zip(self.game.moves().iter().copied())
    }

    /// The line as keys of positions.
    fn to_said(&self) -> Moves {
        let moves = self.moves().map(|(position, uci)| (PositionKey::of(&position), uci));
        Moves { moves: moves.collect(), end: PositionKey::of(self.end()) }
    }

    /// Its first moves in SAN with numbers; the root's name if there is none.
    fn name_of(&self, plies: usize) -> String {
        name_of_line(self.game.start(), self.game.moves().get(..plies).unwrap_or_default())
    }

    /// The whole line in SAN with numbers.
    fn name(&self) -> String {
        self.name_of(self.game.moves().len())
    }

    /// Makes a change and describes it. Dates tell which moves were included together.
    ///
    /// # Errors
    ///
    /// [`DirectError`] where it is refused; discard the set then.
    pub fn change(
        &self,
        change: &Change,
        set: &mut Directives,
        dates: &Dates,
    ) -> Result<String, DirectError> {
        match change {
            Change::Exclude => self.exclude(set),
            Change::Include => self.include(set),
            Change::Value(given) => self.value(set, *given),
            Change::Stop => self.stop(set),
            Change::Note(text) => self.note(set, text.trim()),
            Change::Undo => self.undo(set, dates),
        }
    }

    fn exclude(&self, set: &mut Directives) -> Result<String, DirectError> {
        let (position, uci) = self.last().ok_or(DirectError::EmptyLine)?;
        let name = self.name();
        Ok(if self.add(set, &position, Directive::Exclude(uci), &name)? {
            format!("excluded {name}")
        } else {
            format!("{name} is already excluded")
        })
    }

    fn include(&self, set: &mut Directives) -> Result<String, DirectError> {
        let mut new = 0;
        for (index, (position, uci)) in self.moves().enumerate().skip(self.lead) {
            let name = self.name_of(index + 1);
            new += usize::from(self.add(set, &position, Directive::Include(uci), &name)?);
        }
        let name = self.name();
        Ok(match (new, self.game.moves().len() - self.lead) {
            (_, 0) => return Err(DirectError::EmptyLine),
            (0, _) => format!("{name} is already included"),
            (new, all) if new == all => format!("included {name}"),
            (new, all) => format!("included {name} (new: {new} of {})", count(all as u64, "move")),
        })
    }

    fn value(&self, set: &mut Directives, given: GivenValue) -> Result<String, DirectError> {
        let (name, worth) = (self.name(), describe_value(given));
        Ok(if self.add(set, self.end(), Directive::Value(given), &name)? {
            format!("{name} counts as {worth}")
        } else {
            format!("{name} already counts as {worth}")
        })
    }

    fn stop(&self, set: &mut Directives) -> Result<String, DirectError> {
        let name = self.name();
        Ok(if self.add(set, self.end(), Directive::Stop, &name)? {
            format!("stopped at {name}: nothing is searched there")
        } else {
            format!("{name} is already stopped")
        })
    }

    fn note(&self, set: &mut Directives, text: &str) -> Result<String, DirectError> {
        let (name, key, note) =
            (self.name(), PositionKey::of(self.end()), Directive::Note(text.to_owned()));
        let had = set.at(&key).is_some_and(|said| said.note.is_some());
        if text.is_empty() {
            set.undo(&key, &note);
            let what = if had { "took back the note at" } else { "there is no note at" };
            return Ok(format!("{what} {name}"));
        }
        Ok(match (self.add(set, self.end(), note, &name)?, had) {
            (false, _) => format!("{name} already has this note"),
            (true, false) => format!("noted at {name}"),
            (true, true) => format!("noted at {name}, in place of the note that was there"),
        })
    }

    /// Undoes the directives on its last move and on the position after it; of a line that was
    /// included, also the moves before it that the same command has included, as far back as no
    /// other included move goes on from them.
    fn undo(&self, set: &mut Directives, dates: &Dates) -> Result<String, DirectError> {
        let unreached = set.unreached(self.game.start());
        let mut words: Vec<String> = Vec::new();
        if let Some((position, uci)) = self.last() {
            let said = set.at(&PositionKey::of(&position)).cloned().unwrap_or_default();
            let about = |directive: &Directive| matches!(directive, Directive::Exclude(other) | Directive::Include(other) if *other == uci);
            words.extend(said.each().filter(about).map(|directive| undone(&directive)));
            match set.undo_line(&self.to_said(), dates) {
                0 => {}
                with => words.push(format!("and with it {} before it", count(with as u64, "move"))),
            }
        }
        let key = PositionKey::of(self.end());
        let said = set.at(&key).cloned().unwrap_or_default();
        let own = Said { exclude: Vec::new(), include: Vec::new(), ..said };
        words.extend(own.each().map(|directive| undone(&directive)));
        set.undo_position(&key);
        let name = self.name();
        if words.is_empty() {
            Err(DirectError::Nothing(name))
        } else {
            let behind = set.unreached(self.game.start()).saturating_sub(unreached);
            let behind = match behind {
                0 => String::new(),
                1 => "; one included move behind it stays, to which no included line leads"
                    .to_owned(),
                moves => format!(
                    "; {} behind it stay, to which no included line leads",
                    count(moves as u64, "included move")
                ),
            };
            Ok(format!("took back at {name}: {}{behind}", words.join(", ")))
        }
    }

    /// Adds a directive on a position, named in errors; true if it is new.
    fn add(
        &self,
        set: &mut Directives,
        position: &Chess,
        directive: Directive,
        name: &str,
    ) -> Result<bool, DirectError> {
        let key = PositionKey::of(position);
        let before = set.at(&key).cloned();
        set.add(&PositionKey::of(self.game.start()), position, directive)
            .map_err(|reason| DirectError::Refused { name: name.to_owned(), reason })?;
        Ok(set.at(&key) != before.as_ref())
    }
}

/// Within this many plies of the root all are tried.
const EVERY_MOVE: usize = 3;
/// Greatest number of positions visited.
const MOST: usize = 200_000;

/// Lines from a root to positions.
#[derive(Debug, Default)]
pub struct LinesToPositions {
    lines: HashMap<PositionKey, Vec<UciMove>>,
}

impl LinesToPositions {
    /// Finds a line to each position with directives where it can: the shortest one in the tree, if
    /// that has the position; else along moves with directives, and near the root along any.
    pub fn of(root: &Chess, set: &Directives, growth: Option<&Growth>) -> LinesToPositions {
        let mut lines = LinesToPositions::default();
        let mut open = VecDeque::from([(root.clone(), Vec::new())]);
        lines.lines.insert(PositionKey::of(root), Vec::new());
        for (key, _) in set.positions() {
            let Some(line) = growth.and_then(|growth| line_in_tree(growth, key)) else {
                continue;
            };
            open.push_back((after(root, &line), line.clone()));
            lines.lines.insert(*key, line);
        }
        let is_wanted =
            |lines: &LinesToPositions| set.positions().any(|(key, _)| lines.to(key).is_none());
        if is_wanted(&lines) {
            lines.search(open, set);
        }
        lines
    }

    /// The line to a position.
    pub fn to(&self, key: &PositionKey) -> Option<&[UciMove]> {
        self.lines.get(key).map(Vec::as_slice)
    }

    /// A position, or a move there, by the numbered line from the root; by its EPD where no line is found.
    pub fn describe(&self, root: &Chess, key: &PositionKey, uci: Option<UciMove>) -> String {
        let position = key.position();
        match (self.to(key), uci) {
            (Some(line), uci) => {
                name_of_line(root, &line.iter().copied().chain(uci).collect::<Vec<_>>())
            }
            (None, Some(uci)) => format!("{} in {}", san_of(&position, uci), epd_of(&position)),
            (None, None) => epd_of(&position),
        }
    }

    /// A directive by the line to where it is, with its value or text.
    pub fn describe_directive(
        &self,
        root: &Chess,
        key: &PositionKey,
        directive: &Directive,
    ) -> String {
        let name = self.describe(root, key, directive.uci());
        match directive {
            Directive::Value(given) => format!("{name}: {}", describe_value(*given)),
            Directive::Note(text) => format!("{name}: {}", one_line(text)),
            Directive::Exclude(_) | Directive::Include(_) | Directive::Stop => name,
        }
    }

    fn search(&mut self, mut open: VecDeque<(Chess, Vec<UciMove>)>, set: &Directives) {
        while let Some((position, line)) = open.pop_front() {
            for uci in moves(&position, line.len(), set) {
                let child = after(&position, [&uci]);
                let key = PositionKey::of(&child);
                if self.lines.len() >= MOST || self.lines.contains_key(&key) {
                    continue;
                }
                let line = [&line[..], &[uci]].concat();
                self.lines.insert(key, line.clone());
                open.push_back((child, line));
            }
        }
    }
}

/// The shortest line to a position in a tree, if any.
pub fn line_in_tree(growth: &Growth, key: &PositionKey) -> Option<Vec<UciMove>> {
    let node = growth.find(key)?;
    (growth.ply(node) < u32::MAX).then(|| growth.first_line(node))
}

/// The moves to try in a position: those with directives first.
fn moves(position: &Chess, ply: usize, set: &Directives) -> Vec<UciMove> {
    let said = set.at(&PositionKey::of(position));
    let mut moves: Vec<UciMove> =
        said.map(|said| [&said.include[..], &said.exclude].concat()).unwrap_or_default();
    if ply < EVERY_MOVE && !position.is_game_over() {
        moves.extend(legal_uci(position));
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::directives::Directive;

    fn game(line: &str) -> Game {
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        game
    }

    #[test]
    fn positions_are_found_behind_directed_moves() {
        let root = PositionKey::of(&Chess::default());
        let mut set = Directives::default();
        let far = game("e4 e5 Nf3 Nc6 Bb5 a6");
        let positions = std::iter::once(Chess::default()).chain(far.positions());
        for (position, uci) in positions.zip(far.moves()) {
            set.add(&root, &position, Directive::Include(*uci)).unwrap();
        }
        set.add(&root, far.root(), Directive::Stop).unwrap();
        let near = game("d4 e5 dxe5");
        set.add(&root, near.root(), Directive::Value(GivenValue::Centipawns(10))).unwrap();
        let hidden = game("d4 e5 dxe5 f6 Nc3");
        set.add(&root, hidden.root(), Directive::Value(GivenValue::Centipawns(10))).unwrap();
        let lines = LinesToPositions::of(&Chess::default(), &set, None);
        assert_eq!(lines.to(&root), Some(&[][..]));
        for game in [&far, &near] {
            assert_eq!(lines.to(&PositionKey::of(game.root())), Some(game.moves()));
        }
        assert_eq!(lines.to(&PositionKey::of(hidden.root())), None);
    }
}
