//! All options that an engine offers: what is set on them, and whether two engines are the same.

use super::option::{Kind, MOST_CHOICES, Offer};

/// An option's name and value in the engine's spelling; no value for a button.
pub type Setting = (String, Option<String>);

/// The most options; engines have up to a hundred or two.
const MOST: usize = 1000;
/// The most bytes of names, choices and defaults.
const LONGEST: usize = 1 << 20;

/// All that an engine offers.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    all: Vec<Offer>,
    length: usize,
}

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
    ("UCI_Chess960", "Chess960 is not supported yet"),
];

impl Offers {
    /// Adds an option line.
    ///
    /// # Errors
    ///
    /// The bound that it would go beyond.
    pub fn add(&mut self, offer: Offer) -> Result<(), String> {
        self.length += offer.length();
        if offer.has_too_many_choices() {
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

    /// The greatest `MultiPV`; 1 where there is no such option.
    pub fn multipv(&self) -> u64 {
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
    pub fn accept(&self, asked: &[(String, String)]) -> Result<Vec<Setting>, String> {
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

    /// How another engine's options differ from these, with these options set. Nothing where it is
    /// the same build, as far as options can tell.
    ///
    /// Names, types, choices and defaults must be the same: a default may name the network. Limits of
    /// numbers and the folders in a text may differ, for they depend on the machine; so may the
    /// default of an option that is set anyway.
    pub fn differences(&self, other: &Offers, set: &[Setting]) -> Vec<String> {
        let fixed = self.fixed(set);
        let is_set = |offer: &Offer| set.iter().chain(&fixed).any(|(name, _)| *name == offer.name);
        let changed = self.all.iter().filter_map(|mine| match other.find(&mine.name) {
            None => Some(format!("it has no option {:?}", mine.name)),
            Some(theirs) => mine.difference(theirs, is_set(mine)),
        });
        let more = other.all.iter().filter(|theirs| self.find(&theirs.name).is_none());
        changed.chain(more.map(|theirs| format!("it has an option {:?}", theirs.name))).collect()
    }

    /// What makes this build of an engine, with these options set: two builds without
    /// [differences](Offers::differences) have the same.
    pub fn essence(&self, set: &[Setting]) -> Vec<String> {
        let fixed = self.fixed(set);
        let is_set = |offer: &Offer| set.iter().chain(&fixed).any(|(name, _)| *name == offer.name);
        let mut lines: Vec<String> =
            self.all.iter().map(|offer| offer.essence(is_set(offer))).collect();
        lines.sort_unstable();
        lines
    }

    /// The fixed options that are offered and that the user leaves alone.
    pub fn fixed(&self, set: &[Setting]) -> Vec<Setting> {
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

    fn offers(lines: &[&str]) -> Offers {
        let mut offers = Offers::default();
        lines.iter().for_each(|line| offers.add(Offer::read(line).unwrap()).unwrap());
        offers
    }

    /// The differences of engines with one option each, nothing set.
    fn differences(mine: &str, theirs: &str) -> Vec<String> {
        offers(&[mine]).differences(&offers(&[theirs]), &[])
    }

    #[test]
    fn the_greatest_multipv_is_one_where_there_is_none() {
        let mut offers = Offers::default();
        assert_eq!(offers.multipv(), 1);
        offers.add(Offer::read("name multipv type spin default 1 min 1 max 10").unwrap()).unwrap();
        assert_eq!(offers.multipv(), 10);
    }

    #[test]
    fn options_and_choices_without_end_are_bounded() {
        fn error(mut lines: impl Iterator<Item = String>) -> String {
            let mut offers = Offers::default();
            lines.find_map(|line| offers.add(Offer::read(&line).unwrap()).err()).unwrap()
        }
        let options = (0..).map(|n| format!("name O{n} type check default true"));
        assert_eq!(error(options), "more than 1000 options");
        let choices = format!("name A type combo default x{}", " var x".repeat(9000));
        assert_eq!(error(std::iter::once(choices)), "more than 1000 choices of option \"A\"");
        let long = format!("name B type string default {}", "y".repeat(60_000));
        assert_eq!(error(std::iter::repeat(long)), "options of more than 1048576 bytes");
    }

    #[test]
    fn limits_of_numbers_and_folders_depend_on_the_machine() {
        for (mine, theirs) in [
            (
                "name Hash type spin default 16 min 1 max 2048",
                "name hash type spin default 16 max 9",
            ),
            ("name Log type string default /a/log.txt", "name Log type string default C:\\log.txt"),
            ("name Log type string default <empty>", "name Log type string default"),
            ("name Clear type button", "name Clear type button"),
            // Set by the program wherever it is offered.
            ("name Threads type spin default 1", "name Threads type spin default 8"),
        ] {
            assert_eq!(differences(mine, theirs), Vec::<String>::new(), "{mine} / {theirs}");
            assert_eq!(offers(&[mine]).essence(&[]), offers(&[theirs]).essence(&[]), "{mine}");
        }
    }

    #[test]
    fn another_network_choice_type_or_option_is_another_build() {
        for (mine, theirs, expected) in [
            (
                "name EvalFile type string default nn-a.nnue",
                "name EvalFile type string default nn-b.nnue",
                "its option \"EvalFile\" has default nn-b.nnue, not default nn-a.nnue",
            ),
            (
                "name Style type combo default A var A var B",
                "name Style type combo default A var A",
                "its option \"Style\" has the choices A, not the choices A, B",
            ),
            (
                "name Ponder type check default true",
                "name Ponder type spin default 1",
                "its option \"Ponder\" has type spin, not type check",
            ),
            (
                "name Book type string default x",
                "name Book type string default <empty>",
                "its option \"Book\" has default <empty>, not default x",
            ),
        ] {
            assert_eq!(differences(mine, theirs), [expected]);
            assert_ne!(offers(&[mine]).essence(&[]), offers(&[theirs]).essence(&[]), "{mine}");
        }
        let different = differences("name A type button", "name B type button");
        assert_eq!(different, ["it has no option \"A\"", "it has an option \"B\""]);
    }

    #[test]
    fn the_default_of_an_option_that_is_set_does_not_matter() {
        let mine = offers(&["name Hash type spin default 16"]);
        let theirs = offers(&["name Hash type spin default 32"]);
        assert_eq!(mine.differences(&theirs, &[]).len(), 1);
        let set = [("Hash".to_owned(), Some("64".to_owned()))];
        assert_eq!(mine.differences(&theirs, &set), Vec::<String>::new());
    }
}
