//! An engine's options: their values, their settings, and the comparison of two engines by them.
//!
//! vampirc-uci is not used here: it loses the choices of a combo that begin with `var`, `min` or
//! `max`, limits in another order, and anything behind twelve digits.

/// The most choices of an option; no more are read than show that there are more.
const MOST_CHOICES: usize = 1000;

/// An option's name and value in the engine's spelling; no value for a button.
pub type OptionValue = (String, Option<String>);

/// The most options; engines have up to a hundred or two.
const MOST: usize = 1000;
/// The most bytes of names, choices and defaults.
const LONGEST: usize = 1 << 20;

/// One `option` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name, in the engine's spelling.
    pub name: String,
    /// Its type.
    pub kind: OfferKind,
    /// The default, if the engine gives one; `<empty>` is an empty text.
    pub default: Option<String>,
}

/// An option's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferKind {
    /// `true` or `false`.
    Check,
    /// A number between the limits, if given.
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
        let at = words.iter().position(|word| *word == "type")?;
        let (["name", name @ ..], ["type", kind, values @ ..]) = words.split_at_checked(at)? else {
            return None;
        };
        let kind = match *kind {
            "check" => OfferKind::Check,
            "spin" => OfferKind::Spin {
                least: number_after("min", values),
                greatest: number_after("max", values),
            },
            "combo" => OfferKind::Combo(choices(values)),
            "button" => OfferKind::Button,
            "string" => OfferKind::String,
            _ => return None,
        };
        let default = default_of(&kind, values);
        (!name.is_empty()).then(|| Offer { name: name.join(" "), kind, default })
    }

    /// The value in the engine's spelling; `None` for a button that is to be pressed.
    fn accept(&self, value: &str) -> Result<Option<String>, String> {
        let name = &self.name;
        let text = match &self.kind {
            OfferKind::Check => ["true", "false"]
                .into_iter()
                .find(|word| word.eq_ignore_ascii_case(value))
                .map(str::to_owned)
                .ok_or_else(|| format!("takes true or false for option {name:?}, not {value:?}"))?,
            OfferKind::Spin { least, greatest } => {
                let (least, greatest) = (least.unwrap_or(i64::MIN), greatest.unwrap_or(i64::MAX));
                let number = value.parse::<i64>().ok().filter(|n| (least..=greatest).contains(n));
                number.map(|n| n.to_string()).ok_or_else(|| {
                    format!(
                        "takes a number from {least} to {greatest} for option {name:?}, not {value:?}"
                    )
                })?
            }
            OfferKind::Combo(choices) => choices
                .iter()
                .find(|choice| choice.eq_ignore_ascii_case(value))
                .cloned()
                .ok_or_else(|| {
                    let choices = choices.join(", ");
                    format!("takes one of {choices} for option {name:?}, not {value:?}")
                })?,
            OfferKind::String if value.contains(['\n', '\r']) => {
                return Err(format!("takes one line for option {name:?}, not {value:?}"));
            }
            OfferKind::String if value == "<empty>" => String::new(),
            OfferKind::String => value.to_owned(),
            OfferKind::Button if value.is_empty() => return Ok(None),
            OfferKind::Button => return Err(format!("takes no value for its button {name:?}")),
        };
        Ok(Some(text))
    }

    /// The difference of another engine's option of this name; its default counts if not set.
    fn difference(&self, other: &Offer, is_set: bool) -> Option<String> {
        let (mine, theirs) = match (self.kind.comparable(), other.kind.comparable()) {
            (mine, theirs) if mine != theirs => (mine, theirs),
            _ if is_set || self.plain_default() == other.plain_default() => return None,
            _ => (format!("default {}", self.shown()), format!("default {}", other.shown())),
        };
        Some(format!("its option {:?} has {theirs}, not {mine}", self.name))
    }

    /// The default without folders, if it is a text.
    fn plain_default(&self) -> Option<&str> {
        let default = self.default.as_deref()?;
        match self.kind {
            OfferKind::String => default.rsplit(['/', '\\']).next(),
            _ => Some(default),
        }
    }

    /// The line that tells the option from another build's; with the default where that counts.
    fn essence(&self, is_set: bool) -> String {
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

impl OfferKind {
    /// The machine-independent part.
    fn comparable(&self) -> String {
        match self {
            OfferKind::Check => "type check".to_owned(),
            OfferKind::Spin { .. } => "type spin".to_owned(),
            OfferKind::Combo(choices) => format!("the choices {}", choices.join(", ")),
            OfferKind::Button => "type button".to_owned(),
            OfferKind::String => "type string".to_owned(),
        }
    }
}

/// True if an option is set, by the user or by this program.
fn is_set(offer: &Offer, set: &[OptionValue]) -> bool {
    set.iter().any(|(name, _)| *name == offer.name)
        || FIXED.iter().any(|(name, _)| offer.name.eq_ignore_ascii_case(name))
}

/// The number after the last `key`.
fn number_after(key: &str, words: &[&str]) -> Option<i64> {
    let mut pairs = words.iter().zip(words.iter().skip(1)).rev();
    let (_, value) = pairs.find(|(word, value)| **word == key && value.parse::<i64>().is_ok())?;
    value.parse().ok()
}

/// Words after `default`: up to the next key, but a text may be of any words.
fn default_of(kind: &OfferKind, words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| *word == "default")?;
    let behind = words.get(at + 1..)?.iter();
    let words: Vec<&str> = match kind {
        OfferKind::Button => return None,
        OfferKind::String => behind.copied().filter(|word| *word != "<empty>").collect(),
        OfferKind::Combo(_) => behind.copied().take_while(|word| *word != "var").collect(),
        OfferKind::Check | OfferKind::Spin { .. } => behind.copied().take(1).collect(),
    };
    Some(words.join(" "))
}

