//! Changes of the directives, and their keys: a change is requested here, and made where the
//! database is written. The directives of the root, as lines to walk through.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{DrawValue, DrawValueError, PositionKey};
use deepanalyze_core::directives::{Change, Dates, Directive, Directives, parse_value};
use deepanalyze_view::{DirectError, DirectedLine, LinesToPositions, Tree};

use super::action::{Mode, Prompt};
use super::explorer::{Effect, Explorer};
use super::navigation::in_words;

/// A change of the root's directives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectiveChange {
    /// A change along a line.
    Along(Box<DirectedLine>, Change),
    /// Removal of a directive of the list.
    Undo(DirectiveEntry),
}

impl DirectiveChange {
    /// Makes the change in the directives of a root; returns its description.
    ///
    /// # Errors
    ///
    /// [`DirectError`] where it is refused; discard the set then.
    pub fn apply(&self, set: &mut Directives, dates: &Dates) -> Result<String, DirectError> {
        match self {
            DirectiveChange::Along(line, change) => line.change(change, set, dates),
            DirectiveChange::Undo(entry) => {
                if set.undo(&entry.key, &entry.directive) {
                    Ok(format!("took back: {}", entry.words))
                } else {
                    Err(DirectError::Nothing(entry.words.clone()))
                }
            }
        }
    }
}

impl Explorer {
    /// Changes the directives along the line to here and these moves behind it.
    fn change(&mut self, moves: &str, change: Change) -> Effect {
        let line = DirectedLine::read_behind(self.tree().game.root(), &self.here().line, moves);
        let why = match line {
            Ok(line) => return Effect::Direct(DirectiveChange::Along(Box::new(line), change)),
            Err(DirectError::Line(error)) => in_words(error),
            Err(error) => error.to_string(),
        };
        self.complain(why);
        Effect::None
    }

    /// Changes the directives of the selected move; without one, shows `why`.
    fn change_choice(&mut self, change: Change, why: &str) -> Effect {
        match self.choice().map(|choice| choice.uci.to_string()) {
            Some(uci) => self.change(&uci, change),
            None => self.nothing(why),
        }
    }

    /// Excludes the selected move.
    pub(super) fn exclude(&mut self) -> Effect {
        self.change_choice(Change::Exclude, "there is no move to exclude")
    }

    /// Includes the selected move; where the tree ends, the line that leads there.
    pub(super) fn include(&mut self) -> Effect {
        if self.choice().is_none() && !self.here().line.is_empty() {
            self.change("", Change::Include)
        } else {
            self.change_choice(Change::Include, "there is no move to include")
        }
    }

    /// Undoes the directives on the selected move and the position behind it.
    pub(super) fn undo(&mut self) -> Effect {
        self.change_choice(Change::Undo, "nothing to undo at this move")
    }

    /// Undoes the directives on this position and the move that led here.
    pub(super) fn take_back_here(&mut self) -> Effect {
        self.change("", Change::Undo)
    }

    /// Makes this position a leaf.
    pub(super) fn stop(&mut self) -> Effect {
        self.change("", Change::Stop)
    }

    /// Acts on the text typed at a prompt.
    pub(super) fn answer(&mut self, ask: Prompt, text: &str) -> Effect {
        let asked = match ask {
            Prompt::Line => self.play_line(text).map(|()| Effect::None),
            Prompt::Include if text.trim().is_empty() => Ok(Effect::None),
            Prompt::Include => Ok(self.change(text, Change::Include)),
            Prompt::Value => parse_value(text).map(|value| self.change("", Change::Value(value))),
            Prompt::Draw => self.value_draws(text),
            Prompt::Note => Ok(self.change("", Change::Note(text.to_owned()))),
        };
        asked.unwrap_or_else(|why| {
            self.complain(why);
            Effect::None
        })
    }

    fn value_draws(&mut self, text: &str) -> Result<Effect, String> {
        let draw: DrawValue =
            text.trim().parse().map_err(|error: DrawValueError| error.to_string())?;
        if self.tree().row.settings.draw == draw {
            return Ok(self.nothing("that is what a draw is worth"));
        }
        Ok(Effect::Draw(draw))
    }

    /// Shows all directives, or a message if there are none.
    pub(super) fn open_list(&mut self) -> Effect {
        let entries = entries(self.tree());
        if entries.is_empty() {
            return self.nothing("no directives at this root");
        }
        self.mode = Mode::List { entries, selected: 0 };
        Effect::None
    }

    /// Goes to the position of the selected directive.
    pub(super) fn jump(&mut self) -> Effect {
        let Some(entry) = self.entry().cloned() else {
            return Effect::None;
        };
        self.mode = Mode::Browse;
        let line = entry.line.clone().unwrap_or_default();
        self.go_to(&line, entry.directive.uci());
        if self.here().line.len() < line.len()
            || PositionKey::of(&self.here().position) != entry.key
        {
            return self.nothing("the tree does not reach that position");
        }
        Effect::None
    }

    /// Undoes the selected directive.
    pub(super) fn take_back_entry(&mut self) -> Effect {
        let entry = self.entry().cloned();
        entry.map_or(Effect::None, |entry| Effect::Direct(DirectiveChange::Undo(entry)))
    }

    /// The selected directive of the list.
    pub fn entry(&self) -> Option<&DirectiveEntry> {
        match &self.mode {
            Mode::List { entries, selected } => entries.get(*selected),
            _ => None,
        }
    }

    /// Renews the list from the directives; closes it if none are left. A tree that has only grown
    /// has the same lines: working them out takes a while.
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
}

/// A directive of the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveEntry {
    /// The directive's position.
    pub key: PositionKey,
    /// The directive.
    pub directive: Directive,
    /// A line from the root to the position; `None` if neither the tree nor directives lead there.
    pub line: Option<Vec<UciMove>>,
    /// Its text.
    pub words: String,
}

/// All directives, by the lines to their positions; unreached positions come last.
pub fn entries(tree: &Tree) -> Vec<DirectiveEntry> {
    let (root, set) = (tree.game.root(), &tree.directives);
    let lines = LinesToPositions::of(root, set, Some(&tree.growth));
    let entry = |(key, directive): (PositionKey, Directive)| {
        let words = lines.describe_directive(root, &key, &directive);
        let (line, words) = (lines.to(&key), format!("{:<8}{words}", directive.kind()));
        DirectiveEntry { key, line: line.map(<[UciMove]>::to_vec), words, directive }
    };
    let mut entries: Vec<DirectiveEntry> = set.each().map(entry).collect();
    entries.sort_by_cached_key(|entry| {
        let words = entry.line.as_ref().map(|line| line.iter().map(ToString::to_string).collect());
        (words.is_none(), words.unwrap_or_else(Vec::<String>::new))
    });
    entries
}
