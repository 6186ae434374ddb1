//! Tests of games as files have them.

use super::*;
use crate::chess::fen_of;

const PGN: &str = "[Event \"a\"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 *\n\n\
    [Event \"b\"]\n[SetUp \"1\"]\n[FEN \"8/8/4k3/8/8/3K4/4P3/8 w - - 4 3\"]\n\n3. e4 *\n";

fn game(pgn: &str, number: usize, ply: Option<usize>) -> Result<Game, String> {
    let written = written_game(pgn.as_bytes(), number, ply);
    written.map(|written| written.game).map_err(|error| error.to_string())
}

fn moves(pgn: &str) -> Result<String, String> {
    let game = game(pgn, 1, None)?;
    Ok(game.moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

fn count(pgn: &str) -> usize {
    Games::new(pgn.as_bytes()).count()
}

#[test]
fn the_main_line_is_taken_up_to_a_ply() {
    let first = game(PGN, 1, Some(3)).unwrap();
    let moves: Vec<String> = first.moves().iter().map(ToString::to_string).collect();
    assert_eq!(moves, ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(game(PGN, 1, None).unwrap().moves().len(), 4);
    let second = game(PGN, 2, None).unwrap();
    assert_eq!(fen_of(second.root()), "8/8/4k3/8/4P3/3K4/8/8 b - - 0 3");
    // A fault behind the last move that is wanted does no harm.
    for end in ["3. O-O-O??", "3. Sc3", "(", "{", ") 3. Bb5", "1-0 3. Bb5"] {
        let fine = format!("1. e4! e5 ;Sf3\n2. Nf3?! Nc6 {end}");
        assert_eq!(game(&fine, 1, Some(4)).unwrap().moves().len(), 4, "{end}");
        assert!(game(&fine, 1, None).is_err(), "{end}");
    }
}

/// Spaces of every kind, glyphs, results and numbers as people and programs write them.
#[test]
fn moves_are_read_as_people_write_them() {
    for text in [
        "1. e4 e5 2. Nf3 Nc6",
        "1.\u{a0}e4\u{a0}e5 2.\u{2009}Nf3\u{3000}Nc6\u{2028}",
        "1.\u{85}e4\u{b}e5\u{c}2. Nf3 Nc6",
        "1. e4 {x} 1.…e5 2. Nf3 1/2 {agreed}",
        "1. e4 e5 2. Nf3$1Nc6$2",
        "1. e2–e4 e7—e5 2. Ng1−f3 Nb8‑c6 ½–½",
        "1. e4$1 $2e5 2. Nf3!Nc6 ½-½",
        "1.e4 e52.Nf3Nc6*",
        "e4 e5 Nf3 Nc6 1–0",
        "1 e2e4 e7e5 2 g1f3 b8c6",
        "1. e4 2. e5 3. Nf3 4. Nc6",
        "7. e4 e5 Nf3 Nc6 9. *",
        "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6",
        "1. e4 N e5 D 2. Nf3+- Nc6 +/- =",
        "1. e4 e5\n\n2. Nf3 Nc6\n\n",
        "1. e4\n\n1. ... e5\n\n2. Nf3 Nc6 1/2 - 1/2",
        "1. e4 e5\r2. Nf3 ; Black thinks\r\n2... Nc6 0-1\r",
        "% of the file\n1. e4 e5\n% more\n2. Nf3 Nc6",
        "1. ♙e4 e5\u{200b} 2. ♘f3\u{200e} ♞c6",
        "1) e4 e5 2) Nf3 Nc6",
        "1. e4,e5 2. Nf3, Nc6",
        "1.e4. e5. 2.Nf3. Nc6.",
        "1. e4 !N e5!N 2. Nf3 TN Nc6 ch",
        "1. e4 $ 1 e5 $-1 2. Nf3 $ Nc6 $ 1/2-1/2",
        "<b>1. e4</b> e5<br> <i>2. Nf3</i> Nc6",
        "1. e4 e5 <b> 2. Nf3 <=> Nc6 1 - 0",
        "1. e4 -> e5 2. Nf3 Δ Nc6 0.5-0.5",
        "1. e4 dbl ch e5 mate 2. Nf3 dis.ch. Nc6 >=",
    ] {
        let expected = "e2e4 e7e5 g1f3 b8c6";
        let read = moves(text).unwrap_or_else(|error| error);
        assert!(expected.starts_with(&read) && read.len() > 13, "{text}: {read}");
        assert!(text.contains("c6") == (read == expected), "{text}: {read}");
        let tagged = format!("[Event \"a \"b\" c\"]\n; between\n[Site \"\"]\n\n{{first}}\n{text}");
        assert_eq!(moves(&tagged).unwrap(), read, "{text}");
    }
}

#[test]
fn what_a_pawn_becomes_is_read_as_people_write_it() {
    for promotion in ["a8Q", "a8=Q", "a8q", "a7a8q", "a8(Q)", "a8/Q+", "a7-a8=Q", "a8=♕"] {
        let pgn =
            format!("[FEN \"7k/P7/8/8/8/8/8/7K w - - 0 1\"]\n\n1. {promotion} Kg7 (1... Kh7)");
        assert_eq!(moves(&pgn).unwrap(), "a7a8q h8g7", "{promotion}");
    }
    assert_eq!(moves("1. e4 e5(1... c5) 2. Nf3").unwrap(), "e2e4 e7e5 g1f3");
}

#[test]
fn unclear_text_is_an_error_with_its_line() {
    let start = "[Event \"a\"]\n\n1. e4 ";
    for (text, line, part) in [
        ("e5 1-0 2. Nf3 *", 3, "stand behind the result"),
        ("e5 1-0\n1. d4 d5", 4, "stand behind the result"),
        ("e5 1-0\n\n2. Nf3", 5, "stand behind the result"),
        ("e5 1-0 0-1", 3, "stand behind the result"),
        ("e5 2. {x} 3. Nf3 Nc6", 3, "the moves between two numbers are missing"),
        ("e5 2. -- d5", 3, "move 2. is a null move"),
        ("e5 3. Nf3 Nc6", 3, "the number of a move does not fit"),
        ("e5 2... Nf3", 3, "the number of a move does not fit"),
        ("e5 {x 2. Nf3 Nc6 {y} 3. Bb5", 3, "the number of a move does not fit"),
        ("e5 ... 2. Nf3", 3, "the moves between two numbers are missing"),
        ("e5 2. \0\0 Nf3", 3, "is not a move"),
        ("e5 2. \u{fffd} f3", 3, "is not a move"),
        ("e5 2. ? f3", 3, "is not a move"),
        ("N c6", 3, "\"1... N c6\" is not a move"),
        ("e5 2. Nf3 Nc6 3. Bc4 Nf6 4. 0 - 0", 3, "\"4. 0\" is not a move"),
        ("e5 2. N f3", 3, "\"2. N\" is not a move"),
        ("<b>f6", 3, "\"1... <b>f6\" is not a move"),
        ("♞ f6", 3, "\"1... ♞\" is not a move"),
        ("?f6", 3, "\"1... ?f6\" is not a move"),
        ("\ne5 {x", 4, "a comment is not closed"),
        ("e5 {x\n\n[White \"b\"]\n\n1. d4 {y} d5", 3, "a comment is not closed"),
        ("e5 {x\n[Event \"b\"]\n\n1. d4 {y} d5", 3, "a comment is not closed"),
        ("{x\n\n1. d4 {y} d5", 3, "a comment is not closed"),
        ("e5 } 2. Nf3", 3, "a comment is closed that was never opened"),
        ("{or {1. d4} d5} e5", 3, "a comment is closed that was never opened"),
        ("e5\n(1... c5 2. Nf3", 4, "a variation is not closed"),
        ("e5) 2. Nf3", 3, "a variation is closed that was never opened"),
        ("e5 [White \"b\"]", 3, "is not a move"),
        ("e5 2. Nf3xyz Nc6", 3, "\"2. Nf3xyz\" is not a move"),
        ("e5 2.\u{0}Nf3", 3, "is not a move"),
    ] {
        let error = moves(&format!("{start}{text}")).unwrap_err();
        let place = format!("game 1, line {line}: ");
        assert!(error.starts_with(&place) && error.contains(part), "{text:?}: {error}");
    }
    let fen = "[FEN 8/8/4k3/8/8/3K4/4P3/8 w - - 4 3\"]\n\n1. e4 e5";
    assert!(moves(fen).unwrap_err().contains("line 1: the tag of its first position"));
    assert!(moves("[Event \"a\"]*\n\n1. e4 e5").unwrap_err().contains("after a tag"));
    assert!(
        moves("[Event \"a\"] 1. Sf3 Sf6\n2. c4 e6").unwrap_err().contains("line 1: the text after")
    );
    for fen in ["[FEN=\"8\"]", "[FEN: \"8\"]", "[Variant=\"Atomic\"]", "[White \"A\" [FEN \"8\"]"] {
        let error = moves(&format!("[Event \"a\"]\n{fen}\n\n*")).unwrap_err();
        assert!(error.contains("line 2: the tag of its first position"), "{fen}: {error}");
    }
    assert_eq!(moves("[Event \"a\"]1. e4 e5").unwrap(), "e2e4 e7e5");
    for tag in ["[Result c4 e5 *", "[Result \"* 1. c4 e5 *"] {
        let error = moves(&format!("[Event \"a\"]\n{tag}\n\n")).unwrap_err();
        assert!(error.contains("line 2: a tag that cannot be read contains moves"), "{error}");
    }
    assert!(moves("[Event \"a\"]\n\n*\n\n1. e4 e5").unwrap_err().contains("behind the result"));
    assert!(moves("[SetUp \"1\"]\n\n1. e4").unwrap_err().contains("no tag FEN"));
    assert!(moves("(1. d4) 1. e4").unwrap_err().contains("before any move"));
}

#[test]
fn word_that_is_no_move_is_named_and_not_skipped() {
    let german = moves("1. e4 e5 2. Sf3 Sc6 *").unwrap_err();
    assert!(german.starts_with("game 1, line 1: \"2. Sf3\" is not a move"), "{german}");
    let pgn = "[Event \"a\"]\n\n1.e4 {Sf3 here} e5 (1... Qx9) 2.Nf3 $1 Nc6 3.Bb9 Nf6 *";
    let typo = moves(pgn).unwrap_err();
    assert!(typo.starts_with("game 1, line 3: \"3. Bb9\" is not a move"), "{typo}");
    let long = moves(&format!("1. e4 {}", "x".repeat(1 << 20))).unwrap_err();
    assert!(long.len() < 200, "{}", long.len());
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let error = |number, ply| game(PGN, number, ply).unwrap_err();
    assert_eq!(error(3, None), "there is no game 3: the file has 2");
    assert_eq!(error(1, Some(9)), "game 1 has no ply 9: it has 4");
    for no_game in ["\u{7f}ELF\u{2}\u{1}\0 hello", "*", "; nothing", "hello"] {
        let error = moves(no_game).unwrap_err();
        assert!(error.contains("no game"), "{no_game}: {error}");
    }
    let wrong = moves("1. e4 e5 2. Ke3 *").unwrap_err();
    assert!(wrong.starts_with("game 1, line 1: \"2. Ke3\" is illegal"), "{wrong}");
    let wrong = moves("[Variant \"Atomic\"]\n\n1. e4 *").unwrap_err();
    assert!(wrong.starts_with("game 1 is of the variant \"Atomic\": only chess"));
    let wrong =
        moves("[FEN \"8/8/4k3/8/8/3K4/4P3/8 b - - 4 30\"]\n\n30... Kd5 31. Sf9 *").unwrap_err();
    assert!(wrong.starts_with("game 1, line 3: \"31. Sf9\" is not a move"), "{wrong}");
}

#[test]
fn games_of_chess960_begin_where_their_fen_says() {
    let fen = "1rk2r2/5p2/8/8/8/8/5P2/1RK2R2 w KQkq - 0 1";
    for variant in [
        "Chess960",
        "chess 960",
        "Fischerandom",
        "Fischer Random",
        "FREESTYLE",
        "Chess9LX",
        "wild/fr",
        "Wild 22",
        "FRC",
    ] {
        let tags = format!("[Variant \"{variant}\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]");
        let pgn = format!("{tags}\n\n1. O-O O-O-O 2. Rfe1 Rfe8 *");
        assert_eq!(moves(&pgn).unwrap(), "c1f1 c8b8 f1e1 f8e8", "{variant}");
    }
    let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
    let line = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O *";
    let tags = format!("[Variant \"Chess960\"]\n[FEN \"{standard}\"]");
    assert!(moves(&format!("{tags}\n\n{line}")).unwrap().ends_with("e1g1"));
    for tags in ["[Variant \"Chess960\"]", "[Variant \"fischerandom\"]\n[SetUp \"1\"]"] {
        let error = moves(&format!("{tags}\n\n{line}")).unwrap_err();
        assert!(error.contains("it is Chess960, and there is no tag FEN"), "{error}");
    }
}

#[test]
fn a_variant_that_is_a_speed_or_unknown_is_chess() {
    for variant in ["?", "-", "", "Classical", "Rapid", "blitz", "From Position", "STANDARD"] {
        let pgn = format!("[Variant \"{variant}\"]\n\n1. e4 e5 *");
        assert_eq!(moves(&pgn).unwrap(), "e2e4 e7e5", "{variant}");
    }
    for variant in ["Atomic", "Crazyhouse960", "wild/5", "\u{8b8a}\u{9ad4}"] {
        let error = moves(&format!("[Variant \"{variant}\"]\n\n1. e4 e5 *")).unwrap_err();
        assert!(error.contains(&format!("of the variant {variant:?}")), "{error}");
    }
}

#[test]
fn a_comment_with_a_whole_game_in_it_is_a_comment() {
    let quoted = "[Event \"a\"]\n\n1. e4 {see\n\n[Event \"old\"]\n[Site \"x\"]\n\n1. d4 d5 1-0\n\n\
        [Event \"older\"]\n\nhere} e5 2. Nf3 *\n\n[Event \"b\"]\n\n1. d4 {ok} *\n";
    assert_eq!(count(quoted), 2);
    assert_eq!(moves(quoted).unwrap(), "e2e4 e7e5 g1f3");
    assert_eq!(moves(&quoted.replace('\n', "\r\n")).unwrap(), "e2e4 e7e5 g1f3");
    // An open comment ends with its game, wherever the next brace is.
    for end in ["1. d4 d5 *", "1. d4 {x} d5 *", "{x}\n1. d4 d5 *", "1. d4 d5 {x"] {
        let open = format!("[Event \"a\"]\n\n1. e4 {{x\n\n[Event \"b\"]\n\n{end}\n");
        assert_eq!(count(&open), 2, "{end}");
        assert!(moves(&open).unwrap_err().contains("line 3: a comment is not closed"), "{end}");
    }
    // And an unmatched brace does not swallow the games behind it.
    let game = "[Event \"b\"]\n\n1. d4 d5 2. c4 *\n\n";
    let far = format!("1. e4 {{x\n\n{}[Event \"c\"]\n\n1. c4 }} *", game.repeat(40_000));
    assert_eq!(count(&far), 40_002);
}

#[test]
fn the_end_of_a_dos_file_costs_no_game() {
    for end in
        ["\n\n\u{1a}", "\u{1a}", "\n\u{1a}", "\r\n\u{1a}\r\n", "\0\0\0", "\n\0\0", "\u{1a}\0\0\0"]
    {
        let pgn = format!("[Event \"a\"]\n\n1. e4 e5 1-0{end}");
        assert_eq!((count(&pgn), moves(&pgn).unwrap().as_str()), (1, "e2e4 e7e5"), "{end:?}");
        let without_result = pgn.replace(" 1-0", "");
        assert_eq!(moves(&without_result).unwrap(), "e2e4 e7e5", "{end:?}");
    }
    for joint in ["\n\n\u{1a}", "\u{1a}", "\n\u{1a}\n", "\u{1a}\r\n\r\n"] {
        let pgn = format!("[Event \"a\"]\n\n1. e4 1-0{joint}[Event \"b\"]\n\n1. d4 \u{1a}");
        assert_eq!((count(&pgn), game(&pgn, 2, None).unwrap().moves().len()), (2, 1), "{joint:?}");
    }
}

/// Each of five million tags was compared with all before it.
#[test]
fn tags_and_moves_of_a_game_are_limited() {
    let tags: String = (0..1_001).map(|number| format!("[a{number} \"x\"]\n\n")).collect();
    assert!(moves(&format!("{tags}1. e4")).unwrap_err().contains("line 2001: a game has no more"));
    let long = format!("1. e4 {}", "! ".repeat(4_000_000));
    assert!(moves(&long).unwrap_err().contains("a game has no more than 4,000,000"));
}

#[test]
fn games_are_told_apart() {
    for (games, pgn) in [
        (3, "1. e4 e5\n\n1. d4 d5\n\n1 c4 *"),
        (1, "1. e4 e5\n\n2. Nf3 (2. d4\n\n2... d5) Nc6 *\n"),
        (3, "[Event \"a\"]\n\n[Event \"b\"]\n\n*\n[Event \"c\"]\n[White \"c\"]"),
        (2, "1. e4 (1. d4 1-0) e5 2. Nf3 1/2-1/2\r\n\r\n[White \"c\"]\r\n1. e4 *"),
        (2, "[White \"a\"]\n{lost}\n\n[White \"b\"]\n\n1. e4"),
        (1, "{of nobody}\n[White \"a\"]\n\n; none\n[Black \"b\"]\n\n1. e4\n\n1... e5\n\n1-0"),
        (3, "[Event \"a\"]\n\n1. e4 {x\n\n[Event \"b\"]\n\n1. e4 (\n\n[Event \"c\"]\n\n1. e4 *"),
        (0, "\n; a comment\n\n% nothing\n{of nobody}\n"),
        (2, "[Even) \"a\"]\n[White \"b\"] c]\n\n1. e4\n\n[Event) \"b\"]\n[Site \"\"]\n\n1. e4"),
        (2, "[Event \"a\"]\r\r1. e4 *\r\r[Event \"b\"]\r\r1. e4 *\r"),
    ] {
        assert_eq!(count(pgn), games, "{pgn}");
    }
}

#[test]
fn games_without_tags_keep_their_moves_and_remarks() {
    let pgn = "1. e4 {one} *\n\n1. d4 {two} d5 *\n\n% no game\n[Event \"c\"]\n\n1. c4 {three} *\n";
    for (number, text) in [(1, "one"), (2, "two"), (3, "three")] {
        let written = written_game(pgn.as_bytes(), number, Some(1)).unwrap();
        assert_eq!(written.remarks[1], [Remark::Comment(text.to_owned())]);
    }
    assert_eq!(game(pgn, 2, None).unwrap().moves().len(), 2, "up to its end");
    let wrong = format!("{pgn}\n1. e4 Sf6 *\n");
    assert!(game(&wrong, 2, None).is_ok());
    let error = game(&wrong, 4, None).unwrap_err();
    assert!(error.starts_with("game 4, line 10: \"1... Sf6\" is not a move"), "{error}");
}

#[test]
fn remarks_stand_behind_their_moves() {
    let pgn = "[Event \"a\"]\n\n{Begin} 1. e4! $14 {Best\nby test} e5?! (1... c5 $1 {Sicilian} \
        (1... e6) 2.Nf3!) (1... Z0) 2. Nf3 ;end\n 1-0 {behind}\n";
    let words = |remark: &Remark| match remark {
        Remark::Glyph(glyph) => format!("${glyph}"),
        Remark::Comment(text) => format!("{{{text}}}"),
        Remark::Word(word) => word.clone(),
        Remark::Open => "(".to_owned(),
        Remark::Close => ")".to_owned(),
    };
    let told = |ply| -> Vec<String> {
        let remarks = written_game(pgn.as_bytes(), 1, ply).unwrap().remarks;
        remarks.iter().map(|all| all.iter().map(words).collect::<Vec<_>>().join(" ")).collect()
    };
    let first = [
        "{Begin}",
        "$1 $14 {Best by test}",
        "$6 ( 1... c5 $1 {Sicilian} ( 1... e6 ) 2. Nf3! ) ( 1... Z0 )",
        "{end}",
    ];
    assert_eq!(told(None), first);
    assert_eq!(told(Some(2)), first[..3], "up to the last move that is wanted");
}

#[test]
fn tags_come_in_their_order_with_quotes_read() {
    let pgn =
        "1. e4 *\n\n[White \"A \\\"B\\\" \\\\C\"]\n[Result \"1-0\"]\n\n1. e4 (1. d4 0-1) e5 1-0\n";
    let heading = written_game(pgn.as_bytes(), 2, Some(1)).unwrap().heading;
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(heading.tags, [tag("White", "A \"B\" \\C"), tag("Result", "1-0")]);
    assert_eq!(heading.result.as_deref(), Some("1-0"));
    assert_eq!(heading.tag("White"), Some("A \"B\" \\C"));
}