/// Words after each `var`; a choice may have blanks, and may begin with any word but `var`.
fn choices(words: &[&str]) -> Vec<String> {
    words
        .split(|word| *word == "var")
        .skip(1)
        .map(|choice| choice.join(" "))
        .filter(|choice| !choice.is_empty())
        .take(MOST_CHOICES + 1)
        .collect()
}

/// All that an engine offers.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    all: Vec<Offer>,
    length: usize,
}

/// Options set by this program where offered. They make answers reproducible (one thread, no book),
/// or have the engine say how games end, which changes no search.
const FIXED: [(&str, &str); 5] = [
    (THREADS[0], "1"),
    (THREADS[1], "1"),
    ("OwnBook", "false"),
    ("Ponder", "false"),
    ("UCI_ShowWDL", "true"),
];

/// The option for the number of threads; Toga's is the second.
const THREADS: [&str; 2] = ["Threads", "Number of Threads"];

/// The option for Chess960's castling.
const CHESS960: &str = "UCI_Chess960";

/// Options that only this program sets.
const RESERVED: [(&str, &str); 3] = [
    ("MultiPV", "the program sets it itself where it must"),
    (CHESS960, "the program sets it itself where it must"),
    ("UCI_ShowWDL", "the program sets it wherever it is offered, and keeps what the engine says"),
];

impl Offers {
    /// Adds an option line.
    ///
    /// # Errors
    ///
    /// The bound that it would exceed.
    pub fn add(&mut self, offer: Offer) -> Result<(), String> {
        let choices = match &offer.kind {
            OfferKind::Combo(choices) => choices.as_slice(),
            _ => &[],
        };
        self.length += offer.name.len() + offer.default.as_ref().map_or(0, String::len);
        self.length += choices.iter().map(String::len).sum::<usize>();
        if choices.len() > MOST_CHOICES {
            return Err(format!("more than {MOST_CHOICES} choices of option {:?}", offer.name));
        }
        if self.all.len() == MOST {
            return Err(format!("more than {MOST} options"));
        }
        if self.length > LONGEST {
            return Err(format!("options of more than {LONGEST} bytes"));
        }
        self.all.push(offer);
        Ok(())
    }

