//! Players' names: how files write the same one, and which ones are near.

use crate::hash::Hash64;

/// A name without what files write differently: case, dots and commas, blanks, the order of its words.
/// `Carlsen, Magnus` and `Magnus  Carlsen` are one.
pub(crate) fn normalised(name: &str) -> String {
    let lower = name.to_lowercase();
    let mut words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || c == ',' || c == '.')
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.join(" ")
}

/// What a normalised name is found by.
pub(crate) fn hash_of(normalised: &str) -> u64 {
    let mut hash = Hash64::new();
    hash.bytes(normalised.as_bytes());
    hash.end()
}

/// How far two normalised names are from each other; none where they are not near. A name that has all words of the
/// other is nearest: `carlsen` and `carlsen magnus`.
pub(crate) fn distance(asked: &str, other: &str) -> Option<usize> {
    let begins = |word: &str| other.split(' ').any(|found| found.starts_with(word));
    if !asked.is_empty() && asked.split(' ').all(begins) {
        return Some(0);
    }
    let most = (asked.chars().count() / 3).clamp(1, 4);
    let length = |text: &str| text.chars().count();
    if length(asked).abs_diff(length(other)) > most {
        return None;
    }
    Some(edits(asked, other)).filter(|edits| *edits <= most)
}

/// How many letters are to be changed, added or taken away.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (above, letter) in a.chars().enumerate() {
        let (mut diagonal, mut left) = (above, above + 1);
        for (cell, other) in row.iter_mut().skip(1).zip(&b) {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = *cell;
            left = changed.min(left + 1).min(*cell + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_however_files_write_them() {
        for name in ["Carlsen, Magnus", "magnus carlsen", "CARLSEN,MAGNUS", " Carlsen,  Magnus."] {
            assert_eq!(normalised(name), "carlsen magnus", "{name}");
        }
        assert_eq!(normalised("Carlsen, M."), "carlsen m");
        assert_ne!(normalised("DrNykterstein"), normalised("Dr Nykterstein"));
    }

    #[test]
    fn near_names_are_those_with_a_slip_or_with_more_words() {
        assert_eq!(distance("carlsen", "carlsen magnus"), Some(0));
        assert_eq!(distance("m carlsen", "carlsen magnus"), Some(0));
        assert_eq!(distance("carslen magnus", "carlsen magnus"), Some(2));
        assert_eq!(distance("karlsen", "carlsen"), Some(1));
        assert_eq!(distance("nepo", "carlsen magnus"), None);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
