//! Figures of the arms' lists over all positions.

use crate::duel::alternatives::tally::{Fraction, ListParts};
use crate::duel::alternatives::{AlternativesContest, AlternativesOutcome, RankedMoves};
use crate::duel::statistics::{Estimate, ratio};

/// The figures of a list, or of a tree's less a search's: shares, and the error in centipawns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The share of the judge's moves that is listed.
    pub listed: Option<Estimate>,
    /// The mean absolute error of the scores of those.
    pub error: Option<Estimate>,
    /// The share of their pairs that is in the wrong order.
    pub wrong: Option<Estimate>,
    /// As `wrong` for all pairs of the judge's moves: unlisted ones come last.
    pub wrong_of_all: Option<Estimate>,
    /// How often the judge's second-best move is one of the first two.
    pub second: Option<Estimate>,
    /// The share of the judge's moves that are near to its best that is not listed.
    pub missed: Option<Estimate>,
}

/// A tree less a search with `MultiPV`, position by position.
#[derive(Debug, Clone, PartialEq)]
pub struct LessSearch {
    /// The search's nodes.
    pub nodes: u64,
    /// The differences.
    pub figures: Figures,
}

/// An arm.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRow {
    /// Number of engines that work side by side.
    pub engines: Option<u32>,
    /// The tree; `None` for a search.
    pub setting: Option<usize>,
    /// Figures.
    pub figures: Figures,
    /// A tree less the searches of equal time and equal nodes.
    pub beside: Vec<LessSearch>,
    /// Engine nodes of all positions.
    pub nodes: u64,
    /// Answers of all trees.
    pub searches: u64,
    /// Moves of all lists.
    pub moves: usize,
    /// Positions without any.
    pub empty: usize,
}

/// The figures of all arms.
#[derive(Debug, Clone, PartialEq)]
pub struct AlternativesSummary {
    /// Positions.
    pub positions: usize,
    /// The judge's moves of all positions.
    pub judged: usize,
    /// The searches, with the nodes of each.
    pub searches: Vec<(u64, ListRow)>,
    /// The trees, by number of engines.
    pub trees: Vec<ListRow>,
}

impl AlternativesSummary {
    /// The figures of a contest.
    pub fn of(
        contest: &AlternativesContest,
        outcomes: &[AlternativesOutcome],
    ) -> AlternativesSummary {
        let played = ListsPlayed { contest, outcomes };
        let searches = contest.searches().into_iter().enumerate();
        let searches = searches.map(|(index, nodes)| {
            let row = played.row(|outcome| outcome.searches.get(index));
            (nodes, row)
        });
        let mut trees = Vec::new();
        for (group, engines) in contest.fleets().into_iter().enumerate() {
            let settings = 0..contest.settings.len();
            trees.extend(settings.map(|setting| played.tree(group, engines, setting)));
        }
        AlternativesSummary {
            positions: outcomes.len(),
            judged: outcomes.iter().map(|outcome| outcome.judged.len()).sum(),
            searches: searches.collect(),
            trees,
        }
    }
}

/// Positions with their outcomes.
struct ListsPlayed<'a> {
    contest: &'a AlternativesContest,
    outcomes: &'a [AlternativesOutcome],
}

impl<'a> ListsPlayed<'a> {
    fn tree(&self, group: usize, engines: Option<u32>, setting: usize) -> ListRow {
        let of = |outcome: &'a AlternativesOutcome| outcome.trees.get(group)?.get(setting);
        let of_fleet = engines.map(|engines| self.contest.nodes_of(engines));
        let searches = self.contest.searches().into_iter().enumerate();
        let searches =
            searches.filter(|(_, nodes)| *nodes == self.contest.nodes || Some(*nodes) == of_fleet);
        let beside = searches.map(|(index, nodes)| {
            let parts = self.outcomes.iter().filter_map(|outcome| {
                let (tree, search) = (of(outcome)?, outcome.searches.get(index)?);
                let margin = self.contest.counting.margin;
                Some(ListParts::difference(&outcome.judged, tree, search, margin))
            });
            LessSearch { nodes, figures: self.figures(&parts.collect::<Vec<_>>()) }
        });
        let beside = beside.collect();
        ListRow { engines, setting: Some(setting), beside, ..self.row(of) }
    }

