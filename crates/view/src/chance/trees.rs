//! The chance that the best move of a tree is that of the next stage.

use shakmaty::uci::UciMove;

use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Growth, RootMove, best_root_move};
use deepanalyze_store::{AnalysisRow, DepthVerdict, Store, StoreError};

use super::{Percent, Stays, StaysUntil, centipawns};
use crate::stages::{Stages, is_believed, speaks};

/// Weights of `features` in the logarithm of the odds, in their order.
const WEIGHTS: [f64; 4] = [-1.462, 0.260, 1.762, 1.661];

/// The stages that were measured: the engine depth of the first one, and by how much each is deeper than the one before.
const FIRST_STAGE: u32 = 10;
const STEP: usize = 2;
/// Cap on the lead, in centipawns, and on the number of stages.
const MOST_LEAD: i32 = 300;
const MOST_STAGES: usize = 5;

/// Verdicts of a stage and of those before it, the ground of the chance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerdictsSoFar {
    /// The last verdicts of the stages that spoke before, the shallowest first.
    before: Vec<SettledVerdict>,
    /// Verdicts of the stage itself, the least depth first.
    settled: Vec<SettledVerdict>,
    /// True if the last of them has a single move.
    is_alone: bool,
}

/// The verdict of a settled depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SettledVerdict {
    depth: u32,
    best: UciMove,
    /// Its lead over the second move, in centipawns.
    lead: i32,
}

impl VerdictsSoFar {
    /// The verdicts of a stored analysis under these directives. `None` if it is not one of the
    /// stages that were measured, or a deeper one of them speaks already.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn of(
        store: &Store,
        stages: &Stages,
        row: &AnalysisRow,
        directives: &Directives,
    ) -> Result<Option<VerdictsSoFar>, StoreError> {
        let mut alike = Vec::new();
        for stage in measured(stages) {
            // Other directives are no ground.
            if stage.id == row.id || store.grown_with(stage.id)? == *directives {
                alike.push(stage);
            }
        }
        let settled: Vec<Option<u32>> = alike.iter().map(|stage| stage.settled_depth).collect();
        match alike.iter().position(|stage| stage.id == row.id) {
            Some(own) if speaks(&settled) <= own => {
                let spoken = spoken(store, alike.get(..own).unwrap_or_default())?;
                Ok(spoken.map(|before| VerdictsSoFar { before, ..VerdictsSoFar::default() }))
            }
            _ => Ok(None),
        }
    }

    /// Adds the depths that the analysis itself has settled.
    pub fn with(mut self, verdicts: &[DepthVerdict]) -> VerdictsSoFar {
        verdicts.iter().for_each(|verdict| self.settle(verdict.settled.depth, &verdict.moves));
        self
    }

    /// Adds a settled depth, with these moves of the root, the best first.
    pub fn settle(&mut self, depth: u32, moves: &[RootMove]) {
        self.is_alone = moves.len() == 1;
        match SettledVerdict::of(depth, moves) {
            Some(settled) => self.settled.push(settled),
            None => self.settled.clear(),
        }
    }

    /// Keeps the stages before: the tree is grown again from its root.
    pub fn again(self) -> VerdictsSoFar {
        VerdictsSoFar { before: self.before, ..VerdictsSoFar::default() }
    }

    /// True if the last settled depth has a single move: nothing else can be best.
    pub fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// The chance that the best move of the greatest settled depth stays; `None` while the stage
    /// before still speaks.
    pub fn stays(&self) -> Option<Stays> {
        let last = self.settled.last()?;
        let until = StaysUntil::NextStage;
        let stays = || Stays { best: last.best, chance: Percent::of(self.chance(last)), until };
        self.speaks(last).then(stays)
    }

    /// True if a stage this far speaks in place of those before it.
    fn speaks(&self, last: &SettledVerdict) -> bool {
        is_believed(Some(last.depth), self.before.last().map(|before| before.depth))
    }

    fn chance(&self, last: &SettledVerdict) -> f64 {
        let odds: f64 = self.features(last).iter().zip(WEIGHTS).map(|(x, weight)| x * weight).sum();
        1.0 / (1.0 + (-odds).exp())
    }

    /// Features of the chance: a constant, the lead, at which share of the depths so far the move
    /// was best, and how many stages before chose it without a break.
    fn features(&self, last: &SettledVerdict) -> [f64; 4] {
        let same = self.settled.iter().filter(|settled| settled.best == last.best).count();
        let chose = self.before.iter().rev().take_while(|before| before.best == last.best).count();
        [
            1.0,
            f64::from(last.lead.clamp(0, MOST_LEAD)).ln_1p(),
            count(same) / count(self.settled.len()),
            count(chose.min(MOST_STAGES)) / count(MOST_STAGES),
        ]
    }
}

