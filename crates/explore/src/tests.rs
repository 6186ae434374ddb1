//! The walk and its screen on small trees made by hand.

mod directing;
mod findings;
mod known;
mod people;
mod trust;
mod walking;

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use self::directing::direct;
use super::*;
use deepanalyze_view::Tree;

use deepanalyze_core::chess::{Game, PositionKey, Value, parse_uci};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Growth;
use deepanalyze_store::{AnalysisId, AnalysisRow, ProfileId};
use deepanalyze_view::PointOfView;

const PLAIN: Look = Look { unicode: false, colour: false };
const RICH: Look = Look { unicode: true, colour: true };

/// Lists of moves with their scores in centipawns, behind lines from the root.
type Lists<'a> = &'a [(&'a str, &'a [(&'a str, i64)])];

fn tree_of(history: &str, lists: Lists<'_>) -> Arc<Tree> {
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line(history).unwrap();
    let mut growth = Growth::new(&game, 20);
    fill(&mut growth, &game, lists);
    live(game, growth)
}

fn fill(growth: &mut Growth, game: &Game, lists: Lists<'_>) {
    for (line, list) in lists {
        let mut there = Game::from_position(game.root().clone());
        there.play_line(line).unwrap();
        let node = growth.node_of(there.root());
        let list = list.iter().map(|(uci, cp)| (parse_uci(uci).unwrap(), Value::new(*cp).unwrap()));
        growth.admit(vec![(node, list.collect())]).unwrap();
    }
}

fn live(game: Game, growth: Growth) -> Arc<Tree> {
    let row = AnalysisRow {
        fact_round: 0,
        grown_round: 0,
        game_set: None,
        id: AnalysisId(7),
        root: deepanalyze_core::chess::fen_of(game.root()),
        start: deepanalyze_core::chess::fen_of(game.start()),
        history: game.moves().to_vec(),
        profile_id: ProfileId(1),
        profile: Profile {
            engine: "Test \u{1b}[31mengine".to_owned(),
            options: BTreeMap::new(),
            limit: Limit::Depth(8),
            kept_hash: None,
        },
        settings: 20.into(),
        target_depth: 9,
        settled_depth: Some(3),
        passes: 12,
        positions: growth.analysed(),
        searches: growth.searches(),
        nodes: 0,
        changed_at: 0,
        regrown: 0,
        found: Vec::new(),
    };
    let none = Directives::default;
    Arc::new(Tree::new(row, game, Arc::new(growth), none(), none()))
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
        effect = match action_of(&explorer.mode, event) {
            Some(action) => explorer.act(action),
            None => Effect::None,
        };
    }
    effect
}

fn line(explorer: &Explorer) -> String {
    deepanalyze_view::numbered_line(explorer.tree().game.root(), &explorer.here().line)
}

fn sans(explorer: &Explorer) -> Vec<&str> {
    explorer.here().moves.iter().map(|choice| choice.san.as_str()).collect()
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
fn everything_fits_into_80_columns_and_24_rows() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6 Ng1").unwrap();
    explorer.set_growing(true);
    insta::assert_snapshot!(screen(&explorer, PLAIN, 80, 24));
}

#[test]
fn large_screen_has_large_board_and_lines() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "j");
    insta::assert_snapshot!(screen(&explorer, RICH, 160, 40));
}

/// Sizes around each at which something no longer fits.
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
fn letters_are_ascii_and_no_colour_means_none() {
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
    assert_eq!(explorer.choice().unwrap().ends(), Some("checkmate"));
    press(&mut explorer, "l");
    assert!(screen(&explorer, PLAIN, 80, 24).contains("  checkmate"));
    assert_eq!(explorer.here().worth(), Some(Value::MATED));
    let mut explorer = at_root(&lists[..1]);
    press(&mut explorer, "l");
    let text = screen(&explorer, PLAIN, 80, 24);
    assert!(text.contains("not analysed: the tree ends here"), "{text}");
    assert!(text.contains("ply 1, value +0.50"), "what the engine said of the move: {text}");
}
