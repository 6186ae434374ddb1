//! A Lichess job's question.

use std::time::Duration;

use deepanalyze_core::chess::{Ending, Game, GameError};
use deepanalyze_runner::session::Report;

use super::api::{BoardWork, CHESS, CHESS960, MOST_LINES, MOST_MOVES};

/// A position, the number of lines, and limits; the first reached ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardQuestion {
    /// The game up to the position.
    pub game: Game,
    /// Lines, from 1 to 5.
    pub lines: u32,
    /// Time limit.
    pub time: Option<Duration>,
    /// Plies, as reported.
    pub depth: Option<u32>,
    /// Positions searched.
    pub nodes: Option<u64>,
}

/// Reason for a refusal.
#[derive(Debug, thiserror::Error)]
pub enum JobRefusal {
    /// It cannot be read.
    #[error("the job cannot be understood: {0}")]
    Garbage(#[from] serde_json::Error),
    /// Another variant.
    #[error("only chess and Chess960 are analysed here, not {0:?}")]
    Variant(String),
    /// Invalid position, or an illegal move.
    #[error("the position cannot be analysed: {0}")]
    Position(#[from] GameError),
    /// Too many moves before the position.
    #[error("there are {0} moves before the position")]
    TooMany(usize),
    /// Nothing to search.
    #[error("the game is over: {}", .0.name())]
    Over(Ending),
    /// It cannot be analysed now; why.
    #[error("{0}")]
    Failed(String),
}

impl BoardQuestion {
    /// Reads a job.
    ///
    /// # Errors
    ///
    /// [`JobRefusal`] if it cannot be done.
    pub fn of(work: &BoardWork) -> Result<BoardQuestion, JobRefusal> {
        if ![CHESS, CHESS960].contains(&work.variant.as_str()) {
            return Err(JobRefusal::Variant(work.variant.clone()));
        }
        if work.moves.len() > MOST_MOVES {
            return Err(JobRefusal::TooMany(work.moves.len()));
        }
        let mut game = Game::from_start(work.initial_fen.trim())?;
        game.play_line(&work.moves.join(" "))?;
        match Ending::of(game.root()) {
            Some(ending) => Err(JobRefusal::Over(ending)),
            None => Ok(BoardQuestion {
                game,
                lines: work.multi_pv.clamp(1, MOST_LINES),
                time: work.movetime.map(Duration::from_millis),
                depth: work.depth,
                nodes: work.nodes,
            }),
        }
    }

    /// True if a report reaches a limit.
    pub fn is_reached(&self, report: &Report) -> bool {
        self.depth.is_some_and(|depth| report.depth >= depth)
            || self.nodes.is_some_and(|nodes| report.nodes >= nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::epd_of;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn work(fen: &str, moves: &str) -> BoardWork {
        BoardWork {
            session_id: "one".to_owned(),
            multi_pv: 3,
            variant: CHESS.to_owned(),
            initial_fen: fen.to_owned(),
            moves: moves.split_whitespace().map(str::to_owned).collect(),
            movetime: None,
            depth: None,
            nodes: None,
        }
    }

    #[test]
    fn castling_is_read_in_the_brokers_and_usual_spelling() {
        let line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        let games = ["e1h1", "e1g1"].map(|castling| {
            let moves = format!("{line} {castling}");
            BoardQuestion::of(&work(START, &moves)).unwrap().game
        });
        assert_eq!(games[0], games[1]);
        assert_eq!(games[0].moves().len(), 7);
    }

    #[test]
    fn chess960_is_read_in_both_castling_spellings() {
        for (variant, rights) in [(CHESS, "KQkq"), (CHESS960, "FCfc")] {
            let fen = format!("bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w {rights} - 0 1");
            let work = work(&fen, "f2f4 f7f5 g1f2 g8f7 e1f1");
            let work = BoardWork { variant: variant.to_owned(), ..work };
            let game = BoardQuestion::of(&work).unwrap().game;
            let castled = "bnrbkr1n/pppppqpp/8/5p2/5P2/8/PPPPPQPP/BNRB1RKN b fc -";
            assert_eq!(epd_of(game.root()), castled);
        }
    }

    #[test]
    fn other_variants_bad_and_final_positions_are_refused() {
        let refused = |work: &BoardWork| BoardQuestion::of(work).unwrap_err().to_string();
        let other = BoardWork { variant: "crazyhouse".to_owned(), ..work(START, "") };
        assert_eq!(
            refused(&other),
            "only chess and Chess960 are analysed here, not \"crazyhouse\""
        );
        assert!(refused(&work(START, "e2e5")).contains("illegal"));
        assert!(refused(&work(START, "e2e4 what")).contains("what"));
        assert!(refused(&work("no position", "")).contains("position cannot be analysed"));
        assert!(refused(&work(START, "f2f3 e7e5 g2g4 d8h4")).contains("checkmate"));
        let endless = "g1f3 g8f6 f3g1 f6g8 ".repeat(151);
        assert!(refused(&work(START, &endless)).contains("604 moves"));
    }

    #[test]
    fn lines_are_as_many_as_the_broker_takes() {
        for (asked, right) in [(0, 1), (1, 1), (5, 5), (9, 5), (u32::MAX, 5)] {
            let work = BoardWork { multi_pv: asked, ..work(START, "") };
            assert_eq!(BoardQuestion::of(&work).unwrap().lines, right);
        }
    }

    #[test]
    fn a_goal_is_reached_by_depth_or_nodes() {
        let (time, lines) = (Duration::ZERO, Vec::new());
        let report = Report { depth: 14, seldepth: 14, nodes: 1000, time, lines };
        let goal = |depth, nodes| {
            BoardQuestion::of(&BoardWork { depth, nodes, ..work(START, "") }).unwrap()
        };
        assert!(!goal(None, None).is_reached(&report));
        assert!(goal(Some(14), None).is_reached(&report));
        assert!(!goal(Some(15), Some(1001)).is_reached(&report));
        assert!(goal(Some(15), Some(1000)).is_reached(&report));
        let day = BoardWork { movetime: Some(86_400_000), ..work(START, "") };
        assert_eq!(BoardQuestion::of(&day).unwrap().time, Some(Duration::from_secs(86_400)));
    }
}
