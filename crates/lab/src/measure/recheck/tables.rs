//! Printed tables.

use deepanalyze_core::tree::{MOST_CHANGE, Margin, RecheckState};
use shakmaty::uci::UciMove;

use crate::duel::statistics::{Estimate, float, mean, share};

use super::RootOutcome;
use super::orders::{Order, Step};

/// Budgets in thousandths of the new tree's nodes; the last one is all leaves.
const BUDGETS: [u64; 9] = [5, 10, 20, 30, 50, 100, 200, 300, 100_000];
/// Margins in centipawns.
const MARGINS: [u32; 8] = [10, 20, 30, 45, 60, 80, 120, 200];
/// A best move this many centipawns above the old one has changed clearly.
const CLEARLY: u32 = 10;

/// The reference for a verdict.
#[derive(Clone, Copy)]
enum Truth {
    /// The whole tree of the new engine.
    NewTree,
    /// The old tree with all its leaves asked anew.
    AllLeaves,
}

impl Truth {
    fn name(self) -> &'static str {
        match self {
            Truth::NewTree => "the new tree",
            Truth::AllLeaves => "the old tree with all leaves asked anew",
        }
    }

    fn best(self, outcome: &RootOutcome) -> UciMove {
        match self {
            Truth::NewTree => outcome.new_best,
            Truth::AllLeaves => {
                outcome.run(Order::Random).last().map_or(outcome.old_best, |step| step.best)
            }
        }
    }

    fn has_changed(self, outcome: &RootOutcome) -> bool {
        self.best(outcome) != outcome.old_best
    }
}

fn has_clearly_changed(outcome: &RootOutcome) -> bool {
    Truth::NewTree.has_changed(outcome) && outcome.lead.is_none_or(|lead| lead >= CLEARLY)
}

/// State of a recheck at its end.
struct End {
    is_closed: bool,
    best: UciMove,
    nodes: u64,
}

impl RootOutcome {
    /// The end of a recheck with a margin, within `most` thousandths of the new tree's nodes.
    fn end(&self, margin: u32, most: u64) -> End {
        let mut end = End { is_closed: self.at_first > margin, best: self.old_best, nodes: 0 };
        for step in self.run(Order::Flips) {
            if end.is_closed || step.nodes > self.whole * most / 1000 {
                break;
            }
            end = End { is_closed: step.at_least > margin, best: step.best, nodes: step.nodes };
        }
        end
    }

    fn run(&self, order: Order) -> &[Step] {
        self.runs.iter().find(|(other, _)| *other == order).map_or(&[], |(_, steps)| steps)
    }

    /// A run's best move at `budget` thousandths of the new tree's nodes.
    fn best_at(&self, order: Order, budget: u64) -> UciMove {
        let most = self.whole * budget / 1000;
        let before = self.run(order).iter().take_while(|step| step.nodes <= most);
        before.last().map_or(self.old_best, |step| step.best)
    }

    fn percent(&self, nodes: u64) -> f64 {
        100.0 * nodes as f64 / self.whole.max(1) as f64
    }
}

/// One position.
pub fn line(outcome: &RootOutcome) -> String {
    let nodes = outcome.steps.last().map_or(0, |step| step.nodes);
    let all = outcome.run(Order::Random).last();
    format!(
        "{}: old {} new {} lead {:?} listed {} held {} | {:?} {} asked {} of {} within {} {:.1} % | all leaves {:.0} % {} | positions {:?}",
        outcome.id,
        outcome.old_best,
        outcome.new_best,
        outcome.lead,
        outcome.is_listed,
        outcome.at_first,
        outcome.recheck.state(),
        outcome.recheck.best_move(),
        outcome.steps.len(),
        outcome.leaves,
        outcome.recheck.within(),
        outcome.percent(nodes),
        outcome.percent(all.map_or(0, |step| step.nodes)),
        all.map_or(outcome.old_best, |step| step.best),
        outcome.positions,
    )
}

/// All tables.
pub fn print(outcomes: &[RootOutcome]) {
    summary(outcomes);
    for truth in [Truth::NewTree, Truth::AllLeaves] {
        println!("\nBeside {}", truth.name());
        curve(truth, outcomes);
        println!("\na recheck to its end, the margin from the errors:");
        verdicts(truth, outcomes, |o| End {
            is_closed: o.recheck.state() != RecheckState::Open,
            best: o.recheck.best_move(),
            nodes: o.steps.last().map_or(0, |step| step.nodes),
        });
        for margin in MARGINS {
            println!("of margin {margin}, for at most a tenth of the nodes:");
            verdicts(truth, outcomes, |o| o.end(margin, 100));
        }
    }
}

