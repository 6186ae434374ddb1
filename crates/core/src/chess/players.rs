//! Players' names: spellings of the same one, and near ones.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Least likeness of two names that may be one, from 0 to 1.
const ALIKE: f64 = 0.75;
/// Least likeness of two names that differ by a slip, from 0 to 1.
const SLIP: f64 = 0.9;

/// A text as texts of tags are compared: in small letters, each in its composed form (NFC), without blanks around it.
pub fn folded(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    // Most texts are ASCII, which is composed.
    if lower.is_ascii() {
        return lower;
    }
    ComposingNormalizerBorrowed::new_nfc().normalize(&lower).into_owned()
}

/// A player's name as names are compared: its words in small letters, without signs, in the order of the alphabet, and
/// a blank between them. `Carlsen, Magnus` and `Magnus Carlsen` are one; a name of signs alone, as `?`, is empty.
pub fn normalised_name(name: &str) -> String {
    let lower = folded(name);
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.join(" ")
}

/// True if a name is a single word, as account names are: in these every sign counts but the case
/// of letters, and `the_king` and `The-King` are two, while `Lee, Ann` and `Ann Lee` are one name.
pub fn is_handle(name: &str) -> bool {
    !name.trim().contains(|c: char| c.is_whitespace() || c == ',')
}

/// True if a normalised name stands for an unknown player: `?`, `NN`, `Unknown player`, or none.
pub fn is_unknown_player(normalised: &str) -> bool {
    let is_unknown = |word: &str| {
        let words = ["nn", "unknown", "unnamed", "noname", "anonymous", "unbekannt", "inconnu"];
        words.contains(&word) || ["desconocido", "sconosciuto", "неизвестный"].contains(&word)
    };
    let is_filler = |word: &str| ["player", "opponent", "white", "black"].contains(&word);
    let mut words = normalised.split(' ');
    ["", "n n", "name no"].contains(&normalised)
        || words.clone().any(is_unknown) && words.all(|word| is_unknown(word) || is_filler(word))
}

/// A player as the user names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPlayer {
    normalised: String,
    /// Set if a single word was asked for.
    handle: Option<String>,
}

impl AskedPlayer {
    /// The player of a name; a name of signs alone, as `?`, matches none.
    pub fn new(name: &str) -> AskedPlayer {
        let handle = is_handle(name).then(|| folded(name));
        AskedPlayer { normalised: normalised_name(name), handle }
    }

    /// The name as names are compared ([`normalised_name`]).
    pub fn normalised(&self) -> &str {
        &self.normalised
    }

    /// True if a name is the player's, with any signs and order of words.
    pub fn is(&self, name: &str) -> bool {
        !self.normalised.is_empty() && normalised_name(name) == self.normalised
    }

    /// True if a name of the player is so by each sign, if a single word was asked for. If any name
    /// is, only such names are meant.
    pub fn is_exactly(&self, name: &str) -> bool {
        self.handle.as_ref().is_none_or(|handle| folded(name) == *handle)
    }
}

