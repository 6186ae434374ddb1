//! Words of a duel: engines, names, figures.

use deepanalyze_core::search::Profile;

/// The widest id that is printed whole.
pub(super) const ID_WIDTH: usize = 28;

/// An engine with its options: `Stockfish 15.1, Hash=64`.
pub(super) fn engine(profile: &Profile) -> String {
    let options = profile.options.iter().map(|(name, value)| format!(", {name}={value}"));
    printable(&format!("{}{}", profile.engine, options.collect::<String>()))
}

/// A judge that is the arms' own engine should have so many times their nodes.
const ENOUGH: u64 = 20;

/// How many times as many, to one decimal.
#[expect(clippy::cast_precision_loss, reason = "for people")]
pub(super) fn times(many: u64, few: u64) -> f64 {
    (10.0 * many as f64 / few as f64).round() / 10.0
}

/// Whether the judge is the arms' engine, whatever its options.
pub(super) fn is_same_engine(player: &Profile, judge: &Profile) -> bool {
    player.engine == judge.engine
}

/// What is to be said of a judge that is the arms' own engine.
pub(super) fn akin(judge_nodes: u64, arms_nodes: u64) -> String {
    let few = judge_nodes / ENOUGH < arms_nodes;
    let few = if few { ", and sees little more: give it 20 times an arm's nodes" } else { "" };
    format!("          the arms' own engine: it may share their errors{few}")
}

/// How a command line is typed.
pub(super) fn typed(command: &[String]) -> String {
    printable(&deepanalyze_core::quoting::join(command.iter().map(String::as_str)))
}

/// Names come from outside: a terminal must not obey them.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// A name that fits its column.
pub(super) fn shortened(id: &str) -> String {
    match id.chars().count() {
        ..=ID_WIDTH => id.to_owned(),
        _ => id.chars().take(ID_WIDTH - 3).chain("...".chars()).collect(),
    }
}
