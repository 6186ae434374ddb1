//! Keys and their actions.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use shakmaty::Color;

use super::directing::DirectiveEntry;

/// The current use of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Walking the tree.
    Browse,
    /// Typing an answer to a prompt.
    Typing(Prompt, String),
    /// Reading the help.
    Help,
    /// Reading the trust in the best move.
    Trust,
    /// Reading about a move.
    Why,
    /// Choosing among all directives.
    List {
        /// The directives.
        entries: Vec<DirectiveEntry>,
        /// The place of the selected one.
        selected: usize,
    },
}

/// A request for typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// Moves to play.
    Line,
    /// Moves to include.
    Include,
    /// The position's value.
    Value,
    /// A note on the position.
    Note,
    /// A draw's value.
    Draw,
}

impl Prompt {
    /// The text in front of it.
    pub fn prompt(self) -> &'static str {
        match self {
            Prompt::Line => "/",
            Prompt::Include => "include: ",
            Prompt::Value => "value (+0.50, draw, white, black): ",
            Prompt::Note => "note: ",
            Prompt::Draw => "a draw is worth, in pawns for White (-0.25): ",
        }
    }
}

/// An action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Select another move: this many further down, up where negative.
    Select(isize),
    /// Select another move, in screens' halves.
    SelectHalfPages(isize),
    /// Select the first move.
    First,
    /// Select the last move.
    Last,
    /// Play the selected move.
    Play,
    /// Undo the last move.
    Back,
    /// Go to the root.
    Root,
    /// Play the first move of the best line.
    NextBest,
    /// Play the best line to its end.
    EndOfBest,
    /// Begin to type.
    Type(Prompt),
    /// Add a letter to the typed text.
    Letter(char),
    /// Remove a letter of the typed text.
    Erase,
    /// Remove the typed text.
    EraseAll,
    /// Submit the typed text.
    Submit,
    /// Close the window or prompt.
    Cancel,
    /// Show the help.
    Help,
    /// Show the trust in the best move.
    Trust,
    /// Ask about the selected move, or the one that led here.
    Ask,
    /// Exclude the selected move.
    Exclude,
    /// Include the selected move, or the line to where the tree ends.
    Include,
    /// Undo the directives on the selected move and the position behind it.
    Undo,
    /// Undo the directives on this position and the move that led here.
    TakeBackHere,
    /// Stop at this position.
    Stop,
    /// Show all directives.
    List,
    /// Go to the selected directive.
    Jump,
    /// Undo the selected directive.
    TakeBackEntry,
    /// Audit a side's repertoire, and go to the first finding.
    Audit(Color),
    /// Go to the next finding.
    NextFinding,
    /// Go to the previous finding.
    FindingBefore,
    /// Switch the scores' point of view.
    Pov,
    /// Show the expected scores of moves, for one side, the other, or neither.
    People,
    /// Flip the board.
    Flip,
    /// Copy the position's FEN.
    CopyFen,
    /// Copy the line in SAN.
    CopyLine,
    /// Read the tree again.
    Reload,
    /// Suspend the program, as a shell does.
    Suspend,
    /// Leave.
    Quit,
}

/// The action of a key in a mode, if any.
pub fn action_of(mode: &Mode, key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (mode, key.code) {
        (_, KeyCode::Char('c')) if control => Some(Action::Quit),
        (_, KeyCode::Char('z')) if control => Some(Action::Suspend),
        (Mode::Browse, code) if control => with_control(code),
        (Mode::Browse, code) => browsing(code),
        (Mode::Typing(..), code) => typing(code, control),
        (Mode::Help, code) => reading(code, '?'),
        (Mode::Trust, code) => reading(code, 'c'),
        (Mode::Why, code) => reading(code, 'a'),
        (Mode::List { .. }, code) => listing(code),
    }
}

