//! Output of one analysis, in the broker's form: all lines at once; and its timing.

use shakmaty::Chess;
use tokio::select;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until, timeout};

use deepanalyze_core::uci::{Info, best_move, king_takes_rook};
use deepanalyze_runner::session::Report;
use deepanalyze_view::Line;

use super::api::{BETWEEN_BLOCKS, LONGEST_LINE, SAY_AGAIN};
use super::provider::BoardAnalysis;
use super::question::BoardQuestion;

/// Time the last lines may wait for a reader.
const LAST_LINES: Duration = Duration::from_secs(1);
/// Without a limit of time.
const ENDLESS: Duration = Duration::from_secs(365 * 86_400);

/// Sends a position's analysis until its goal is reached, nothing is left to find, or the reader is
/// gone. A slow reader gets the newest.
pub async fn feed(analysis: BoardAnalysis, question: &BoardQuestion, to: mpsc::Sender<String>) {
    let blocks = BlockWriter::new(question.game.root().clone(), question.lines);
    let mut feed = Feed { analysis, question, blocks, to, sent: None };
    // The first report may be there already.
    feed.analysis.reports.mark_changed();
    // The result at the end of the time is sent below.
    let _ = timeout(question.time.unwrap_or(ENDLESS).min(ENDLESS), feed.until_reached()).await;
    feed.end().await;
}

struct Feed<'a> {
    analysis: BoardAnalysis,
    question: &'a BoardQuestion,
    blocks: BlockWriter,
    to: mpsc::Sender<String>,
    /// When the last block was sent.
    sent: Option<Instant>,
}

impl Feed<'_> {
    async fn until_reached(&mut self) {
        loop {
            let goes_on = self.is_something_due().await;
            // Written only once the reader has room.
            let Ok(room) = self.to.reserve().await else { return };
            let report = self.analysis.reports.borrow_and_update().clone();
            if let Some(report) = report {
                if let Some(block) = self.blocks.block(&report) {
                    room.send(block);
                    self.sent = Some(Instant::now());
                }
                if self.question.is_reached(&report) {
                    return;
                }
            }
            if !goes_on {
                return;
            }
        }
    }

    /// Waits for news, or until it is time to repeat; false if none can come.
    async fn is_something_due(&mut self) -> bool {
        if let Some(sent) = self.sent {
            sleep_until(sent + BETWEEN_BLOCKS).await;
        }
        let again = self.sent.map(|sent| sent + SAY_AGAIN);
        let repeat = async {
            match again {
                Some(again) => sleep_until(again).await,
                None => std::future::pending().await,
            }
        };
        select! {
            changed = self.analysis.reports.changed() => changed.is_ok(),
            () = repeat => true,
        }
    }

    /// Sends the newest lines once more, marked as the last.
    async fn end(mut self) {
        let newest = self.analysis.reports.borrow().clone();
        let block = newest.and_then(|report| self.blocks.block(&report));
        if let (Some(block), Ok(Ok(room))) = (block, timeout(LAST_LINES, self.to.reserve()).await) {
            room.send(block + &self.blocks.end());
        }
    }
}

/// Writes blocks of lines for one job.
#[derive(Debug)]
struct BlockWriter {
    root: Chess,
    most: usize,
    /// The lines of the last block.
    sent: Vec<Line>,
}

impl BlockWriter {
    /// For a position, with at most this many lines.
    fn new(root: Chess, most: u32) -> BlockWriter {
        BlockWriter { root, most: usize::try_from(most).unwrap_or(usize::MAX), sent: Vec::new() }
    }

    /// All lines of a report, one below the other; `None` without any.
    ///
    /// No block has fewer lines than the one before, or it would not be shown: if a report has
    /// fewer, moves of the block before follow them.
    fn block(&mut self, report: &Report) -> Option<String> {
        let legal = report.lines.iter().filter_map(|line| self.legal(line));
        let mut lines: Vec<Line> = legal.take(self.most).collect();
        for line in std::mem::take(&mut self.sent) {
            let is_there = lines.iter().any(|other| other.best() == line.best());
            if lines.len() < self.most && !is_there {
                lines.push(line);
            }
        }
        self.sent = lines;
        let text: String =
            self.sent.iter().zip(1..).map(|(line, rank)| info(report, line, rank)).collect();
        Some(text).filter(|text| !text.is_empty())
    }

    /// The line that ends the search.
    fn end(&self) -> String {
        let moves = self.sent.first().map(|line| line.moves.as_slice()).unwrap_or_default();
        best_move(moves.first(), moves.get(1)) + "\n"
    }

