//! The search of one node with depth left.

use crate::board::Board;
use crate::history::MAX_PLY;
use crate::moves::{Move, MoveList};
use crate::ordering::Picker;
use crate::score::{GREATEST_EVALUATION, INFINITE, MATE, from_table, is_mate, mated_in, to_table};
use crate::table::{BoundKind, NO_EVALUATION, TableEntry};

use super::Searcher;
use super::node::{Budgets, KnownNode, NodeKind, SearchNode};
use super::tables::within;

impl Searcher<'_> {
    /// The score of a node for its side to move.
    pub(super) fn node(&mut self, board: &Board, node: SearchNode) -> i32 {
        self.frames[node.ply].line.clear();
        if self.stopped || self.is_drawn(board) {
            return 0;
        }
        let excluded = self.frames[node.ply].excluded;
        let said = if excluded.is_some() { None } else { self.look_up(board, node.ply) };
        if let Some((score, _)) = said.filter(|(score, bound)| bound.decides(*score, node.window)) {
            return score;
        }
        if node.depth <= 0 {
            return within(self.leaf(board, node), said);
        }
        if node.ply >= MAX_PLY {
            return self.evaluate(board, node.ply);
        }
        let mut node = node;
        if self.options.speculation
            && !excluded.is_some()
            && let Some(score) = self.mate_distance(&mut node)
        {
            return score;
        }
        let key = self.table_key(board, node.budgets);
        let entry = if excluded.is_some() { None } else { self.table.probe(key) };
        if !node.is_line()
            && let Some(score) = self.table_cut(board, &node, entry)
        {
            return score;
        }
        let known = self.assess(board, &mut node, entry);
        if self.options.speculation
            && !excluded.is_some()
            && let Some(score) = self.prune(board, &node, &known)
        {
            return score;
        }
        within(self.try_moves(board, node, &known, key), said)
    }

    /// No mate here can be better or worse than one already found nearer the root.
    fn mate_distance(&self, node: &mut SearchNode) -> Option<i32> {
        let (alpha, beta) = &mut node.window;
        *alpha = (*alpha).max(mated_in(node.ply));
        *beta = (*beta).min(MATE - node.ply as i32 - 1);
        (*alpha >= *beta).then_some(*alpha)
    }

    /// The table's key. Plain search must not mix searches with different budgets.
    pub(super) fn table_key(&self, board: &Board, budgets: Budgets) -> u64 {
        if self.options.speculation { board.key() } else { board.key() ^ budgets.key() }
    }

    fn table_cut(
        &self,
        board: &Board,
        node: &SearchNode,
        entry: Option<TableEntry>,
    ) -> Option<i32> {
        let entry = entry?;
        let deep = if self.options.speculation {
            entry.depth >= node.depth
        } else {
            entry.depth == node.depth
        };
        // Near the fifty-move rule the same position is not worth the same.
        if !deep || board.halfmoves() >= 90 {
            return None;
        }
        let score = from_table(entry.score, node.ply);
        entry.bound.decides(score, node.window).then_some(score)
    }

    fn assess(
        &mut self,
        board: &Board,
        node: &mut SearchNode,
        entry: Option<TableEntry>,
    ) -> KnownNode {
        let safety = board.safety();
        let raw = self.static_evaluation(board, entry, node.ply);
        self.frames[node.ply].evaluation = raw;
        let evaluation = if raw == NO_EVALUATION { raw } else { self.corrected(board, raw) };
        let improving =
            raw != NO_EVALUATION && node.ply >= 2 && raw > self.frames[node.ply - 2].evaluation;
        self.own.histories.clear_killers_at(node.ply + 1);
        let limit = self.options.candidate_limit;
        let (budgets, costs) = node.budgets.spend(board, &safety, limit);
        let without_move = !entry.is_some_and(|entry| entry.best.is_some());
        if self.options.speculation && without_move && node.depth >= 4 && node.kind != NodeKind::All
        {
            node.depth -= 1;
        }
        KnownNode { safety, entry, evaluation, improving, budgets, costs }
    }

    fn try_moves(&mut self, board: &Board, node: SearchNode, known: &KnownNode, key: u64) -> i32 {
        let excluded = self.frames[node.ply].excluded;
        let before = self.before(node.ply);
        let [first, second] = self.own.histories.killers(node.ply);
        let special = [first, second, self.own.histories.answer(before[0])];
        let hint = self.hint(board, known, excluded);
        let mut picker = Picker::new(hint, special, before);
        let (mut alpha, beta) = node.window;
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        let mut count = 0;
        let mut quiets = MoveList::new();
        let mut captures = MoveList::new();
        // Behind a move that raised alpha, others are searched a ply less deep.
        let mut tried = node;
        while let Some(m) = picker.next(board, &known.safety, &self.own.histories) {
            if m == excluded {
                continue;
            }
            count += 1;
            let tactical = board.is_tactical(m);
            if best >= -GREATEST_EVALUATION
                && self.options.speculation
                && self.skips(board, &tried, known, m, count, alpha, &picker)
            {
                continue;
            }
            let extension = self.extension(board, &tried, known, m);
            let score = self.try_move(board, &tried, known, m, (alpha, beta), count, extension);
            if self.stopped {
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m;
                    if node.is_line() {
                        self.extend_line(node.ply, m);
                    }
                    if score >= beta {
                        self.reward(board, &node, m, &quiets, &captures, before);
                        break;
                    }
                    alpha = score;
                    if self.options.speculation && (3..12).contains(&tried.depth) && !is_mate(score)
                    {
                        tried.depth -= 1;
                    }
                }
            }
            if m != best_move {
                if tactical { captures.push(m) } else { quiets.push(m) }
            }
        }
        if count == 0 {
            return if excluded.is_some() { alpha } else { Self::end_score(board, node.ply) };
        }
        if !excluded.is_some() {
            self.keep(board, &node, key, best, best_move);
        }
        best
    }

    /// The table's move, if it is one here.
    fn hint(&self, board: &Board, known: &KnownNode, excluded: Move) -> Move {
        known
            .entry
            .map(|entry| entry.best)
            .filter(|&m| m.is_some() && m != excluded && board.is_legal(&known.safety, m))
            .unwrap_or(Move::NONE)
    }

    #[expect(clippy::too_many_arguments, reason = "a node's whole state goes into a move")]
    fn try_move(
        &mut self,
        board: &Board,
        node: &SearchNode,
        known: &KnownNode,
        m: Move,
        (alpha, beta): (i32, i32),
        count: usize,
        extension: i32,
    ) -> i32 {
        let depth = node.depth - i32::from(known.costs) + extension;
        let tactical = board.is_tactical(m);
        let next = self.enter(board, m, node.ply);
        let child = |window, depth, kind| SearchNode {
            window,
            depth,
            ply: node.ply + 1,
            budgets: known.budgets,
            kind,
            tactical,
        };
        let mut score = 0;
        let mut open = node.is_line() && count == 1;
        if !open {
            let null = (-alpha - 1, -alpha);
            let reduction = self.reduction(board, node, known, m, count, &next);
            let reduced = (depth - reduction).clamp(1.min(depth), depth.max(1));
            if reduced < depth {
                score = -self.node(&next, child(null, reduced, NodeKind::Cut));
            }
            if reduced >= depth || (score > alpha && !self.stopped) {
                score = -self.node(&next, child(null, depth, node.child_kind()));
            }
            open = node.is_line() && score > alpha && score < beta && !self.stopped;
        }
        if open {
            score = -self.node(&next, child((-beta, -alpha), depth, NodeKind::Line));
        }
        self.leave();
        score
    }

    fn reward(
        &mut self,
        board: &Board,
        node: &SearchNode,
        m: Move,
        quiets: &[Move],
        captures: &[Move],
        before: [crate::history::PieceTo; 2],
    ) {
        let histories = &mut self.own.histories;
        let depth = node.depth;
        if board.is_tactical(m) {
            histories.reward_capture(board, Some(m), captures, depth);
        } else {
            histories.reward_quiet(board, m, quiets, depth, node.ply, before);
            histories.reward_capture(board, None, captures, depth);
        }
    }

    /// Writes the node into the table and learns where the evaluation was off.
    fn keep(&mut self, board: &Board, node: &SearchNode, key: u64, best: i32, best_move: Move) {
        let (alpha, beta) = node.window;
        let bound = match best {
            s if s >= beta => BoundKind::Lower,
            s if s > alpha && node.is_line() => BoundKind::Exact,
            _ => BoundKind::Upper,
        };
        let evaluation = self.frames[node.ply].evaluation;
        if self.options.speculation && evaluation != NO_EVALUATION && !is_mate(best) {
            let quiet = !best_move.is_some() || !board.is_tactical(best_move);
            let corrected = self.corrected(board, evaluation);
            let told = match bound {
                BoundKind::Lower => best > corrected,
                BoundKind::Upper => best < corrected,
                _ => true,
            };
            if quiet && told {
                let difference = (best - evaluation).clamp(-400, 400);
                self.own.corrections.learn(board, difference, node.depth);
            }
        }
        let entry = TableEntry {
            best: best_move,
            score: to_table(best, node.ply),
            evaluation,
            depth: node.depth,
            bound,
        };
        self.table.store(key, entry);
    }
}
