//! A finding as people read it.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::directives::{Finding, FindingKind};

use crate::words::moves::{PointOfView, after, numbered_line, numbered_move, seen};

/// A finding in words, of a repertoire that begins at a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingWords {
    /// What it is: `not prepared`.
    pub kind: &'static str,
    /// The move that it is about, or the line where there is none: `5. Bd3`.
    pub what: String,
    /// Where that move is played: ` after 1. e4 c6`, ` at the root`, or nothing.
    pub place: String,
    /// What there is to say of it: `: +0.35, loses 0.12 against 3... c5 (+0.23)`, or nothing.
    pub rest: String,
}

impl FindingWords {
    /// The words for a finding, with scores from a point of view.
    pub fn of(root: &Chess, side: Color, finding: &Finding, pov: PointOfView) -> FindingWords {
        let position = after(root, &finding.line);
        let line = numbered_line(root, &finding.line);
        let Some(uci) = finding.uci else {
            let what = if line.is_empty() { "the root".to_owned() } else { line };
            let kind = kind_words(finding.kind);
            return FindingWords { kind, what, place: String::new(), rest: String::new() };
        };
        let place =
            if line.is_empty() { " at the root".to_owned() } else { format!(" after {line}") };
        let scale = ScoreScale { side, mover: position.turn(), pov };
        let compared = match finding.kind {
            FindingKind::Loss => scale.loss(&position, finding),
            _ => scale.reply(&position, finding),
        };
        let score = finding.value.map_or("?".to_owned(), |value| scale.score(value));
        FindingWords {
            kind: kind_words(finding.kind),
            what: numbered_move(&position, uci),
            place,
            rest: format!(": {score}, {compared}{}", answer(&position, uci, finding.answer)),
        }
    }

    /// All of it.
    pub fn text(&self) -> String {
        let FindingWords { kind, what, place, rest } = self;
        format!("{kind}: {what}{place}{rest}")
    }
}

/// What it is.
fn kind_words(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Loss => "own move",
        FindingKind::Unprepared => "not prepared",
        FindingKind::Unreached => "not reached yet",
    }
}

/// How the values of the repertoire's side are written beside a move.
struct ScoreScale {
    side: Color,
    mover: Color,
    pov: PointOfView,
}

impl ScoreScale {
    fn score(&self, value: Value) -> String {
        let value = if self.mover == self.side { value } else { -value };
        seen(value, self.mover, self.pov).to_string()
    }

    /// What an own move loses.
    fn loss(&self, position: &Chess, finding: &Finding) -> String {
        let against = self.against(position, finding);
        match finding.value.zip(finding.against) {
            Some((value, _)) if is_lost(value) => format!("allows a mate against {against}"),
            Some((_, best)) if best.is_mate() => format!("misses the mate of {against}"),
            _ => format!("loses {} against {against}", pawns(finding.cost.unwrap_or(0))),
        }
    }

    /// What a reply without an answer costs.
    fn reply(&self, position: &Chess, finding: &Finding) -> String {
        let (Some(cost), Some((value, best))) = (finding.cost, finding.value.zip(finding.against))
        else {
            return "no reply is prepared there".to_owned();
        };
        let than = format!("the best prepared reply {}", self.against(position, finding));
        match cost {
            0 => format!("as strong as {than}"),
            _ if value.is_mate() || best.is_mate() => {
                format!("{} than {than}", if cost > 0 { "stronger" } else { "weaker" })
            }
            1.. => format!("costs {} against {than}", pawns(cost)),
            _ => format!("weaker by {} than {than}", pawns(-cost)),
        }
    }

    /// The move that it is compared with, and its score.
    fn against(&self, position: &Chess, finding: &Finding) -> String {
        let best = finding.best.map_or("?".to_owned(), |uci| numbered_move(position, uci));
        let score = finding.against.map_or("?".to_owned(), |value| self.score(value));
        format!("{best} ({score})")
    }
}

/// The tree's answer to a reply.
fn answer(position: &Chess, uci: UciMove, answer: Option<UciMove>) -> String {
    let there = after(position, [&uci]);
    answer.map_or(String::new(), |answer| {
        format!("; the tree answers {}", numbered_move(&there, answer))
    })
}

/// Whether the side is mated.
fn is_lost(value: Value) -> bool {
    value.is_mate() && value < Value::DRAW
}

/// Centipawns without a sign, as pawns: `0.12`.
fn pawns(centipawns: i32) -> String {
    let text = Score::Cp(centipawns).to_string();
    text.trim_start_matches(['+', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::directives::cost;

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    /// A finding at the initial position, where 1. e4 is compared with 1. d4; scores are the side's.
    fn told(side: Color, kind: FindingKind, value: Score, against: Score) -> String {
        let (value, against) = (Value::from(value), Value::from(against));
        let finding = Finding {
            kind,
            line: Vec::new(),
            epd: String::new(),
            uci: Some(uci("e2e4")),
            value: Some(value),
            best: Some(uci("d2d4")),
            against: Some(against),
            answer: None,
            cost: Some(cost(value, against)),
        };
        FindingWords::of(&Chess::default(), side, &finding, PointOfView::Mover).rest
    }

    #[test]
    fn mates_have_words_and_no_pawns() {
        let loss = |value, against| told(Color::White, FindingKind::Loss, value, against);
        assert_eq!(
            loss(Score::Mate(-2), Score::Cp(10)),
            ": #-2, allows a mate against 1. d4 (+0.10)"
        );
        assert_eq!(loss(Score::Cp(900), Score::Mate(3)), ": +9.00, misses the mate of 1. d4 (#3)");
        let reply = |value, against| told(Color::Black, FindingKind::Unprepared, value, against);
        let than = "than the best prepared reply 1. d4";
        assert_eq!(
            reply(Score::Mate(-2), Score::Cp(-10)),
            format!(": #2, stronger {than} (+0.10)")
        );
        assert_eq!(reply(Score::Cp(-10), Score::Mate(-2)), format!(": +0.10, weaker {than} (#2)"));
        assert_eq!(
            reply(Score::Cp(-10), Score::Cp(-10)),
            ": +0.10, as strong as the best prepared reply 1. d4 (+0.10)"
        );
    }
}
