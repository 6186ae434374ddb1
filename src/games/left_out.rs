//! Games of a file, or of a set under a filter, that are not counted.

use deepanalyze_games::{GameSet, LeftOut, Unjudged};
use deepanalyze_report::names_and_games;
use deepanalyze_view::{count, grouped, one_line};

/// Says what is not counted: games of a file that cannot be read, are there twice or are of other variants, and games that
/// the filter cannot judge; and which other names may be the player's.
pub fn left_out_lines(set: &GameSet) -> Vec<String> {
    let left_out = set.left_out();
    let mut lines = bad_lines(left_out);
    lines.extend(
        others_words(left_out, "there twice").map(|others| format!("note: left out: {others}")),
    );
    lines.extend(contradicting_line(left_out.contradicting));
    lines.extend(unjudged_words(set.unjudged()).map(|words| format!("note: {words}")));
    lines.extend(older_line(&set.info().name, set.info().older));
    let also = names_and_games(set.also());
    lines.extend((!also.is_empty()).then(|| format!("also: {also}")));
    lines
}

/// `4 there already, 1 of other variants (1 Atomic)`, the first by these words; nothing where there are none.
pub fn others_words(left_out: &LeftOut, duplicate: &str) -> Option<String> {
    let LeftOut { duplicates, variants, .. } = left_out;
    let of_variants = format!("of other variants ({variants})");
    let others = [(*duplicates, duplicate), (variants.games(), of_variants.as_str())];
    let others = others.iter().filter(|(number, _)| *number > 0);
    let words: Vec<String> =
        others.map(|(number, what)| format!("{} {what}", grouped(*number))).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Says how many games have two results.
pub fn contradicting_line(games: u64) -> Option<String> {
    let have = if games == 1 { "has" } else { "have" };
    let line = || {
        let games = count(games, "game");
        format!(
            "note: {games} {have} another result in the tag than behind the moves; the latter counts"
        )
    };
    (games > 0).then(line)
}

/// Says how many games of a set an earlier version has counted, by other rules.
pub fn older_line(set: &str, games: u64) -> Option<String> {
    let line = || {
        let (set, games) = (one_line(set), count(games, "game"));
        format!(
            "note: {games} of {set} were counted by an earlier version: one that comes back to a position counts \
             there for each of its moves; a new set from the same files has them right"
        )
    };
    (games > 0).then(line)
}

/// `12 games left out by --since: no date that can be read`; nothing where the filter could judge all games.
pub fn unjudged_words(unjudged: Unjudged) -> Option<String> {
    let Unjudged { date, rating, time_control, event } = unjudged;
    let words = [
        (date, "--since", "no date that can be read, or not all of it"),
        (rating, "--min-rating", "the rating of a player is unknown"),
        (time_control, "--time-control", "no time control that can be read"),
        (event, "--event", "no event"),
    ];
    let words = words.iter().filter(|(games, _, _)| *games > 0);
    let words: Vec<String> = words
        .map(|(games, by, why)| format!("{} left out by {by}: {why}", count(*games, "game")))
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Names games that cannot be read, and says how many more there are.
pub fn bad_lines(LeftOut { bad, first_bad, .. }: &LeftOut) -> Vec<String> {
    let (bad, first) = (*bad, first_bad);
    if bad == 0 {
        return Vec::new();
    }
    let are = if bad == 1 { "is" } else { "are" };
    let head = format!("warning: {} cannot be read and {are} left out", count(bad, "game"));
    let more = bad.saturating_sub(first.len() as u64);
    let rest = (more > 0).then(|| format!("  and {} more", grouped(more)));
    let each = first.iter().map(|bad| format!("  {bad}"));
    [head].into_iter().chain(each).chain(rest).collect()
}
