//! The state of a walk: the tree, the place in it, the selected move and how it is shown.

use std::sync::Arc;

use shakmaty::Position;

use deepanalyze_core::chess::{DrawValue, fen_of};
use deepanalyze_store::Store;
use deepanalyze_view::{
    ExpectedScores, LinePosition, ListedMove, PointOfView, Tree, Trust, numbered_line, one_line,
};

use super::action::{Action, Mode, Prompt};
use super::asking::AskedMove;
use super::directing::DirectiveChange;
use super::findings::Findings;

/// A message to the user, shown until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMessage {
    /// Its text.
    pub text: String,
    /// True if it is an error.
    pub is_error: bool,
}

/// An action's request to the terminal or the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Redraw only.
    None,
    /// Copy a text to the clipboard.
    Copy(String),
    /// Read the tree again.
    Reload,
    /// Change the directives of the root.
    Direct(DirectiveChange),
    /// Show the tree with this draw value.
    Draw(DrawValue),
    /// Suspend the program.
    Suspend,
    /// Quit.
    Quit,
}

/// A user's walk through a tree.
#[derive(Debug)]
pub struct Explorer {
    pub(super) tree: Arc<Tree>,
    pub(super) here: LinePosition,
    /// The place of the selected move.
    pub(super) selected: usize,
    /// Point of view of scores.
    pub(super) pov: PointOfView,
    /// True if Black sits below.
    pub(super) flipped: bool,
    /// Current use of keys.
    pub(super) mode: Mode,
    /// The last message.
    pub(super) notice: Option<StatusMessage>,
    /// True if a process grows the tree.
    pub(super) growing: bool,
    page: usize,
    /// Findings of an audit, once the user has named a side.
    pub(super) findings: Option<Findings>,
    /// Trust in the best move, once it was looked up.
    pub(super) trust: Option<Trust>,
    /// The move asked about last.
    pub(super) asked: Option<AskedMove>,
    /// Expected scores of moves, while shown.
    pub(super) people: Option<ExpectedScores>,
}

