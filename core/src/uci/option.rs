//! The options that an engine declares.

use std::fmt;

/// One `option` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionLine {
    /// The name.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
}

/// What an option takes, and what it is unless it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check(bool),
    /// A number from the least to the greatest.
    Spin {
        /// Unless it is set.
        default: i64,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// Unless it is set.
        default: String,
        /// The words.
        choices: Vec<String>,
    },
    /// Any text.
    Text(String),
    /// It is pressed.
    Button,
}

impl OptionLine {
    /// An option of a name.
    pub fn new(name: impl Into<String>, kind: OptionKind) -> OptionLine {
        OptionLine { name: name.into(), kind }
    }
}

impl fmt::Display for OptionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check(default) => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Text(default) if default.is_empty() => {
                write!(f, "string default <empty>")
            }
            OptionKind::Text(default) => write!(f, "string default {default}"),
            OptionKind::Button => write!(f, "button"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_declared_as_uci_wants_it() {
        let line = |kind| OptionLine::new("A b", kind).to_string();
        let spin = OptionKind::Spin { default: 1, min: 0, max: 9 };
        let choices = vec!["x y".to_owned(), "z".to_owned()];
        let combo = OptionKind::Combo { default: "z".to_owned(), choices };
        for (kind, rest) in [
            (OptionKind::Check(true), "check default true"),
            (spin, "spin default 1 min 0 max 9"),
            (combo, "combo default z var x y var z"),
            (OptionKind::Text(String::new()), "string default <empty>"),
            (OptionKind::Text("a b".to_owned()), "string default a b"),
            (OptionKind::Button, "button"),
        ] {
            assert_eq!(line(kind), format!("option name A b type {rest}"));
        }
    }
}