    fn row(&self, of: impl Fn(&'a AlternativesOutcome) -> Option<&'a RankedMoves>) -> ListRow {
        let lists = || self.outcomes.iter().filter_map(|outcome| Some((outcome, of(outcome)?)));
        let margin = self.contest.counting.margin;
        let parts: Vec<ListParts> = lists()
            .map(|(outcome, list)| ListParts::of(&outcome.judged, list, None, margin))
            .collect();
        ListRow {
            engines: None,
            setting: None,
            figures: self.figures(&parts),
            beside: Vec::new(),
            nodes: lists().map(|(_, list)| list.nodes).sum(),
            searches: lists().map(|(_, list)| list.searches).sum(),
            moves: lists().map(|(_, list)| list.moves.len()).sum(),
            empty: lists().filter(|(_, list)| list.moves.is_empty()).count(),
        }
    }

    fn figures(&self, parts: &[ListParts]) -> Figures {
        let estimate = |of: fn(&ListParts) -> Fraction| {
            ratio(&parts.iter().map(of).collect::<Vec<_>>(), self.contest.counting.seed)
        };
        Figures {
            listed: estimate(|parts| parts.listed),
            error: estimate(|parts| parts.error),
            wrong: estimate(|parts| parts.wrong),
            wrong_of_all: estimate(|parts| parts.wrong_of_all),
            second: estimate(|parts| parts.second),
            missed: estimate(|parts| parts.missed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use deepanalyze_core::chess::Score;
    use deepanalyze_core::search::{Limit, Profile};

    use crate::duel::nodes::summary::Counting;
    use crate::duel::suite::Suite;

    use super::*;

    fn contest(engines: &[u32]) -> AlternativesContest {
        let profile = Profile {
            engine: "Made up".to_owned(),
            options: BTreeMap::new(),
            limit: Limit::Nodes(100),
            kept_hash: None,
        };
        AlternativesContest {
            suite: Suite { entries: Vec::new(), skipped: Vec::new() },
            player: profile.clone(),
            moves: 3,
            nodes: 100,
            engines: engines.to_vec(),
            settings: vec!["engine-depth=5".parse().unwrap()],
            judge: profile,
            judge_nodes: 2_000,
            counting: Counting { margin: 0, seed: 1 },
        }
    }

    fn list(moves: &[(&str, i32)]) -> RankedMoves {
        let moves = moves.iter().map(|(uci, cp)| (uci.parse().unwrap(), Score::Cp(*cp)));
        RankedMoves { moves: moves.collect(), nodes: 90, searches: 7 }
    }

    const JUDGED: [(&str, i32); 3] = [("a2a3", 60), ("b2b3", 30), ("c2c3", 0)];

    fn outcome(searches: &[RankedMoves], trees: &[RankedMoves]) -> AlternativesOutcome {
        let trees = trees.iter().map(|tree| vec![tree.clone()]).collect();
        AlternativesOutcome { searches: searches.to_vec(), trees, judged: list(&JUDGED).moves }
    }

    fn value(estimate: Option<Estimate>) -> f64 {
        estimate.unwrap().value
    }

    #[test]
    fn figures_are_shares_of_all_positions_together() {
        // The first search lists everything, 3 too high; the second has b before a, 10 too high,
        // and nothing else.
        let right = list(&[("a2a3", 63), ("b2b3", 33), ("c2c3", 3)]);
        let poor = list(&[("b2b3", 70), ("d2d3", 65), ("a2a3", 60)]);
        let tree = list(&[("a2a3", 60)]);
        let outcomes =
            [outcome(&[right], std::slice::from_ref(&tree)), outcome(&[poor], &[list(&[])])];
        let summary = AlternativesSummary::of(&contest(&[]), &outcomes);
        assert_eq!((summary.positions, summary.judged, summary.searches.len()), (2, 6, 1));
        let (nodes, search) = &summary.searches[0];
        assert_eq!((*nodes, search.nodes, search.moves), (100, 180, 6));
        let figures = &search.figures;
        assert!((value(figures.listed) - 5.0 / 6.0).abs() < 1e-12);
        assert!((value(figures.error) - (3.0 + 3.0 + 3.0 + 40.0) / 5.0).abs() < 1e-12);
        assert!((value(figures.wrong) - 1.0 / 4.0).abs() < 1e-12, "ab of ab, ac, bc, ab");
        assert!((value(figures.wrong_of_all) - 1.0 / 6.0).abs() < 1e-12);
        assert!((value(figures.second) - 1.0).abs() < 1e-12);
        assert!((value(figures.missed) - 0.0).abs() < 1e-12);
        let tree = &summary.trees[0];
        assert_eq!((tree.engines, tree.setting, tree.empty, tree.searches), (None, Some(0), 1, 14));
        assert!((value(tree.figures.listed) - 1.0 / 6.0).abs() < 1e-12);
        assert!((value(tree.figures.missed) - 0.5).abs() < 1e-12);
        assert_eq!(tree.figures.wrong, None, "no pair is listed");
        let [beside] = &tree.beside[..] else { panic!("{:?}", tree.beside) };
        assert!((value(beside.figures.listed) - (1.0 - 3.0 - 2.0) / 6.0).abs() < 1e-12);
        assert!((value(beside.figures.error) - -3.0).abs() < 1e-12, "a, in the first position");
        let all = (1.0 + 3.0 - 2.0) / 12.0;
        assert!((value(beside.figures.wrong_of_all) - all).abs() < 1e-12, "{beside:?}");
    }

    #[test]
    fn fleet_tree_is_compared_at_equal_time_and_nodes() {
        let contest = contest(&[4, 16]);
        assert_eq!(contest.searches(), [100, 400, 1600]);
        assert_eq!(contest.nodes_of_move(), 666);
        let searches: Vec<RankedMoves> =
            [61, 62, 63].iter().map(|cp| list(&[("a2a3", *cp)])).collect();
        let trees = [list(&[("a2a3", 60)]), list(&[("a2a3", 70)])];
        let summary = AlternativesSummary::of(&contest, &[outcome(&searches, &trees)]);
        let told: Vec<_> = summary
            .trees
            .iter()
            .map(|row| {
                let beside = row.beside.iter();
                let beside: Vec<_> = beside.map(|of| (of.nodes, value(of.figures.error))).collect();
                (row.engines, beside)
            })
            .collect();
        let expected = [
            (Some(4), vec![(100, -1.0), (400, -2.0)]),
            (Some(16), vec![(100, 10.0 - 1.0), (1600, 10.0 - 3.0)]),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn intervals_are_those_of_positions_drawn_together() {
        let searches = |cp| [list(&[("a2a3", cp)])];
        let tree = |cp| [list(&[("a2a3", cp)])];
        let outcomes: Vec<AlternativesOutcome> =
            (0..40).map(|n| outcome(&searches(60 + n), &tree(61 + n))).collect();
        let summary = AlternativesSummary::of(&contest(&[]), &outcomes);
        let error = summary.trees[0].figures.error.unwrap();
        assert!((error.value - 20.5).abs() < 1e-12 && error.low < 18.0 && error.high > 23.0);
        let beside = summary.trees[0].beside[0].figures.error.unwrap();
        assert_eq!((beside.low, beside.value, beside.high), (1.0, 1.0, 1.0), "one worse each time");
    }
}