    /// A line's moves as far as shown, castling as king takes rook; `None` if even the first is
    /// illegal.
    fn legal(&self, line: &Line) -> Option<Line> {
        let moves = king_takes_rook(&self.root, line.plies(LONGEST_LINE));
        (!moves.is_empty()).then(|| Line::new(self.root.clone(), moves, line.value))
    }
}

fn info(report: &Report, line: &Line, rank: usize) -> String {
    let info = Info {
        depth: report.depth,
        seldepth: report.seldepth,
        multipv: rank,
        score: line.score(),
        bound: None,
        // The broker does not know the word.
        wdl: None,
        nodes: report.nodes,
        hashfull: 0,
        time: report.time,
        pv: &line.moves,
    };
    format!("{info}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Game, Score};
    use std::time::Duration;

    fn blocks(moves: &str, most: u32) -> BlockWriter {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        BlockWriter::new(game.root().clone(), most)
    }

    fn report(lines: &[(i32, &str)]) -> Report {
        let line = |(cp, moves): &(i32, &str)| {
            let moves = moves.split_whitespace().map(|uci| uci.parse().unwrap()).collect();
            Line::new(Chess::default(), moves, Score::Cp(*cp).into())
        };
        let time = Duration::from_millis(1500);
        let lines = lines.iter().map(line).collect();
        Report { depth: 14, seldepth: 20, nodes: 3000, time, lines }
    }

    fn first_moves(block: &str) -> Vec<&str> {
        let lines = block.lines().map(|line| line.split(" pv ").nth(1).unwrap());
        lines.map(|moves| moves.split(' ').next().unwrap()).collect()
    }

    #[test]
    fn lines_have_all_words_the_broker_knows_and_no_other() {
        let block = blocks("", 5).block(&report(&[(13, "e2e4 e7e5"), (-7, "d2d4")])).unwrap();
        assert_eq!(
            block,
            "info depth 14 seldepth 20 multipv 1 score cp 13 nodes 3000 nps 2000 hashfull 0 time 1500 \
             pv e2e4 e7e5\n\
             info depth 14 seldepth 20 multipv 2 score cp -7 nodes 3000 nps 2000 hashfull 0 time 1500 \
             pv d2d4\n"
        );
    }

    #[test]
    fn castling_is_the_king_taking_the_rook() {
        let mut blocks = blocks("e4 e5 Nf3 Nc6 Bc4 Bc5", 1);
        let block = blocks.block(&report(&[(30, "e1g1 g8f6 d2d3 e8g8")])).unwrap();
        assert!(block.ends_with(" pv e1h1 g8f6 d2d3 e8h8\n"), "{block}");
        assert_eq!(blocks.end(), "bestmove e1h1 ponder g8f6\n");
    }

    #[test]
    fn lines_without_legal_moves_drop_and_long_ones_cut() {
        let endless = "g1f3 g8f6 f3g1 f6g8 ".repeat(20);
        let lines = [(1, "e2e5"), (0, ""), (2, endless.as_str()), (3, "e2e4 e7e4 d2d4")];
        let block = blocks("", 5).block(&report(&lines)).unwrap();
        let moves: Vec<usize> = block
            .lines()
            .map(|line| line.split(" pv ").nth(1).unwrap().split(' ').count())
            .collect();
        assert_eq!(moves, [30, 1]);
        assert!(block.starts_with("info depth 14 seldepth 20 multipv 1 score cp 2 "));
        assert!(blocks("", 5).block(&report(&[])).is_none());
        assert_eq!(blocks("", 5).end(), "bestmove (none)\n");
    }

    #[test]
    fn a_block_never_has_fewer_lines_than_the_one_before() {
        let mut blocks = blocks("", 3);
        let few = blocks.block(&report(&[(20, "e2e4")])).unwrap();
        assert_eq!(first_moves(&few), ["e2e4"]);
        let all = [(20, "e2e4"), (10, "d2d4"), (5, "c2c4"), (0, "g1f3")];
        assert_eq!(first_moves(&blocks.block(&report(&all)).unwrap()), ["e2e4", "d2d4", "c2c4"]);
        let one = blocks.block(&report(&[(30, "d2d4")])).unwrap();
        assert_eq!(first_moves(&one), ["d2d4", "e2e4", "c2c4"]);
        assert!(one.lines().nth(2).unwrap().contains(" multipv 3 score cp 5 "));
        let other = blocks.block(&report(&[(40, "g1f3"), (1, "b1c3")])).unwrap();
        assert_eq!(first_moves(&other), ["g1f3", "b1c3", "d2d4"]);
        assert_eq!(blocks.block(&report(&[])).unwrap().lines().count(), 3);
    }
}
