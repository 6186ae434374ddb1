//! Scores in the annotator's own variations: behind each move that the database knows.

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Remark, Value, WrittenGame};
use deepanalyze_core::tree::{Growth, PathValues};
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::game::marks::{is_evaluation, mark_of_move, without_ours};
use crate::game::reading::JudgedBy;
use crate::tree::pgn::eval_tag;
use deepanalyze_view::{load_tree, told_verdict};

/// The remarks on a game's moves, with a score behind each variation move known to an analysis of
/// the position behind it, or to the tree of the position in which the variation begins. Existing
/// scores stay. The rows are the analyses of the game's positions.
///
/// # Errors
///
/// [`StoreError`] if the database fails, or a tree is damaged.
pub fn scored_asides(
    store: &Store,
    game: &Game,
    rows: &[Option<AnalysisRow>],
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

/// The games that end behind the first move of each variation of a game's file, each once.
pub fn variations_begun(written: &WrittenGame) -> Vec<Game> {
    let mut begun: Vec<Game> = Vec::new();
    for (ply, remarks) in written.remarks.iter().skip(1).enumerate() {
        let remarks = without_ours(remarks);
        let mut reading = VariationReader::new(written.game.up_to(ply));
        for remark in &remarks {
            if let Some(here) =
                reading.read(remark).filter(|here| here.is_first).map(|here| here.game)
                && here.moves() != written.game.up_to(here.moves().len()).moves()
                && !begun.iter().any(|other| other.moves() == here.moves())
            {
                begun.push(here.clone());
            }
        }
    }
    begun
}

/// Known scores of lines from a position of a game.
struct KnownLines<'a> {
    store: &'a Store,
    by: &'a JudgedBy,
    /// Where the lines leave it.
    ply: usize,
    /// The tree of the position there.
    growth: Option<&'a Growth>,
}

impl KnownLines<'_> {
    fn scored(&self, before: &Game, remarks: Vec<Remark>) -> Result<Vec<Remark>, StoreError> {
        let mut reading = VariationReader::new(before.clone());
        let (mut scored, mut score) = (Vec::new(), None);
        for remark in remarks {
            if !matches!(remark, Remark::Glyph(_)) {
                let score = score.take().filter(|_| !has_evaluation(&remark));
                scored.extend(score.map(Remark::Comment));
            }
            if let Some(here) = reading.read(&remark) {
                score = self.score(here.game)?;
            }
            scored.push(remark);
        }
        Ok(scored)
    }

    /// The score of a game's last move, as text.
    fn score(&self, game: &Game) -> Result<Option<String>, StoreError> {
        let value = match self.verdict_behind(game)? {
            Some(value) => Some(value),
            None => {
                let known = self.growth.zip(game.moves().get(self.ply..));
                known.and_then(|(growth, moves)| alpha_along(growth, moves))
            }
        };
        let eval = value.and_then(|value| eval_tag(value, game.root().turn().other()));
        Ok(eval.map(|eval| format!("{eval} {}", mark_of_move(None))))
    }

    /// The value of a game's last move for its mover, by the verdict on the position behind it.
    fn verdict_behind(&self, game: &Game) -> Result<Option<Value>, StoreError> {
        let rows = self.store.analyses_of(game)?;
        let Some(row) = self.by.speaking(self.store, &rows)? else { return Ok(None) };
        let told = told_verdict(self.store, &row, game)?;
        Ok(told.map(|told| told.choice.value.step()))
    }
}

/// A line being read: unknown behind an unplayable word.
#[derive(Default)]
struct ReadLine {
    here: Option<Game>,
    /// Before its last move.
    before: Option<Game>,
}

/// Reads the variations behind a move of a game.
struct VariationReader {
    line: ReadLine,
    outer: Vec<ReadLine>,
}

/// A move of a variation that was read.
struct ReadMove<'r> {
    /// The game up to it.
    game: &'r Game,
    /// True if its variation begins with it.
    is_first: bool,
}

impl VariationReader {
    /// Reads behind a move; `before` is the game up to it.
    fn new(before: Game) -> VariationReader {
        VariationReader { line: ReadLine { here: None, before: Some(before) }, outer: Vec::new() }
    }

    /// Reads the next remark; returns it if it is a move.
    fn read(&mut self, remark: &Remark) -> Option<ReadMove<'_>> {
        match remark {
            Remark::Open => {
                let inner = ReadLine { here: self.line.before.clone(), before: None };
                self.outer.push(std::mem::replace(&mut self.line, inner));
            }
            Remark::Close => self.line = self.outer.pop().unwrap_or_default(),
            Remark::Word(word) => return self.line.read(word),
            Remark::Comment(_) | Remark::Glyph(_) => {}
        }
        None
    }
}

impl ReadLine {
    fn read(&mut self, word: &str) -> Option<ReadMove<'_>> {
        let mut game = self.here.clone()?;
        let plies = game.moves().len();
        if game.play_line(word).is_err() {
            // A result or sign is no move; a null move is one.
            let is_null = word.chars().all(|sign| sign == '-');
            self.here.take_if(|_| is_null || word.contains(char::is_alphabetic));
            return None;
        }
        if game.moves().len() == plies {
            return None;
        }
        let is_first = self.before.is_none();
        self.before = self.here.replace(game);
        self.here.as_ref().map(|game| ReadMove { game, is_first })
    }
}

fn has_evaluation(remark: &Remark) -> bool {
    matches!(remark, Remark::Comment(comment) if is_evaluation(comment))
}

/// The alpha of the last of these moves from a tree's root, for its mover, if in the tree.
fn alpha_along(growth: &Growth, moves: &[UciMove]) -> Option<Value> {
    let graph = growth.graph();
    let mut paths = PathValues::new(graph, growth.values());
    let mut node = growth.root();
    let (mut path, mut alpha) = (paths.extend(None, node), None);
    for (index, uci) in moves.iter().enumerate() {
        let edge = graph.moves(node).iter().find(|edge| edge.uci.unpack() == *uci)?;
        alpha = Some(paths.alpha(edge, path));
        node = edge.child;
        let is_last = index + 1 == moves.len();
        if !is_last && paths.repeats(node, path) {
            return None;
        }
        if !is_last {
            path = paths.extend(path, node);
        }
    }
    alpha
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::written_game;

    fn begun(pgn: &str) -> Vec<String> {
        let games = variations_begun(&written_game(pgn.as_bytes(), 1, None).unwrap());
        let moves = |game: &Game| {
            game.moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        games.iter().map(moves).collect()
    }

    #[test]
    fn each_playable_variation_begins_once() {
        let pgn = "1. e4 e5 (1... c5 $1 2. Nf3 (2. c3 d5) (2. Nc3) d6 +-) (1... c5 2. Nc3) \
            2. Nf3 (2. -- Nc3) (2. Ke3 d5) (2. Nf3 {the same}) 2... Nc6 {good} (2... d6! 3. d4 1-0) *";
        let right = ["e2e4 c7c5", "e2e4 c7c5 c2c3", "e2e4 c7c5 b1c3", "e2e4 e7e5 g1f3 d7d6"];
        assert_eq!(begun(pgn), right);
        assert_eq!(
            begun("1. e4 e5 2. Nf3 (2. Bc4 {[%eval 0.2] [%deepanalyze plies 2]} Nc6) *"),
            [""; 0]
        );
    }
}
