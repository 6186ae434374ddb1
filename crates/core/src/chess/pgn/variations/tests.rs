//! Tests of files that are played through.

use proptest::prelude::*;

use super::*;
use crate::chess::{Games, uci_of};

/// The events, as text.
#[derive(Default)]
struct Told(Vec<String>);

impl MoveListener for Told {
    type Along = String;
    type Error = PgnError;

    fn begin(&mut self, number: usize, _: &Chess) -> String {
        self.0.push(format!("game {number}"));
        String::new()
    }

    fn play(
        &mut self,
        along: &String,
        before: &Chess,
        m: Move,
        _: &Chess,
    ) -> Result<String, PgnError> {
        let line = format!("{along} {}", uci_of(before, m));
        self.0.push(line.trim().to_owned());
        Ok(line)
    }

    fn comment(&mut self, along: &String, text: &str) {
        self.0.push(format!("{}: {text}", along.trim()));
    }
}

fn told(pgn: &[u8]) -> Result<Vec<String>, String> {
    let mut told = Told::default();
    let mut games = 0;
    for game in Games::new(pgn) {
        let game = game.unwrap();
        game.play(&mut told).map_err(|error| game.wrong(error, true).to_string())?;
        game.check().unwrap();
        games += 1;
    }
    assert_eq!(told.0.iter().filter(|line| line.starts_with("game ")).count(), games);
    Ok(told.0)
}

#[test]
fn variations_are_played_in_variations() {
    let pgn = b"1. e4 e5 (1... c5 {Sicilian} 2. Nf3 (2. c3 d5) 2... d6) (1... e6) 2. Nf3 *";
    let expected = [
        "game 1",
        "e2e4",
        "e2e4 e7e5",
        "e2e4 c7c5",
        "e2e4 c7c5: Sicilian",
        "e2e4 c7c5 g1f3",
        "e2e4 c7c5 c2c3",
        "e2e4 c7c5 c2c3 d7d5",
        "e2e4 c7c5 g1f3 d7d6",
        "e2e4 e7e6",
        "e2e4 e7e5 g1f3",
    ];
    assert_eq!(told(pgn).unwrap(), expected);
}

#[test]
fn comment_is_behind_its_move_or_before_a_variation() {
    let pgn = b"{start} 1. e4 {best} ({or} 1. d4) {again} e5 ; to the end (\n 2. Nf3 *";
    let expected = [
        "game 1",
        ": start",
        "e2e4",
        "e2e4: best",
        "d2d4",
        "d2d4: or",
        "e2e4: again",
        "e2e4 e7e5",
        "e2e4 e7e5:  to the end (",
        "e2e4 e7e5 g1f3",
    ];
    assert_eq!(told(pgn).unwrap(), expected);
}

#[test]
fn a_null_move_ends_its_line_alone() {
    for null in ["--", "Z0", "1...--"] {
        let pgn = format!("1. e4 {null} 2. Qxx (2. d4 (2. e5)) (1... e5) *");
        assert_eq!(told(pgn.as_bytes()).unwrap(), ["game 1", "e2e4"], "{null}");
        let pgn = format!("1. e4 {null} (1... e5 2. Nf3) 2. d4 d5 *");
        let expected = ["game 1", "e2e4", "e2e4 e7e5", "e2e4 e7e5 g1f3"];
        assert_eq!(told(pgn.as_bytes()).unwrap(), expected, "{null}");
    }
}

#[test]
fn moves_are_read_as_programs_write_them() {
    let pgn = b"\xef\xbb\xbf[White \"J\xfcrgen\"]\n\n1.e4! $14 N e5!? {caf\xe9} 2 Nf3?? Nc6 3. Bb5+ Nf6 4.0-0 = \
        Nxe4 5. d4 D exd4 +- 1/2-1/2";
    let told = told(pgn).unwrap();
    assert_eq!(told.len(), 12);
    assert_eq!(told.get(3).unwrap(), "e2e4 e7e5: caf\u{e9}");
}

#[test]
fn a_file_is_refused_with_the_game_and_the_word() {
    let cases = [
        ("\u{7f}ELF hello", "no game in PGN format"),
        ("1. Sf3", "game 1, line 1: \"1. Sf3\" is not a move"),
        ("1. e4 *\n\n1. e4 e5 2. Sf3 *", "game 2, line 3: \"2. Sf3\" is not a move"),
        ("1. e4 e5 (1... Ke6) *", "game 1, line 1: \"1... Ke6\" is illegal"),
        ("[Variant \"Atomic\"]\n\n1. e4 *", "game 1 is of the variant \"Atomic\""),
        ("[FEN \"8/8\"]\n\n*", "game 1, line 1: FEN \"8/8\""),
        ("1. e4 (1. d4 *", "game 1, line 1: a variation is not closed"),
        ("1. e4 (1. d4\n\n[White \"a\"]\n*", "game 1, line 1: a variation is not closed"),
        ("1. e4 ) e5", "game 1, line 1: a variation is closed that was never opened"),
        ("(1. e4) e5", "game 1, line 1: a variation comes before any move"),
        ("1. e4 ((1. d4)) e5", "game 1, line 1: a variation comes before any move"),
        ("1. e4 {e5", "game 1, line 1: a comment is not closed"),
        ("1. e4 1-0 e5", "game 1, line 1: moves or another result stand behind"),
    ];
    for (pgn, expected) in cases {
        let error = told(pgn.as_bytes()).unwrap_err();
        assert!(error.starts_with(expected), "{pgn}: {error}");
    }
}

proptest! {
    #[test]
    fn any_file_is_read_or_refused(
        words in proptest::collection::vec(0..24_usize, 0..40),
        bytes in proptest::collection::vec(any::<u8>(), 0..6),
    ) {
        const WORDS: [&str; 22] = [
            "1.", "e4", "e5", "Nf3", "Nc6", "--", "(", ")", "{", "}", ";", "$1", "*", "1-0", "\n", "\n\n",
            "[Event \"", "\"]", "[FEN \"8/8/4k3/8/8/3K4/4P3/8 w - - 4 3\"]\n", "½", "0-0", "%",
        ];
        let mut file: Vec<u8> = Vec::new();
        for word in words {
            file.extend(WORDS.get(word).map_or(bytes.as_slice(), |word| word.as_bytes()));
            file.push(b' ');
        }
        // `told` compares the games that were begun with those of the file.
        let _ = told(&file);
        for game in Games::new(file.as_slice()) {
            let _ = game.unwrap().main_line(None);
        }
    }
}