fn summary(outcomes: &[RootOutcome]) {
    let count = |is: fn(&RootOutcome) -> bool| outcomes.iter().filter(|o| is(o)).count();
    println!(
        "{} positions; the new tree has another best move in {}, by {CLEARLY} centipawns or more in {}, not listed in the \
         old root in {}; with all leaves asked anew another one is the best in {}, the new tree's in {}",
        outcomes.len(),
        count(|o| Truth::NewTree.has_changed(o)),
        count(has_clearly_changed),
        count(|o| !o.is_listed),
        count(|o| Truth::AllLeaves.has_changed(o)),
        count(|o| Truth::AllLeaves.best(o) == o.new_best),
    );
    let of = |n: fn(&RootOutcome) -> u64| {
        outcomes.iter().map(n).sum::<u64>() / outcomes.len().max(1) as u64
    };
    println!(
        "positions of a tree, mean: old {}, new {}; leaves of the old one {}",
        of(|o| o.positions[0]),
        of(|o| o.positions[1]),
        of(|o| o.leaves as u64),
    );
    if let Some(Margin::Shown(errors)) = outcomes.last().map(|o| o.recheck.margin()) {
        println!("{} errors of rechecks; two thirds within {}", errors.len(), errors.within());
    }
    let mut errors: Vec<u32> = outcomes.iter().flat_map(|o| o.errors.iter().copied()).collect();
    errors.sort_unstable();
    let at = |part: usize| errors.get(errors.len() * part / 100).copied().unwrap_or(MOST_CHANGE);
    println!(
        "{} leaves in all; errors: half within {}, two thirds {}, nine of ten {}, 99 of 100 {}",
        errors.len(),
        at(50),
        at(67),
        at(90),
        at(99)
    );
}

fn of(part: usize, whole: usize) -> String {
    let told = |e: Estimate| {
        let [value, low, high] = [e.value, e.low, e.high].map(|share| 100.0 * share);
        format!("{part} of {whole} ({value:.0} %, {low:.0} to {high:.0})")
    };
    share(part, whole).map_or_else(|| "none".to_owned(), told)
}

/// The verdicts of rechecks, and the truth.
fn verdicts(truth: Truth, outcomes: &[RootOutcome], end: impl Fn(&RootOutcome) -> End) {
    let ends: Vec<(&RootOutcome, End)> = outcomes.iter().map(|o| (o, end(o))).collect();
    for (name, is) in [
        ("stays", (|o, e| e.is_closed && e.best == o.old_best) as fn(&RootOutcome, &End) -> bool),
        ("changed", |o, e| e.is_closed && e.best != o.old_best),
        ("open", |_, e| !e.is_closed),
    ] {
        let there: Vec<_> = ends.iter().filter(|(o, e)| is(o, e)).collect();
        let changed = there.iter().filter(|(o, _)| truth.has_changed(o)).count();
        let same = there.iter().filter(|(o, e)| e.best == truth.best(o)).count();
        println!(
            "  {name:<8} {:>3}   changed in truth {:<26} its best move {}",
            there.len(),
            of(changed, there.len()),
            of(same, there.len()),
        );
    }
    let costs: Vec<i64> =
        ends.iter().map(|(o, e)| (1000 * e.nodes / o.whole.max(1)) as i64).collect();
    if let Some(cost) = mean(&costs, 1) {
        let [value, low, high] = [cost.value, cost.low, cost.high].map(|part| part / 10.0);
        println!("  nodes    {value:.1} % of the new tree's on the mean ({low:.1} to {high:.1})");
    }
}

/// For each order and budget: how many of the changed best moves are found (the true move; another
/// one than the old tree's), and how many of the unchanged ones are taken for changed.
fn curve(truth: Truth, outcomes: &[RootOutcome]) {
    let (changed, kept): (Vec<&RootOutcome>, Vec<&RootOutcome>) =
        outcomes.iter().partition(|o| truth.has_changed(o));
    println!("changed: {} of {}; kept: {}", changed.len(), outcomes.len(), kept.len());
    println!("order     nodes   its move   another   of the kept another");
    for order in [Order::Flips, Order::Lines, Order::Gap, Order::Random] {
        for budget in BUDGETS {
            let best = |o: &RootOutcome| o.best_at(order, budget);
            let percent = |of: &[&RootOutcome], is: &dyn Fn(&RootOutcome) -> bool| {
                let there = of.iter().filter(|o| is(o)).count();
                100.0 * float(there) / float(of.len().max(1))
            };
            let spent = match budget {
                100_000 => "    all".to_owned(),
                budget => format!("{:>5.1} %", budget as f64 / 10.0),
            };
            println!(
                "{:<8} {spent}   {:>5.0} %   {:>5.0} %   {:>5.0} %",
                order.name(),
                percent(&changed, &|o| best(o) == truth.best(o)),
                percent(&changed, &|o| best(o) != o.old_best),
                percent(&kept, &|o| best(o) != o.old_best),
            );
        }
    }
}