/// The stages of a root as they were measured, the shallowest first.
fn measured(stages: &Stages) -> Vec<&AnalysisRow> {
    let limits = (FIRST_STAGE..).step_by(STEP).map(Limit::Depth);
    let of = |limit| stages.rows().iter().find(|row| row.profile.limit == limit);
    limits.map_while(of).filter(|row| row.profile.kept_hash.is_none()).collect()
}

/// The last verdicts of the stages that spoke, in their order; `None` if one is not known, or has
/// no rival.
fn spoken(
    store: &Store,
    stages: &[&AnalysisRow],
) -> Result<Option<Vec<SettledVerdict>>, StoreError> {
    let mut before: Vec<SettledVerdict> = Vec::new();
    for stage in stages {
        let so_far = before.last().map(|last| last.depth);
        let Some(depth) = stage.settled_depth.filter(|depth| is_believed(Some(*depth), so_far))
        else {
            continue;
        };
        let last = store.last_verdict(stage.id)?;
        let last = last.and_then(|last| SettledVerdict::of(last.settled.depth, &last.moves));
        let Some(last) = last.filter(|last| last.depth == depth) else { return Ok(None) };
        before.push(last);
    }
    Ok(Some(before))
}

/// A small number.
fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

impl SettledVerdict {
    /// `None` if the best move has no rival.
    fn of(depth: u32, moves: &[RootMove]) -> Option<SettledVerdict> {
        let [best, second, ..] = moves else { return None };
        let lead = centipawns(best.alpha).saturating_sub(centipawns(second.alpha));
        Some(SettledVerdict { depth, best: best.uci, lead })
    }
}

/// The chance that the best move of an analysis stays; `None` if it is not known, or the move has
/// no rival.
pub fn stays(
    store: &Store,
    (stages, row, verdicts): (&Stages, &AnalysisRow, &[DepthVerdict]),
    (growth, grown_with): (&Growth, &Directives),
) -> Result<Option<Stays>, StoreError> {
    let so_far = VerdictsSoFar::of(store, stages, row, grown_with)?;
    let stays = so_far.and_then(|so_far| so_far.with(verdicts).stays());
    Ok(stays.filter(|stays| is_open(growth, stays)))
}

