//! Tests of the two readers: the quick one and the core's.

use std::ops::ControlFlow;
use std::path::PathBuf;

use proptest::prelude::*;

use deepanalyze_core::chess::Games;

use crate::pgn::chunks::parts;
use crate::pgn::counted::{ChunkGames, count_chunk};
use crate::testing::random_games;

use super::*;

/// All PGN files of the tests and of those shipped with the project.
fn files() -> Vec<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../../shared/vectors", "../../shared/cases", "../docs/gallery"];
    let folders = folders.map(|folder| here.join(folder));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "pgn"));
    files.sort();
    files
}

fn chunk(text: &[u8]) -> Chunk {
    Chunk { bytes: text.to_vec(), is_whole: true, ..Chunk::default() }
}

/// A file by the core's reader alone.
fn strictly(text: &[u8]) -> ChunkGames {
    counted::count_strictly(&chunk(text), 60).unwrap()
}

fn assert_same(text: &[u8], what: &str) {
    let (quick, strict) = (count_chunk(&chunk(text), 60).unwrap(), strictly(text));
    assert_eq!(quick.found, strict.found, "{what}");
    assert_eq!(quick.games, strict.games, "{what}");
    assert!(quick.records == strict.records && quick.rows == strict.rows, "{what}");
    assert_eq!(format!("{:?}", quick.bad), format!("{:?}", strict.bad), "{what}");
    assert_eq!(quick.variants, strict.variants, "{what}");
    assert_eq!(quick.contradicting, strict.contradicting, "{what}");
    assert_eq!(Games::new(text).count() as u64, quick.found, "{what}");
}

#[test]
fn quick_reader_agrees_with_the_core_on_every_file() {
    for file in files() {
        assert_same(&std::fs::read(&file).unwrap(), &file.display().to_string());
    }
}

const GAME: &str = "[Event \"Open\"]\n[Site \"?\"]\n[Date \"2020.02.03\"]\n[White \"A, b\"]\n[Black \"C\"]\n\
    [WhiteElo \"2400\"]\n[Result \"1-0\"]\n\n1. e4 { [%clk 0:03:00] } e5 2. Nf3!? $14 Nc6 3. Bb5\na6 4. O-O 1-0\n\n";