fn with_control(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Char('d') => Action::SelectHalfPages(1),
        KeyCode::Char('u') => Action::SelectHalfPages(-1),
        KeyCode::Char('f') => Action::SelectHalfPages(2),
        KeyCode::Char('b') => Action::SelectHalfPages(-2),
        KeyCode::Char('n') => Action::Select(1),
        KeyCode::Char('p') => Action::Select(-1),
        _ => return None,
    })
}

/// The keys that go through moves or directives.
fn selecting(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Char('j') | KeyCode::Down => Action::Select(1),
        KeyCode::Char('k') | KeyCode::Up => Action::Select(-1),
        KeyCode::PageDown => Action::SelectHalfPages(2),
        KeyCode::PageUp => Action::SelectHalfPages(-2),
        KeyCode::Char('g') | KeyCode::Home => Action::First,
        KeyCode::Char('G') => Action::Last,
        _ => return None,
    })
}

fn browsing(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Char('l') | KeyCode::Right | KeyCode::Enter => Action::Play,
        KeyCode::Char('h') | KeyCode::Left | KeyCode::Backspace => Action::Back,
        KeyCode::Char('0' | '^') => Action::Root,
        KeyCode::Char('n' | ' ') => Action::NextBest,
        KeyCode::Char('$') | KeyCode::End => Action::EndOfBest,
        KeyCode::Char('/') => Action::Type(Prompt::Line),
        KeyCode::Char('x') => Action::Exclude,
        KeyCode::Char('i') => Action::Include,
        KeyCode::Char('I') => Action::Type(Prompt::Include),
        KeyCode::Char('u') => Action::Undo,
        KeyCode::Char('U') => Action::TakeBackHere,
        KeyCode::Char('v') => Action::Type(Prompt::Value),
        KeyCode::Char('s') => Action::Stop,
        KeyCode::Char('t') => Action::Type(Prompt::Note),
        KeyCode::Char('d') => Action::List,
        KeyCode::Char('D') => Action::Type(Prompt::Draw),
        KeyCode::Char('w') => Action::Audit(Color::White),
        KeyCode::Char('b') => Action::Audit(Color::Black),
        KeyCode::Char(']') => Action::NextFinding,
        KeyCode::Char('[') => Action::FindingBefore,
        KeyCode::Char('?') | KeyCode::F(1) => Action::Help,
        KeyCode::Char('c') => Action::Trust,
        KeyCode::Char('a') => Action::Ask,
        KeyCode::Char('p') => Action::Pov,
        KeyCode::Char('f') => Action::Flip,
        KeyCode::Char('e') => Action::People,
        KeyCode::Char('y') => Action::CopyFen,
        KeyCode::Char('Y') => Action::CopyLine,
        KeyCode::Char('r') => Action::Reload,
        KeyCode::Char('q') | KeyCode::Esc => Action::Quit,
        _ => return selecting(code),
    })
}

/// A window is also closed by the key that opened it.
fn reading(code: KeyCode, key: char) -> Option<Action> {
    match code {
        KeyCode::Char('q') | KeyCode::Esc | KeyCode::Enter => Some(Action::Cancel),
        KeyCode::Char('p') => Some(Action::Pov),
        KeyCode::Char(other) if other == key => Some(Action::Cancel),
        _ => None,
    }
}

fn listing(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::End => Action::Last,
        KeyCode::Char('l') | KeyCode::Right | KeyCode::Enter => Action::Jump,
        KeyCode::Char('u') | KeyCode::Delete => Action::TakeBackEntry,
        KeyCode::Char('q' | 'd' | 'h') | KeyCode::Left | KeyCode::Esc => Action::Cancel,
        _ => return selecting(code),
    })
}

fn typing(code: KeyCode, control: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Char('u') if control => Action::EraseAll,
        KeyCode::Char('h') if control => Action::Erase,
        KeyCode::Char(letter) if !control => Action::Letter(letter),
        KeyCode::Backspace => Action::Erase,
        KeyCode::Enter => Action::Submit,
        KeyCode::Esc => Action::Cancel,
        _ => return None,
    })
}
