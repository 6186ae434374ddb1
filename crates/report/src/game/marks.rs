//! Marks for what an annotation of ours puts into a game, so that the next one replaces it:
//! programs keep comments with commands (`[%…]`) that they do not know.

use std::str::FromStr;

use deepanalyze_core::chess::Remark;

use crate::game::summary::without_summary;
use deepanalyze_view::{PointOfView, one_line};

/// Start of our marks.
const MARK: &str = "[%deepanalyze";
/// Start of an evaluation.
const EVAL: &str = "[%eval ";
/// Start of our name in the tag `Annotator`.
const ANNOTATOR: &str = "deepanalyze, distance ";
/// Separator of two annotators.
const BETWEEN: &str = "; ";

/// Words before the first move as written by former versions.
fn former_legends(pov: PointOfView) -> [String; 2] {
    let whose = pov.whose();
    [
        format!(
            "deepanalyze: eval is the verdict of the position behind the move, for White; \
             alpha (the tree's) or closing search is what a better line is worth, {whose}."
        ),
        format!(
            "deepanalyze: eval is what the tree of the position behind the move says, for White; \
             alpha is what a better line is worth, {whose}."
        ),
    ]
}

/// Words before the score of a better line as written by former versions.
const FORMER_NAMES: [&str; 2] = ["alpha", "closing search"];

/// The mark of a move's evaluation, and of our glyph of the move.
pub fn mark_of_move(glyph: Option<u8>) -> String {
    glyph.map_or(format!("{MARK}]"), |glyph| format!("{MARK} glyph {glyph}]"))
}

/// The mark of a better line.
pub fn mark_of_line(plies: usize) -> String {
    format!("{MARK} plies {plies}]")
}

/// The tag `Annotator` of a game that had this one; `None` if not annotated.
pub fn annotators(own: Option<&str>, ours: &str) -> Option<String> {
    let ours = ours.replace(';', ",");
    let others = own.unwrap_or_default().split(BETWEEN);
    let others = others.filter(|one| !one.starts_with(ANNOTATOR));
    let all: Vec<&str> = others.chain([ours.as_str()]).filter(|one| !one.is_empty()).collect();
    (!all.is_empty()).then(|| all.join(BETWEEN))
}

/// A file's remarks behind a move, or before the first, without ours. A line of ours that a user
/// has changed is the user's.
pub fn without_ours(remarks: &[Remark]) -> Vec<Remark> {
    let (mut others, mut glyph, mut rest) = (Vec::new(), None, remarks);
    while let Some(first) = rest.first() {
        let length = if *first == Remark::Open { length_of_variation(rest) } else { 1 };
        let (one, behind) = rest.split_at(length);
        match first {
            Remark::Comment(comment) => {
                let (mark, own) = unmarked(&without_words_on_the_game(comment));
                glyph = glyph.or(mark.and_then(|mark| number_of(&mark, "glyph")));
                if !own.is_empty() {
                    others.push(Remark::Comment(own));
                }
            }
            Remark::Open if is_our_line(one) => {}
            Remark::Open => others.extend(one.iter().filter(|one| !is_our_score(one)).cloned()),
            _ => others.extend_from_slice(one),
        }
        rest = behind;
    }
    if let Some(glyph) = glyph {
        remove_glyph(&mut others, glyph);
    }
    others
}