/// A game with something in it changed, beside two that are as they were.
#[test]
fn quick_reader_gives_way_if_the_core_may_differ() {
    let changes = [
        ("2. Nf3!?", "2. Nf3 (2. Bc4 Nf6) "),
        ("2. Nf3!?", "2. Sf3"),
        ("2. Nf3!?", "2. Nf6"),
        ("2. Nf3!?", "2. Ng1f3"),
        ("2. Nf3!?", "2. g1f3"),
        ("2. Nf3!?", "3. Nf3"),
        ("2. Nf3!?", "2... Nf3"),
        ("2. Nf3!?", "2 Nf3"),
        ("2. Nf3!?", "2.Nf3"),
        ("2. Nf3!?", "2. N f3"),
        ("2. Nf3!?", "2. -- "),
        ("2. Nf3!?", "2. Nf3!!!"),
        ("2. Nf3!?", "2. $1 Nf3"),
        ("2. Nf3!?", "2. ;Nf3\nNf3"),
        ("2. Nf3!?", "2. {a {b} Nf3"),
        ("2. Nf3!?", "2. {a\n\nb} Nf3"),
        ("2. Nf3!?", "2. {a\n[Event \"x\"]\nb} Nf3"),
        ("2. Nf3!?", "2. {a\n% b} Nf3"),
        ("2. Nf3!?", "2. {a\n\n[Event \"x\"]\n\n1. d4 *\n\nb} Nf3"),
        ("2. Nf3!?", "2. {a\n\n[Event \"x\"]\n\n1. d4 *\n\nb Nf3"),
        ("2. Nf3!?", "2. {a\u{1a}[Event \"x\"]\nb} Nf3"),
        ("2. Nf3!?", "\n% b\n2. Nf3"),
        ("2. Nf3!?", "\n\n2. Nf3"),
        ("2. Nf3!?", "\n\n1. d4 d5 2. Nf3"),
        ("2. Nf3!?", "2. Nf3\u{a0}"),
        ("2. Nf3!?", "2. Nf3 N"),
        ("2. Nf3!?", "2. Nf3 =  "),
        ("$14", "$999"),
        ("$14", "$+14"),
        ("O-O", "0-0"),
        ("O-O", "O-O-O"),
        ("a6", "a6+"),
        ("a6", "a6 1-0"),
        ("a6", "7a6"),
        ("a6", "aa6"),
        ("a6", "a6 *"),
        (" 1-0\n\n", " \n\n"),
        (" 1-0\n\n", " 1-0"),
        (" 1-0\n\n", " 1-0\n; over\n\n"),
        (" 1-0\n\n", " 1/2\n\n"),
        (" 1-0\n\n", " 1-0\u{1a}"),
        (" 1-0\n\n", " 1-0\n\n\u{1a}"),
        (" 1-0\n\n", " 1-0\n\0\0"),
        ("[Site \"?\"]", "[Variant \"Atomic\"]"),
        ("[Site \"?\"]", "[Variant \"Standard\"]"),
        ("[Site \"?\"]", "[Variant \"?\"]"),
        ("[Site \"?\"]", "[Variant \"Chess9LX\"]"),
        ("[Site \"?\"]", "[Variant \"Chess960\"]"),
        ("[Site \"?\"]", "[SetUp \"1\"]"),
        ("[Site \"?\"]", "[FEN \"8\"]"),
        ("[Site \"?\"]", "[fen \"8/8/8/8/8/8/8/8 w - - 0 1\"]"),
        ("[Site \"?\"]", "[Annotator \"see [FEN\"]"),
        ("[Site \"?\"]", "[White \"Z\"]"),
        ("[Site \"?\"]", "[White Elo \"Z\"]"),
        ("[Site \"?\"]", "[Site \"a \"b\" c\"]"),
        ("[Site \"?\"]", "[Site \"?\""),
        ("[Site \"?\"]", "  [Site  \"?\"]"),
        ("[Site \"?\"]", "{a}"),
        ("[Result \"1-0\"]\n\n", "[Result \"1-0\"]\n"),
        ("[Result \"1-0\"]\n\n", "[Result \"1-0\"]\n\n\n"),
        ("[Event \"Open\"]\n", "\u{feff}[Event \"Open\"]\n"),
        ("[Event \"Open\"]\n", ""),
        ("[Event \"Open\"]\n", "[Event \"Open\"\n.\n"),
        ("\n", "\r\n"),
        ("\n", "\r"),
    ];
    for (from, to) in changes {
        assert!(GAME.contains(from), "{from}");
        let changed = format!("{GAME}{}{GAME}", GAME.replace(from, to));
        assert_same(changed.as_bytes(), &format!("{from:?} {to:?}"));
    }
    let latin = [GAME.as_bytes(), b"[Event \"K\xf6ln\"]\n\n1. e4 *\n\n", GAME.as_bytes()].concat();
    assert_same(&latin, "Latin-1");
    let black = "[Event \"a\"]\n[SetUp \"1\"]\n[FEN \"8/8/4k3/8/8/3K4/4P3/8 b - - 4 31\"]\n\n31... Kd5 32. e4+ *\n";
    let chess960 = "[Event \"a\"]\n[Variant \"Chess960\"]\n[FEN \"1rk2r2/5p2/8/8/8/8/5P2/1RK2R2 w KQkq - 0 1\"]\n\n\
        1. O-O O-O-O 2. Rfe1 Rfe8 *\n";
    for text in [chess960.to_owned(), chess960.replace("Chess960", "freestyle")] {
        assert_same(text.as_bytes(), &text);
    }
    for text in [black.to_owned(), black.replace("31...", "1...").replace("32.", "2.")] {
        assert_same(text.as_bytes(), &text);
    }
}

