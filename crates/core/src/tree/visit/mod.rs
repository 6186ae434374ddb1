//! The visit: which positions a pass asks for (ALGORITHM, section 4).

pub(super) mod covered;
mod moves;
pub(super) mod order;
pub(super) mod service;
mod walk;

use crate::tree::breadth::Breadth;
use crate::tree::graph::{Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::work::Work;
use covered::Covered;
use service::Service;
use walk::Visit;

/// Whether visits that an earlier one covers are skipped. They ask for nothing new; only a test
/// walks them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covering {
    /// Skip them: a pass is linear.
    Skip,
    /// Walk them: exponential.
    Walk,
}

/// What a visit is about.
#[derive(Debug, Clone, Copy)]
pub struct Aim<'a> {
    /// Where it begins.
    pub root: NodeId,
    /// The move distances, and how many moves there are at ply 0 at least.
    pub breadth: &'a Breadth,
    /// The depth that is being settled.
    pub depth: u32,
}

/// What a visit came to.
#[derive(Debug)]
pub struct Asked {
    /// What it asks for, in the order in which it came to it.
    pub services: Vec<Service>,
    /// Visits of analysed positions, covered ones not counted.
    pub visits: u64,
    /// What is left of the work that was allowed.
    pub work: Work,
}

/// What a visit from the root asks for, a part of it where the work that is allowed is spent. What is
/// covered by visits of earlier passes asks for nothing; this one's are added to them.
pub fn requests_now(
    graph: &Graph,
    values: &Values,
    aim: Aim<'_>,
    covered: &mut Covered,
    work: Work,
) -> Asked {
    covered.add_nodes(graph.len());
    let mut visit = Visit::new(Covering::Skip, graph, values, aim, covered, work);
    visit.run();
    visit.asked()
}

/// The services that a visit from the root of a whole graph asks for, in the order in which it came to
/// them.
pub fn requests(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    breadth: &Breadth,
    depth: u32,
) -> Vec<Service> {
    requests_with(Covering::Skip, graph, values, root, breadth, depth)
}

/// [`requests`], with a choice about covered visits.
pub fn requests_with(
    covering: Covering,
    graph: &Graph,
    values: &Values,
    root: NodeId,
    breadth: &Breadth,
    depth: u32,
) -> Vec<Service> {
    whole(covering, graph, values, Aim { root, breadth, depth }).services
}

/// How many visits of analysed positions a pass over a whole graph makes, covered ones not counted.
pub fn count_visits(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    breadth: &Breadth,
    depth: u32,
) -> u64 {
    whole(Covering::Skip, graph, values, Aim { root, breadth, depth }).visits
}

fn whole(covering: Covering, graph: &Graph, values: &Values, aim: Aim) -> Asked {
    let mut covered = Covered::new();
    covered.add_nodes(graph.len());
    let mut visit = Visit::new(covering, graph, values, aim, &mut covered, Work::UNLIMITED);
    visit.run();
    visit.asked()
}
