//! Summary of a repertoire, or of an opponent's moves, beside the verdict of the root.

use shakmaty::{Color, Position};

use deepanalyze_core::directives::{Directives, IncludedPositions, included_positions};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Growth, Layout, places};
use deepanalyze_runner::{Job, PreparedFor, RunOutcome};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store, StoreError};
use deepanalyze_view::{
    People, PeopleAsked, advice, count, describe_coverage, describe_left_out, describe_limit,
    grouped, load_growth,
};

/// Result of a run that was not made for the best move of its root alone.
#[derive(Default)]
pub struct Prepared {
    /// In lines.
    pub words: Vec<String>,
    /// Moves that the rules for following games leave out for their number of games.
    pub left_out: Option<String>,
    /// True if the opponent is to move at the root: then its verdict comes after these lines.
    pub is_opponents: bool,
}

/// The summary of a run; empty if it was made for the best move of its root, without games.
///
/// # Errors
///
/// [`StoreError`] where the database fails or the tree is damaged.
pub fn prepared(store: &Store, job: &Job, outcome: &RunOutcome) -> Result<Prepared, StoreError> {
    let (said, root) = (store.directives(&job.game)?, job.game.root());
    let is_prepared = PreparedFor::of(&job.game, &job.tree, &said).is_some();
    if outcome.positions == 0 || !is_prepared && job.tree.games.is_none() {
        return Ok(Prepared::default());
    }
    let Some((id, growth)) = grown(store, outcome.analysis)? else {
        return Ok(Prepared::default());
    };
    let left_out = describe_left_out(root, &growth);
    if !is_prepared {
        return Ok(Prepared { left_out, ..Prepared::default() });
    }
    let opponent = job.tree.opponent().or_else(|| opponent_of(&said));
    let is_opponents = opponent == Some(root.turn());
    let mut words: Vec<String> =
        included(store, id, &growth, &said, outcome)?.into_iter().collect();
    if is_opponents && growth.counts().rules.is_some() {
        let people = People::of(&growth, PeopleAsked::of(!root.turn()));
        let stays = describe_coverage(&people.coverage_by_move(root));
        let advice = advice(&people, growth.root(), root);
        words.extend(advice.into_iter().chain(stays).reduce(|all, more| format!("{all}; {more}")));
    }
    if is_opponents && words.is_empty() {
        let side = root.turn().fold_wb("White", "Black");
        let (graph, layout) = (growth.graph(), Layout { plies: Some(1), ..Layout::default() });
        let root = places(graph, growth.values(), &[growth.root()], growth.breadth(), layout);
        let moves = root.iter().flat_map(|root| &root.moves);
        let all: Vec<_> = moves.filter(|child| child.candidate).collect();
        let answered = all.iter().filter(|child| graph.is_analysed(child.edge.child)).count();
        let (all, answered) = (count(all.len() as u64, "move"), grouped(answered as u64));
        words.push(format!("{side} to move: {all} to answer, {answered} answered"));
    }
    Ok(Prepared { words, left_out, is_opponents })
}

fn grown(
    store: &Store,
    analysis: Option<AnalysisId>,
) -> Result<Option<(AnalysisId, Growth)>, StoreError> {
    let Some(id) = analysis else { return Ok(None) };
    Ok(load_growth(store, id, &|| true)?.map(|growth| (id, growth)))
}

/// How many included positions are analysed, with what speaks and with a deeper stage; none where no move is included.
fn included(
    store: &Store,
    id: AnalysisId,
    growth: &Growth,
    said: &Directives,
    outcome: &RunOutcome,
) -> Result<Option<String>, StoreError> {
    let Some(IncludedPositions { all, analysed }) = included_positions(growth, said) else {
        return Ok(None);
    };
    let mut words = format!(
        "{} of {} analysed with {}",
        grouped(analysed as u64),
        count(all as u64, "included position"),
        describe_limit(outcome.limit)
    );
    if let Some((deeper, _)) = outcome.deeper
        && let Some(row) = stage(store, id, deeper)?
        && let Some(growth) = load_growth(store, row.id, &|| true)?
        && let Some(IncludedPositions { analysed, .. }) = included_positions(&growth, said)
    {
        words += &format!(", {} with {}", grouped(analysed as u64), describe_limit(deeper));
    }
    Ok(Some(words))
}

/// The stage of an analysis whose searches go as far as this.
fn stage(store: &Store, id: AnalysisId, limit: Limit) -> Result<Option<AnalysisRow>, StoreError> {
    let Some(row) = store.analysis(id)? else { return Ok(None) };
    let Some(game) = row.game() else { return Ok(None) };
    let profile = Profile { limit, ..row.profile.clone() };
    let mut all = store.analyses_of(&game)?.into_iter();
    Ok(all.find(|other| other.settings == row.settings && other.profile == profile))
}

/// The side with the more included moves in a position: one's own moves are chosen, the other side's are met.
fn opponent_of(said: &Directives) -> Option<Color> {
    let mut sides = [(0_u64, 0_u64); 2];
    for (key, said) in said.positions().filter(|(_, said)| !said.include.is_empty()) {
        let side = key.position().turn().fold_wb(0, 1);
        if let Some((moves, positions)) = sides.get_mut(side) {
            *moves += said.include.len() as u64;
            *positions += 1;
        }
    }
    let [white, black] = sides;
    // Moves in a position, without fractions.
    match (white.0 * black.1.max(1)).cmp(&(black.0 * white.1.max(1))) {
        std::cmp::Ordering::Greater => Some(Color::White),
        std::cmp::Ordering::Less => Some(Color::Black),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Game, PositionKey};
    use deepanalyze_core::directives::Directive;

    fn opponent(lines: &[&str]) -> Option<Color> {
        let mut set = Directives::default();
        for line in lines {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(line).unwrap();
            let before = std::iter::once(game.start().clone()).chain(game.positions());
            for (position, uci) in before.zip(game.moves()) {
                set.put(PositionKey::of(&position), Directive::Include(*uci));
            }
        }
        opponent_of(&set)
    }

    #[test]
    fn the_side_with_more_included_moves_is_the_opponent() {
        assert_eq!(opponent(&["e4 c6 d4 d5", "e4 c6 Nf3 d5"]), Some(Color::White));
        assert_eq!(opponent(&["e4 c6 d4", "e4 c5 Nf3", "e4 e5 Nf3"]), Some(Color::Black));
        assert_eq!(opponent(&["e4 c6 d4"]), None);
        assert_eq!(opponent(&["e4"]), Some(Color::White), "nothing of Black's is chosen");
        assert_eq!(opponent(&[]), None);
    }
}