impl Explorer {
    /// At the root.
    pub fn new(tree: Arc<Tree>, pov: PointOfView) -> Explorer {
        let here = LinePosition::at(&tree, &[]);
        Explorer {
            tree,
            here,
            selected: 0,
            pov,
            flipped: false,
            mode: Mode::Browse,
            notice: None,
            growing: false,
            page: 10,
            findings: None,
            trust: None,
            asked: None,
            people: None,
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The position at the end of the line.
    pub fn here(&self) -> &LinePosition {
        &self.here
    }

    /// Looks up how the engine's own search goes on behind the line of each move, and how games end
    /// there by its word, once per position on the board. Nothing if the database fails: the
    /// background reader reports that.
    pub fn look_on(&mut self, store: &Store) {
        let _ = self.here.look_on(store, &self.tree);
    }

    /// Looks up the trust in the best move, if that is shown and was not looked up since the tree
    /// has changed. Shows the error if it fails.
    pub fn look_at_trust(&mut self, look: impl Fn(&Tree) -> Result<Trust, String>) {
        if self.mode != Mode::Trust || self.trust.is_some() {
            return;
        }
        match look(&self.tree) {
            Ok(trust) => self.trust = Some(trust),
            Err(why) => {
                self.mode = Mode::Browse;
                self.complain(why);
            }
        }
    }

    /// The selected move; `None` if the position has no move to show.
    pub fn choice(&self) -> Option<&ListedMove> {
        self.here.moves.get(self.selected)
    }

    /// Sets whether a process grows the tree.
    pub fn set_growing(&mut self, growing: bool) {
        self.growing = growing;
    }

    /// Sets the number of moves on the screen.
    pub fn set_page(&mut self, rows: usize) {
        self.page = rows.max(1);
    }

    /// Shows an error to the user.
    pub fn complain(&mut self, text: String) {
        self.notice = Some(StatusMessage { text, is_error: true });
    }

    /// Shows a message.
    pub fn tell(&mut self, text: String) {
        self.notice = Some(StatusMessage { text, is_error: false });
    }

    /// Replaces the tree; line and selected move stay. Returns the old one: dropping a large tree
    /// takes a while.
    pub fn take(&mut self, tree: Arc<Tree>) -> Arc<Tree> {
        let selected = self.choice().map(|choice| choice.uci);
        let old = std::mem::replace(&mut self.tree, tree);
        let side = self.people.as_ref().map(ExpectedScores::side);
        self.people = side.and_then(|side| ExpectedScores::of(&self.tree.growth, side));
        let line = self.here.line.clone();
        let (had, has) = (old.walk(&line).len(), self.tree.walk(&line).len());
        let line = line.get(..has.saturating_sub(1)).filter(|_| has < had).unwrap_or(&line);
        if line.len() < self.here.line.len() {
            self.complain("the tree no longer has this line".to_owned());
        }
        self.here = self.at(line);
        self.select(selected);
        self.renew_list(&old);
        self.trust = None;
        self.renew_question();
        if let Some(findings) = &mut self.findings {
            findings.expire();
        }
        old
    }

    /// Performs an action.
    pub fn act(&mut self, action: Action) -> Effect {
        self.notice = None;
        match action {
            Action::Select(rows) => self.select_by(rows),
            Action::SelectHalfPages(halves) => {
                let half = isize::try_from(self.page / 2).unwrap_or(1).max(1);
                self.select_by(halves.saturating_mul(half));
            }
            Action::First => self.select_by(isize::MIN),
            Action::Last => self.select_by(isize::MAX),
            Action::Play if self.choice().is_none() && self.is_beyond() => self.ask(),
            Action::Play => self.play_selected(),
            Action::Back => self.back(),
            Action::Root => self.go_to_root(),
            Action::NextBest => self.play_best(1),
            Action::EndOfBest => self.play_best(usize::MAX),
            Action::Type(ask) => self.mode = Mode::Typing(ask, self.typed_before(ask)),
            Action::Letter(_) | Action::Erase | Action::EraseAll => self.edit(action),
            Action::Submit => return self.submit(),
            Action::Exclude => return self.exclude(),
            Action::Include => return self.include(),
            Action::Undo => return self.undo(),
            Action::TakeBackHere => return self.take_back_here(),
            Action::Stop => return self.stop(),
            Action::List => return self.open_list(),
            Action::Jump => return self.jump(),
            Action::TakeBackEntry => return self.take_back_entry(),
            Action::Audit(side) => self.look_through(side),
            Action::NextFinding => self.go_to_finding(Findings::go_on),
            Action::FindingBefore => self.go_to_finding(Findings::go_back),
            Action::Cancel => self.mode = Mode::Browse,
            Action::Help => self.mode = Mode::Help,
            Action::Trust => self.mode = Mode::Trust,
            Action::Ask => self.ask(),
            Action::Pov => self.turn_scores(),
            Action::People => self.turn_people(),
            Action::Flip => self.flipped = !self.flipped,
            Action::CopyFen => return self.copy(fen_of(&self.here.position)),
            Action::CopyLine => return self.copy_line(),
            Action::Reload => return Effect::Reload,
            Action::Suspend => return Effect::Suspend,
            Action::Quit => return Effect::Quit,
        }
        Effect::None
    }

    fn edit(&mut self, action: Action) {
        let Mode::Typing(_, text) = &mut self.mode else {
            return;
        };
        match action {
            Action::Letter(letter) => text.push(letter),
            // Erasing from an empty prompt leaves it, as in `less`.
            Action::Erase if text.pop().is_none() => self.mode = Mode::Browse,
            Action::EraseAll => text.clear(),
            _ => {}
        }
    }

    fn submit(&mut self) -> Effect {
        match std::mem::replace(&mut self.mode, Mode::Browse) {
            Mode::Typing(ask, text) => self.answer(ask, &text),
            _ => Effect::None,
        }
    }

    /// The text to begin with at a prompt.
    fn typed_before(&self, ask: Prompt) -> String {
        match (ask, &self.here.note) {
            (Prompt::Note, Some(note)) => one_line(note),
            _ => String::new(),
        }
    }

    fn turn_scores(&mut self) {
        self.pov = match self.pov {
            PointOfView::Mover => PointOfView::White,
            PointOfView::White => PointOfView::Mover,
        };
    }

    /// Shows the expected scores of moves: for the root's mover first, then for the other side,
    /// then none.
    fn turn_people(&mut self) {
        let root = self.tree.game.root().turn();
        let next = match self.people.as_ref().map(ExpectedScores::side) {
            None => Some(root),
            Some(side) if side == root => Some(!root),
            Some(_) => None,
        };
        self.people = next.and_then(|side| ExpectedScores::of(&self.tree.growth, side));
        if let Some(people) = &self.people {
            self.here.expect(&self.tree, people);
        }
        match (next, &self.people) {
            (Some(_), None) => {
                self.tell(
                    "this tree was grown without games and nets: `grow --games SET` or `--human NET` knows them".to_owned(),
                );
            }
            (Some(side), Some(_)) => {
                let side = side.fold_wb("White", "Black");
                self.tell(format!("points in 100 games, for {side}"));
            }
            (None, _) => {}
        }
    }

    fn copy(&mut self, text: String) -> Effect {
        self.tell(format!("copied: {text}"));
        Effect::Copy(text)
    }

    fn copy_line(&mut self) -> Effect {
        let game = &self.tree.game;
        let moves = [game.moves(), &self.here.line[..]].concat();
        self.copy(numbered_line(game.start(), &moves))
    }
}
