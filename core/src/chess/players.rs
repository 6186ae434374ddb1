//! Players' names: how files write the same one, and which ones are near.

/// So much alike are two names that may be one, from 0 to 1.
const ALIKE: f64 = 0.75;

/// A player's name as names are compared: its words in small letters, without signs, in the order of the alphabet, and
/// a blank between them. `Carlsen, Magnus` and `Magnus Carlsen` are one; a name of signs alone, as `?`, is empty.
pub fn normalised_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.join(" ")
}

/// How much a normalised name is like one that is looked for, up to 1; none where it is not near. A name that has all
/// words of the other is nearest, and a letter more or less is near.
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
    fn near_names_are_those_with_a_slip_or_with_more_words() {
        let near = |asked, name| name_likeness(asked, name).is_some();
        assert_eq!(name_likeness("carlsen", "carlsen magnus"), Some(1.0));
        assert!(near("carlson magnus", "carlsen magnus"));
        assert!(near("carslen magnus", "carlsen magnus"));
        assert!(near("karlsen", "carlsen"));
        assert!(!near("nepo", "carlsen magnus"));
        assert!(!near("", "carlsen magnus") && !near("carlsen", ""));
    }
}
