//! One option that an engine offers, what it takes, and how it differs from another's.
//!
//! Read here and not by vampirc, which loses the choices of a combo whose value begins with `var`,
//! `min` or `max`.

/// The most choices of an option; no more are read than tell that there are more.
pub(super) const MOST_CHOICES: usize = 1000;

/// One `option` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name, in the engine's spelling.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// What it is set to unless it is set, where that is said; `<empty>` is an empty text.
    pub default: Option<String>,
}

/// What an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Check,
    /// A number from the least to the greatest, where they are said.
    Spin {
        /// `min`.
        least: Option<i64>,
        /// `max`.
        greatest: Option<i64>,
    },
    /// One of the choices.
    Combo(Vec<String>),
    /// No value: it is pressed.
    Button,
    /// Any text.
    String,
}

impl Offer {
    /// Reads what follows `option`.
    pub(super) fn read(rest: &str) -> Option<Offer> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let mut words = words.as_slice();
        words = words.strip_prefix(&["name"])?;
        let at = words.iter().position(|word| *word == "type")?;
        let (name, rest) = words.split_at_checked(at)?;
        let (_, rest) = rest.split_first()?;
        let (kind, values) = rest.split_first()?;
        let kind = match *kind {
            "check" => Kind::Check,
            "spin" => Kind::Spin {
                least: number_after("min", values),
                greatest: number_after("max", values),
            },
            "combo" => Kind::Combo(choices(values)),
            "button" => Kind::Button,
            "string" => Kind::String,
            _ => return None,
        };
        let default = default_of(&kind, values);
        (!name.is_empty()).then(|| Offer { name: name.join(" "), kind, default })
    }

    /// Whether it has more choices than any engine's option.
    pub(super) fn has_too_many_choices(&self) -> bool {
        matches!(&self.kind, Kind::Combo(choices) if choices.len() > MOST_CHOICES)
    }

    /// The bytes of its texts.
    pub(super) fn length(&self) -> usize {
        let choices = match &self.kind {
            Kind::Combo(choices) => choices.iter().map(String::len).sum(),
            _ => 0,
        };
        self.name.len() + self.default.as_ref().map_or(0, String::len) + choices
    }

    /// The value in the engine's spelling; `None` for a button that is to be pressed.
    pub(super) fn accept(&self, value: &str) -> Result<Option<String>, String> {
        let name = &self.name;
        let text = match &self.kind {
            Kind::Check => ["true", "false"]
                .into_iter()
                .find(|word| word.eq_ignore_ascii_case(value))
                .map(str::to_owned)
                .ok_or_else(|| format!("takes true or false for option {name:?}, not {value:?}"))?,
            Kind::Spin { least, greatest } => spin(name, value, *least, *greatest)?,
            Kind::Combo(choices) => choices
                .iter()
                .find(|choice| choice.eq_ignore_ascii_case(value))
                .cloned()
                .ok_or_else(|| {
                    let choices = choices.join(", ");
                    format!("takes one of {choices} for option {name:?}, not {value:?}")
                })?,
            Kind::String if value.contains(['\n', '\r']) => {
                return Err(format!("takes one line for option {name:?}, not {value:?}"));
            }
            Kind::String if value == "<empty>" => String::new(),
            Kind::String => value.to_owned(),
            Kind::Button if value.is_empty() => return Ok(None),
            Kind::Button => return Err(format!("takes no value for its button {name:?}")),
        };
        Ok(Some(text))
    }
}

impl Offer {
    /// How another engine's option of this name differs; its default counts where it is not set.
    pub(super) fn difference(&self, other: &Offer, is_set: bool) -> Option<String> {
        let (mine, theirs) = match (self.kind.comparable(), other.kind.comparable()) {
            (mine, theirs) if mine != theirs => (mine, theirs),
            _ if is_set || self.plain_default() == other.plain_default() => return None,
            _ => (format!("default {}", self.shown()), format!("default {}", other.shown())),
        };
        Some(format!("its option {:?} has {theirs}, not {mine}", self.name))
    }

    /// The default without folders, where it is a text.
    fn plain_default(&self) -> Option<&str> {
        let default = self.default.as_deref()?;
        match self.kind {
            Kind::String => default.rsplit(['/', '\\']).next(),
            _ => Some(default),
        }
    }

