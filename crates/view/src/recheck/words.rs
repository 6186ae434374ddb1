//! The result of a recheck, in words.

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{MOST_CHANGE, MovedLeaf, RecheckState};

use crate::holds::describe_line;
use crate::recheck::note::{RecheckNote, Rechecked};
use crate::words::figures::{grouped, pawns};
use crate::words::manner::describe_profile;
use crate::words::{PointOfView, numbered_move, seen};

/// Greatest number of changed scores named.
const NAMED: usize = 3;

/// A sentence on the best move, without its engine: `1. d4 +0.21 instead of 1. e4 +0.18 (+0.30 in
/// the tree; 12 of 230 scores searched again, 1.4 % of the tree's nodes)`.
pub fn describe_recheck(root: &Chess, note: &RecheckNote, pov: PointOfView) -> String {
    let row = &note.row;
    let score = |value: Value| seen(value, root.turn(), pov);
    let [before, best] = [&note.before, &note.best].map(|named| numbered_move(root, named.uci));
    let asked = describe_asked(note);
    let told = match row.state {
        RecheckState::Stays => {
            // That scores do not change it is half of what has to be known: the lists are the tree's.
            let is_sure = !note.is_of_other || note.own.as_ref().is_some_and(|own| own.agree);
            let word = if is_sure { "" } else { "not refuted: " };
            format!("{word}{best} stays best {} ({asked})", describe_bound(row.at_least))
        }
        RecheckState::Changed => format!(
            "{best} {} instead of {before} {} ({} in the tree; {asked})",
            score(row.best.value),
            score(row.since),
            score(row.before.value),
        ),
        RecheckState::Open if row.asked == 0 => format!("nothing is known yet ({asked})"),
        RecheckState::Open => {
            format!(
                "{best} {} so far, other scores may still change that ({asked})",
                score(row.best.value)
            )
        }
    };
    let own = note.own.as_ref();
    let own = own.map(|own| own.describe_as("its own search", root, note.before.uci, pov));
    let told = own.map_or(told.clone(), |own| format!("{told}; {own}"));
    if note.is_stale { format!("(the tree has changed since then) {told}") } else { told }
}

/// With the engine in front: `Stockfish 17, engine depth 12: 1. d4 …`.
pub fn describe_note(root: &Chess, note: &RecheckNote, pov: PointOfView) -> String {
    format!("{}: {}", describe_profile(&note.row.profile), describe_recheck(root, note, pov))
}

/// The text of `recheck` for a root: the best move, how certain it is, and why it is another one.
pub fn describe_rechecked(root: &Chess, rechecked: &Rechecked, pov: PointOfView) -> String {
    let told = describe_recheck(root, &rechecked.note, pov);
    let because = &rechecked.because;
    let word = match rechecked.note.row.state {
        RecheckState::Stays => "",
        RecheckState::Changed => "changed: ",
        RecheckState::Open => "open: ",
    };
    if because.is_empty() {
        return format!("{word}{told}");
    }
    let named: Vec<String> =
        because.iter().take(NAMED).map(|leaf| describe_change(root, leaf, pov)).collect();
    let others = because.len().saturating_sub(NAMED);
    let more = if others > 0 { format!(", and {others} more") } else { String::new() };
    format!("{word}{told}, because {}{more}", named.join(", "))
}

/// `1. e4 e5 2. Nf3 is worth +0.05 instead of +0.32`.
fn describe_change(root: &Chess, leaf: &MovedLeaf, pov: PointOfView) -> String {
    let [from, to] = [leaf.from, leaf.to].map(|value| seen(value, leaf.mover, pov));
    format!("{} is worth {to} instead of {from}", describe_line(root, &leaf.line))
}

/// The part of the tree asked again.
fn describe_asked(note: &RecheckNote) -> String {
    let row = &note.row;
    let (asked, leaves) = (grouped(row.asked), grouped(row.leaves));
    if row.asked == 0 {
        return format!("none of {leaves} scores searched again");
    }
    let share = match note.tree_nodes {
        0 => String::new(),
        nodes => format!(", {}", describe_share(row.nodes, nodes)),
    };
    format!("{asked} of {leaves} scores searched again{share}")
}

/// `1.4 % of the tree's nodes`, `48 times the tree's nodes`.
fn describe_share(part: u64, whole: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let share = part as f64 / whole as f64;
    match share {
        ..0.1 => format!("{:.1} % of the tree's nodes", 100.0 * share),
        ..2.0 => format!("{:.0} % of the tree's nodes", 100.0 * share),
        ..9.95 => format!("{share:.1} times the tree's nodes"),
        _ => format!("{share:.0} times the tree's nodes"),
    }
}

