//! Tests of skeletons.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use super::*;
use crate::chess::Game;

fn position(line: &str) -> Chess {
    let mut game = Game::from_position(Chess::default());
    game.play_line(line).unwrap();
    game.root().clone()
}

fn key(line: &str) -> PositionKey {
    PositionKey::of(&position(line))
}

fn read(pgn: &str, root: &str, set: &Directives) -> Result<Skeleton, String> {
    let skeleton = Skeleton::read(|| pgn.as_bytes(), &key(root), set, true, BadGames::Refuse);
    skeleton.map_err(|error| error.to_string())
}

/// Directives from a file, for an empty set.
fn set_of(pgn: &str, root: &str) -> Directives {
    let mut set = Directives::default();
    for (at, directive) in read(pgn, root, &set).unwrap().new {
        set.add(&key(root), &at.position(), directive).unwrap();
    }
    set
}

fn included(set: &Directives, line: &str) -> Vec<String> {
    let moves = set.at(&key(line)).map(|said| said.include.as_slice()).unwrap_or_default();
    moves.iter().map(UciMove::to_string).collect()
}

#[test]
fn moves_behind_the_root_are_included_by_any_line() {
    let pgn = "1. e4 e5 2. Nf3 Nc6 *\n\n1. Nf3 e5 (1... d5) 2. e4 Nf6 (2... d6 3. d4) 3. Nxe5 *\n\n\
        1. d4 d5 (1... f5 2. e4) *\n\n1. d4 (1. e4 e5 2. Nf3 Nc6 3. Bb5) d5 *";
    let set = set_of(pgn, "e4 e5 Nf3");
    assert_eq!(included(&set, "e4 e5 Nf3"), ["b8c6", "d7d6", "g8f6"]);
    assert_eq!(included(&set, "e4 e5 Nf3 d6"), ["d2d4"]);
    assert_eq!(included(&set, "e4 e5 Nf3 Nc6"), ["f1b5"]);
    assert!(included(&set, "").is_empty() && included(&set, "d4").is_empty());
    let skeleton = read(pgn, "e4 e5 Nf3", &Directives::default()).unwrap();
    assert_eq!((skeleton.games, skeleton.passing), (4, 3));
    assert_eq!((skeleton.moves, skeleton.new_moves, skeleton.positions), (6, 6, 7));
}

#[test]
fn games_may_begin_at_or_behind_the_root_and_return() {
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 7 9";
    let pgn = format!("[FEN \"{fen}\"]\n\n9. Nf3 Nf6 10. Ng1 Ng8 11. d4 *");
    let set = set_of(&pgn, "e4 e5");
    assert_eq!(included(&set, "e4 e5"), ["d2d4", "g1f3"]);
    let skeleton = read(&pgn, "e4 e5", &Directives::default()).unwrap();
    assert_eq!((skeleton.passing, skeleton.moves, skeleton.positions), (1, 5, 5));
    assert!(read(&pgn, "d4", &Directives::default()).unwrap_err().contains("does not pass"));
}

#[test]
fn what_the_set_says_already_is_not_new() {
    let pgn = "1. e4 e5 {open} 2. Nf3 *";
    let mut set = set_of(pgn, "");
    let again = read(pgn, "", &set).unwrap();
    assert_eq!((again.new.len(), again.new_moves, again.moves), (0, 0, 3));
    set.undo_move(&key(""), "e2e4".parse().unwrap());
    let again = read(pgn, "", &set).unwrap();
    assert_eq!(again.new, [(key(""), Directive::Include("e2e4".parse().unwrap()))]);
    let other = read("1. e4 e5 {solid} *", "", &set).unwrap();
    let note = (key("e4 e5"), Directive::Note("open\nsolid".to_owned()));
    assert_eq!(other.new.last(), Some(&note));
    let part = read("1. e4 e5 {ope} *", "", &set).unwrap();
    let note = (key("e4 e5"), Directive::Note("open\nope".to_owned()));
    assert_eq!(part.new.last(), Some(&note), "whole comments are compared");
}

#[test]
fn comments_become_notes_without_commands_or_repeats() {
    let pgn = "1. e4 {[%eval 0.3] [%clk 1:00:00]} e5 { good\n  move [%csl Ge5]} {[%eval 1]} *\n\n\
        1. e4 e5 {good move} *\n\n1. e4 e5 {bad move} *";
    let set = set_of(pgn, "");
    let note = |line| set.at(&key(line)).and_then(|said| said.note.clone());
    assert_eq!(note("e4"), None);
    assert_eq!(note("e4 e5").as_deref(), Some("good move\nbad move"));
    let set = Directives::default();
    let without =
        Skeleton::read(|| pgn.as_bytes(), &key(""), &set, false, BadGames::Refuse).unwrap();
    assert_eq!(without.new.len(), without.new_moves);
    assert_eq!(set_of("1. e4 {king} e5 {mine} *", "e4 e5").len(), 1, "only at and behind the root");
}

