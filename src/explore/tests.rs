//! The walk and its screen on small trees made by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use super::*;

use crate::chess::{Game, PositionKey, Value, parse_uci};
use crate::directives::Directives;
use crate::render::PointOfView;
use crate::search::{Limit, Profile};
use crate::store::{AnalysisId, AnalysisRow, ProfileId};
use crate::tree::Growth;

const PLAIN: Look = Look { unicode: false, colour: false };
const RICH: Look = Look { unicode: true, colour: true };

/// Lists of moves with their scores in centipawns, behind lines from the root.
type Lists<'a> = &'a [(&'a str, &'a [(&'a str, i64)])];

fn tree_of(history: &str, lists: Lists<'_>) -> Arc<Snapshot> {
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line(history).unwrap();
    let mut growth = Growth::new(&game, 20);
    for (line, list) in lists {
        let mut there = Game::from_position(game.root().clone());
        there.play_line(line).unwrap();
        let node = growth.node_of(there.root());
        let list = list.iter().map(|(uci, cp)| (parse_uci(uci).unwrap(), Value::new(*cp).unwrap()));
        growth.admit(vec![(node, list.collect())]).unwrap();
    }
    let row = AnalysisRow {
        id: AnalysisId(7),
        root: crate::chess::fen_of(game.root()),
        start: crate::chess::fen_of(game.start()),
        history: game.moves().to_vec(),
        profile_id: ProfileId(1),
        profile: Profile {
            engine: "Test \u{1b}[31mengine".to_owned(),
            options: BTreeMap::new(),
            limit: Limit::Depth(8),
            kept_hash: None,
        },
        breadth: 20.into(),
        target_depth: 9,
        settled_depth: Some(3),
        passes: 12,
        positions: growth.analysed(),
        searches: growth.searches(),
        changed_at: 0,
        regrown: 0,
    };
    let none = Directives::default;
    Arc::new(Snapshot::new(row, game, Arc::new(growth), none(), none()))
}

/// The example of the original description: knights go out and home again.
const KNIGHTS: Lists<'static> = &[
    ("", &[("g1f3", 30), ("e2e4", 25), ("b1c3", -40)]),
    ("Nf3", &[("g8f6", -10), ("d7d5", -15)]),
    ("Nf3 Nf6", &[("f3g1", 5), ("d2d4", 4)]),
    ("Nf3 Nf6 Ng1", &[("f6g8", -19), ("d7d5", -25)]),
    ("e4", &[("e7e5", -20)]),
    ("Nc3", &[("g8f6", 40)]),
    ("Nc3 Nf6", &[("g1f3", -40)]),
    ("Nf3 Nf6 d4", &[("d7d5", -4)]),
    ("Nf3 d5", &[("d2d4", 15)]),
];

fn at_root(lists: Lists<'_>) -> Explorer {
    Explorer::new(tree_of("", lists), PointOfView::Mover)
}

fn press(explorer: &mut Explorer, keys: &str) -> Effect {
    let mut effect = Effect::None;
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '\u{8}' => KeyCode::Backspace,
            key => KeyCode::Char(key),
        };
        let event = KeyEvent::new(code, KeyModifiers::NONE);
        effect = match action_of(explorer.mode(), event) {
            Some(action) => explorer.act(action),
            None => Effect::None,
        };
    }
    effect
}

fn line(explorer: &Explorer) -> String {
    explorer.tree().numbered(&explorer.here().line)
}

fn sans(explorer: &Explorer) -> Vec<&str> {
    explorer.here().choices.iter().map(|choice| choice.san.as_str()).collect()
}

fn drawn(explorer: &Explorer, look: Look, width: u16, height: u16) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            draw(frame, explorer, look);
        })
        .unwrap();
    terminal.backend().clone()
}

/// The screen as text.
fn screen(explorer: &Explorer, look: Look, width: u16, height: u16) -> String {
    drawn(explorer, look, width, height).to_string()
}

