//! Where keys and lines lead.

use super::*;

#[test]
fn return_to_the_walked_line_is_a_draw_only_there() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6 Ng1").unwrap();
    let home = explorer.here().moves.iter().find(|choice| choice.san == "Ng8").unwrap();
    assert_eq!((home.alpha.unwrap().get(), home.ends()), (0, Some("repetition")));
    assert_ne!(home.idea.unwrap().get(), 0, "whatever the line, it is worth something");
    assert_eq!(sans(&explorer), ["Ng8", "d5"], "the draw is better than -25");
}

#[test]
fn a_third_occurrence_is_a_repetition() {
    let game = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6";
    let mut explorer =
        Explorer::new(tree_of(game, &[("", &[("f3g1", -30), ("d2d4", -35)])]), PointOfView::Mover);
    assert_eq!(explorer.choice().unwrap().ends(), None);
    let lists: Lists<'_> =
        &[("", &[("f3g1", -30), ("d2d4", -35)]), ("Ng1", &[("f6g8", 10), ("d7d5", 30)])];
    explorer.take(tree_of(game, lists));
    explorer.play_line("Ng1").unwrap();
    let home = &explorer.here().moves[1];
    assert_eq!((home.san.as_str(), home.alpha.unwrap().get()), ("Ng8", 0));
    assert_eq!(home.ends(), Some("repetition"));
}

#[test]
fn moves_are_sorted_by_alpha_and_marked() {
    let explorer = at_root(KNIGHTS);
    let marked: Vec<(&str, bool)> =
        explorer.here().moves.iter().map(|c| (c.san.as_str(), c.candidate)).collect();
    assert_eq!(marked, [("e4", true), ("Nf3", true), ("Nc3", false)]);
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nc3").unwrap();
    assert_eq!(explorer.here().moves[0].transposition, None);
    let lists: Lists<'_> = &[
        ("", &[("d2d4", 9), ("c2c4", 8)]),
        ("d4", &[("d7d5", -9)]),
        ("d4 d5", &[("c2c4", 9)]),
        ("c4", &[("d7d5", -8)]),
        ("c4 d5", &[("d2d4", 8)]),
        ("d4 d5 c4", &[("e7e6", -9)]),
    ];
    let mut explorer = at_root(lists);
    explorer.play_line("c4 d5").unwrap();
    let first = explorer.choice().unwrap().transposition.clone();
    assert_eq!(first.as_deref(), Some("1. d4 d5 2. c4"));
    explorer.play_line("d4").unwrap();
    assert_eq!(sans(&explorer), ["e6"], "its moves are there all the same");
}

#[test]
fn keys_walk_to_and_fro() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "jl");
    assert_eq!(line(&explorer), "1. Nf3");
    press(&mut explorer, "j\n");
    assert_eq!(line(&explorer), "1. Nf3 d5");
    press(&mut explorer, "h");
    assert_eq!((line(&explorer).as_str(), explorer.selected), ("1. Nf3", 1), "where it was");
    press(&mut explorer, "0");
    assert_eq!((line(&explorer).as_str(), explorer.selected), ("", 1));
    press(&mut explorer, "G");
    assert_eq!(explorer.selected, 2);
    press(&mut explorer, "jjj");
    assert_eq!(explorer.selected, 2, "the last is the last");
    press(&mut explorer, "gk");
    assert_eq!(explorer.selected, 0);
    press(&mut explorer, "n ");
    assert_eq!(line(&explorer), "1. e4 e5");
    press(&mut explorer, "n");
    assert_eq!(line(&explorer), "1. e4 e5");
    assert!(explorer.notice.as_ref().unwrap().text.contains("not analysed"));
    press(&mut explorer, "hhh");
    assert_eq!(explorer.notice.as_ref().unwrap().text, "this is the root");
    press(&mut explorer, "0/Nf3 Nf6 Ng1\n$");
    assert_eq!(line(&explorer), "1. Nf3 Nf6 2. Ng1 Ng8", "as far as nothing repeats");
    assert_eq!(explorer.here().end, Some(deepanalyze_view::EndOfLine::Repetition));
}

#[test]
fn every_key_of_the_help_does_something() {
    let explorer = at_root(KNIGHTS);
    let control = |key| KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL);
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    let codes = [
        KeyCode::Down,
        KeyCode::Up,
        KeyCode::PageDown,
        KeyCode::PageUp,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Enter,
        KeyCode::Backspace,
        KeyCode::Esc,
    ];
    let letters = "jkgGlh0^n $/pcafyYr?qxiIuUvstdwb][".chars().map(KeyCode::Char);
    for code in codes.into_iter().chain(letters) {
        assert!(action_of(&explorer.mode, plain(code)).is_some(), "{code:?}");
    }
    for key in ['d', 'u', 'c', 'f', 'b', 'z'] {
        assert!(action_of(&explorer.mode, control(key)).is_some(), "^{key}");
    }
    let mut release = plain(KeyCode::Char('q'));
    release.kind = crossterm::event::KeyEventKind::Release;
    assert_eq!(action_of(&explorer.mode, release), None, "a key that is let go");
    assert_eq!(
        action_of(&Mode::Typing(Prompt::Line, String::new()), control('c')),
        Some(Action::Quit)
    );
}