#[test]
fn a_file_is_refused_whole_with_the_reason() {
    let mut set = Directives::default();
    set.add(&key(""), &position("e4"), Directive::Exclude("e7e5".parse().unwrap())).unwrap();
    let games = "1. d4 *\n\n".repeat(1234);
    let cases = [
        (
            "1. d4 *\n\n1. e4 e5 *",
            "",
            "game 2, rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -: e5 is excluded",
        ),
        (&games, "e4", "none of the 1,234 games passes through the root"),
        ("1. d4 *", "e4", "the game does not pass through the root"),
        ("1. d4 d6 2. Ke3 *", "e4", "game 1, line 1: \"2. Ke3\" is illegal"),
        ("hello", "", "no game in PGN format"),
    ];
    for (pgn, root, expected) in cases {
        let error = read(pgn, root, &set).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(grouped(Skeleton::GREATEST), "1,000,000");
    assert_eq!(grouped(12), "12");
}

#[test]
fn a_root_without_moves_is_a_skeleton_of_one_position() {
    let skeleton = read("1. e4 *", "e4", &Directives::default()).unwrap();
    assert_eq!((skeleton.positions, skeleton.moves, skeleton.passing), (1, 0, 1));
}

#[test]
fn a_bad_game_is_left_out_whole_where_that_is_wanted() {
    let pgn = "1. e4 e5 2. Ke3 *\n\n1. d4 d5 *\n\n1. c4 (1. f4 f5 2. Sc3) c5 *";
    let read = |bad_games| {
        Skeleton::read(|| pgn.as_bytes(), &key(""), &Directives::default(), true, bad_games)
    };
    assert!(read(BadGames::Refuse).unwrap_err().to_string().starts_with("game 1, line 1:"));
    let skeleton = read(BadGames::Skip).unwrap();
    assert_eq!((skeleton.games, skeleton.passing, skeleton.moves), (1, 1, 2));
    let bad: Vec<String> = skeleton.bad.iter().map(ToString::to_string).collect();
    assert!(
        bad[0].contains("2. Ke3") && bad[1].starts_with("game 3, line 5: \"2. Sc3\""),
        "{bad:?}"
    );
}

#[test]
fn a_transposed_game_is_taken_from_where_it_comes_in() {
    let pgn = "1. e4 c6 2. d4 d5 *\n\n[White \"Lee\"]\n\n1. d4 c6 2. e4 d5 3. Nc3 *\n\n\
        1. c4 c6 2. e4 d5 3. exd5 *\n\n[White \"Smith\"]\n[Black \"Lee\"]\n\n1. d4 f5 *";
    let skeleton = read(pgn, "e4 c6", &Directives::default()).unwrap();
    assert_eq!((skeleton.games, skeleton.passing, skeleton.transposed), (4, 3, 2));
    assert_eq!(skeleton.elsewhere, ["game 4 (Smith - Lee)"]);
    let set = set_of(pgn, "e4 c6");
    assert_eq!(included(&set, "e4 c6"), ["c2c4", "d2d4"], "one move behind the root");
    assert_eq!(included(&set, "e4 c6 d4 d5"), ["b1c3"]);
    assert_eq!(included(&set, "e4 c6 c4 d5"), ["e4d5"]);
    // The second game comes in where the third one leads.
    let pgn = "1. e4 c6 2. d4 d5 3. Nc3 *\n\n1. d4 d5 2. Nc3 c6 3. e4 dxe4 *\n\n\
        1. d4 d5 2. Nc3 c6 3. e4 dxe4 4. Nxe4 *";
    assert_eq!(included(&set_of(pgn, "e4 c6"), "e4 c6 d4 d5 Nc3 dxe4"), ["c3e4"]);
}

/// The moves of a file in its order, each with what leads there, as `e2e4 1 leads $14`.
fn written(pgn: &str, root: &str) -> Vec<String> {
    let written = read(pgn, root, &Directives::default()).unwrap().written;
    let told = written.moves().into_iter().map(|(_, uci, m)| {
        let glyphs: String = m.glyphs.iter().map(|glyph| format!(" ${glyph}")).collect();
        format!("{uci} {}{}{glyphs}", m.chapter, if m.leads { " leads" } else { "" })
    });
    told.collect()
}

#[test]
fn a_file_is_kept_with_its_order_games_and_glyphs() {
    let pgn = "[Event \"Caro\"]\n[White \"?\"]\n\n1. e4 c6 2. d4 $1 (2. Nc3 d5 3. d4) 2... d5 3. Nc3 dxe4 $14 *\n\n\
        [White \"Lee\"]\n\n1. e4 c6 2. d4 d5 3. e5! *";
    let right = [
        "d2d4 0 leads $1",
        "d7d5 0 leads",
        "b1c3 0 leads",
        "d5e4 0 leads $14",
        "b1c3 0 leads",
        "d7d5 0 leads",
        "d2d4 0",
        "e4e5 1 leads $1",
    ];
    assert_eq!(written(pgn, "e4 c6"), right);
    let mut all = read(pgn, "e4 c6", &Directives::default()).unwrap().written;
    let names: Vec<Option<String>> = all.chapters().iter().map(Chapter::name).collect();
    assert_eq!(names, [Some("Caro".to_owned()), Some("Lee".to_owned())]);
    let before = all.clone();
    all.add(&before);
    assert_eq!(all, before, "nothing of it is new");
    let more =
        read("[White \"Lee\"]\n\n1. e4 c6 2. d4 $3 d5 3. f3 *", "e4 c6", &Directives::default());
    all.add(&more.unwrap().written);
    let last = all.moves().pop().unwrap();
    assert_eq!((last.1.to_string(), last.2.number, last.2.chapter), ("f2f3".to_owned(), 8, 1));
    assert_eq!(all.of(&key("e4 c6"), "d2d4".parse().unwrap()).unwrap().glyphs, [1, 3]);
}

#[test]
fn a_line_that_goes_on_leads_to_its_position() {
    // The first game only comes to it, the second one goes on from there.
    let pgn = "1. Nc3 d5 2. d4 *\n\n1. d4 d5 2. Nc3 Nf6 *";
    let right = [
        "b1c3 0 leads",
        "d7d5 0 leads",
        "d2d4 0",
        "d2d4 1 leads",
        "d7d5 1 leads",
        "b1c3 1 leads",
        "g8f6 1 leads",
    ];
    assert_eq!(written(pgn, ""), right);
}