#[test]
fn a_return_to_the_walked_line_is_a_draw_there_and_nowhere_else() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6 Ng1").unwrap();
    let home = explorer.here().choices.iter().find(|choice| choice.san == "Ng8").unwrap();
    assert_eq!((home.alpha.unwrap().get(), &home.note), (0, &Some(Note::Repetition)));
    assert_ne!(home.idea.unwrap().get(), 0, "whatever the line, it is worth something");
    assert_eq!(sans(&explorer), ["Ng8", "d5"], "the draw is better than -25");
}

#[test]
fn the_game_before_the_root_counts_as_repetition() {
    let mut explorer = Explorer::new(
        tree_of("Nf3 Nf6", &[("", &[("f3g1", -30), ("d2d4", -35)])]),
        PointOfView::Mover,
    );
    assert_eq!(explorer.choice().unwrap().note, None);
    let lists: Lists<'_> =
        &[("", &[("f3g1", -30), ("d2d4", -35)]), ("Ng1", &[("f6g8", 10), ("d7d5", 30)])];
    explorer.take(tree_of("Nf3 Nf6", lists));
    explorer.play_line("Ng1").unwrap();
    let home = &explorer.here().choices[1];
    assert_eq!((home.san.as_str(), home.alpha.unwrap().get()), ("Ng8", 0));
    assert_eq!(home.note, Some(Note::Repetition));
}

#[test]
fn moves_come_by_alpha_with_candidates_and_transpositions_marked() {
    let explorer = at_root(KNIGHTS);
    let marked: Vec<(&str, bool)> =
        explorer.here().choices.iter().map(|c| (c.san.as_str(), c.candidate)).collect();
    assert_eq!(marked, [("e4", true), ("Nf3", true), ("Nc3", false)]);
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nc3").unwrap();
    assert_eq!(explorer.here().choices[0].note, None);
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
    let note = explorer.choice().unwrap().note.clone();
    assert_eq!(note, Some(Note::Transposition("1. d4 d5 2. c4".to_owned())));
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
    assert_eq!((line(&explorer).as_str(), explorer.selected()), ("1. Nf3", 1), "where it was");
    press(&mut explorer, "0");
    assert_eq!((line(&explorer).as_str(), explorer.selected()), ("", 1));
    press(&mut explorer, "G");
    assert_eq!(explorer.selected(), 2);
    press(&mut explorer, "jjj");
    assert_eq!(explorer.selected(), 2, "the last is the last");
    press(&mut explorer, "gk");
    assert_eq!(explorer.selected(), 0);
    press(&mut explorer, "n ");
    assert_eq!(line(&explorer), "1. e4 e5");
    press(&mut explorer, "n");
    assert_eq!(line(&explorer), "1. e4 e5");
    assert!(explorer.notice().unwrap().text.contains("not analysed"));
    press(&mut explorer, "hhh");
    assert_eq!(explorer.notice().unwrap().text, "this is the root");
    press(&mut explorer, "0/Nf3 Nf6 Ng1\n$");
    assert_eq!(line(&explorer), "1. Nf3 Nf6 2. Ng1 Ng8", "as far as nothing repeats");
    assert!(explorer.here().repeated);
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
    let letters = "jkgGlh0^n $/pfyYr?qxiIuUvstdwb][".chars().map(KeyCode::Char);
    for code in codes.into_iter().chain(letters) {
        assert!(action_of(explorer.mode(), plain(code)).is_some(), "{code:?}");
    }
    for key in ['d', 'u', 'c', 'f', 'b', 'z'] {
        assert!(action_of(explorer.mode(), control(key)).is_some(), "^{key}");
    }
    let mut release = plain(KeyCode::Char('q'));
    release.kind = crossterm::event::KeyEventKind::Release;
    assert_eq!(action_of(explorer.mode(), release), None, "a key that is let go");
    assert_eq!(
        action_of(&Mode::Typing(Ask::Line, String::new()), control('c')),
        Some(Action::Quit)
    );
}

