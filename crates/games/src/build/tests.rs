//! Tests of making sets.

use std::io::Write;

use deepanalyze_core::chess::{PositionKey, parse_fen};

use super::*;
use crate::chain::tests::unlink;
use crate::filter::Filter;
use crate::set::GameSet;
use crate::testing::{Folder, counted_one_by_one, move_count, random_games, told, with_means};

fn assert_right(folder: &Folder, text: &str) {
    let right = counted_one_by_one(text, 60, &Filter::default());
    let set = folder.open(&Filter::default());
    assert!(told(&set, &right) == with_means(&right));
    let info = set.info();
    assert_eq!(info.moves, move_count(&right));
    let positions: std::collections::BTreeSet<&String> = right.keys().map(|(epd, _)| epd).collect();
    assert_eq!(info.positions, positions.len() as u64);
}

#[test]
fn set_equals_its_games_counted_one_by_one() {
    let (whole, parts) = (Folder::new(), Folder::new());
    let text = random_games(0..400);
    let added = whole.add(&text).unwrap();
    assert_eq!(added.games + added.left_out.duplicates, 400);
    assert_right(&whole, &text);
    for seeds in [300..400, 0..150, 100..320] {
        parts.add(random_games(seeds)).unwrap();
    }
    assert_right(&parts, &text);
    let [one, other] = [&whole, &parts].map(|folder| SetInfo::read(&folder.set()).unwrap());
    assert_eq!((one.games, &one.digest, one.years), (other.games, &other.digest, other.years));
    assert_eq!((one.games, one.years), (added.games, Some((2019, 2021))));
    assert_eq!(parts.names(), ["s.games", "some.pgn"]);
}

#[test]
fn worked_answers_games_count_as_in_the_core() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
    for name in ["both", "black", "circles", "directives", "draw"] {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("played-{name}.pgn"))) else {
            return;
        };
        let folder = Folder::new();
        folder.add(&text).unwrap();
        assert_right(&folder, &text);
    }
}

#[test]
fn a_game_that_is_there_is_not_counted_again() {
    let folder = Folder::new();
    let text = random_games(0..50);
    let first = folder.add(&text).unwrap();
    let again = folder.add(text.replace("Carlsen, Magnus", "magnus  CARLSEN")).unwrap();
    assert_eq!((again.games, again.left_out.duplicates), (0, 50));
    assert_eq!(again.set.digest, first.set.digest);
    assert_right(&folder, &text);
    let sources = again.set.sources;
    let told: Vec<(u64, u64)> =
        sources.iter().map(|source| (source.games, source.duplicates)).collect();
    assert_eq!(told, [(first.games, first.left_out.duplicates), (0, 50)]);
}

#[test]
fn repeated_position_and_move_count_once_in_a_game() {
    let folder = Folder::new();
    let text = "[Event \"a\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *\n";
    folder.add(text).unwrap();
    assert_right(&folder, text);
    let set = folder.open(&Filter::default());
    let start = deepanalyze_core::chess::PositionKey::of(&shakmaty::Chess::default());
    let table = set.table(&start).unwrap();
    let told: Vec<String> =
        table.moves.iter().map(|tally| format!("{} {}", tally.uci, tally.played.games)).collect();
    assert_eq!((table.all.games, told), (1, vec!["e2e4 1".to_owned(), "g1f3 1".to_owned()]));
}

