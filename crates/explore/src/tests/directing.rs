//! Directives by keys, and their view.

use super::*;
use deepanalyze_core::directives::Dates;

/// Presses keys, and makes the requested changes as the command line does.
pub fn direct(explorer: &mut Explorer, keys: &str) -> Vec<String> {
    let mut done = Vec::new();
    for key in keys.chars() {
        let Effect::Direct(change) = press(explorer, &key.to_string()) else {
            continue;
        };
        let Tree { row, game, as_grown, grown_with, directives, .. } = explorer.tree();
        let mut said = directives.clone();
        // One command has included everything.
        let dates = included_at_once(&said);
        match change.apply(&mut said, &dates) {
            Err(refusal) => done.push(refusal.to_string()),
            Ok(words) => {
                let (row, game, kept) = (row.clone(), game.clone(), Arc::clone(as_grown));
                let new = Tree::new(row, game, kept, grown_with.clone(), said);
                done.push(words);
                explorer.take(Arc::new(new));
            }
        }
    }
    done
}

fn included_at_once(said: &Directives) -> Dates {
    let all = said.positions().flat_map(|(key, said)| said.each().map(|said| (*key, said, 1)));
    all.collect()
}

fn marks(explorer: &Explorer) -> Vec<(&str, String)> {
    let marked = explorer.here().moves.iter();
    marked.map(|choice| (choice.san.as_str(), choice.marks.join(", "))).collect()
}

#[test]
fn excluded_move_stops_counting_and_returns_in_place() {
    let mut explorer = at_root(KNIGHTS);
    let best = explorer.here().worth();
    assert_eq!(direct(&mut explorer, "x"), ["excluded 1. e4"]);
    assert_eq!(sans(&explorer), ["Nf3", "Nc3", "e4"], "behind the others");
    assert_eq!(explorer.choice().unwrap().san, "e4", "it stays selected");
    assert_eq!(explorer.choice().unwrap().alpha, None);
    assert!(explorer.here().worth() < best);
    assert!(explorer.tree().is_pending());
    let text = screen(&explorer, PLAIN, 100, 24);
    assert!(text.contains("e4") && text.contains("excluded") && text.contains("pending"), "{text}");
    let refused = direct(&mut explorer, "i");
    assert_eq!(refused, ["1. e4: e4 is excluded there; undo that first"]);
    assert_eq!(direct(&mut explorer, "u"), ["took back at 1. e4: the exclusion"]);
    assert_eq!((sans(&explorer)[0], explorer.here().worth()), ("e4", best));
    assert!(!explorer.tree().is_pending(), "it is the tree that was grown");
}

#[test]
fn where_the_tree_ends_one_key_follows_the_line() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/e4 e5\n");
    assert!(explorer.here().moves.is_empty());
    assert!(explorer.why_no_move().contains("i includes the line"));
    assert_eq!(direct(&mut explorer, "i"), ["included 1. e4 e5"]);
    let said = explorer.tree().directives.clone();
    assert_eq!(said.len(), 2, "each of its moves");
    press(&mut explorer, "0");
    assert_eq!(marks(&explorer)[0], ("e4", "included".to_owned()));
    // Typed moves that no engine has listed.
    assert_eq!(direct(&mut explorer, "Ia4 h5\n"), ["included 1. a4 h5"]);
    let waiting = explorer.here().moves.last().unwrap();
    assert_eq!((waiting.san.as_str(), waiting.alpha, waiting.eval), ("a4", None, None));
    assert_eq!(waiting.marks, ["included, not analysed yet"]);
    press(&mut explorer, "Gl");
    assert_eq!(line(&explorer), "1. a4", "one can go there");
    press(&mut explorer, "0I Ke2\n");
    assert_eq!(explorer.notice.as_ref().unwrap().text, "Ke2 is illegal there");
}

#[test]
fn one_key_includes_and_undoes_a_line() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/e4 e5\n");
    direct(&mut explorer, "i");
    assert_eq!(explorer.tree().directives.len(), 2);
    let done = direct(&mut explorer, "U");
    assert_eq!(done, ["took back at 1. e4 e5: the inclusion, and with it 1 move before it"]);
    assert!(explorer.tree().directives.is_empty());
}

