//! Lists, parents and facts.

use super::*;
use shakmaty::uci::UciMove;

fn edge(child: NodeId, cp: i64) -> Edge {
    let uci = PackedUciMove::pack(UciMove::Null);
    Edge { child, eval: Value::new(cp).unwrap(), uci }
}

#[test]
fn admitted_answers_go_behind_those_of_the_same_list() {
    let mut graph = Graph::default();
    let nodes: Vec<NodeId> = (0..4).map(|_| graph.add_node(Color::White, 20, None)).collect();
    graph.admit(vec![
        (nodes[2], vec![edge(nodes[0], 5)]),
        (nodes[0], vec![edge(nodes[1], 9), edge(nodes[2], 8)]),
    ]);
    let late = graph.add_node(Color::Black, 20, None);
    graph.admit(vec![(late, vec![edge(nodes[0], 1)]), (nodes[0], vec![edge(late, 7)])]);
    let evals = |node: NodeId| -> Vec<i16> {
        graph.list(node).iter().map(|edge| edge.eval.get()).collect()
    };
    assert_eq!(evals(nodes[0]), [9, 8, 7]);
    assert!(evals(nodes[1]).is_empty());
    assert_eq!(evals(nodes[2]), [5]);
    assert_eq!(evals(late), [1]);
    assert_eq!(graph.listed_moves(), 5);
    assert_eq!(graph.analysed().count(), 3);
    let mut parents: Vec<NodeId> = graph.parents(nodes[0]).collect();
    parents.sort_unstable();
    assert_eq!(parents, [nodes[2], late]);
    assert_eq!(graph.parents(nodes[1]).collect::<Vec<_>>(), [nodes[0]]);
    assert_eq!(graph.parents(nodes[3]).count(), 0);
}

#[test]
fn a_listed_move_and_a_position_take_eight_bytes() {
    assert_eq!((size_of::<Edge>(), size_of::<Node>()), (8, 8));
}

#[test]
fn facts_are_given_back() {
    let endings = [Ending::Checkmate, Ending::Stalemate, Ending::InsufficientMaterial];
    let mut graph = Graph::default();
    for ending in [None].into_iter().chain(endings.map(Some)) {
        for turn in Color::ALL {
            let node = graph.add_node(turn, 218, ending);
            graph.mark_repeated(node);
            assert_eq!((graph.turn(node), graph.ending(node)), (turn, ending));
            assert_eq!((graph.legal_moves(node), graph.is_repeated(node)), (218, true));
        }
    }
}