/// True if another move could be the best: the root has several, and no depth under way has found
/// another one already.
fn is_open(growth: &Growth, stays: &Stays) -> bool {
    let (graph, root) = (growth.graph(), growth.root());
    let best = best_root_move(graph, growth.values(), root);
    graph.moves(root).len() > 1 && best.is_some_and(|(best, _)| best == stays.best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Score, Value, parse_uci};

    /// The moves of a root with their alphas.
    fn moves(text: &[(&str, Score)]) -> Vec<RootMove> {
        let root_move = |(uci, score): &(&str, Score)| {
            let (uci, value) = (parse_uci(uci).unwrap(), Value::from(*score));
            RootMove { uci, listed: Some((0, value)), idea: value, alpha: value, line: vec![uci] }
        };
        text.iter().map(root_move).collect()
    }

    /// A stage that settles one depth after another, each with a best move and its lead, after
    /// stages that chose a move at some depth.
    fn stage(before: &[(&str, u32)], settled: &[(&str, i32)]) -> VerdictsSoFar {
        let spoken = |(uci, depth): &(&str, u32)| SettledVerdict {
            depth: *depth,
            best: parse_uci(uci).unwrap(),
            lead: 0,
        };
        let before = before.iter().map(spoken).collect();
        let mut so_far = VerdictsSoFar { before, ..VerdictsSoFar::default() };
        for (depth, (best, lead)) in settled.iter().enumerate() {
            let other = if *best == "e2e4" { "d2d4" } else { "e2e4" };
            let moves = moves(&[(best, Score::Cp(30)), (other, Score::Cp(30 - lead))]);
            so_far.settle(u32::try_from(depth).unwrap(), &moves);
        }
        so_far
    }

    fn chance(before: &[(&str, u32)], settled: &[(&str, i32)]) -> Option<u8> {
        stage(before, settled).stays().map(|stays| stays.chance.get())
    }

    #[test]
    fn the_features_are_those_of_the_curve() {
        let features = |so_far: &VerdictsSoFar| so_far.features(so_far.settled.last().unwrap());
        let before = [("e2e4", 9), ("d2d4", 9), ("d2d4", 2)];
        let settled = [("e2e4", 5), ("d2d4", 9), ("d2d4", 0), ("d2d4", 19)];
        assert_eq!(features(&stage(&before, &settled)), [1.0, 20_f64.ln(), 0.75, 0.4]);
        assert_eq!(features(&stage(&[], &[("e2e4", 4000)])), [1.0, 301_f64.ln(), 1.0, 0.0]);
        assert_eq!(features(&stage(&[("e2e4", 0); 7], &[("e2e4", 0)])), [1.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn lead_and_repeated_choice_raise_the_chance() {
        let (before, held) = ([("e2e4", 6), ("e2e4", 6)], [("e2e4", 20); 7]);
        let most = chance(&before, &held).unwrap();
        let (narrow, mut late) = ([("e2e4", 1); 7], held);
        late[..4].fill(("d2d4", 20));
        for (before, settled) in [
            (&before[..], narrow),
            (&before[..], late),
            (&before[..1], held),
            (&[("d2d4", 6)], held),
        ] {
            let less = chance(before, &settled).unwrap();
            assert!(less < most, "{less} of {before:?}, {settled:?}");
        }
    }

    #[test]
    fn no_chance_before_the_stage_speaks() {
        let before = [("e2e4", 9)];
        assert_eq!(chance(&before, &[("e2e4", 20); 6]), None);
        assert!(chance(&before, &[("e2e4", 20); 7]).is_some());
        assert!(chance(&[("e2e4", 3)], &[("e2e4", 20); 4]).is_some());
        assert_eq!(chance(&[], &[]), None);
        let mut alone = stage(&[], &[("e2e4", 20)]);
        assert!(alone.stays().is_some() && !alone.is_alone());
        alone.settle(1, &moves(&[("e2e4", Score::Mate(2))]));
        assert!(alone.stays().is_none() && alone.is_alone());
        alone.settle(2, &[]);
        assert!(alone.stays().is_none() && !alone.is_alone(), "nobody knows its moves");
    }

    #[test]
    fn a_lead_over_a_mate_is_that_of_a_won_game() {
        let lead = |best, second| {
            let moves = moves(&[("e2e4", best), ("d2d4", second)]);
            SettledVerdict::of(3, &moves).unwrap().lead
        };
        assert_eq!(lead(Score::Mate(3), Score::Cp(250)), 750);
        assert_eq!(lead(Score::Mate(3), Score::Mate(9)), 0);
        assert_eq!(lead(Score::Cp(-50), Score::Mate(-4)), 950);
        let alone = moves(&[("e2e4", Score::Cp(10))]);
        assert_eq!(SettledVerdict::of(3, &alone), None, "it has no rival");
    }

    #[test]
    fn a_chance_is_rounded_down_and_never_certain() {
        let told = [0.0, 0.004, 0.5, 0.899_99, 0.9, 0.997, 1.0, f64::NAN];
        assert_eq!(told.map(|chance| Percent::of(chance).get()), [1, 1, 50, 89, 90, 96, 96, 1]);
        assert_eq!([0, 1, 96, 97].map(|n| Percent::new(n).is_some()), [false, true, true, false]);
        assert_eq!(
            chance(&[("e2e4", 0); 9], &[("e2e4", 999)]),
            Some(Percent::MOST),
            "the greatest"
        );
        let [_, lead, ..] = WEIGHTS;
        let greatest: f64 = WEIGHTS.iter().sum::<f64>() + lead * (301_f64.ln() - 1.0);
        let chance = 100.0 / (1.0 + (-greatest).exp());
        assert_eq!(
            chance.floor(),
            f64::from(Percent::MOST),
            "no more can be asked for than is told"
        );
    }
}