/// Text to write over a part of a game.
fn scribble() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(
        " \n\r\t{}()[]$;%.!?+#=-*/:013abcehxNQKROPE\"\\\u{a0}½ö\u{feff}"
            .chars()
            .collect::<Vec<char>>(),
    );
    let word = prop::sample::select(vec![
        "\n\n",
        "1. ",
        "1... ",
        "2. ",
        "1-0",
        "--",
        "e4",
        "Nf3",
        "O-O",
        "\n[Event \"x\"]\n",
        "\n\n[Event \"x\"]\n",
        "\n\n[Site \"x\"]\n\n",
        "1-0\n[Site \"x\"]\n",
        "\u{1a}",
        "\u{1a}[Event \"x\"]\n\n",
        "\0",
        "{see\n\n[Event \"x\"]\n\n",
        "{",
        "}",
        "[FEN \"",
        "e.p.",
        "N ",
    ]);
    prop_oneof![sign.prop_map(String::from), word.prop_map(str::to_owned), Just(String::new())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn scribbled_over_a_file_has_the_same_games_for_both(
        seed in 0..1000_u64,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, scribble()), 1..4),
    ) {
        let mut text = format!("{GAME}{}{GAME}", random_games([seed]));
        for (at, over, by) in changes {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let from = at.index(places.len());
            let to = (from + over).min(places.len() - 1);
            text.replace_range(places[from]..places[to], &by);
        }
        assert_same(text.as_bytes(), &text);
    }
}

#[test]
fn pgn_reader_steps_over_words_that_are_no_moves() {
    struct Counts;
    impl pgn_reader::Visitor for Counts {
        type Tags = u32;
        type Movetext = u32;
        type Output = u32;

        fn begin_tags(&mut self) -> ControlFlow<u32, u32> {
            ControlFlow::Continue(0)
        }

        fn begin_movetext(&mut self, moves: u32) -> ControlFlow<u32, u32> {
            ControlFlow::Continue(moves)
        }

        fn san(&mut self, moves: &mut u32, _: pgn_reader::SanPlus) -> ControlFlow<u32> {
            *moves += 1;
            ControlFlow::Continue(())
        }

        fn end_game(&mut self, moves: u32) -> u32 {
            moves
        }
    }
    let mut reader = pgn_reader::Reader::new(&b"1. e4 e5 2. Sf3 Nc6 *"[..]);
    assert_eq!(reader.read_game(&mut Counts).unwrap(), Some(3));
}

/// How many of the usual games the quick reader takes.
#[test]
fn games_as_programs_write_them_are_read_quickly() {
    let text = GAME.repeat(3);
    let quickly = |text: &str| {
        let (mut line, mut tags) = (counted::Line::default(), counted::Tags::default());
        parts(text.as_bytes())
            .filter(|part| fast::game_of(part, &mut line, &mut tags).is_some())
            .count()
    };
    assert_eq!(quickly(GAME), 1);
    assert_eq!(quickly(&GAME.replace('\n', "\r\n")), 1);
    assert_eq!(text.len(), 3 * GAME.len());
}

#[test]
fn what_is_wrong_behind_what_is_counted_does_no_harm() {
    let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(15);
    let text = |end: &str| format!("[Event \"a\"]\n[White \"W\"]\n\n{knights}{end} *\n");
    for end in ["Sf3", "(", "Ke2"] {
        let games = count_chunk(&chunk(text(end).as_bytes()), 60).unwrap();
        assert_eq!((games.games.len(), games.records.len(), games.bad.len()), (1, 4, 0), "{end}");
        let games = count_chunk(&chunk(text(end).as_bytes()), 61).unwrap();
        assert_eq!((games.games.len(), games.bad.len()), (0, 1), "{end}");
        assert_eq!(games.bad[0].players, "W – ?");
    }
    let other = |end: &str| count_chunk(&chunk(text(end).as_bytes()), 60).unwrap().games[0].0;
    assert_ne!(other("Nf3"), other("Nc3"), "two games that differ later are two");
}

#[test]
fn variants_are_named_the_most_frequent_first() {
    let mut part = OtherVariants::default();
    ["Crazyhouse", "Atomic", "Ato\u{1b}mic"].iter().for_each(|name| part.add(name));
    let mut all = part.clone();
    all.add_all(&part);
    assert_eq!((all.games(), all.to_string().as_str()), (6, "4 Atomic, 2 Crazyhouse"));
    (0..100).for_each(|number| all.add(&number.to_string()));
    assert_eq!(all.games(), 106);
    assert!(all.to_string().ends_with(", 82 others"), "{all}");
}