#[test]
fn a_typed_line_is_played_whole_or_not_at_all() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/1. Nf3 g8f6\n");
    assert_eq!(line(&explorer), "1. Nf3 Nf6");
    for (typed, says) in [
        ("Ng1 h5", "the tree has no h5 after 1. Nf3 Nf6 2. Ng1"),
        ("Ke2", "Ke2 is illegal there"),
        ("xyzzy", "\"xyzzy\" is not a move in SAN or UCI"),
    ] {
        press(&mut explorer, &format!("/{typed}\n"));
        assert_eq!(line(&explorer), "1. Nf3 Nf6", "{typed}");
        let notice = explorer.notice().unwrap();
        assert_eq!((notice.text.as_str(), notice.is_error), (says, true));
    }
    press(&mut explorer, "/d4\u{1b}");
    assert_eq!((line(&explorer).as_str(), explorer.mode()), ("1. Nf3 Nf6", &Mode::Browse));
    press(&mut explorer, "/q\u{8}\u{8}");
    assert_eq!(explorer.mode(), &Mode::Browse, "taking back more than there is leaves");
    press(&mut explorer, "/d4q");
    assert_eq!(explorer.mode(), &Mode::Typing(Ask::Line, "d4q".to_owned()), "q is a letter there");
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
    assert_eq!(explorer.selected(), 0);
    assert_eq!(explorer.notice(), None);
    // A tree without the line: as far as it goes.
    explorer.take(tree_of("", &[("", &[("e2e4", 10)])]));
    assert_eq!(line(&explorer), "");
    assert!(explorer.notice().unwrap().is_error);
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
    assert_eq!(explorer.mode(), &Mode::Browse);
}

#[test]
fn scores_turn_with_the_point_of_view_and_the_board_with_a_key() {
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

#[test]
fn eighty_columns_and_twenty_four_rows_show_everything() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6 Ng1").unwrap();
    explorer.set_growing(true);
    insta::assert_snapshot!(screen(&explorer, PLAIN, 80, 24));
}

#[test]
fn a_large_screen_has_a_large_board_and_the_lines_behind_the_moves() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "j");
    insta::assert_snapshot!(screen(&explorer, RICH, 160, 40));
}

/// Around every size at which something has no more room.
const SIZES: [u16; 12] = [0, 1, 2, 6, 7, 25, 26, 27, 45, 46, 47, 72];
const HEIGHTS: [u16; 12] = [0, 1, 2, 3, 5, 6, 8, 13, 14, 15, 20, 30];

#[test]
fn no_size_of_the_screen_is_too_small() {
    let mut browsing = at_root(KNIGHTS);
    browsing.play_line("Nf3 Nf6 Ng1").unwrap();
    let mut typing = at_root(KNIGHTS);
    press(&mut typing, "/a line that is longer than the window is wide");
    let mut help = at_root(KNIGHTS);
    press(&mut help, "?");
    let empty = at_root(&[]);
    let mut list = at_root(KNIGHTS);
    direct(&mut list, "xv");
    press(&mut list, "d");
    for explorer in [&browsing, &typing, &help, &empty, &list] {
        for (width, height) in SIZES.iter().flat_map(|w| HEIGHTS.iter().map(move |h| (*w, *h))) {
            drawn(explorer, RICH, width, height);
        }
    }
}

#[test]
fn letters_mean_nothing_but_ascii_and_no_colour_means_none() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6 Ng1").unwrap();
    for (width, height) in [(80, 24), (30, 8), (200, 50)] {
        for cell in drawn(&explorer, PLAIN, width, height).buffer().content() {
            assert!(cell.symbol().is_ascii(), "{:?}", cell.symbol());
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        }
    }
}

#[test]
fn a_name_cannot_send_commands_to_the_terminal() {
    let explorer = at_root(KNIGHTS);
    let text = screen(&explorer, RICH, 80, 24);
    assert!(!text.contains('\u{1b}') && text.contains("engine, engine depth 8"), "{text}");
}

