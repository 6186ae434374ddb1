//! A tree's knowledge of a move, in sentences.

use std::io::{self, Write};

use shakmaty::Color;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};

use super::{MoveSearch, Standing, Why};
use crate::claims::by;
use crate::json::NamedMove;
use crate::verdict::ANSWER;
use crate::words::fit::wrap;
use crate::words::manner::describe_limit;
use crate::words::{PointOfView, numbered_line, numbered_move, seen};

/// Plies of a line with a score each, at most.
const MOST_PLIES: usize = 12;

impl Why {
    /// Writes it for people; the width is in columns.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(
        &self,
        pov: PointOfView,
        width: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for line in wrap(&self.headline(pov), width) {
            writeln!(out, "{ANSWER}{line}{ANSWER:#}")?;
        }
        write_sentences(&self.sentences(pov), width, out)
    }

    /// Writes the search of the position behind it; nothing without one.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_search(
        &self,
        pov: PointOfView,
        width: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_sentences(&self.search_sentences(pov), width, out)
    }

    /// How the move stands, in a sentence.
    pub fn headline(&self, pov: PointOfView) -> String {
        let asked = numbered_move(&self.position, self.asked.uci);
        let score = self.score.map(|score| self.told(score, pov));
        match self.standing {
            Standing::Best => {
                let best = self.best_score.map(|score| self.told(score, pov));
                format!("{asked} is the best move: {}", best.unwrap_or_default())
            }
            Standing::Counts => format!(
                "{asked} {}{}",
                score.unwrap_or_default(),
                match self.less {
                    _ if self.is_best_of_tree() => ": the best move of the tree".to_owned(),
                    Some(0) => format!(": as good as {}", self.rival(pov)),
                    Some(less) => format!(": {} worse than {}", by(less), self.rival(pov)),
                    None => String::new(),
                }
            ),
            Standing::Excluded => match score {
                Some(score) => format!("{asked} is excluded by you; the engine gave it {score}"),
                None => format!("{asked} is excluded by you"),
            },
            Standing::Waits if self.is_stopped => {
                format!("{asked} is included by you, but stopped: nothing is searched behind it")
            }
            Standing::Waits => {
                format!("{asked} is included by you, and the next `grow` searches it")
            }
            Standing::Bounded => {
                let bound = self.bound.map(|bound| self.told(bound, pov)).unwrap_or_default();
                let most = match (pov, self.mover()) {
                    (PointOfView::White, Color::Black) => "at least",
                    _ => "at most",
                };
                let beside = match self.less {
                    Some(less) if less > 0 => {
                        format!(": at least {} worse than {}", by(less), self.rival(pov))
                    }
                    _ => {
                        format!("; that does not tell whether it is worse than {}", self.rival(pov))
                    }
                };
                format!("No answer lists {asked}, so it is worth {most} {bound}{beside}")
            }
            Standing::Unknown if self.is_reached && self.counting == 0 => {
                format!("The tree ends before {asked}")
            }
            Standing::Unknown if self.is_reached => format!("Nothing is known of {asked}"),
            Standing::Unknown => format!("The tree does not come to the position before {asked}"),
        }
    }

    /// The rest of the tree's knowledge, a sentence each.
    pub fn sentences(&self, pov: PointOfView) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(place) = self.place.filter(|_| self.standing == Standing::Counts) {
            let counting = self.counting;
            told.push(format!(
                "It is number {place} of the {counting} moves that the tree has here."
            ));
        }
        told.extend(self.describe_closing(pov));
        if let Some(closing) = self.closing.filter(|_| self.standing != Standing::Best) {
            let score = self.seen(closing, pov);
            told.push(format!("An engine of the closing search has chosen it ({score})."));
        }
        told.extend(self.describe_line(pov));
        told.extend(self.describe_turn(pov));
        if !self.line.is_empty() {
            told.extend(self.describe_men());
        }
        told
    }

    /// The search of the position behind it, a sentence each.
    pub fn search_sentences(&self, pov: PointOfView) -> Vec<String> {
        let Some(search) = &self.search else { return Vec::new() };
        let men = self.describe_men().filter(|_| self.line.is_empty());
        std::iter::once(self.describe_search(search, pov)).chain(men).collect()
    }

    fn describe_men(&self) -> Option<String> {
        let men = self.men.as_ref().filter(|_| self.standing != Standing::Best)?;
        let line = self.whole_line();
        let line = line.get(..men.plies).unwrap_or(&line);
        Some(format!("After {} {}.", numbered_line(&self.position, line), men.words))
    }

    /// The verdict of a root, where the closing search has chosen another move than the tree.
    fn describe_closing(&self, pov: PointOfView) -> Option<String> {
        let (best, tree) = (self.best.as_ref()?, self.tree_best.as_ref()?);
        if best.uci == tree.uci {
            return None;
        }
        let score = self.seen(self.best_score?, pov);
        let chosen = numbered_move(&self.position, best.uci);
        let own = match (self.standing, self.score) {
            (Standing::Best, Some(own)) => format!(
                " The tree gives it {}, and prefers {} ({}).",
                self.seen(own, pov),
                numbered_move(&self.position, tree.uci),
                self.seen(self.tree_best_score?, pov)
            ),
            _ => String::new(),
        };
        Some(format!("The closing search has chosen {chosen} ({score}).{own}"))
    }

    /// The line with the engine's score at each ply.
    fn describe_line(&self, pov: PointOfView) -> Option<String> {
        let plies = self.line.iter().take(MOST_PLIES);
        let moves: Vec<UciMove> = self.line.iter().map(|ply| ply.named.uci).collect();
        if moves.len() < 2 && self.own.is_empty() && self.end.is_none() {
            return None;
        }
        let told: Vec<String> = plies
            .map(|ply| match ply.score {
                Some(score) => format!("{} ({})", ply.named.san, self.seen(score, pov)),
                None => ply.named.san.clone(),
            })
            .collect();
        let mut line = crate::words::numbered(&self.position, told.iter().map(String::as_str));
        if moves.len() > MOST_PLIES {
            line += " …";
        } else if !self.own.is_empty() {
            line += &format!(" [{}]", self.own_words(&moves));
        }
        let end = self.end.as_ref().map(|end| format!(": {end}")).unwrap_or_default();
        Some(format!("Line: {line}{end}"))
    }

    fn own_words(&self, moves: &[UciMove]) -> String {
        let behind = crate::words::after(&self.position, moves);
        numbered_line(&behind, &NamedMove::ucis(&self.own))
    }

    /// The move from which on the score shows that it is worse.
    fn describe_turn(&self, pov: PointOfView) -> Option<String> {
        let ply = self.shown_at.filter(|_| self.has_searched_line())?;
        if self.standing == Standing::Best {
            return None;
        }
        let moves: Vec<UciMove> = self.line.iter().map(|ply| ply.named.uci).collect();
        let score = self.seen(self.line.get(ply)?.score?, pov);
        if ply == 0 {
            return Some(format!("The engine saw it at once ({score})."));
        }
        let line = numbered_line(&self.position, moves.get(..=ply)?);
        Some(format!("The score shows it only after {line} ({score})."))
    }

    fn describe_search(&self, search: &MoveSearch, pov: PointOfView) -> String {
        let MoveSearch { score, line, source } = search;
        let behind = self.behind();
        let line = NamedMove::ucis(line);
        let told = self.told(*score, pov);
        let is_by_another = source.engine != self.engine;
        let less = self
            .tree_best_score
            .filter(|_| !is_by_another)
            .map(|most| i64::from(Value::from(most).get()) - i64::from(Value::from(*score).get()));
        let beside = match less {
            Some(less) if less > 0 && self.standing != Standing::Best => {
                format!(", {} worse than {}", by(less), self.rival(pov))
            }
            Some(less) if less < 0 && self.standing != Standing::Best => {
                format!(", {} better than {}", by(-less), self.rival(pov))
            }
            _ => String::new(),
        };
        format!(
            "Searched to {} by {}{}: {told}{beside}: {}",
            describe_limit(source.limit),
            source.engine,
            if is_by_another { ", not the engine of the analysis" } else { "" },
            numbered_line(&behind, line.get(..MOST_PLIES).unwrap_or(&line))
        )
    }

    /// The tree's best move with its score.
    fn rival(&self, pov: PointOfView) -> String {
        let (best, score) = (self.tree_best.as_ref(), self.tree_best_score);
        let Some(best) = best else { return "the best move".to_owned() };
        let score = score.map(|score| format!(" ({})", self.seen(score, pov))).unwrap_or_default();
        format!("{}{score}", numbered_move(&self.position, best.uci))
    }

    fn is_best_of_tree(&self) -> bool {
        self.tree_best.as_ref().is_some_and(|best| best.uci == self.asked.uci)
    }

    fn whole_line(&self) -> Vec<UciMove> {
        if self.line.is_empty() {
            let search = self.search.iter().flat_map(|search| NamedMove::ucis(&search.line));
            return std::iter::once(self.asked.uci).chain(search).collect();
        }
        let line = self.line.iter().map(|ply| ply.named.uci);
        line.chain(NamedMove::ucis(&self.own)).collect()
    }

    fn seen(&self, score: Score, pov: PointOfView) -> Score {
        seen(score, self.mover(), pov)
    }

    /// A score with the side that it is for.
    fn told(&self, score: Score, pov: PointOfView) -> String {
        let side = pov.side(self.mover()).fold_wb("White", "Black");
        format!("{} for {side}", self.seen(score, pov))
    }
}

fn write_sentences(
    sentences: &[String],
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = sentences.iter().flat_map(|sentence| wrap(sentence, width));
    lines.try_for_each(|line| writeln!(out, "{line}"))
}
