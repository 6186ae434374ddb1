//! Text that fits a terminal. Where there is no width, nothing is cut.

/// Breaks text at blanks into lines of at most so many columns; a longer word stands alone, and a
/// move stays with its number.
pub(in crate::render) fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else {
        return vec![text.to_owned()];
    };
    let mut lines: Vec<String> = Vec::new();
    for word in unbroken(text) {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// What stays together: words, and numbers with the move behind them.
fn unbroken(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut blanks = text.match_indices(' ').map(|(at, _)| at);
        let end = blanks.find(|at| text.get(..*at).is_some_and(|word| !word.ends_with('.')));
        let (word, tail) = text.split_at(end.unwrap_or(text.len()));
        rest = end.and(tail.strip_prefix(' '));
        Some(word)
    })
}

/// Where a transposition's moves stand, in as many words as there is room for: `transposition: see
/// 1. d4 Nf6 2. c4`, `see 1. d4 Nf6 2. c4`, `see 1.d4 Nf6 2.c4`, `see … 2.c4`.
pub(in crate::render) fn see(line: &str, room: Option<usize>) -> String {
    let whole = format!("transposition: see {line}");
    let Some(room) = room else {
        return whole;
    };
    let short = format!("see {line}");
    let close = format!("see {}", line.replace(". ", "."));
    let fitting = [whole, short, close].into_iter().find(|text| columns(text) <= room);
    fitting.unwrap_or_else(|| {
        format!("see {}", shorten(&line.replace(". ", "."), room.saturating_sub(4)))
    })
}

/// Takes moves out of the front of a line, but for the last one with its number.
pub(in crate::render) fn shorten(line: &str, room: usize) -> String {
    if columns(line) <= room {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &&str| word.contains('.');
    let mut shortest = line.to_owned();
    for start in (1..words.len()).filter(|start| words.get(*start).is_some_and(is_number)) {
        shortest = format!("… {}", words.get(start..).unwrap_or_default().join(" "));
        if columns(&shortest) <= room {
            break;
        }
    }
    shortest
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_width_nothing_is_broken() {
        assert_eq!(wrap("a b c", None), ["a b c"]);
        assert_eq!(wrap("aa b ccccc d", Some(4)), ["aa b", "ccccc", "d"]);
        assert_eq!(wrap("", Some(4)), [""]);
        assert_eq!(wrap("1. e4 e5 2. Nf3", Some(8)), ["1. e4 e5", "2. Nf3"]);
        assert_eq!(wrap("1. e4 e5 2. Nf3", Some(2)), ["1. e4", "e5", "2. Nf3"]);
        assert_eq!(wrap("ends.", Some(2)), ["ends."]);
    }

    #[test]
    fn a_reference_takes_the_room_that_there_is() {
        let line = "1. d4 Nf6 2. c4 e6 3. Nc3 d5";
        for (room, text) in [
            (None, "transposition: see 1. d4 Nf6 2. c4 e6 3. Nc3 d5"),
            (Some(47), "transposition: see 1. d4 Nf6 2. c4 e6 3. Nc3 d5"),
            (Some(46), "see 1. d4 Nf6 2. c4 e6 3. Nc3 d5"),
            (Some(31), "see 1.d4 Nf6 2.c4 e6 3.Nc3 d5"),
            (Some(28), "see … 2.c4 e6 3.Nc3 d5"),
            (Some(21), "see … 3.Nc3 d5"),
            (Some(0), "see … 3.Nc3 d5"),
        ] {
            assert_eq!(see(line, room), text, "{room:?}");
        }
        assert_eq!(see("3... Nf6", Some(0)), "see 3...Nf6");
        assert_eq!(shorten("1. d4 Nf6 2. c4 e6", 18), "1. d4 Nf6 2. c4 e6");
        assert_eq!(shorten("1. d4 Nf6 2. c4 e6", 17), "… 2. c4 e6");
    }
}
