//! A repertoire against people, in words.

use shakmaty::Chess;

use crate::audit::games::{GapFound, Met, OwnLoss};
use deepanalyze_view::{
    Part, after, count, describe_share, grouped, numbered_line, numbered_move, part_of_games,
};

/// A frequency: `one in 31 games`, `70 of 100 games`.
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
    // Digits do not matter below one in a thousand million.
    let one_in = (1.0 / likely).round().min(1e9) as u64;
    format!("one in {} games", grouped(one_in))
}

/// The place behind a line: ` after 1. e4 c6`, ` at the root`.
fn place(root: &Chess, line: &[shakmaty::uci::UciMove]) -> String {
    match line {
        [] => " at the root".to_owned(),
        line => format!(" after {}", numbered_line(root, line)),
    }
}

impl Met {
    /// `; one in 31 games (30 games, 10%)`.
    pub fn words(&self) -> String {
        let often = describe_often(self.likely);
        format!("; {often} ({}, {})", count(self.games, "game"), describe_share(self.share))
    }
}

impl GapFound {
    /// In words: `one in 31 games leaves the tree with 3... d6 after 3. Bc4 (30 of them, 10%)`.
    pub fn words(&self, root: &Chess) -> String {
        self.words_at(root, &place(root, &self.line))
    }

    /// The gap where its line is visible: `one in 31 games leaves the tree with 3... d6 (30 of
    /// them, 10%)`.
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

    /// The loss where its line is visible.
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
            "70 of 100 games",
            "97 of 100 games",
            "every game",
            "every game",
        ];
        assert_eq!(often, right);
    }
}