#[test]
fn a_position_gets_a_value_a_stop_and_a_note() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "/e4\n");
    let done = direct(&mut explorer, "v-1.5\n");
    assert_eq!(done, ["1. e4 counts as -1.50 for White"]);
    assert_eq!(explorer.here().worth().unwrap().get(), 150, "for Black, who is to move");
    assert_eq!(explorer.why_no_move(), "your value: -1.50 for White");
    assert!(screen(&explorer, PLAIN, 100, 30).contains("your value: -1.50 for White"));
    let refused = direct(&mut explorer, "s");
    assert_eq!(refused, ["1. e4: the position has a value; undo that first"]);
    assert_eq!(direct(&mut explorer, "thold on\n"), ["noted at 1. e4"]);
    assert!(screen(&explorer, PLAIN, 80, 24).contains("note: hold on"));
    press(&mut explorer, "t");
    assert_eq!(&explorer.mode, &Mode::Typing(Prompt::Note, "hold on".to_owned()), "to change");
    press(&mut explorer, "\u{1b}");
    assert_eq!(&explorer.mode, &Mode::Browse);
    press(&mut explorer, "h");
    assert_eq!(marks(&explorer)[2], ("e4", "your value: -1.50 for White".to_owned()));
    assert!(screen(&explorer, PLAIN, 120, 24).contains("your value: -1.50 for White, note"));
    press(&mut explorer, "l");
    let done = direct(&mut explorer, "U");
    assert_eq!(done, ["took back at 1. e4: the value (-1.50 for White), the note"]);
    assert!(explorer.tree().directives.is_empty());
    assert_eq!(direct(&mut explorer, "s"), ["stopped at 1. e4: nothing is searched there"]);
    assert_eq!(explorer.why_no_move(), "stopped here");
    press(&mut explorer, "v+\n");
    assert!(explorer.notice.as_ref().unwrap().text.starts_with("write pawns for White"));
    press(&mut explorer, "h");
    let refused = direct(&mut explorer, "s");
    assert_eq!(refused, ["the root cannot be given a value or stopped"]);
}

#[test]
fn listed_directives_lead_to_their_places() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "d");
    assert_eq!(explorer.notice.as_ref().unwrap().text, "no directives at this root");
    direct(&mut explorer, "Ia4 h5\n");
    press(&mut explorer, "/a4\n");
    direct(&mut explorer, "tfar out\n");
    press(&mut explorer, "0/Nf3\n");
    direct(&mut explorer, "jx");
    press(&mut explorer, "0d");
    let Mode::List { entries, .. } = &explorer.mode else { panic!("{:?}", &explorer.mode) };
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
    let Mode::List { entries, selected } = &explorer.mode else { panic!("it stays open") };
    assert_eq!((entries.len(), *selected), (3, 2));
    press(&mut explorer, "q");
    assert_eq!(&explorer.mode, &Mode::Browse);
}

/// The open list of directives.
fn listed(explorer: &Explorer) -> &[super::directing::DirectiveEntry] {
    let Mode::List { entries, .. } = &explorer.mode else { panic!("{:?}", &explorer.mode) };
    entries
}

/// The tree as it is, with another row.
fn with_row(tree: &Tree, change: impl FnOnce(&mut AnalysisRow)) -> Arc<Tree> {
    let Tree { row, game, as_grown, grown_with, directives, .. } = tree;
    let mut row = row.clone();
    change(&mut row);
    let (game, kept) = (game.clone(), Arc::clone(as_grown));
    Arc::new(Tree::new(row, game, kept, grown_with.clone(), directives.clone()))
}

#[test]
fn directive_lines_are_renewed_only_on_change() {
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
    let note = deepanalyze_core::directives::Directive::Note("a\u{1b}[31m\nb".to_owned());
    let said = Directives::of([(PositionKey::of(&explorer.here().position), note)]);
    let Tree { row, game, as_grown, grown_with, .. } = explorer.tree();
    let tree = Tree::new(row.clone(), game.clone(), Arc::clone(as_grown), grown_with.clone(), said);
    explorer.take(Arc::new(tree));
    for keys in ["", "d"] {
        press(&mut explorer, keys);
        let text = screen(&explorer, PLAIN, 80, 24);
        assert!(text.contains("a [31m b") && !text.contains('\u{1b}'), "{text}");
    }
}
