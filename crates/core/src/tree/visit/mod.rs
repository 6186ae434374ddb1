//! The visit: positions that a pass asks for (ALGORITHM, section 4).

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

/// Treatment of visits that an earlier one covers. They ask for nothing new; only a test walks them
/// all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covering {
    /// Skip them: a pass is linear.
    Skip,
    /// Walk them: exponential.
    Walk,
}

/// Aim of a visit.
#[derive(Debug, Clone, Copy)]
pub struct Aim<'a> {
    /// The position where it begins.
    pub root: NodeId,
    /// The move distances, and the least number of moves at ply 0.
    pub breadth: &'a Breadth,
    /// The depth that is being settled.
    pub depth: u32,
}

/// Result of a visit.
#[derive(Debug)]
pub struct Asked {
    /// Its requests, in the order in which it came to them.
    pub services: Vec<Service>,
    /// Visits of analysed positions, covered ones not counted.
    pub visits: u64,
    /// The work left.
    pub work: Work,
}

/// Requests of a visit from the root, a part of them if the work is spent. Visits covered by
/// earlier passes ask for nothing; this one's are added to them.
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

/// Number of visits of analysed positions in a pass over a whole graph, covered ones not counted.
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
