//! Scores in the variations of the annotator's own: behind each move that the database knows.

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Remark, Value};
use deepanalyze_core::tree::{Growth, Line};
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::game::ours::{is_evaluation, mark_of_move};
use crate::game::reading::JudgedBy;
use crate::tree::pgn::eval_tag;
use deepanalyze_view::{load_tree, told_verdict};

/// The remarks on a game's moves with a score behind each move of a variation that an analysis of the position behind
/// it knows, or the tree of the position that the variation begins in. A score that stands there stays. The rows are
/// the analyses of the game's positions.
///
/// # Errors
///
/// [`StoreError`] where the database fails, or a tree is damaged.
pub fn scored_asides(
    store: &Store,
    (game, rows): (&Game, &[Option<AnalysisRow>]),
    by: &JudgedBy,
    remarks: Vec<Vec<Remark>>,
) -> Result<Vec<Vec<Remark>>, StoreError> {
    let scored = remarks.into_iter().enumerate().map(|(index, remarks)| {
        let Some(ply) = index.checked_sub(1).filter(|_| remarks.contains(&Remark::Open)) else {
            return Ok(remarks);
        };
        let row = rows.get(ply).and_then(Option::as_ref);
        let growth = row.map(|row| load_tree(store, row.id)).transpose()?.map(|tree| tree.growth);
        let known = KnownLines { store, by, ply, growth: growth.as_deref() };
        known.scored(&game.up_to(ply), remarks)
    });
    scored.collect()
}

/// What is known of lines from a position of a game.
struct KnownLines<'a> {
    store: &'a Store,
    by: &'a JudgedBy,
    /// Where the lines leave the game.
    ply: usize,
    /// The tree of the position there.
    growth: Option<&'a Growth>,
}

/// A line that is read.
#[derive(Default)]
struct ReadLine {
    /// None where its moves cannot be played.
    here: Option<Game>,
    /// Before its last move.
    before: Option<Game>,
}

impl KnownLines<'_> {
    fn scored(&self, before: &Game, remarks: Vec<Remark>) -> Result<Vec<Remark>, StoreError> {
        let mut line = ReadLine { here: None, before: Some(before.clone()) };
        let (mut outer, mut scored, mut score) = (Vec::new(), Vec::new(), None);
        for remark in remarks {
            if !matches!(remark, Remark::Glyph(_)) {
                let score = score.take().filter(|_| !has_evaluation(&remark));
                scored.extend(score.map(Remark::Comment));
            }
            match &remark {
                Remark::Open => {
                    let inner = ReadLine { here: line.before.clone(), before: None };
                    outer.push(std::mem::replace(&mut line, inner));
                }
                Remark::Close => line = outer.pop().unwrap_or_default(),
                Remark::Word(word) if line.read(word) => score = self.score(&line)?,
                Remark::Word(_) | Remark::Comment(_) | Remark::Glyph(_) => {}
            }
            scored.push(remark);
        }
        Ok(scored)
    }

    /// The score of a line's last move, as it is written.
    fn score(&self, line: &ReadLine) -> Result<Option<String>, StoreError> {
        let Some(here) = &line.here else { return Ok(None) };
        let value = match self.verdict_behind(here)? {
            Some(value) => Some(value),
            None => self.growth.zip(here.moves().get(self.ply..)).and_then(alpha_along),
        };
        let eval = value.and_then(|value| eval_tag(value, here.root().turn().other()));
        Ok(eval.map(|eval| format!("{eval} {}", mark_of_move(None))))
    }

    /// The value of a game's last move for its mover, by the verdict on the position behind it.
    fn verdict_behind(&self, game: &Game) -> Result<Option<Value>, StoreError> {
        let rows = self.store.analyses_of(game)?;
        let Some(row) = self.by.speaking(self.store, &rows)? else { return Ok(None) };
        let told = told_verdict(self.store, &row, game)?;
        Ok(told.map(|told| Value::from(told.chosen.score).step()))
    }
}

impl ReadLine {
    /// Reads a word; whether it is a move.
    fn read(&mut self, word: &str) -> bool {
        let Some(mut game) = self.here.clone() else { return false };
        if game.play_line(word).is_err() {
            // A result or a sign is no move.
            self.here.take_if(|_| word.contains(char::is_alphabetic));
            return false;
        }
        let is_move =
            self.here.as_ref().is_some_and(|here| here.moves().len() < game.moves().len());
        if is_move {
            self.before = self.here.replace(game);
        }
        is_move
    }
}

fn has_evaluation(remark: &Remark) -> bool {
    matches!(remark, Remark::Comment(comment) if is_evaluation(comment))
}

/// The alpha of the last one of moves from a tree's root, for its mover, where the tree has it.
fn alpha_along((growth, moves): (&Growth, &[UciMove])) -> Option<Value> {
    let graph = growth.graph();
    let mut line = Line::new(graph, growth.values());
    let mut node = growth.root();
    let (mut path, mut alpha) = (line.extend(None, node), None);
    for (index, uci) in moves.iter().enumerate() {
        let edge = graph.moves(node).iter().find(|edge| edge.uci.unpack() == *uci)?;
        alpha = Some(line.alpha(edge, path));
        node = edge.child;
        let is_last = index + 1 == moves.len();
        if !is_last && line.repeats(node, path) {
            return None;
        }
        if !is_last {
            path = line.extend(path, node);
        }
    }
    alpha
}