    /// What makes the option another in another build, as a line; its default where that counts.
    pub(super) fn essence(&self, is_set: bool) -> String {
        let (name, kind) = (self.name.to_ascii_lowercase(), self.kind.comparable());
        match self.plain_default().filter(|_| !is_set) {
            Some(default) => format!("{name}: {kind}, default {default}"),
            None => format!("{name}: {kind}"),
        }
    }

    fn shown(&self) -> &str {
        self.default.as_deref().filter(|default| !default.is_empty()).unwrap_or("<empty>")
    }
}

impl Kind {
    /// What does not depend on the machine.
    fn comparable(&self) -> String {
        match self {
            Kind::Check => "type check".to_owned(),
            Kind::Spin { .. } => "type spin".to_owned(),
            Kind::Combo(choices) => format!("the choices {}", choices.join(", ")),
            Kind::Button => "type button".to_owned(),
            Kind::String => "type string".to_owned(),
        }
    }
}

/// A number within the limits.
fn spin(
    name: &str,
    value: &str,
    least: Option<i64>,
    greatest: Option<i64>,
) -> Result<String, String> {
    let (least, greatest) = (least.unwrap_or(i64::MIN), greatest.unwrap_or(i64::MAX));
    match value.parse::<i64>() {
        Ok(n) if (least..=greatest).contains(&n) => Ok(n.to_string()),
        _ => Err(format!(
            "takes a number from {least} to {greatest} for option {name:?}, not {value:?}"
        )),
    }
}

/// The number after the last such word.
fn number_after(key: &str, words: &[&str]) -> Option<i64> {
    let mut pairs = words.iter().zip(words.iter().skip(1)).rev();
    let (_, value) = pairs.find(|(word, value)| **word == key && value.parse::<i64>().is_ok())?;
    value.parse().ok()
}

/// What follows `default`: up to the next key, but a text may be of any words.
fn default_of(kind: &Kind, words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| *word == "default")?;
    let behind = words.get(at + 1..)?.iter();
    let words: Vec<&str> = match kind {
        Kind::Button => return None,
        Kind::String => behind.copied().filter(|word| *word != "<empty>").collect(),
        Kind::Combo(_) => behind.copied().take_while(|word| *word != "var").collect(),
        Kind::Check | Kind::Spin { .. } => behind.copied().take(1).collect(),
    };
    Some(words.join(" "))
}

/// What follows each `var`; a choice may have blanks, and may begin with any word but `var`.
fn choices(words: &[&str]) -> Vec<String> {
    words
        .split(|word| *word == "var")
        .skip(1)
        .map(|choice| choice.join(" "))
        .filter(|choice| !choice.is_empty())
        .take(MOST_CHOICES + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Kind {
        Offer::read(line).unwrap().kind
    }

    #[test]
    fn choices_may_begin_with_the_words_of_the_line_and_have_blanks() {
        let line = "name NullMove Pruning type combo default Fail High var Always var Fail High var minimal \
                    var maximum var variable var min max";
        let offer = Offer::read(line).unwrap();
        assert_eq!(offer.name, "NullMove Pruning");
        let choices = ["Always", "Fail High", "minimal", "maximum", "variable", "min max"];
        assert_eq!(offer.kind, Kind::Combo(choices.map(str::to_owned).to_vec()));
    }

    #[test]
    fn numbers_may_be_missing_negative_or_nonsense() {
        let spin = |least, greatest| Kind::Spin { least, greatest };
        assert_eq!(kind("name A type spin default 1 min -5 max 9"), spin(Some(-5), Some(9)));
        assert_eq!(kind("name A type spin"), spin(None, None));
        assert_eq!(kind("name A type spin min max 3"), spin(None, Some(3)));
        assert_eq!(kind("name A type spin max 99999999999999999999"), spin(None, None));
    }

    #[test]
    fn a_line_that_is_no_option_is_none() {
        for line in [
            "",
            "name",
            "name A",
            "name A type",
            "name type spin",
            "A type spin",
            "name A type what",
        ] {
            assert_eq!(Offer::read(line), None, "{line:?}");
        }
    }
}
