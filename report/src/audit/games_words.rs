//! A repertoire against people, in words.

use std::num::NonZeroU32;

use shakmaty::{Chess, Color, Position};

use crate::audit::games::{GamesAudit, GapFound, OwnLoss};
use crate::people::played::describe_share;
use crate::words::figures::{count, grouped};
use crate::words::{after, numbered_line, numbered_move};

/// How much of the games the tree answers before it ends: `9 of 10 games of these opponents stay in the tree to move 4`.
/// Nothing where no depth of one ply is settled.
pub fn describe_coverage(root: &Chess, audit: &GamesAudit) -> Option<String> {
    let (_, before_the_end) = audit.coverage.split_last()?;
    let move_number = last_move(root, u32::try_from(before_the_end.len()).unwrap_or(u32::MAX));
    let stay = match part_of_games(*before_the_end.last()?) {
        Part::All => "all games of these opponents stay".to_owned(),
        Part::Some(part) => format!("{part} games of these opponents stay"),
        Part::None => "hardly a game of these opponents stays".to_owned(),
    };
    Some(format!("{stay} in the tree to move {move_number}"))
}

/// The number of the move with the last of so many plies behind a root.
fn last_move(root: &Chess, plies: u32) -> u32 {
    let number = NonZeroU32::get(root.fullmoves());
    let begun = u32::from(root.turn() == Color::Black);
    number.saturating_add(plies.saturating_add(begun).saturating_sub(1) / 2)
}

/// A part of many games.
enum Part {
    All,
    Some(String),
    None,
}

/// `7 of 10`, `97 of 100`.
fn part_of_games(part: f64) -> Part {
    // From 0 to 100.
    let percent = (100.0 * part).round() as u32;
    match percent {
        0 => Part::None,
        100.. if part < 1.0 - 1e-9 => Part::Some("more than 99 of 100".to_owned()),
        100.. => Part::All,
        tens if tens % 10 == 0 => Part::Some(format!("{} of 10", tens / 10)),
        percent => Part::Some(format!("{percent} of 100")),
    }
}

/// How often something happens: `one in 31 games`, `7 of 10 games`.
pub fn describe_often(likely: f64) -> String {
    if likely <= 0.0 {
        return "no game".to_owned();
    }
    if likely >= 0.35 {
        return match part_of_games(likely.min(1.0)) {
            Part::All | Part::None => "every game".to_owned(),
            Part::Some(part) => format!("{part} games"),
        };
    }
    // What is less likely than one in a thousand million is no matter of digits.
    let one_in = (1.0 / likely).round().min(1e9) as u64;
    format!("one in {} games", grouped(one_in))
}

/// Where a line leads, behind a move: ` after 1. e4 c6`, ` at the root`.
fn place(root: &Chess, line: &[shakmaty::uci::UciMove]) -> String {
    match line {
        [] => " at the root".to_owned(),
        line => format!(" after {}", numbered_line(root, line)),
    }
}

impl GapFound {
    /// The gap in words: `one in 31 games leaves the tree with 3... d6 after 3. Bc4 (30 of them, 10%)`.
    pub fn words(&self, root: &Chess) -> String {
        self.words_at(root, &place(root, &self.line))
    }

    /// The same where the line to it is seen: `one in 31 games leaves the tree with 3... d6 (30 of them, 10%)`.
    pub fn words_here(&self, root: &Chess) -> String {
        self.words_at(root, "")
    }

    fn words_at(&self, root: &Chess, place: &str) -> String {
        let reply = numbered_move(&after(root, &self.line), self.uci);
        let often = describe_often(self.leaves);
        let verb =
            if often.starts_with("one in") || often == "every game" { "leaves" } else { "leave" };
        let share = describe_share(self.share);
        let cost = match self.cost {
            None => String::new(),
            Some(cost) if cost < 0.0005 => "; it costs nothing".to_owned(),
            Some(cost) => format!("; it costs {:.1} points in 100", 100.0 * cost),
        };
        format!(
            "{often} {verb} the tree with {reply}{place} ({}, {share}){cost}",
            count(self.games, "game"),
        )
    }
}

impl OwnLoss {
    /// The loss in words: `3. Bb5 scores 53 in 100, 3. Bc4 56 (every game comes there)`.
    pub fn words(&self, root: &Chess) -> String {
        self.words_at(root, &place(root, &self.line))
    }

    /// The same where the line to it is seen.
    pub fn words_here(&self, root: &Chess) -> String {
        self.words_at(root, "")
    }

    fn words_at(&self, root: &Chess, place: &str) -> String {
        let position = after(root, &self.line);
        let points = |score: f64| format!("{:.1}", 100.0 * score);
        let [own, better] = [self.own, self.better]
            .map(|(uci, score)| (numbered_move(&position, uci), points(score)));
        let often = describe_often(self.reach);
        let verb =
            if often.starts_with("one in") || often == "every game" { "comes" } else { "come" };
        format!(
            "{}{place} scores {} in 100, {} {}; {often} {verb} there",
            own.0, own.1, better.0, better.1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_games_are_told_as_people_tell_them() {
        let often = [0.0, 0.000_4, 0.032, 0.1, 0.34, 0.7, 0.97, 1.0, 1.8].map(describe_often);
        let right = [
            "no game",
            "one in 2,500 games",
            "one in 31 games",
            "one in 10 games",
            "one in 3 games",
            "7 of 10 games",
            "97 of 100 games",
            "every game",
            "every game",
        ];
        assert_eq!(often, right);
    }

    #[test]
    fn the_last_move_is_that_of_the_last_ply() {
        let after_e4 = after(&Chess::default(), [&"e2e4".parse().unwrap()]);
        let last = |root: &Chess, plies| last_move(root, plies);
        assert_eq!([1, 2, 3, 4].map(|plies| last(&Chess::default(), plies)), [1, 1, 2, 2]);
        assert_eq!([1, 2, 3].map(|plies| last(&after_e4, plies)), [1, 2, 2]);
    }
}
