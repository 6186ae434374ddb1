//! Scenarios leave the tree as it was.

use super::*;
use crate::chess::{Game, PositionKey, legal_uci};
use crate::tree::{Selection, Wish, Wishes, requests as whole_requests};
use shakmaty::Position;
use std::sync::Arc;

/// Made-up answers: every move of a position has a score of its own, the best comes first.
fn answer(position: &Chess, rank: usize) -> Option<(UciMove, Value)> {
    use std::hash::{Hash, Hasher};
    let score = |uci: &UciMove| {
        let mut hasher = std::hash::DefaultHasher::new();
        (PositionKey::of(position), uci.to_string()).hash(&mut hasher);
        i64::try_from(hasher.finish() % 90).unwrap()
    };
    let mut moves: Vec<(i64, UciMove)> =
        legal_uci(position).into_iter().map(|uci| (score(&uci), uci)).collect();
    moves.sort_by_key(|(score, uci)| (std::cmp::Reverse(*score), uci.to_string()));
    moves.get(rank).map(|(score, uci)| (*uci, Value::new(*score - 60).unwrap()))
}

/// Knows some answers and expects the others, not always rightly.
struct Half;

impl Outlook for Half {
    fn answer(&mut self, position: &Chess, rank: usize) -> Option<(UciMove, Value)> {
        let known = legal_uci(position).len() % 3;
        answer(position, rank).filter(|_| known == 0)
    }

    fn expected(&mut self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        (before.len() < 3).then(|| answer(position, before.len() + 1)).flatten()
    }
}

/// Excluded and included moves all over a pawn ending.
fn wishes(start: &Game) -> Wishes {
    let (mut wishes, mut open) = (Wishes::new(), vec![start.root().clone()]);
    while let Some(position) = open.pop().filter(|_| wishes.len() < 600) {
        let moves = legal_uci(&position);
        let wish = Wish {
            exclude: moves.iter().skip(2).step_by(5).copied().collect(),
            include: moves.iter().skip(3).step_by(5).copied().take(wishes.len() % 3).collect(),
            ..Wish::default()
        };
        for uci in moves {
            let m = uci.to_move(&position).unwrap();
            let after = position.clone().play(m).unwrap();
            if !wishes.contains_key(&PositionKey::of(&after)) {
                open.insert(0, after);
            }
        }
        wishes.insert(PositionKey::of(&position), wish);
    }
    wishes
}

#[test]
fn scenario_says_its_wants_and_leaves_the_tree_as_is() {
    let start = Game::from_start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1").unwrap();
    leaves_the_tree_as_it_was(&start, &100.into());
}

#[test]
fn a_scenario_leaves_a_directed_tree_as_it_was() {
    let start = Game::from_start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1").unwrap();
    let wishes = Arc::new(wishes(&start));
    leaves_the_tree_as_it_was(&start, &Selection { wishes, ..60.into() });
}

fn leaves_the_tree_as_it_was(start: &Game, selection: &Selection) {
    let new = || Growth::new(start, selection.clone());
    let (mut growth, mut plain) = (new(), new());
    let (horizon, mut wanted) = (Horizon { passes: 12, depth: 9, work: 20_000, wants: 30 }, 0);
    while growth.searches() < 1500 {
        let mut services = growth.requests();
        let graph = plain.graph();
        let whole =
            whole_requests(graph, plain.values(), plain.root(), &selection.breadth, plain.depth());
        assert_eq!(services, whole);
        plain.requests();
        let before = growth.graph().len();
        let wants = scenario(&mut growth, &services, horizon, &mut Half);
        assert_eq!((before, growth.depth()), (growth.graph().len(), plain.depth()));
        for want in &wants {
            assert_eq!(Half.answer(&want.position, want.excluded.len()), None, "it is known");
        }
        wanted += wants.len();
        serve(&growth, &mut services);
        growth.finish_pass(services.clone()).unwrap();
        plain.finish_pass(services).unwrap();
        for node in plain.graph().nodes() {
            assert_eq!(growth.graph().list(node), plain.graph().list(node));
            assert_eq!(growth.values().idea(node), plain.values().idea(node));
            assert_eq!(growth.ply(node), plain.ply(node));
            assert_eq!(growth.find(&PositionKey::of(&plain.position(node))), Some(node));
        }
    }
    assert!(wanted > 100 && growth.values().largest_component(growth.graph()) > 3, "{wanted}");
}