/// True if two different normalised names may be of one player: one has all words of the other and
/// more (a title, a rating), has initials in place of words, or differs by a slip.
pub fn may_be_the_same(asked: &str, name: &str) -> bool {
    if asked.is_empty() || name.is_empty() || asked == name {
        return false;
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (asked.split(' ').collect(), name.split(' ').collect());
    let is_part = |part: &[&str], of: &[&str]| part.iter().all(|word| of.contains(word));
    let is_initial = |a: &str, b: &str| a.chars().count() == 1 && b.starts_with(a);
    let is_paired = |a: &[&str], b: &[&str]| {
        let has_pair = |word: &&str| {
            b.iter()
                .any(|other| word == other || is_initial(word, other) || is_initial(other, word))
        };
        a.iter().all(has_pair) && a.iter().any(|word| word.chars().count() > 1 && b.contains(word))
    };
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_slip = || {
        digits(asked) == digits(name) && strsim::normalized_damerau_levenshtein(asked, name) >= SLIP
    };
    let is_abbreviated = a.len() == b.len() && is_paired(&a, &b) && is_paired(&b, &a);
    is_part(&a, &b) || is_part(&b, &a) || is_abbreviated || is_slip()
}

/// Likeness of a normalised name to the wanted one, up to 1; None if it is not near. A name that
/// has all words of the other is nearest, and a letter more or less is near.
pub fn name_likeness(wanted: &str, name: &str) -> Option<f64> {
    let words = || name.split(' ').filter(|word| !word.is_empty());
    let asked = || wanted.split(' ').filter(|word| !word.is_empty());
    if !wanted.is_empty() && asked().all(|word| words().any(|other| other == word)) {
        return Some(1.0);
    }
    let whole = strsim::jaro_winkler(wanted, name);
    let each = words().flat_map(|word| {
        asked().map(move |other| strsim::normalized_damerau_levenshtein(word, other))
    });
    Some(each.fold(whole - 0.1, f64::max)).filter(|likeness| *likeness >= ALIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_however_files_write_them() {
        for name in [
            "Carlsen, Magnus",
            "magnus carlsen",
            "CARLSEN,MAGNUS",
            " Carlsen,  Magnus.",
            "Magnus-Carlsen",
            "\"Magnus\" (Carlsen)",
        ] {
            assert_eq!(normalised_name(name), "carlsen magnus", "{name}");
        }
        assert_eq!(normalised_name("Carlsen, M."), "carlsen m");
        assert_eq!(normalised_name("Vachier-Lagrave,M"), normalised_name("M Vachier Lagrave"));
        assert_eq!(normalised_name("?"), "");
        assert_ne!(normalised_name("DrNykterstein"), normalised_name("Dr Nykterstein"));
    }

    #[test]
    fn composed_and_decomposed_letters_are_one() {
        let (composed, decomposed) = ("Müller, Jörg", "Mu\u{308}ller, Jo\u{308}rg");
        assert_eq!(normalised_name(composed), "jörg müller");
        assert_eq!(normalised_name(decomposed), normalised_name(composed));
        assert_eq!(folded(" U\u{308}BER"), "über");
        assert!(AskedPlayer::new(decomposed).is("Jörg Müller"));
        assert_eq!(normalised_name("И\u{306}"), normalised_name("й"));
    }

    #[test]
    fn a_single_word_is_exact_by_each_sign_of_it() {
        let handle = AskedPlayer::new("the_king");
        for name in ["the_king", "The_King", " the_king "] {
            assert!(handle.is(name) && handle.is_exactly(name), "{name}");
        }
        for name in ["the-king", "king_the", "_the_king_", "The King"] {
            assert!(handle.is(name) && !handle.is_exactly(name), "{name}");
        }
        let name = AskedPlayer::new("Ann Lee");
        assert!(name.is("Lee, Ann") && name.is_exactly("Lee, Ann") && !name.is("Lee, A."));
        assert!(!AskedPlayer::new("?").is("?"));
        assert!(is_handle(" the_king ") && !is_handle("Lee,Ann") && !is_handle("Ann Lee"));
    }

    #[test]
    fn anonymous_names_are_known() {
        let signs = ["", " ", "?", "-", "?, ?"];
        let words = ["NN", "nn", "N.N.", "N. N.", "N, N", "NN, NN", "Unknown", "Unknown player"];
        let others = ["unknown, unknown", "No Name", "Anonymous", "Неизвестный", "Unbekannt"];
        for name in [&signs[..], &words, &others].concat() {
            assert!(is_unknown_player(&normalised_name(name)), "{name}");
        }
        for name in ["Nn, A", "Lee", "Player 1", "N", "White", "Unknown, Bob", "the_unknown"] {
            assert!(!is_unknown_player(&normalised_name(name)), "{name}");
        }
    }

    #[test]
    fn names_with_title_initial_or_slip_may_be_the_same() {
        let may = |a: &str, b: &str| {
            let (a, b) = (normalised_name(a), normalised_name(b));
            assert_eq!(may_be_the_same(&a, &b), may_be_the_same(&b, &a), "{a} {b}");
            may_be_the_same(&a, &b)
        };
        for name in ["WGM Lee, Ann", "Lee, Ann (2100)", "Lee, A.", "A. Lee", "Lee", "Ann"] {
            assert!(may("Ann Lee", name), "{name}");
        }
        assert!(may("Carlson, Magnus", "Carlsen, Magnus"));
        for name in ["Lee, Bob", "Lee, B.", "Lee, Ann", "Green, Ann", "A.", "?"] {
            assert!(!may("Ann Lee", name), "{name}");
        }
        assert!(!may("Player 12345", "Player 12346"));
    }

    #[test]
    fn near_names_have_a_slip_or_more_words() {
        let near = |asked, name| name_likeness(asked, name).is_some();
        assert_eq!(name_likeness("carlsen", "carlsen magnus"), Some(1.0));
        assert!(near("carlson magnus", "carlsen magnus"));
        assert!(near("carslen magnus", "carlsen magnus"));
        assert!(near("karlsen", "carlsen"));
        assert!(!near("nepo", "carlsen magnus"));
        assert!(!near("", "carlsen magnus") && !near("carlsen", ""));
    }
}
