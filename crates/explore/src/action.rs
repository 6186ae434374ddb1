//! What a key does.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use shakmaty::Color;

use super::list::DirectiveEntry;

/// What keys are for at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Walking the tree.
    Browse,
    /// Typing what is asked for.
    Typing(Prompt, String),
    /// Reading the help.
    Help,
    /// Reading how far to trust the best move.
    Trust,
    /// Choosing among all directives.
    List {
        /// The directives.
        entries: Vec<DirectiveEntry>,
        /// The place of the selected one.
        selected: usize,
    },
}

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// Moves to play.
    Line,
    /// Moves to include.
    Include,
    /// What the position is worth.
    Value,
    /// A note on the position.
    Note,
    /// What a draw is worth.
    Draw,
}

impl Prompt {
    /// What stands in front of what is typed.
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

/// Something that a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Select another move: so many further down, up where negative.
    Select(isize),
    /// The same in screens' halves.
    SelectHalfPages(isize),
    /// Select the first move.
    First,
    /// Select the last move.
    Last,
    /// Play the selected move.
    Play,
    /// Take the last move back.
    Back,
    /// Go to the root.
    Root,
    /// Play the first move of the best line.
    NextBest,
    /// Play the best line to its end.
    EndOfBest,
    /// Begin to type something.
    Type(Prompt),
    /// Add a letter to what is typed.
    Letter(char),
    /// Take back a letter of what is typed.
    Erase,
    /// Take back all that is typed.
    EraseAll,
    /// Take what is typed.
    Submit,
    /// Leave what is read or typed.
    Cancel,
    /// Show the help.
    Help,
    /// Show how far to trust the best move.
    Trust,
    /// Exclude the selected move.
    Exclude,
    /// Include the selected move, or the line to where the tree ends.
    Include,
    /// Take back what was said of the selected move and of the position behind it.
    TakeBack,
    /// Take back what was said of this position and of the move that led here.
    TakeBackHere,
    /// Ask for nothing in this position.
    Stop,
    /// Show all directives.
    List,
    /// Go to the selected directive.
    Jump,
    /// Take the selected directive back.
    TakeBackEntry,
    /// Look through a side's repertoire, and go to what is to be looked at first.
    Audit(Color),
    /// Go to the next finding.
    NextFinding,
    /// Go to the finding before.
    FindingBefore,
    /// Turn the scores' point of view.
    Pov,
    /// Show what moves score against people, for one side, the other, or no more.
    People,
    /// Turn the board.
    Flip,
    /// Copy the position's FEN.
    CopyFen,
    /// Copy the line in SAN.
    CopyLine,
    /// Read the tree again.
    Reload,
    /// Stop the program, as a shell does.
    Suspend,
    /// Leave.
    Quit,
}

/// What a key does in a mode, if anything.
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
        KeyCode::Char('u') => Action::TakeBack,
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

/// What is read is left by the key that has opened it, too.
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
