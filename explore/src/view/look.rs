//! What the terminal can show.

use ratatui::style::{Color, Modifier, Style};

/// How things look: what the terminal can show, and what the user wants of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Chess figures and other signs beyond ASCII; letters otherwise.
    pub unicode: bool,
    /// Colours; without them, weight and reversal say the same.
    pub colour: bool,
}

impl Look {
    /// What is not to catch the eye.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What is to catch the eye.
    pub fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Notes on moves.
    pub fn note(self) -> Style {
        self.coloured(Style::new(), Color::Cyan)
    }

    /// What went wrong.
    pub fn error(self) -> Style {
        self.coloured(self.bold(), Color::Red)
    }

    /// What is going on.
    pub fn alive(self) -> Style {
        self.coloured(self.bold(), Color::Green)
    }

    /// The bars at the top and around the help.
    pub fn title(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn coloured(self, style: Style, colour: Color) -> Style {
        if self.colour { style.fg(colour) } else { style }
    }

    /// What divides the parts of a line.
    pub fn divider(self) -> &'static str {
        if self.unicode { " · " } else { " | " }
    }
}
