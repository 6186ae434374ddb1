//! Serving one position's requests: how often it must be searched (ALGORITHM, section 4).

use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::order::{Listed, reach};
use crate::tree::graph::{Graph, NodeId};

/// A visit's request of a position: a list that is complete for this best value, distance and
/// number of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    /// The value of the first move; None if the position was not analysed yet.
    pub best: Option<Value>,
    /// The distance in centipawns.
    pub distance: u32,
    /// Least number of listed moves that are not excluded.
    pub moves: usize,
}

/// All requests of one position in one pass, and the answers to them so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    node: NodeId,
    requests: Vec<Request>,
    /// The position's moves that the user has excluded.
    excluded: Vec<UciMove>,
    /// The list, answers included.
    listed: Listed,
    /// The greatest score of this service's answers alone, excluded moves left out.
    found: Option<Value>,
    answers: Vec<(UciMove, Value)>,
}

impl Service {
    /// A service of a position, before anything is asked of it.
    pub fn new(graph: &Graph, node: NodeId) -> Service {
        Service {
            node,
            requests: Vec::new(),
            excluded: graph.excluded(node).iter().map(|uci| uci.unpack()).collect(),
            listed: Listed::of(graph, node),
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

    /// The requests, in the order in which a visit came to them.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The position to serve.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The rank that the next answer will have.
    pub fn next_rank(&self) -> usize {
        self.listed.moves
    }

    /// The answers in this pass, in rank order.
    pub fn answers(&self) -> &[(UciMove, Value)] {
        &self.answers
    }

    /// True if some request is not served: the position is to be searched once more.
    pub fn wants_search(&self) -> bool {
        if self.listed.counting == 0 {
            return self.listed.moves < self.listed.legal;
        }
        self.requests.iter().any(|request| {
            // A request without a best value belongs to a position that was not analysed: answers
            // found since count.
            let top = request.best.max(self.found).unwrap_or(Value::EVEN);
            !self.listed.is_complete(top, reach(top, request.distance), request.moves)
        })
    }

    /// Takes the next answer: the engine's best move among those not listed, and its score.
    pub fn answer(&mut self, uci: UciMove, eval: Value) {
        self.answers.push((uci, eval));
        self.listed.moves += 1;
        self.listed.least = Some(self.listed.least.map_or(eval, |least| least.min(eval)));
        if !self.excluded.contains(&uci) {
            self.listed.counting += 1;
            self.found = self.found.max(Some(eval));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::graph::{Edge, Wish};
    use shakmaty::Color;
    use shakmaty::packed::PackedUciMove;

    fn cp(cp: i64) -> Value {
        Value::new(cp).unwrap()
    }

    /// A service of the first position of a graph, with a list.
    fn service(list: &[i64], legal_moves: u8) -> Service {
        let mut graph = Graph::default();
        let nodes = [legal_moves, 20].map(|moves| graph.add_node(Color::White, moves, None));
        let uci = PackedUciMove::pack(UciMove::Null);
        let edge = |eval: &i64| Edge { child: nodes[1], eval: cp(*eval), uci };
        graph.admit(vec![(nodes[0], list.iter().map(edge).collect())]);
        Service::new(&graph, nodes[0])
    }

    fn request(best: Option<i64>, distance: u32, moves: usize) -> Request {
        Request { best: best.map(cp), distance, moves }
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
        let mut service = service(&[], 20);
        service.request(request(None, 0, 1));
        assert_eq!(serve(&mut service, &[7]), 1);
    }

    #[test]
    fn new_position_near_root_is_searched_to_the_distance() {
        let mut long = service(&[], 20);
        long.request(request(None, 20, 1));
        long.request(request(None, 0, 1));
        assert_eq!(serve(&mut long, &[30, 25, 11, 10]), 4, "exactly the distance away is out");
        let mut few = service(&[], 2);
        few.request(request(None, 20, 1));
        assert_eq!(serve(&mut few, &[30, 25]), 2, "no other legal move");
    }

    #[test]
    fn as_many_moves_are_listed_as_asked_for() {
        let mut four = service(&[], 20);
        four.request(request(None, 20, 4));
        assert_eq!(serve(&mut four, &[30, 5, 4, 3]), 4);
        let mut mate = service(&[], 3);
        mate.request(request(None, 20, 4));
        assert_eq!(serve(&mut mate, &[31_997, 5, 4]), 3, "no other legal move");
    }

    #[test]
    fn a_mate_on_top_leaves_no_distance() {
        let mut service = service(&[], 20);
        service.request(request(None, 20, 1));
        assert_eq!(serve(&mut service, &[31_997]), 1);
    }

    #[test]
    fn an_answer_above_the_best_so_far_raises_the_bar() {
        let mut service = service(&[5], 20);
        service.request(request(Some(0), 10, 1));
        assert_eq!(serve(&mut service, &[12, 3, 2]), 3, "2 is the distance away from the new 12");
    }

    #[test]
    fn an_excluded_move_is_listed_and_does_not_count() {
        let mut graph = Graph::default();
        let node = graph.add_node(Color::White, 20, None);
        let exclude = vec![UciMove::Null];
        graph.direct(node, &Wish { exclude, ..Wish::default() });
        let mut service = Service::new(&graph, node);
        service.request(request(None, 5, 1));
        service.answer(UciMove::Null, cp(50));
        assert!(service.wants_search(), "nothing that counts is listed");
        service.answer("e2e4".parse().unwrap(), cp(20));
        assert!(service.wants_search(), "16 may be there");
        service.answer("d2d4".parse().unwrap(), cp(15));
        assert!(!service.wants_search());
    }
}