#[test]
fn the_end_of_the_game_and_of_the_tree_are_told_apart() {
    let lists: Lists<'_> = &[
        ("", &[("f2f3", -50)]),
        ("f3", &[("e7e5", 60)]),
        ("f3 e5", &[("g2g4", -31_998)]),
        ("f3 e5 g4", &[("d8h4", 31_999)]),
    ];
    let mut explorer = at_root(lists);
    explorer.play_line("f3 e5 g4").unwrap();
    let note = explorer.choice().unwrap().note.clone().unwrap();
    assert_eq!(note.text(), "checkmate");
    press(&mut explorer, "l");
    assert!(screen(&explorer, PLAIN, 80, 24).contains("  checkmate"));
    assert_eq!(explorer.here().value, Some(Value::MATED));
    let mut explorer = at_root(&lists[..1]);
    press(&mut explorer, "l");
    let text = screen(&explorer, PLAIN, 80, 24);
    assert!(text.contains("not analysed: the tree ends here"), "{text}");
    assert!(text.contains("ply 1, value +0.50"), "what the engine said of the move: {text}");
}

/// Presses keys, and makes the changes that they ask for as the command line does.
fn direct(explorer: &mut Explorer, keys: &str) -> Vec<String> {
    let mut done = Vec::new();
    for key in keys.chars() {
        let Effect::Direct(change) = press(explorer, &key.to_string()) else {
            continue;
        };
        let Snapshot { row, game, kept, grown_with, directives, .. } = explorer.tree();
        let mut said = directives.clone();
        let root = PositionKey::of(game.root());
        match change.apply(&root, &mut said) {
            Err(refusal) => done.push(format!("refused: {refusal}")),
            Ok(()) => {
                let (row, game, kept) = (row.clone(), game.clone(), Arc::clone(kept));
                let new = Snapshot::new(row, game, kept, grown_with.clone(), said);
                done.push(change.words);
                explorer.take(Arc::new(new));
            }
        }
    }
    done
}

fn marks(explorer: &Explorer) -> Vec<(&str, String)> {
    let marked = explorer.here().choices.iter();
    marked.map(|choice| (choice.san.as_str(), choice.marks.join(", "))).collect()
}

#[test]
fn an_excluded_move_counts_no_more_at_once_and_comes_back_where_it_was() {
    let mut explorer = at_root(KNIGHTS);
    let best = explorer.here().value;
    assert_eq!(direct(&mut explorer, "x"), ["excluded 1. e4"]);
    assert_eq!(sans(&explorer), ["Nf3", "Nc3", "e4"], "behind the others");
    assert_eq!(explorer.choice().unwrap().san, "e4", "it stays selected");
    assert_eq!(explorer.choice().unwrap().alpha, None);
    assert!(explorer.here().value < best);
    assert!(explorer.tree().is_pending());
    let text = screen(&explorer, PLAIN, 100, 24);
    assert!(text.contains("e4") && text.contains("excluded") && text.contains("pending"), "{text}");
    let refused = direct(&mut explorer, "i");
    assert_eq!(refused, ["refused: e4 is excluded there: take that back first"]);
    assert_eq!(direct(&mut explorer, "u"), ["took back 1. e4"]);
    assert_eq!((sans(&explorer)[0], explorer.here().value), ("e4", best));
    assert!(!explorer.tree().is_pending(), "it is the tree that was grown");
}

#[test]
fn where_the_tree_ends_one_key_follows_the_line() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/e4 e5\n");
    assert!(explorer.here().choices.is_empty());
    assert!(explorer.why_no_move().contains("i includes the line"));
    assert_eq!(direct(&mut explorer, "i"), ["included the line 1. e4 e5"]);
    let said = explorer.tree().directives.clone();
    assert_eq!(said.len(), 2, "each of its moves");
    press(&mut explorer, "0");
    assert_eq!(marks(&explorer)[0], ("e4", "included".to_owned()));
    // Moves that nobody has listed, typed.
    assert_eq!(direct(&mut explorer, "Ia4 h5\n"), ["included 1. a4 h5"]);
    let waiting = explorer.here().choices.last().unwrap();
    assert_eq!((waiting.san.as_str(), waiting.alpha, waiting.eval), ("a4", None, None));
    assert_eq!(waiting.marks, ["included, not analysed yet"]);
    press(&mut explorer, "Gl");
    assert_eq!(line(&explorer), "1. a4", "one can go there");
    press(&mut explorer, "0I Ke2\n");
    assert_eq!(explorer.notice().unwrap().text, "Ke2 is illegal there");
}