/// Length of the first remark's variation, in remarks.
fn length_of_variation(remarks: &[Remark]) -> usize {
    let mut open = 0_usize;
    let last = remarks.iter().position(|remark| {
        match remark {
            Remark::Open => open += 1,
            Remark::Close => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0
    });
    last.map_or(remarks.len(), |last| last + 1)
}

/// True if a remark in another's variation is our score of a move.
fn is_our_score(remark: &Remark) -> bool {
    let Remark::Comment(comment) = remark else { return false };
    let (mark, own) = unmarked(comment);
    mark.is_some() && own.is_empty()
}

/// True if a comment has an evaluation.
pub fn is_evaluation(comment: &str) -> bool {
    comment.contains(EVAL.trim_end())
}

/// True if a variation has our form, present or former: moves, and behind the first one a comment
/// with its score. Some programs drop the mark of a written-out score.
fn is_our_line(variation: &[Remark]) -> bool {
    let (mut plies, mut comments, mut marked) = (0, 0, None);
    let is_as_written = variation.iter().skip(1).all(|remark| match remark {
        Remark::Word(word) => {
            plies += usize::from(word.contains(char::is_alphabetic));
            true
        }
        Remark::Comment(comment) => {
            let (mark, own) = unmarked(comment);
            marked = mark.and_then(|mark| number_of(&mark, "plies"));
            comments += 1;
            plies == 1 && (is_score(&own) || own.is_empty() && marked.is_some())
        }
        Remark::Close => true,
        Remark::Glyph(_) | Remark::Open => false,
    });
    is_as_written && comments == 1 && marked.is_none_or(|marked: usize| marked == plies)
}

/// True if a comment is the score of a line and no more.
fn is_score(comment: &str) -> bool {
    let evaluation = comment.strip_prefix(EVAL).and_then(|rest| rest.split_once(']'));
    let words = evaluation.map_or(comment, |(_, words)| words.trim_start());
    let score = FORMER_NAMES.iter().find_map(|name| words.strip_prefix(name)?.strip_prefix(' '));
    score.is_some_and(|score| !score.contains(' '))
}

/// The words of a comment's mark, and the comment without it and its evaluation.
fn unmarked(comment: &str) -> (Option<String>, String) {
    let marked = comment.split_once(MARK);
    let Some((before, (mark, behind))) =
        marked.and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    else {
        return (None, one_line(comment));
    };
    let evaluation = before.trim_end().strip_suffix(']').and_then(|rest| rest.rsplit_once(EVAL));
    let evaluation = evaluation.filter(|(_, value)| !value.contains(']'));
    let before = evaluation.map_or(before, |(before, _)| before);
    (Some(mark.trim().to_owned()), one_line(&format!("{before} {behind}")))
}

/// The number behind a word of a mark.
fn number_of<N: FromStr>(mark: &str, word: &str) -> Option<N> {
    mark.strip_prefix(word)?.trim().parse().ok()
}

/// A comment without our words on the game before the first move, present and former.
fn without_words_on_the_game(comment: &str) -> String {
    let both = [PointOfView::White, PointOfView::Mover];
    let legends = both.into_iter().flat_map(former_legends);
    let without = legends.fold(one_line(comment), |comment, legend| comment.replace(&legend, ""));
    without_summary(&without)
}

/// Removes a glyph of the move.
fn remove_glyph(remarks: &mut Vec<Remark>, glyph: u8) {
    let mut of_move = remarks.iter().take_while(|remark| **remark != Remark::Open);
    if let Some(place) = of_move.position(|remark| *remark == Remark::Glyph(glyph)) {
        remarks.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks(text: &[&str]) -> Vec<Remark> {
        let remark = |word: &&str| match *word {
            "(" => Remark::Open,
            ")" => Remark::Close,
            word => match (word.strip_prefix('$'), word.strip_prefix('{')) {
                (Some(glyph), _) => Remark::Glyph(glyph.parse().unwrap()),
                (_, Some(comment)) => Remark::Comment(comment.trim_end_matches('}').to_owned()),
                _ => Remark::Word(word.to_owned()),
            },
        };
        text.iter().map(remark).collect()
    }

    fn others(text: &[&str], expected: &[&str]) {
        assert_eq!(without_ours(&remarks(text)), remarks(expected), "{text:?}");
    }

    const LINE: &str = "{[%eval 0.2] [%deepanalyze plies 2]}";
    /// The form of former versions.
    const ALPHA: &str = "{[%eval 0.2] [%deepanalyze plies 2] alpha +0.20}";

    #[test]
    fn ours_is_removed_and_others_words_stay() {
        let (line, other) =
            (["(", "2.", "Nf3", ALPHA, "Nc6", ")"], ["(", "2.d4", "(", "2.c4", ")", ")"]);
        others(&["$2", "{[%eval -0.3] [%deepanalyze glyph 2]}"], &[]);
        others(&["$2", "$14", "{[%eval #-1] [%deepanalyze]}", "{own}"], &["$2", "$14", "{own}"]);
        others(&["$4", "{[%deepanalyze glyph 2]}"], &["$4"]);
        others(&line, &[]);
        others(&["(", "2.", "Nf3", LINE, "Nc6", ")"], &[]);
        others(&["(", "2.", "Qh8#", "{[%deepanalyze plies 1]}", ")"], &[]);
        others(&[&other[..], &line, &other].concat(), &[other, other].concat());
        for legend in [PointOfView::Mover, PointOfView::White].into_iter().flat_map(former_legends)
        {
            others(&[&format!("{{{legend} Also this.}}")], &["{Also this.}"]);
        }
    }

    #[test]
    fn our_game_comment_goes_and_its_surroundings_stay() {
        let begins = "Annotated by deepanalyze with Some 1.5. Beta. Analysed, depth 3. Analysed: 8 of 9 positions.";
        let accuracy = "Accuracy: White 93.1, Black 88.0, by scores.";
        for ours in [
            begins.to_owned(),
            format!("{begins} {accuracy}"),
            format!("{begins} {accuracy} Worst moves: 24... cxd4??, 3. Nf3?, 12. Ra7?!."),
            format!("{begins} Worst moves: 24... cxd4+??."),
        ] {
            others(&[&format!("{{{ours}}}")], &[]);
            others(
                &[&format!("{{Before. {ours} Behind, 3. Nf3?.}}")],
                &["{Before. Behind, 3. Nf3?.}"],
            );
        }
        let others_words = "{Annotated by deepanalyze with care. Analysed: all positions.}";
        others(&[others_words], &[others_words]);
    }

    #[test]
    fn our_scores_in_the_variations_of_others_go() {
        let score = "{[%eval 0.3] [%deepanalyze]}";
        others(
            &["(", "2.", "Nf3", "$1", score, "{good}", "Nc6", "(", "2...", "d6", score, ")", ")"],
            &["(", "2.", "Nf3", "$1", "{good}", "Nc6", "(", "2...", "d6", ")", ")"],
        );
        others(&["(", "2.Nf3", score, ")"], &["(", "2.Nf3", ")"]);
        others(&["(", "2.Nf3", "{[%eval 0.3]}", ")"], &["(", "2.Nf3", "{[%eval 0.3]}", ")"]);
    }

    #[test]
    fn what_other_programs_make_of_it_is_known() {
        let merged = "{Before [%csl Ga1] [%eval 0.3] [%deepanalyze glyph 6] [%clk 0:01] after}";
        others(&["$6", merged], &["{Before [%csl Ga1] [%clk 0:01] after}"]);
        others(&["{[%eval 1.5] theirs}"], &["{[%eval 1.5] theirs}"]);
        let without_marks =
            ["{[%eval 0.2] alpha +0.20}", "{alpha +0.20}", "{[%eval 0.2] closing search +0.20}"];
        for comment in without_marks.into_iter().chain(["{[%deepanalyze plies 1] alpha #3}"]) {
            others(&["(", "2.Nf3", comment, ")"], &[]);
        }
        others(&["$2", "(", "2.Nf3", ")", "{[%deepanalyze glyph 2]}"], &["(", "2.Nf3", ")"]);
    }

    #[test]
    fn a_line_that_a_user_has_changed_is_the_users() {
        for changed in [
            &["(", "2.", "Nf3", ALPHA, "Nc6", "3.", "Bb5", ")"][..],
            &["(", "2.", "Nf3", ALPHA, "Nc6", "{good}", ")"],
            &["(", "2.", "Nf3", "$1", ALPHA, "Nc6", ")"],
            &["(", "2.", "Nf3", ALPHA, "Nc6", "(", "2...", "d6", ")", ")"],
            &["(", "2.", "Nf3", "{[%deepanalyze plies 2] alpha +0.20 and good}", "Nc6", ")"],
            &["(", "2.", "Nf3", "Nc6", ")"],
            &["(", "2.", "Nf3"],
        ] {
            others(changed, changed);
        }
    }

    #[test]
    fn annotators_stand_beside_each_other_once() {
        let ours = "deepanalyze, distance 10, Engine; 2, engine depth 9";
        let kept = "deepanalyze, distance 10, Engine, 2, engine depth 9";
        let both = format!("Somebody; {kept}");
        assert_eq!(annotators(None, ours).as_deref(), Some(kept));
        assert_eq!(annotators(Some("Somebody"), ours), Some(both.clone()));
        assert_eq!(annotators(Some(&both), ours), Some(both.clone()));
        assert_eq!(annotators(Some(&both), "").as_deref(), Some("Somebody"));
        assert_eq!(annotators(Some(kept), ""), None);
    }
}