fn describe_bound(at_least: u32) -> String {
    let least = pawns(at_least.min(MOST_CHANGE));
    if at_least > MOST_CHANGE {
        format!("even if every other score is off by up to {least}")
    } else {
        format!("even if every other score is off by less than {least}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::NamedMove;
    use crate::second::SecondWord;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::{Limit, Profile};
    use deepanalyze_core::tree::Margin;
    use deepanalyze_store::{AnalysisId, ProfileId, RecheckRow, ValuedMove};

    fn note(state: RecheckState, best: (&str, i32), at_least: u32) -> RecheckNote {
        let of = |(uci, cp): (&str, i32)| ValuedMove {
            uci: parse_uci(uci).unwrap(),
            value: Value::from(Score::Cp(cp)),
        };
        let (options, limit) = (Default::default(), Limit::Depth(12));
        let (before, best) = (of(("e2e4", 30)), of(best));
        let root = Chess::default();
        let [old, new] = [before, best].map(|of| NamedMove::of(&root, of.uci));
        let row = RecheckRow {
            analysis: AnalysisId(1),
            profile_id: ProfileId(2),
            profile: Profile { engine: "Other 2".to_owned(), options, limit, kept_hash: None },
            tree: (3, 0),
            margin: Margin::Fixed(20),
            state,
            within: 20,
            at_least,
            before,
            since: Value::from(Score::Cp(18)),
            best,
            leaves: 1230,
            asked: 12,
            nodes: 144,
            changed_at: 0,
        };
        RecheckNote {
            row,
            is_stale: false,
            is_of_other: true,
            tree_nodes: 10_000,
            before: old,
            best: new,
            own: None,
        }
    }

    fn told(note: &RecheckNote) -> String {
        describe_note(&Chess::default(), note, PointOfView::White)
    }

    #[test]
    fn it_is_told_whether_the_best_move_stays() {
        let stays = note(RecheckState::Stays, ("e2e4", 18), 35);
        assert_eq!(
            told(&stays),
            "Other 2, engine depth 12: not refuted: 1. e4 stays best even if every other score is off by less than 0.35 (\
            12 of 1,230 scores searched again, 1.4 % of the tree's nodes)"
        );
        let own = |uci: &str, agree| {
            let (named, line) =
                (NamedMove::of(&Chess::default(), parse_uci(uci).unwrap()), Vec::new());
            let (engine, score) = ("Other 2".to_owned(), Score::Cp(22));
            let word = SecondWord {
                engine,
                agree,
                named,
                score,
                line,
                depth: 9,
                nodes: 9,
                score_of_verdict: None,
            };
            told(&RecheckNote { own: Some(word), ..stays.clone() })
        };
        let agrees = own("e2e4", true);
        assert!(agrees.starts_with("Other 2, engine depth 12: 1. e4 stays best "), "{agrees}");
        assert!(agrees.ends_with("nodes); its own search agrees (+0.22)"), "{agrees}");
        let differs = own("d2d4", false);
        assert!(differs.contains(": not refuted: 1. e4 stays best "), "{differs}");
        assert!(differs.ends_with("; its own search would play 1. d4 (+0.22)"), "{differs}");
        let same = RecheckNote { is_of_other: false, ..stays.clone() };
        assert!(told(&same).starts_with("Other 2, engine depth 12: 1. e4 stays best "));
        let certain = note(RecheckState::Stays, ("e2e4", 18), MOST_CHANGE + 1);
        assert!(told(&certain).contains("off by up to 10.00 ("), "{}", told(&certain));
        let open = note(RecheckState::Open, ("e2e4", 18), 5);
        let right = "1. e4 +0.18 so far, other scores may still change that (12 of 1,230";
        assert!(told(&open).contains(right), "{}", told(&open));
    }

    #[test]
    fn changed_best_move_is_shown_with_its_scores() {
        let changed = note(RecheckState::Changed, ("d2d4", 21), 35);
        let line = ["e2e4", "e7e5"].map(|uci| parse_uci(uci).unwrap());
        let value = |cp| Value::from(Score::Cp(cp));
        let mover = shakmaty::Color::Black;
        let leaf = MovedLeaf { line: line.to_vec(), mover, from: value(-32), to: value(-5) };
        let rechecked = |count| Rechecked {
            note: changed.clone(),
            line: Vec::new(),
            because: vec![leaf.clone(); count],
        };
        let told =
            |count| describe_rechecked(&Chess::default(), &rechecked(count), PointOfView::White);
        assert_eq!(
            told(1),
            "changed: 1. d4 +0.21 instead of 1. e4 +0.18 (+0.30 in the tree; 12 of 1,230 scores searched again, 1.4 % of the \
            tree's nodes), because 1. e4 e5 is worth +0.05 instead of +0.32"
        );
        assert!(told(5).ends_with("instead of +0.32, and 2 more"));
        let stale = RecheckNote { is_stale: true, ..changed.clone() };
        let said = describe_recheck(&Chess::default(), &stale, PointOfView::White);
        assert!(said.contains("(the tree has changed since then) "), "{said}");
    }
}