#[test]
fn a_position_gets_a_value_a_stop_and_a_note() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/e4\n");
    let done = direct(&mut explorer, "v-1.5\n");
    assert_eq!(done, ["1. e4 is now -1.50 for White"]);
    assert_eq!(explorer.here().value.unwrap().get(), 150, "for Black, who is to move");
    assert_eq!(explorer.why_no_move(), "your value: -1.50 for White");
    assert!(screen(&explorer, PLAIN, 100, 30).contains("your value: -1.50 for White"));
    let refused = direct(&mut explorer, "s");
    assert_eq!(refused, ["refused: the position has a value: take that back first"]);
    assert_eq!(direct(&mut explorer, "thold on\n"), ["noted"]);
    assert!(screen(&explorer, PLAIN, 80, 24).contains("note: hold on"));
    press(&mut explorer, "t");
    assert_eq!(explorer.mode(), &Mode::Typing(Ask::Note, "hold on".to_owned()), "to change");
    press(&mut explorer, "\u{1b}");
    assert_eq!(explorer.mode(), &Mode::Browse);
    press(&mut explorer, "h");
    assert_eq!(marks(&explorer)[2], ("e4", "your value: -1.50 for White, note".to_owned()));
    press(&mut explorer, "l");
    assert_eq!(direct(&mut explorer, "U"), ["took back 1. e4"]);
    assert!(explorer.tree().directives.is_empty());
    assert_eq!(direct(&mut explorer, "s"), ["stopped at 1. e4"]);
    assert_eq!(explorer.why_no_move(), "stopped here");
    press(&mut explorer, "v+\n");
    assert!(explorer.notice().unwrap().text.starts_with("write pawns for White"));
    press(&mut explorer, "h");
    let refused = direct(&mut explorer, "s");
    assert_eq!(refused, ["refused: the root itself can neither have a value nor be stopped"]);
}

#[test]
fn all_directives_are_listed_and_each_leads_to_its_place() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "d");
    assert_eq!(explorer.notice().unwrap().text, "nothing is directed at this root");
    direct(&mut explorer, "Ia4 h5\n");
    press(&mut explorer, "/a4\n");
    direct(&mut explorer, "tfar out\n");
    press(&mut explorer, "0/Nf3\n");
    direct(&mut explorer, "jx");
    press(&mut explorer, "0d");
    let Mode::List { entries, .. } = explorer.mode() else { panic!("{:?}", explorer.mode()) };
    let words: Vec<&str> = entries.iter().map(|entry| entry.words.as_str()).collect();
    let expected =
        ["include 1. a4", "include 1. a4 h5", "note    1. a4: far out", "exclude 1. Nf3 d5"];
    assert_eq!(words, expected);
    let text = screen(&explorer, PLAIN, 80, 24);
    assert!(text.contains("directives (4)") && text.contains("note    1. a4: far out"), "{text}");
    press(&mut explorer, "G\n");
    assert_eq!(
        (line(&explorer).as_str(), explorer.choice().unwrap().san.as_str()),
        ("1. Nf3", "d5")
    );
    press(&mut explorer, "djj\n");
    assert_eq!(line(&explorer), "1. a4");
    press(&mut explorer, "dG");
    assert_eq!(direct(&mut explorer, "u"), ["took back: exclude 1. Nf3 d5"]);
    let Mode::List { entries, selected } = explorer.mode() else { panic!("it stays open") };
    assert_eq!((entries.len(), *selected), (3, 2));
    press(&mut explorer, "q");
    assert_eq!(explorer.mode(), &Mode::Browse);
}

/// The list of directives, which is open.
fn listed(explorer: &Explorer) -> &[super::list::Entry] {
    let Mode::List { entries, .. } = explorer.mode() else { panic!("{:?}", explorer.mode()) };
    entries
}

