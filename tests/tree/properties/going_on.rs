//! A tree that grows at the cost of what changes, compared with the whole computation after every
//! pass; and trials, which leave nothing behind.

use deepanalyze_core::tree::{Breadth, Incremental, PathValues, Service, Values, Work, requests};
use proptest::prelude::*;

use super::cases;
use super::world::{Broad, Counting, World, broads, node, uci, value, worlds};

/// A tree of a world, and the progress of its lists.
#[derive(Clone)]
struct Growing<'a> {
    world: &'a World,
    listed: World,
    tree: Incremental,
    breadth: Breadth,
    depth: u32,
}

impl<'a> Growing<'a> {
    fn new(world: &'a World, broad: &Broad) -> Growing<'a> {
        let breadth = broad.breadth();
        let listed = world.unlisted();
        let tree = Incremental::new(listed.graph(), node(0));
        Growing { world, listed, tree, breadth, depth: 0 }
    }

    /// One pass; true if it asked for anything.
    fn pass(&mut self) -> bool {
        let services = self.tree.requests(&self.breadth, self.depth).0;
        self.finish_pass(services)
    }

    fn finish_pass(&mut self, services: Vec<Service>) -> bool {
        if services.is_empty() {
            self.depth += 1;
            self.tree.begin_depth();
            return false;
        }
        self.admit(services);
        true
    }

    fn admit(&mut self, services: Vec<Service>) {
        let mut lists = Vec::new();
        for mut service in services {
            let place = service.node().index();
            let before = self.listed.places[place].listed;
            while service.wants_search() {
                let (child, eval) = self.world.places[place].moves[service.next_rank()];
                service.answer(uci(child), value(eval));
            }
            self.listed.places[place].listed += service.answers().len();
            lists.push((service.node(), self.listed.edges(place, before)));
        }
        self.tree.admit(lists);
    }

    /// Compares everything with a tree computed from nothing.
    fn check(&self) {
        let graph = self.listed.graph();
        let values = Values::of(&graph);
        let mut paths = (
            PathValues::new(&graph, &values),
            PathValues::new(self.tree.graph(), self.tree.values()),
        );
        let path = (paths.0.extend(None, node(0)), paths.1.extend(None, node(0)));
        for place in 0..self.world.places.len() {
            let node = node(place);
            assert_eq!(self.tree.graph().list(node), graph.list(node));
            assert_eq!(self.tree.graph().moves(node), graph.moves(node));
            assert_eq!(self.tree.graph().is_analysed(node), graph.is_analysed(node));
            assert_eq!(self.tree.values().idea(node), values.idea(node), "idea of {place}");
            assert_eq!(self.tree.values().alpha(node), values.alpha(node), "alpha of {place}");
            let mut parents =
                [self.tree.graph(), &graph].map(|graph| graph.parents(node).collect::<Vec<_>>());
            parents.iter_mut().for_each(|parents| parents.sort_unstable());
            assert_eq!(parents[0], parents[1]);
            for edge in graph.moves(node) {
                let alphas = (paths.0.alpha(edge, path.0), paths.1.alpha(edge, path.1));
                assert_eq!(alphas.0, alphas.1);
            }
        }
        self.check_circles(&values);
        self.check_plies();
    }

    fn check_circles(&self, values: &Values) {
        let places = || 0..self.world.places.len();
        let circle = |values: &Values, place: usize| values.circle_of(node(place)).map(|c| c.0);
        for a in places() {
            for b in places() {
                let same = |values: &Values| {
                    circle(values, a).is_some() && circle(values, a) == circle(values, b)
                };
                assert_eq!(same(self.tree.values()), same(values), "{a} and {b}");
            }
        }
        assert_eq!(
            self.tree.values().largest_component(self.tree.graph()),
            values.largest_component(self.tree.graph())
        );
    }

    fn check_plies(&self) {
        let mut plies = vec![u32::MAX; self.world.places.len()];
        plies[0] = 0;
        for _ in 0..plies.len() {
            for place in 0..plies.len() {
                for Counting { child, .. } in self.listed.counting(place) {
                    plies[child] = plies[child].min(plies[place].saturating_add(1));
                }
            }
        }
        for (place, ply) in plies.into_iter().enumerate() {
            assert_eq!(self.tree.ply(node(place)), ply);
        }
    }

    /// The requests of the whole computation.
    fn expected(&self) -> Vec<Service> {
        let graph = self.listed.graph();
        requests(&graph, &Values::of(&graph), node(0), &self.breadth, self.depth)
    }
}

proptest! {
    #![proptest_config(cases(6000))]

    #[test]
    fn passes_equal_whole_computations(
        world in worlds(2..=16),
        broad in broads(),
        depth in 0..=8_u32,
    ) {
        let mut growing = Growing::new(&world, &broad);
        growing.tree.note_changes();
        while growing.depth <= depth {
            let before: Vec<_> = rows(&growing);
            let expected = growing.expected();
            let asked = growing.tree.clone().requests(&growing.breadth, growing.depth).0;
            prop_assert_eq!(asked, expected);
            growing.pass();
            growing.check();
            let changed = growing.tree.take_changes();
            for (place, (old, new)) in before.into_iter().zip(rows(&growing)).enumerate() {
                let told = new.0 == 0 || changed.contains(&node(place));
                prop_assert!(old == new || told, "{} is not told", place);
            }
        }
    }

    #[test]
    fn a_trial_leaves_nothing_behind(
        world in worlds(4..=16),
        broad in broads(),
        (before, during, after) in (0..6_usize, 1..8_usize, 1..6_usize),
        most in 0..600_u64,
    ) {
        let mut growing = Growing::new(&world, &broad);
        for _ in 0..before {
            growing.pass();
        }
        let mut untouched = growing.clone();
        // A scenario begins while a pass is being served, and is interrupted at any step.
        let services = growing.tree.requests(&growing.breadth, growing.depth).0;
        let mut tried = growing.clone();
        tried.tree.begin_trial(Work::up_to(most));
        tried.finish_pass(services.clone());
        for _ in 0..during {
            if tried.tree.work().is_spent() {
                break;
            }
            tried.check();
            let services = tried.tree.requests(&growing.breadth, tried.depth).0;
            tried.finish_pass(services);
        }
        tried.tree.end_trial();
        growing.tree = tried.tree;
        growing.check();
        growing.finish_pass(services);
        untouched.pass();
        for _ in 0..after {
            let expected = growing.expected();
            let asked = growing.tree.clone().requests(&growing.breadth, growing.depth).0;
            prop_assert_eq!(asked, expected);
            growing.pass();
            untouched.pass();
            prop_assert_eq!(growing.depth, untouched.depth);
            growing.check();
            untouched.check();
            prop_assert_eq!(rows(&growing), rows(&untouched));
        }
    }
}

/// A database's rows for the positions.
fn rows(growing: &Growing<'_>) -> Vec<(usize, i16, u32)> {
    let tree = &growing.tree;
    let row = |place: usize| {
        let node = node(place);
        (tree.graph().list(node).len(), tree.values().idea(node).get(), tree.ply(node))
    };
    (0..growing.world.places.len()).map(row).collect()
}