#[test]
fn chess960_positions_differ_by_the_castling_rooks() {
    let folder = Folder::new();
    let game = |fen: &str, moves: &str| {
        format!("[Event \"{fen}\"]\n[Variant \"Chess960\"]\n[FEN \"{fen}\"]\n\n{moves} *\n\n")
    };
    let (inner, outer) = ("4k3/8/8/8/8/8/8/1K3R1R w F -", "4k3/8/8/8/8/8/8/1K3R1R w H -");
    let standard = "r3k2r/8/8/8/8/8/8/R3K2R w HAha -";
    let text = [
        game(&format!("{inner} 0 1"), "1. O-O Kd7 2. Re1"),
        game(&format!("{inner} 0 1"), "1. Rf2 Kd7 2. Re1"),
        game(&format!("{outer} 0 1"), "1. Rf2 Kd7 2. O-O Kd6"),
        game(&format!("{standard} 0 1"), "1. O-O O-O-O"),
    ]
    .concat();
    let added = folder.add(&text).unwrap();
    assert_eq!((added.games, &added.left_out), (4, &LeftOut::default()));
    assert_right(&folder, &text);
    let set = folder.open(&Filter::default());
    let told = |fen: &str| {
        let key = PositionKey::of(&parse_fen(fen).unwrap());
        let table = set.table(&key).unwrap();
        let moves = table.moves.iter().map(|tally| tally.uci.to_string());
        moves.collect::<Vec<_>>().join(" ")
    };
    assert_eq!([told(inner), told(outer), told(standard)], ["b1f1 f1f2", "f1f2", "e1g1"]);
}

#[test]
fn bad_games_are_named_and_other_variants_counted() {
    let folder = Folder::new();
    let bad = "[Event \"x\"]\n[White \"W\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 *\n\n";
    let variant = "[Event \"x\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 *\n\n";
    let good = "[Event \"x\"]\n[White \"W\"]\n[Black \"B\"]\n\n1. e4 e5 *\n\n";
    let added = folder.add([good, variant, &bad.repeat(12), good].concat()).unwrap();
    let LeftOut { duplicates, variants, bad: unread, first_bad, .. } = &added.left_out;
    assert_eq!((added.games, *duplicates, *unread), (1, 1, 12));
    assert_eq!(variants.to_string(), "1 Crazyhouse");
    assert_eq!(first_bad.len(), 10);
    let named = first_bad[1].to_string();
    assert!(named.starts_with("some.pgn: game 4, line 22 (W – B): "), "{named}");
    assert!(named.contains("Ke3"), "{named}");
    let error = Folder::new().add(bad).unwrap_err().to_string();
    assert!(
        error.starts_with("no game of the files can be counted; the first: some.pgn: game 1"),
        "{error}"
    );
    let error = Folder::new().add(variant.repeat(3)).unwrap_err().to_string();
    assert_eq!(error, "no game of the files is chess or Chess960; left out: 3 Crazyhouse");
}

