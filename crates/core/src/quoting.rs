//! Command lines as people write them: by the shell's rules, and on Windows by those of its programs,
//! where a backslash is a part of a path.

#[cfg(unix)]
use shell as rules;
#[cfg(windows)]
use windows as rules;

/// The words of a command line; None if a quote is left open.
pub fn split(line: &str) -> Option<Vec<String>> {
    rules::split(line)
}

/// A command line that [`split`] takes apart into these words, as far as there is one.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    rules::join(&words.into_iter().collect::<Vec<_>>())
}

#[cfg(unix)]
mod shell {
    pub(super) fn split(line: &str) -> Option<Vec<String>> {
        shlex::split(line)
    }

    /// Only a NUL cannot be quoted.
    pub(super) fn join(words: &[&str]) -> String {
        shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
    }
}

#[cfg(any(windows, test))]
mod windows {
    /// Words end at blanks outside quotes. Of backslashes in front of a quote every second counts,
    /// and the quote itself is one of the word if they are odd.
    pub(super) fn split(line: &str) -> Option<Vec<String>> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let (mut quoted, mut backslashes) = (false, 0_usize);
        for c in line.chars() {
            if c == '\\' {
                backslashes += 1;
                continue;
            }
            let counted = if c == '"' { backslashes / 2 } else { backslashes };
            if counted > 0 {
                word.get_or_insert_default().push_str(&"\\".repeat(counted));
            }
            match c {
                '"' if backslashes.is_multiple_of(2) => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                ' ' | '\t' if !quoted => words.extend(word.take()),
                c => word.get_or_insert_default().push(c),
            }
            backslashes = 0;
        }
        if backslashes > 0 {
            word.get_or_insert_default().push_str(&"\\".repeat(backslashes));
        }
        words.extend(word);
        (!quoted).then_some(words)
    }

    pub(super) fn join(words: &[&str]) -> String {
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Backslashes count only in front of a quote: there each is written twice.
    fn quoted(word: &str) -> String {
        let plain = |c: char| c.is_alphanumeric() || "\\/:._-+=,@*".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            return word.to_owned();
        }
        let mut text = String::from("\"");
        let mut backslashes = 0;
        for c in word.chars() {
            if c == '"' {
                text.push_str(&"\\".repeat(backslashes + 1));
            }
            backslashes = if c == '\\' { backslashes + 1 } else { 0 };
            text.push(c);
        }
        text.push_str(&"\\".repeat(backslashes));
        text.push('"');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::windows;

    #[test]
    fn a_backslash_of_windows_is_a_part_of_its_path() {
        let split = |line| windows::split(line).unwrap();
        assert_eq!(split(r"Z:\dir\x.exe engine"), [r"Z:\dir\x.exe", "engine"]);
        let spaced = [r"C:\Program Files\Stockfish\stockfish.exe", "--option"];
        assert_eq!(split(r#""C:\Program Files\Stockfish\stockfish.exe" --option"#), spaced);
        assert_eq!(split(r"ssh host 'stockfish'"), ["ssh", "host", "'stockfish'"]);
        assert_eq!(split("  "), [""; 0]);
        for open in ["\"open", r#""C:\dir"#, r#"a "b" "c"#] {
            assert_eq!(windows::split(open), None, "{open}");
        }
    }

    #[test]
    fn words_of_windows_survive_quoting() {
        let words = [r"C:\a b\", "plain", "", r#"say "hi""#, r#"\\server\x\"y"#, "50%", r"C:\dir\"];
        let line = windows::join(&words);
        assert_eq!(windows::split(&line).unwrap(), words, "{line}");
        assert_eq!(windows::join(&[r"Z:\x.exe", "engine"]), r"Z:\x.exe engine");
    }

    #[test]
    fn words_survive_the_quoting_of_this_system() {
        let words = ["deepanalyze", "show", "--db", "my tree.db", "it's", ""];
        assert_eq!(super::split(&super::join(words)).unwrap(), words);
    }
}