/// The tree as it is, with another row.
fn with_row(tree: &Snapshot, change: impl FnOnce(&mut AnalysisRow)) -> Arc<Snapshot> {
    let Snapshot { row, game, kept, grown_with, directives, .. } = tree;
    let mut row = row.clone();
    change(&mut row);
    let (game, kept) = (game.clone(), Arc::clone(kept));
    Arc::new(Snapshot::new(row, game, kept, grown_with.clone(), directives.clone()))
}

#[test]
fn the_lines_of_directives_are_worked_out_anew_only_where_they_may_be_others() {
    let mut explorer = at_root(KNIGHTS);
    direct(&mut explorer, "Ia4 h5\n");
    press(&mut explorer, "d");
    let before = listed(&explorer).as_ptr();
    let grown = with_row(explorer.tree(), |row| row.passes += 1);
    explorer.take(grown);
    assert_eq!(listed(&explorer).as_ptr(), before, "the tree has only grown");
    // The new list is made before the old one goes.
    let regrown = with_row(explorer.tree(), |row| row.regrown += 1);
    explorer.take(regrown);
    let then = listed(&explorer).as_ptr();
    assert_ne!(then, before, "it was grown again");
    assert_eq!(direct(&mut explorer, "u").len(), 1);
    assert_ne!(listed(&explorer).as_ptr(), then, "there is one directive less");
}

#[test]
fn a_note_cannot_send_commands_to_the_terminal_either() {
    let mut explorer = at_root(KNIGHTS);
    let note = crate::directives::Directive::Note("a\u{1b}[31m\nb".to_owned());
    let step = Step::Say(Box::new(explorer.here().position.clone()), note);
    let mut said = Directives::default();
    let change = Change { words: String::new(), steps: vec![step] };
    let root = PositionKey::of(explorer.tree().game.root());
    change.apply(&root, &mut said).unwrap();
    let Snapshot { row, game, kept, grown_with, .. } = explorer.tree();
    let tree = Snapshot::new(row.clone(), game.clone(), Arc::clone(kept), grown_with.clone(), said);
    explorer.take(Arc::new(tree));
    for keys in ["", "d"] {
        press(&mut explorer, keys);
        let text = screen(&explorer, PLAIN, 80, 24);
        assert!(text.contains("a [31m b") && !text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn keys_go_from_one_finding_of_a_repertoire_to_the_next() {
    let mut explorer = at_root(KNIGHTS);
    let told = |explorer: &Explorer| explorer.notice().map(|notice| notice.text.clone()).unwrap();
    press(&mut explorer, "]");
    assert_eq!(told(&explorer), "whose repertoire? w looks through White's, b through Black's");
    press(&mut explorer, "b");
    assert_eq!(told(&explorer), "no move is included at the root: i includes one");
    // 1. Nf3 d5 is prepared, 1. e4 is not.
    explorer.play_line("Nf3").unwrap();
    press(&mut explorer, "h");
    direct(&mut explorer, "ilj");
    assert_eq!(
        (line(&explorer).as_str(), explorer.choice().unwrap().san.as_str()),
        ("1. Nf3", "d5")
    );
    direct(&mut explorer, "i");
    press(&mut explorer, "]");
    let first = "1/3 not prepared: 1. e4: +0.20, costs 0.16 against the best prepared reply 1. Nf3";
    assert!(told(&explorer).starts_with(first), "{}", told(&explorer));
    assert_eq!((line(&explorer).as_str(), explorer.choice().unwrap().san.as_str()), ("", "e4"));
    press(&mut explorer, "]");
    assert_eq!(line(&explorer), "1. Nf3");
    assert!(told(&explorer).starts_with("2/3 own move: 1... d5: "), "{}", told(&explorer));
    press(&mut explorer, "[");
    assert!(screen(&explorer, PLAIN, 100, 24).contains(first), "the status line says it");
    // 1. e4 gets its answer: what comes next has its place.
    direct(&mut explorer, "ili");
    assert_eq!(line(&explorer), "1. e4");
    press(&mut explorer, "]");
    assert!(told(&explorer).starts_with("1/3 own move: 1... d5: "), "{}", told(&explorer));
    press(&mut explorer, "w]");
    assert!(told(&explorer).starts_with("2/"), "White's: {}", told(&explorer));
}