#[test]
fn admitting_answers_is_work_that_ends_a_scenario() {
    let start = Game::from_start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1").unwrap();
    let mut growth = Growth::new(&start, 100);
    let mut further = 0;
    while growth.searches() < 300 {
        let mut services = growth.requests();
        let mut furthest = |work: u64| {
            let horizon = Horizon { passes: 12, depth: 9, work, wants: 1000 };
            let wants = scenario(&mut growth, &services, horizon, &mut Half);
            wants.iter().map(|want| want.pass).max().unwrap_or(0)
        };
        let answers = services.len() as u64 * (SERVED + ANSWERED);
        assert_eq!(furthest(answers), 0, "to serve them is all that there is time for");
        further += furthest(20_000);
        serve(&growth, &mut services);
        growth.finish_pass(services).unwrap();
    }
    assert!(further > 10, "{further}");
}

/// Serves a pass to its end.
fn serve(growth: &Growth, services: &mut [Service]) {
    for service in services {
        let position = growth.position(service.node());
        while service.wants_search() {
            let (uci, eval) = answer(&position, service.next_rank()).unwrap();
            service.answer(uci, eval);
        }
    }
}

/// State of each position of a tree, and the tree's progress.
fn told(growth: &Growth) -> impl PartialEq + std::fmt::Debug + use<> {
    let (graph, values) = (growth.graph(), growth.values());
    let told = |node| {
        let circle = values.circle_of(node);
        let parents: Vec<NodeId> = graph.parents(node).collect();
        let circles = values.circles();
        let height = circles.height(circles.component_of(node));
        let (idea, alpha, ply) = (values.idea(node), values.alpha(node), growth.ply(node));
        (graph.list(node).to_vec(), parents, circle, height, idea, alpha, ply)
    };
    let size = (growth.depth(), growth.passes(), growth.searches(), growth.analysed());
    (graph.nodes().map(told).collect::<Vec<_>>(), size, growth.visits())
}

/// Work after which a scenario with this limit breaks off; None if it ends before.
fn broken_off(growth: &mut Growth, services: &[Service], work: u64) -> Option<u64> {
    let horizon = Horizon { passes: 2, depth: 9, work, wants: 30 };
    growth.begin_trial(Work::up_to(work));
    let mut half = Half;
    let mut scenario = Scenario::new(growth, services.to_vec(), horizon, &mut half);
    grow_by(growth, &mut scenario).unwrap();
    let work = growth.work();
    growth.end_trial();
    work.is_spent().then(|| work.done())
}

/// Breaks a scenario off at each of its steps; the tree left, and its next pass, are the same each
/// time. Returns the number of steps.
fn break_off_at_each_step(growth: &mut Growth, services: &[Service]) -> usize {
    let mut served = services.to_vec();
    serve(growth, &mut served);
    let next_pass = |growth: &Growth| {
        let mut growth = growth.clone();
        growth.finish_pass(served.clone()).unwrap();
        let asked = growth.requests();
        (told(&growth), asked)
    };
    let (before, after) = (told(growth), next_pass(growth));
    let (mut work, mut steps) = (Some(0), 0);
    while let Some(allowed) = work {
        work = broken_off(growth, services, allowed);
        assert_eq!(told(growth), before, "after {allowed}");
        assert_eq!(next_pass(growth), after, "a pass behind {allowed}");
        steps += 1;
    }
    steps
}

#[test]
fn a_scenario_can_be_broken_off_at_each_step() {
    let start = Game::from_start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1").unwrap();
    let mut growth = Growth::new(&start, 100);
    while growth.searches() < 200 {
        let mut services = growth.requests();
        serve(&growth, &mut services);
        growth.finish_pass(services).unwrap();
    }
    let services = growth.requests();
    let steps = break_off_at_each_step(&mut growth, &services);
    let circle = growth.values().largest_component(growth.graph());
    assert!(steps > 500 && circle > 3, "{steps}, {circle}");
}
