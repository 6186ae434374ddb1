//! Options as engines print them, and engines by their options.

use super::*;

fn offers(lines: &[&str]) -> Offers {
    let mut offers = Offers::default();
    lines.iter().for_each(|line| offers.add(Offer::read(line).unwrap()).unwrap());
    offers
}

/// The differences of engines with one option each, nothing set.
fn differences(mine: &str, theirs: &str) -> Vec<String> {
    offers(&[mine]).differences(&offers(&[theirs]), &[])
}

#[test]
fn the_greatest_multipv_is_one_where_there_is_none() {
    let mut offers = Offers::default();
    assert_eq!(offers.multipv(), 1);
    offers.add(Offer::read("name multipv type spin default 1 min 1 max 10").unwrap()).unwrap();
    assert_eq!(offers.multipv(), 10);
}

#[test]
fn threads_are_a_multiple_of_those_that_are_set() {
    let stockfish = offers(&["name Threads type spin default 1 min 1 max 8"]);
    let value = |offers: &Offers, set: &[OptionValue], times| {
        offers.threads(set, times).map(|(name, value)| format!("{name}={}", value.unwrap()))
    };
    assert_eq!(value(&stockfish, &[], 4).as_deref(), Some("Threads=4"));
    let set = [("Threads".to_owned(), Some("3".to_owned()))];
    assert_eq!(value(&stockfish, &set, 2).as_deref(), Some("Threads=6"));
    assert_eq!(value(&stockfish, &set, 3), None, "it takes eight");
    let toga = offers(&["name Number of Threads type spin default 2"]);
    assert_eq!(value(&toga, &[], 2).as_deref(), Some("Number of Threads=2"));
    assert_eq!(value(&offers(&["name Hash type spin default 16"]), &[], 2), None);
}

#[test]
fn options_and_choices_without_end_are_bounded() {
    fn error(mut lines: impl Iterator<Item = String>) -> String {
        let mut offers = Offers::default();
        lines.find_map(|line| offers.add(Offer::read(&line).unwrap()).err()).unwrap()
    }
    let options = (0..).map(|n| format!("name O{n} type check default true"));
    assert_eq!(error(options), "more than 1000 options");
    let choices = format!("name A type combo default x{}", " var x".repeat(9000));
    assert_eq!(error(std::iter::once(choices)), "more than 1000 choices of option \"A\"");
    let long = format!("name B type string default {}", "y".repeat(60_000));
    assert_eq!(error(std::iter::repeat(long)), "options of more than 1048576 bytes");
}

#[test]
fn number_limits_and_folders_depend_on_the_machine() {
    for (mine, theirs) in [
        ("name Hash type spin default 16 min 1 max 2048", "name hash type spin default 16 max 9"),
        ("name Log type string default /a/log.txt", "name Log type string default C:\\log.txt"),
        ("name Log type string default <empty>", "name Log type string default"),
        ("name Clear type button", "name Clear type button"),
        // Set by the program wherever it is offered.
        ("name Threads type spin default 1", "name Threads type spin default 8"),
    ] {
        assert_eq!(differences(mine, theirs), Vec::<String>::new(), "{mine} / {theirs}");
        assert_eq!(offers(&[mine]).essence(&[]), offers(&[theirs]).essence(&[]), "{mine}");
    }
}

#[test]
fn other_network_choice_type_or_option_is_other_build() {
    for (mine, theirs, expected) in [
        (
            "name EvalFile type string default nn-a.nnue",
            "name EvalFile type string default nn-b.nnue",
            "its option \"EvalFile\" has default nn-b.nnue, not default nn-a.nnue",
        ),
        (
            "name Style type combo default A var A var B",
            "name Style type combo default A var A",
            "its option \"Style\" has the choices A, not the choices A, B",
        ),
        (
            "name Ponder type check default true",
            "name Ponder type spin default 1",
            "its option \"Ponder\" has type spin, not type check",
        ),
        (
            "name Book type string default x",
            "name Book type string default <empty>",
            "its option \"Book\" has default <empty>, not default x",
        ),
    ] {
        assert_eq!(differences(mine, theirs), [expected]);
        assert_ne!(offers(&[mine]).essence(&[]), offers(&[theirs]).essence(&[]), "{mine}");
    }
    let different = differences("name A type button", "name B type button");
    assert_eq!(different, ["it has no option \"A\"", "it has an option \"B\""]);
}

#[test]
fn default_of_a_set_option_does_not_matter() {
    let mine = offers(&["name Hash type spin default 16"]);
    let theirs = offers(&["name Hash type spin default 32"]);
    assert_eq!(mine.differences(&theirs, &[]).len(), 1);
    let set = [("Hash".to_owned(), Some("64".to_owned()))];
    assert_eq!(mine.differences(&theirs, &set), Vec::<String>::new());
}

fn kind(line: &str) -> OfferKind {
    Offer::read(line).unwrap().kind
}

#[test]
fn choices_may_have_blanks_and_begin_with_keywords() {
    let line = "name NullMove Pruning type combo default Fail High var Always var Fail High var minimal \
                var maximum var variable var min max";
    let offer = Offer::read(line).unwrap();
    assert_eq!(offer.name, "NullMove Pruning");
    let choices = ["Always", "Fail High", "minimal", "maximum", "variable", "min max"];
    assert_eq!(offer.kind, OfferKind::Combo(choices.map(str::to_owned).to_vec()));
}

#[test]
fn numbers_may_be_missing_negative_or_nonsense() {
    let spin = |least, greatest| OfferKind::Spin { least, greatest };
    assert_eq!(kind("name A type spin default 1 min -5 max 9"), spin(Some(-5), Some(9)));
    assert_eq!(kind("name A type spin"), spin(None, None));
    assert_eq!(kind("name A type spin min max 3"), spin(None, Some(3)));
    assert_eq!(kind("name A type spin max 99999999999999999999"), spin(None, None));
}

#[test]
fn a_line_that_is_no_option_is_none() {
    for line in
        ["", "name", "name A", "name A type", "name type spin", "A type spin", "name A type what"]
    {
        assert_eq!(Offer::read(line), None, "{line:?}");
    }
}