    /// All options, in the engine's order.
    pub fn all(&self) -> &[Offer] {
        &self.all
    }

    /// The option of that name, whatever its case: UCI names are not case sensitive.
    fn find(&self, name: &str) -> Option<&Offer> {
        self.all.iter().find(|offer| offer.name.eq_ignore_ascii_case(name.trim()))
    }

    /// The greatest `MultiPV`; 1 if not offered.
    pub fn multipv(&self) -> u64 {
        match self.find("MultiPV").map(|offer| &offer.kind) {
            Some(OfferKind::Spin { greatest, .. }) => {
                greatest.map_or(u64::MAX, |max| u64::try_from(max).unwrap_or(1)).max(1)
            }
            _ => 1,
        }
    }

    /// The option for the number of threads, with this many times the threads that are set; `None`
    /// where the engine offers no such option, or fewer.
    pub fn threads(&self, set: &[OptionValue], times: usize) -> Option<OptionValue> {
        let fixed = self.fixed(set);
        let is_threads = |(name, _): &&OptionValue| {
            THREADS.iter().any(|threads| threads.eq_ignore_ascii_case(name))
        };
        let (name, own) = set.iter().chain(&fixed).find(is_threads)?;
        let wanted = own.as_ref()?.parse::<usize>().ok()?.checked_mul(times)?;
        let value = self.find(name)?.accept(&wanted.to_string()).ok()?;
        Some((name.clone(), value))
    }

    /// The name of the option that switches to Chess960, and its default.
    ///
    /// The error reads on from the engine's name.
    pub fn chess960(&self) -> Result<(&str, bool), String> {
        let offer = self.find(CHESS960).filter(|offer| offer.kind == OfferKind::Check);
        let offer = offer.ok_or_else(|| {
            format!("has no option {CHESS960:?}: it cannot search positions of Chess960")
        })?;
        let is_on = offer.default.as_deref().is_some_and(|on| on.eq_ignore_ascii_case("true"));
        Ok((&offer.name, is_on))
    }

    /// The user's options in the engine's spelling, in the order given; the last of several values
    /// of one counts.
    ///
    /// The error reads on from the engine's name.
    pub fn accept(&self, asked: &[(String, String)]) -> Result<Vec<OptionValue>, String> {
        let mut accepted: Vec<OptionValue> = Vec::new();
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

    /// How another engine's options differ from these, with these options set. Empty if it is the
    /// same build, as far as options can tell.
    ///
    /// Names, types, choices and defaults must be the same: a default may name the network. Limits
    /// of numbers and the folders in a text may differ, for they depend on the machine; so may the
    /// default of an option that is set anyway.
    pub fn differences(&self, other: &Offers, set: &[OptionValue]) -> Vec<String> {
        let changed = self.all.iter().filter_map(|mine| match other.find(&mine.name) {
            None => Some(format!("it has no option {:?}", mine.name)),
            Some(theirs) => mine.difference(theirs, is_set(mine, set)),
        });
        let more = other.all.iter().filter(|theirs| self.find(&theirs.name).is_none());
        changed.chain(more.map(|theirs| format!("it has an option {:?}", theirs.name))).collect()
    }

    /// The lines that identify this build, with these options set: two builds without
    /// [differences](Offers::differences) have the same.
    pub fn essence(&self, set: &[OptionValue]) -> Vec<String> {
        let mut lines: Vec<String> =
            self.all.iter().map(|offer| offer.essence(is_set(offer, set))).collect();
        lines.sort_unstable();
        lines
    }

    /// The fixed options that are offered and not set by the user.
    pub fn fixed(&self, set: &[OptionValue]) -> Vec<OptionValue> {
        FIXED
            .iter()
            .filter_map(|(name, value)| Some((self.find(name)?, (*value).to_owned())))
            .filter(|(offer, _)| !set.iter().any(|(name, _)| *name == offer.name))
            .map(|(offer, value)| (offer.name.clone(), Some(value)))
            .collect()
    }
}

#[cfg(test)]
mod tests;
