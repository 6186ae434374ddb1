//! The options that an engine offers, and what may be set on them.
//!
//! Read here and not by vampirc, which loses the choices of a combo whose value begins with `var`,
//! `min` or `max`.

/// One `option` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name, in the engine's spelling.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
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
    /// Reads what stands behind `option`.
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
                least: number_behind("min", values),
                greatest: number_behind("max", values),
            },
            "combo" => Kind::Combo(choices(values)),
            "button" => Kind::Button,
            "string" => Kind::String,
            _ => return None,
        };
        (!name.is_empty()).then(|| Offer { name: name.join(" "), kind })
    }

    /// The value in the engine's spelling; `None` for a button that is to be pressed.
    fn accept(&self, value: &str) -> Result<Option<String>, String> {
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

/// The number behind the last such word.
fn number_behind(key: &str, words: &[&str]) -> Option<i64> {
    let mut pairs = words.iter().zip(words.iter().skip(1)).rev();
    let (_, value) = pairs.find(|(word, value)| **word == key && value.parse::<i64>().is_ok())?;
    value.parse().ok()
}

/// What stands behind each `var`; a choice may have blanks, and may begin with any word but `var`.
fn choices(words: &[&str]) -> Vec<String> {
    words
        .split(|word| *word == "var")
        .skip(1)
        .map(|choice| choice.join(" "))
        .filter(|choice| !choice.is_empty())
        .collect()
}

/// An option's name and value in the engine's spelling; no value for a button.
pub(super) type Setting = (String, Option<String>);

/// All that an engine offers.
#[derive(Debug, Clone, Default)]
pub(super) struct Offers(Vec<Offer>);

/// What this program sets wherever it is offered. It makes answers reproducible (one thread, no
/// book), or keeps lines simple; Toga calls its threads differently.
const FIXED: [(&str, &str); 5] = [
    ("Threads", "1"),
    ("Number of Threads", "1"),
    ("OwnBook", "false"),
    ("UCI_ShowWDL", "false"),
    ("Ponder", "false"),
];

/// What only this program sets, and why.
const RESERVED: [(&str, &str); 2] = [
    ("MultiPV", "the program sets it itself where it must"),
    ("UCI_Chess960", "the program writes castling as e1g1"),
];

impl Offers {
    /// Adds an option line.
    pub(super) fn add(&mut self, offer: Offer) {
        self.0.push(offer);
    }

    /// The option of that name, whatever its case: UCI names are not case sensitive.
    fn find(&self, name: &str) -> Option<&Offer> {
        self.0.iter().find(|offer| offer.name.eq_ignore_ascii_case(name.trim()))
    }

    /// The greatest `MultiPV`; 1 where there is no such option.
    pub(super) fn multipv(&self) -> u64 {
        match self.find("MultiPV").map(|offer| &offer.kind) {
            Some(Kind::Spin { greatest, .. }) => {
                greatest.map_or(u64::MAX, |max| u64::try_from(max).unwrap_or(1)).max(1)
            }
            _ => 1,
        }
    }

    /// The user's options in the engine's spelling, in the order given; the last of several values
    /// of one counts.
    ///
    /// The error reads on from the engine's name.
    pub(super) fn accept(&self, asked: &[(String, String)]) -> Result<Vec<Setting>, String> {
        let mut accepted: Vec<Setting> = Vec::new();
        for (name, value) in asked {
            let reserved =
                RESERVED.iter().find(|(reserved, _)| reserved.eq_ignore_ascii_case(name.trim()));
            if let Some((name, why)) = reserved {
                return Err(format!("cannot be given option {name:?}: {why}"));
            }
            let offer = self.find(name).ok_or_else(|| format!("has no option {name:?}"))?;
            accepted.retain(|(name, _)| *name != offer.name);
            accepted.push((offer.name.clone(), offer.accept(value)?));
        }
        Ok(accepted)
    }

    /// The fixed options that are offered and that the user leaves alone.
    pub(super) fn fixed(&self, set: &[Setting]) -> Vec<Setting> {
        FIXED
            .iter()
            .filter_map(|(name, value)| Some((self.find(name)?, (*value).to_owned())))
            .filter(|(offer, _)| !set.iter().any(|(name, _)| *name == offer.name))
            .map(|(offer, value)| (offer.name.clone(), Some(value)))
            .collect()
    }
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

    #[test]
    fn the_greatest_multipv_is_one_where_there_is_none() {
        let mut offers = Offers::default();
        assert_eq!(offers.multipv(), 1);
        offers.add(Offer::read("name multipv type spin default 1 min 1 max 10").unwrap());
        assert_eq!(offers.multipv(), 10);
    }
}