#[test]
fn a_move_beyond_the_tree_is_played_and_asked_about() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/Nf3 Nf6 Ng1 h5\n");
    assert_eq!(line(&explorer), "1. Nf3 Nf6 2. Ng1 h5");
    let told = explorer.notice.as_ref().unwrap().text.clone();
    assert_eq!(told, "the tree has no h5 after 1. Nf3 Nf6 2. Ng1; Enter asks about it");
    press(&mut explorer, "\n");
    assert_eq!(&explorer.mode, &Mode::Why);
    let folder = tempfile::tempdir().unwrap();
    let store = deepanalyze_store::Store::open(&folder.path().join("tree.db")).unwrap();
    let (_, why) = explorer.look_at_question(&store).expect("an engine is to search");
    assert!(explorer.look_at_question(&store).is_none(), "it is looked up once");
    let headline = why.headline(explorer.pov);
    assert!(headline.starts_with("No answer lists 2... h5, so it is worth "), "{headline}");
    let place = explorer.asked_place().unwrap();
    let other = (Vec::new(), place.1);
    explorer.take_search(&other, Err("too late".to_owned()));
    explorer.take_search(&place, Err("the engine failed".to_owned()));
    let screen = screen(&explorer, PLAIN, 90, 30);
    assert!(screen.contains("No answer lists 2... h5"), "{screen}");
    assert!(screen.contains("the engine failed") && !screen.contains("too late"), "{screen}");
    press(&mut explorer, "\u{1b}h");
    assert_eq!(line(&explorer), "1. Nf3 Nf6 2. Ng1");
    press(&mut explorer, "a");
    let (_, first) = (explorer.asked_place().unwrap(), explorer.choice().unwrap().uci);
    assert_eq!(explorer.asked_place().unwrap().1, first, "a asks about the selected move");
}

#[test]
fn a_typed_line_is_played_whole_or_not_at_all() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/1. Nf3 g8f6\n");
    assert_eq!(line(&explorer), "1. Nf3 Nf6");
    for (typed, says) in
        [("Ke2", "Ke2 is illegal there"), ("xyzzy", "\"xyzzy\" is not a move in SAN or UCI")]
    {
        press(&mut explorer, &format!("/{typed}\n"));
        assert_eq!(line(&explorer), "1. Nf3 Nf6", "{typed}");
        let notice = explorer.notice.as_ref().unwrap();
        assert_eq!((notice.text.as_str(), notice.is_error), (says, true));
    }
    press(&mut explorer, "/d4\u{1b}");
    assert_eq!((line(&explorer).as_str(), &explorer.mode), ("1. Nf3 Nf6", &Mode::Browse));
    press(&mut explorer, "/q\u{8}\u{8}");
    assert_eq!(&explorer.mode, &Mode::Browse, "taking back more than there is leaves");
    press(&mut explorer, "/d4q");
    assert_eq!(
        &explorer.mode,
        &Mode::Typing(Prompt::Line, "d4q".to_owned()),
        "q is a letter there"
    );
}

#[test]
fn a_tree_that_grew_keeps_line_and_selected_move() {
    let mut explorer = at_root(&KNIGHTS[..5]);
    press(&mut explorer, "jlj");
    let before = (line(&explorer), explorer.choice().unwrap().san.clone());
    assert_eq!(before, ("1. Nf3".to_owned(), "d5".to_owned()));
    // Grown, d5 is no longer the second move but the first.
    let mut grown = KNIGHTS.to_vec();
    grown[8] = ("Nf3 d5", &[("d2d4", -60)]);
    let old = explorer.take(tree_of("", &grown));
    assert_eq!(old.growth.analysed(), 5);
    assert_eq!((line(&explorer), explorer.choice().unwrap().san.clone()), before);
    assert_eq!(explorer.selected, 0);
    assert_eq!(explorer.notice.as_ref(), None);
    // A tree without the line: as far as it goes.
    explorer.take(tree_of("", &[("", &[("e2e4", 10)])]));
    assert_eq!(line(&explorer), "");
    assert!(explorer.notice.as_ref().unwrap().is_error);
}

#[test]
fn fen_and_line_are_copied_and_shown() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6").unwrap();
    let fen = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2";
    assert_eq!(press(&mut explorer, "y"), Effect::Copy(fen.to_owned()));
    assert_eq!(press(&mut explorer, "Y"), Effect::Copy("1. Nf3 Nf6".to_owned()));
    assert!(screen(&explorer, PLAIN, 80, 24).contains("copied: 1. Nf3 Nf6"));
    assert_eq!(press(&mut explorer, "q"), Effect::Quit);
    assert_eq!(press(&mut explorer, "?q"), Effect::None, "the first q leaves the help");
    assert_eq!(&explorer.mode, &Mode::Browse);
}

#[test]
fn keys_turn_scores_and_board() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("e4").unwrap();
    let text = screen(&explorer, PLAIN, 80, 24);
    assert!(text.contains("-0.20   -0.20          1... e5"), "{text}");
    assert!(text.contains("scores for the mover") && text.contains("Black to move"));
    press(&mut explorer, "pf");
    let text = screen(&explorer, PLAIN, 80, 24);
    assert!(text.contains("+0.20   +0.20          1... e5"), "{text}");
    assert!(text.contains("scores for White") && text.contains("h  g  f  e  d  c  b  a"));
}
