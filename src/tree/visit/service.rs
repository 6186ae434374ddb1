//! Serving one position's requests: how often it must be searched (ALGORITHM, section 4).

use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::order::{is_complete, least_eval, reach};
use crate::tree::graph::{Edge, NodeId};

/// What one visit asks of a position: a list that is complete for this best value and distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// The value of the first move; none where the position was not analysed yet.
    pub best: Option<Value>,
    /// The distance in centipawns.
    pub distance: u32,
}

/// All requests of one position in one pass, and the answers to them so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    node: NodeId,
    requests: Vec<Request>,
    /// Moves listed before this pass.
    listed: usize,
    legal_moves: usize,
    /// The least score of the list, answers included.
    least: Option<Value>,
    /// The greatest score of this service's answers alone.
    found: Option<Value>,
    answers: Vec<(UciMove, Value)>,
}

impl Service {
    /// A service of a position with this list, before anything is asked of it.
    pub fn new(node: NodeId, list: &[Edge], legal_moves: usize) -> Service {
        Service {
            node,
            requests: Vec::new(),
            listed: list.len(),
            legal_moves,
            least: least_eval(list),
            found: None,
            answers: Vec::new(),
        }
    }

    /// Adds a request, unless the same one is there.
    pub fn request(&mut self, request: Request) {
        if !self.requests.contains(&request) {
            self.requests.push(request);
        }
    }

    /// What is asked, in the order in which a visit came to it.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The position to serve.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The rank that the next answer will have.
    pub fn next_rank(&self) -> usize {
        self.listed + self.answers.len()
    }

    /// What was answered in this pass, in rank order.
    pub fn answers(&self) -> &[(UciMove, Value)] {
        &self.answers
    }

    /// Whether some request is not served: the position is to be searched once more.
    pub fn wants_search(&self) -> bool {
        let Some(least) = self.least else {
            return true;
        };
        self.requests.iter().any(|request| {
            // A request without a best value belongs to an empty list: there is an answer by now.
            let top = request.best.max(self.found).unwrap_or(least);
            let distance = reach(top, request.distance);
            !is_complete(self.next_rank(), self.legal_moves, least, top, distance)
        })
    }

    /// Takes the next answer: the engine's best move among those not listed, and its score.
    pub fn answer(&mut self, uci: UciMove, eval: Value) {
        self.answers.push((uci, eval));
        self.least = Some(self.least.map_or(eval, |least| least.min(eval)));
        self.found = self.found.max(Some(eval));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cp(cp: i64) -> Value {
        Value::new(cp).unwrap()
    }

    fn serve(service: &mut Service, evals: &[i64]) -> usize {
        let mut evals = evals.iter();
        while service.wants_search() {
            service.answer(UciMove::Null, cp(*evals.next().expect("asked for too much")));
        }
        service.answers().len()
    }

    #[test]
    fn a_new_position_deep_in_the_tree_is_searched_once() {
        let mut service = Service::new(NodeId::from_index(0), &[], 20);
        service.request(Request { best: None, distance: 0 });
        assert_eq!(serve(&mut service, &[7]), 1);
    }

    #[test]
    fn a_new_position_near_the_root_is_searched_until_a_move_is_the_distance_away() {
        let mut service = Service::new(NodeId::from_index(0), &[], 20);
        service.request(Request { best: None, distance: 20 });
        service.request(Request { best: None, distance: 0 });
        assert_eq!(serve(&mut service, &[30, 25, 11, 10]), 4, "exactly the distance away is out");
        let mut few = Service::new(NodeId::from_index(0), &[], 2);
        few.request(Request { best: None, distance: 20 });
        assert_eq!(serve(&mut few, &[30, 25]), 2, "no other legal move");
    }

    #[test]
    fn a_mate_on_top_leaves_no_distance() {
        let mut service = Service::new(NodeId::from_index(0), &[], 20);
        service.request(Request { best: None, distance: 20 });
        assert_eq!(serve(&mut service, &[31_997]), 1);
    }

    #[test]
    fn an_answer_above_the_best_so_far_raises_the_bar() {
        let uci = shakmaty::packed::PackedUciMove::pack(UciMove::Null);
        let listed = [Edge { child: NodeId::from_index(1), eval: cp(5), uci }];
        let mut service = Service::new(NodeId::from_index(0), &listed, 20);
        service.request(Request { best: Some(cp(0)), distance: 10 });
        assert_eq!(serve(&mut service, &[12, 3, 2]), 3, "2 is the distance away from the new 12");
    }
}
