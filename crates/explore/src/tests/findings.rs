//! From one finding of a repertoire to the next.

use super::directing::direct;
use super::*;

#[test]
fn keys_go_from_finding_to_finding() {
    let mut explorer = at_root(KNIGHTS);
    let told =
        |explorer: &Explorer| explorer.notice.as_ref().map(|notice| notice.text.clone()).unwrap();
    press(&mut explorer, "]");
    assert_eq!(told(&explorer), "press w to audit White's repertoire, b for Black's");
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
    let first = "1/2 not prepared: 1. e4: +0.20, costs 0.16 against the best prepared reply 1. Nf3";
    assert!(told(&explorer).starts_with(first), "{}", told(&explorer));
    assert_eq!((line(&explorer).as_str(), explorer.choice().unwrap().san.as_str()), ("", "e4"));
    press(&mut explorer, "]");
    assert_eq!(line(&explorer), "1. Nf3");
    assert!(told(&explorer).starts_with("2/2 own move: 1... d5: "), "{}", told(&explorer));
    press(&mut explorer, "[");
    assert!(screen(&explorer, PLAIN, 100, 24).contains(first), "the status line says it");
    // 1. e4 gets its answer: the next finding takes its place.
    direct(&mut explorer, "ili");
    assert_eq!(line(&explorer), "1. e4");
    press(&mut explorer, "]");
    assert!(told(&explorer).starts_with("1/2 own move: 1... d5: "), "{}", told(&explorer));
    press(&mut explorer, "w]");
    assert!(told(&explorer).starts_with("2/"), "White's: {}", told(&explorer));
}