/// A text in each of the archive formats.
fn compressed(text: &[u8]) -> [(&'static str, Vec<u8>); 3] {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text).unwrap();
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz2.write_all(text).unwrap();
    let zst = zstd::stream::encode_all(text, 1).unwrap();
    [("gz", gz.finish().unwrap()), ("bz2", bz2.finish().unwrap()), ("zst", zst)]
}

#[test]
fn archives_are_read_by_first_bytes_and_may_be_joined() {
    let (plain, text) = (Folder::new(), random_games(0..60));
    let digest = plain.add(&text).unwrap().set.digest;
    let (first, second) = (random_games(0..20), random_games(20..60));
    for ((name, mut bytes), (_, more)) in
        compressed(first.as_bytes()).into_iter().zip(compressed(second.as_bytes()))
    {
        bytes.extend(more);
        let folder = Folder::new();
        assert_eq!(folder.add(bytes).unwrap().set.digest, digest, "{name}");
        let counted = GameSet::open(&folder.path("some.pgn"), &Filter::default()).unwrap();
        assert_eq!(counted.identity().digest, digest, "counted in memory");
    }
}

#[test]
fn an_archive_that_is_cut_short_changes_nothing() {
    let folder = Folder::new();
    folder.add(random_games(0..10)).unwrap();
    let before = std::fs::read(folder.set()).unwrap();
    for (name, bytes) in compressed(random_games(0..200).as_bytes()) {
        for length in [bytes.len() / 2, bytes.len() - 1] {
            let error = folder.add(&bytes[..length]).unwrap_err();
            assert!(matches!(error, GameSetError::Cut { .. }), "{name} {length}: {error}");
            assert!(error.to_string().contains("some.pgn is cut short or damaged"), "{error}");
        }
    }
    assert!(std::fs::read(folder.set()).unwrap() == before);
    assert_eq!(folder.names(), ["s.games", "some.pgn"]);
}

#[test]
fn what_is_no_pgn_is_refused_and_changes_nothing() {
    let folder = Folder::new();
    for (text, part) in [
        (&b"PK\x03\x04\0\0"[..], "a ZIP archive"),
        (b"hello, world\n", "no game in PGN format"),
        (b"", "no game in PGN format"),
        (b"\xff\xfe[\0E\0", "UTF-16"),
        (b"SQLite format 3\0", "a database, not PGN"),
    ] {
        let error = folder.add(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let missing =
        add(&folder.set(), &[folder.path("none.pgn")], AddOptions::default(), &mut |_| true);
    assert!(missing.unwrap_err().to_string().contains("none.pgn"));
    assert!(!folder.set().exists());
}

#[test]
fn one_adder_at_a_time_removes_a_killed_ones_files() {
    let folder = Folder::new();
    folder.add(random_games(0..10)).unwrap();
    let before = std::fs::read(folder.set()).unwrap();
    // As left by a process killed while it adds.
    std::fs::create_dir(folder.path(".s.games.adding")).unwrap();
    folder.file(".s.games.adding/set", "half");
    folder.file(".s.games.lock", "");
    let other = Place::lock(&folder.set()).unwrap();
    assert!(matches!(folder.add(random_games(10..20)), Err(GameSetError::Busy(_))));
    assert!(std::fs::read(folder.set()).unwrap() == before);
    drop(other);
    folder.add(random_games(10..20)).unwrap();
    assert_right(&folder, &random_games(0..20));
    assert_eq!(folder.names(), ["s.games", "some.pgn"]);
}

#[test]
fn a_set_keeps_counting_to_its_ply() {
    let folder = Folder::new();
    let text = random_games(0..30);
    let file = folder.file("some.pgn", &text);
    let add_to = |max_ply| {
        add(&folder.set(), std::slice::from_ref(&file), AddOptions { max_ply }, &mut |_| true)
    };
    assert_eq!(add_to(Some(5)).unwrap().set.max_ply, 5);
    assert_eq!(add_to(None).unwrap().set.max_ply, 5);
    let error = add_to(Some(6)).unwrap_err().to_string();
    assert!(error.ends_with("counts 5 plies of each game, not 6"), "{error}");
    let right = counted_one_by_one(&text, 5, &Filter::default());
    assert!(told(&folder.open(&Filter::default()), &right) == with_means(&right));
}

#[test]
fn progress_is_told() {
    let folder = Folder::new();
    let file = folder.file("some.pgn", random_games(0..100));
    let mut told = Vec::new();
    add(&folder.set(), &[file], AddOptions::default(), &mut |adding| {
        told.push(*adding);
        true
    })
    .unwrap();
    let first = told.first().unwrap();
    assert_eq!((first.stage, Some(first.done)), (AddStage::Reading, first.all));
    let last = told.last().unwrap();
    assert_eq!((last.stage, Some(last.done), last.games), (AddStage::Merging, last.all, 100));
}

#[test]
fn set_of_any_name_grows_and_is_not_remade_once_gone() {
    let folder = Folder::new();
    let add_to = |place: &Path| {
        let files = [folder.path("some.pgn")];
        add(place, &files, AddOptions::default(), &mut |_| true)
    };
    // An address to SQLite, were it not escaped. Windows takes no ':' and no '?' in a name.
    let name = if cfg!(windows) { "a&b#c %41.games" } else { "file:a?mode=rwc&b#c %41.games" };
    let mut places = vec![folder.path(name)];
    #[cfg(target_os = "linux")]
    places.push(folder.path("x").with_file_name::<&std::ffi::OsStr>(
        std::os::unix::ffi::OsStrExt::from_bytes(b"caf\xe9.games"),
    ));
    for place in &places {
        folder.file("some.pgn", random_games(0..20));
        let first = add_to(place).unwrap().set;
        folder.file("some.pgn", random_games(20..40));
        let both = add_to(place).unwrap().set;
        assert!(both.games > first.games, "{}", place.display());
        assert_eq!(folder.names_of_bytes().len(), 2, "{}", place.display());
        // It vanishes while games are read.
        let gone = add(place, &[folder.path("some.pgn")], AddOptions::default(), &mut |_| {
            let _ = std::fs::remove_file(place);
            true
        });
        assert!(gone.is_err());
        assert_eq!(folder.names_of_bytes().len(), 1, "{}", place.display());
    }
}

#[test]
fn an_empty_file_is_no_set_yet() {
    let folder = Folder::new();
    folder.file("s.games", "");
    assert!(folder.add(random_games(0..10)).unwrap().games > 0);
    folder.file("s.games", "");
    remove(&folder.set()).unwrap();
    assert!(!folder.set().exists());
}

#[test]
fn a_set_is_not_removed_while_games_are_added_to_it() {
    let folder = Folder::new();
    folder.add(random_games(0..10)).unwrap();
    let adding = Place::lock(&folder.set()).unwrap();
    assert!(matches!(remove(&folder.set()), Err(GameSetError::Busy(_))));
    drop(adding);
    remove(&folder.set()).unwrap();
    assert_eq!(folder.names(), ["some.pgn"]);
}

#[test]
fn long_names_are_cut_and_many_of_them_are_read_again() {
    let folder = Folder::new();
    let (endless, wide) = ("W".repeat(300_000), "\u{265e}".repeat(300));
    let game = |name: &str, day: usize| {
        format!(
            "[White \"{name}\"]\n[Black \"{name} b\"]\n[Event \"{name}\"]\n[Date \"2020.01.{:02}\"]\n\
             [Round \"{day}\"]\n[WhiteElo \"{}\"]\n\n1. e4 e5 {}. Nf3 *\n\n",
            day % 28 + 1,
            1000 + day,
            2
        )
    };
    folder.add([game(&endless, 1), game("evil\u{202e}\u{9b}", 2)].concat()).unwrap();
    let cut = Filter { player: Some("W".repeat(255)), ..Filter::default() };
    assert_eq!(folder.open(&cut).identity().games, 1);
    assert!(folder.set().metadata().unwrap().len() < 1_000_000);
    // Many of them make a valid block.
    let many: String =
        (0..300).map(|n| game(&wide, n).replace("2020.01", &format!("{}.01", 1700 + n))).collect();
    let added = folder.add(many).unwrap().games;
    assert_eq!(added, 300);
    let since = Filter { since: Some("1700".parse().unwrap()), ..Filter::default() };
    assert_eq!(folder.open(&since).identity().games, 302);
}

#[test]
fn games_with_different_details_are_different() {
    let game = |tags: &str, result: &str| {
        format!(
            "[Event \"E\"]\n[White \"anna\"]\n[Black \"bert\"]\n[Date \"2024.01.01\"]\n{tags}\n1. e4 e5 {result}\n\n"
        )
    };
    let plain = game("", "1-0");
    for others in [
        [game("", "0-1"), game("", "1/2-1/2")],
        [game("[Round \"1\"]\n", "1-0"), game("[Round \"2\"]\n", "1-0")],
        [
            game("[Site \"https://example.org/1\"]\n", "1-0"),
            game("[Site \"https://example.org/2\"]\n", "1-0"),
        ],
        [game("[UTCTime \"10:00:00\"]\n", "1-0"), game("[UTCTime \"10:01:00\"]\n", "1-0")],
        [game("[Time \"10:00:00\"]\n", "1-0"), game("[Time \"10:01:00\"]\n", "1-0")],
        [plain.replace("anna", "an_na"), plain.replace("anna", "an-na")],
        [plain.replace("anna", "NN"), plain.replace("anna", "NN")],
        [plain.replace("bert", "?"), plain.replace("bert", "?")],
    ] {
        let text = format!("{plain}{}", others.concat());
        let folder = Folder::new();
        assert_eq!(folder.add(&text).unwrap().games, 3, "{text}");
        let again = folder.add(format!("{}{plain}", others.concat())).unwrap();
        assert_eq!((again.games, again.left_out.duplicates), (0, 3), "{text}");
        let counted = folder.file("a.pgn", &text);
        let counted = GameSet::open(&counted, &Filter::default()).unwrap();
        assert_eq!(counted.identity().digest, again.set.digest);
        assert_eq!((counted.identity().games, counted.left_out().duplicates), (3, 0));
    }
    // Other signs make no difference.
    for same in [
        game("[Site \"Paris\"]\n", "1-0"),
        game("[Round \"?\"]\n[Time \"??:??:??\"]\n", "1-0"),
        plain.replace("anna", "Anna"),
        plain.replace("1. e4", "1. e4 {a comment}"),
    ] {
        let added = Folder::new().add(format!("{plain}{same}")).unwrap();
        assert_eq!((added.games, added.left_out.duplicates), (1, 1), "{same}");
    }
}

#[test]
fn a_tag_that_says_another_result_is_told() {
    let game = |tag: &str, result: &str| {
        format!(
            "[Event \"a\"]\n[White \"{tag}{result}\"]\n[Black \"B\"]\n[Result \"{tag}\"]\n\n1. e4 {result}\n\n"
        )
    };
    let results = [("1-0", "0-1"), ("1-0", "1-0"), ("*", "1-0"), ("1-0", "*"), ("0-1", "1/2-1/2")];
    let folder = Folder::new();
    let text: String = results.into_iter().map(|(tag, result)| game(tag, result)).collect();
    let added = folder.add(&text).unwrap();
    assert_eq!((added.games, added.left_out.contradicting), (5, 2));
    let start = PositionKey::of(&shakmaty::Chess::default());
    let all = folder.open(&Filter::default()).table(&start).unwrap().all;
    assert_eq!((all.games, all.white, all.draws, all.black), (5, 3, 1, 1));
}

/// A set in format 1: without details, and with a game counted for each move at a position that it
/// returns to.
fn as_format_1(path: &Path) {
    unlink(path);
    let db = Connection::open(path).unwrap();
    db.execute_batch("DROP TABLE detail; DELETE FROM about WHERE name = 'older'").unwrap();
}

#[test]
fn a_set_of_format_1_goes_on_as_it_was() {
    let (folder, text) = (Folder::new(), random_games(0..50));
    let first = folder.add(&text).unwrap();
    as_format_1(&folder.set());
    let old = SetInfo::read(&folder.set()).unwrap();
    assert_eq!((old.games, old.older, &old.digest), (first.games, first.games, &first.set.digest));
    let again = folder.add(&text).unwrap();
    assert_eq!((again.games, again.left_out.duplicates), (0, 50));
    assert_eq!((again.set.older, &again.set.digest), (first.games, &first.set.digest));
    let (more, all) = (random_games(50..90), random_games(0..90));
    for new in [40, 0] {
        let added = folder.add(&more).unwrap();
        assert_eq!((added.games, added.set.older), (new, first.games));
    }
    let anew = Folder::new().add(&all).unwrap().set;
    assert_eq!(SetInfo::read(&folder.set()).unwrap().digest, anew.digest);
    assert_eq!(anew.older, 0);
    Connection::open(folder.set()).unwrap().execute_batch("DELETE FROM detail").unwrap();
    assert!(matches!(folder.add(&more), Err(GameSetError::Damaged(_))));
}
