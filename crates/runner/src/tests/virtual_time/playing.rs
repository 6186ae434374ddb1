//! Trees that know played moves, and follow them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Log, Place, job, ms};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::facts::{CountError, CountSource, GamesUse};
use crate::job::{Job, TreePlan};
use crate::outcome::{RunError, RunOutcome};
use crate::queue::grow;
use deepanalyze_core::chess::{Game, PositionKey, legal_uci};
use deepanalyze_core::tree::{MoveCounts, PlayedRules};
use deepanalyze_store::{AnalysisId, HumanNet, HumanNets, KeptGameSet, NodeRow};
use deepanalyze_view::{StoredTree, game_to, load, node_row, verify};
use shakmaty::uci::UciMove;

/// The last move of a position, by its text, is played in 90 games of a hundred, the first one in
/// nine.
#[derive(Debug, Clone, Default)]
struct LastMove {
    asked: Arc<AtomicU64>,
    /// The most positions that can be looked up.
    readable: Option<u64>,
}

fn moves_of(position: &PositionKey) -> Vec<UciMove> {
    let mut moves = legal_uci(&position.position());
    moves.sort_by_key(ToString::to_string);
    moves
}

impl CountSource for LastMove {
    fn counts(&mut self, game: &Game) -> Result<MoveCounts, CountError> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if self.readable.is_some_and(|most| asked >= most) {
            return Err("the disk is gone".into());
        }
        let moves = moves_of(&PositionKey::of(game.root()));
        let games = [(moves.last(), 90), (moves.first(), 9), (moves.get(1), 1)];
        let games = games.into_iter().filter_map(|(uci, games)| Some((*uci?, games)));
        let mut games: Vec<(UciMove, u64)> = games.collect();
        games.dedup_by_key(|(uci, _)| *uci);
        Ok(MoveCounts::new(games))
    }
}

fn games(white: &str, source: &LastMove) -> GamesUse {
    let (digest, name) = ("00ff".to_owned(), "club".to_owned());
    let set =
        KeptGameSet { digest, name, filter: String::new(), games: 100, nets: HumanNets::default() };
    let rule = (!white.is_empty()).then(|| white.parse().unwrap());
    GamesUse::new(set, PlayedRules { white: rule, black: None }, source.clone())
}

fn run(
    place: &mut Place,
    games: Option<GamesUse>,
    most: Option<u64>,
) -> Result<RunOutcome, RunError> {
    run_by(3, place, games, most)
}

fn run_by(
    engines: usize,
    place: &mut Place,
    games: Option<GamesUse>,
    most: Option<u64>,
) -> Result<RunOutcome, RunError> {
    let limits = RunLimits { searches: most, ..RunLimits::default() };
    let job = Job { tree: TreePlan { games, ..job().tree }, depth: 3, limits, ..job() };
    let mut engines = Log::default().engines(engines, ms(10));
    grow(&job, &mut place.store, &mut engines, &ControlReceiver::never(), &mut |_| {})
}

fn grown(outcome: Result<RunOutcome, RunError>) -> AnalysisId {
    outcome.unwrap().analysis.unwrap()
}

/// A tree's rows, by position.
pub(super) fn rows(tree: &StoredTree) -> Vec<(PositionKey, NodeRow)> {
    let growth = &tree.growth;
    let row = |node| (PositionKey::of(&growth.position(node)), node_row(growth, node));
    let mut rows: Vec<(PositionKey, NodeRow)> = growth.graph().analysed().map(row).collect();
    rows.sort_by_key(|(key, _)| *key);
    rows
}

fn assert_proven(place: &Place, trees: u64) {
    let found = verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!((found.flaws, found.trees), (Vec::new(), trees));
}

#[test]
fn played_moves_have_answers_and_need_no_games_later() {
    let mut place = Place::new();
    let id = grown(run(&mut place, Some(games("10%/10", &LastMove::default())), None));
    let kept = load(&place.store, id).unwrap();
    let (graph, counts) = (kept.growth.graph(), kept.growth.counts());
    let mut followed = 0;
    for node in graph.analysed() {
        let position = kept.growth.position(node);
        let key = PositionKey::of(&position);
        let games = counts.get(&key).unwrap().games();
        assert_eq!(games, 100, "what both sides play is known");
        let last = moves_of(&key).last().copied().unwrap();
        let moves = graph.moves(node);
        let behind = moves.iter().find(|edge| edge.uci.unpack() == last);
        if key.turn().is_white() && kept.growth.ply(node) == 0 {
            assert!(behind.is_some_and(|edge| graph.is_analysed(edge.child)));
        }
        followed += usize::from(graph.played(node).len() == 1);
        assert!(graph.played(node).is_empty() || key.turn().is_white());
    }
    assert!(followed > 1);
    assert_eq!(kept.row.game_set.as_ref().map(|set| &*set.name), Some("club"));
    assert_proven(&place, 1);
}

#[test]
fn tree_is_equal_in_pieces_and_differs_without_games() {
    let rule = || Some(games("10%/10", &LastMove::default()));
    let mut place = Place::new();
    let id = grown(run(&mut place, rule(), None));
    let whole = load(&place.store, id).unwrap();
    let mut pieces = Place::new();
    while run(&mut pieces, rule(), Some(5)).unwrap().searches > 0 {}
    assert_eq!(rows(&load(&pieces.store, id).unwrap()), rows(&whole));
    let plain = grown(run(&mut pieces, None, None));
    assert!(plain != id && rows(&load(&pieces.store, plain).unwrap()) != rows(&whole));
    let counted = grown(run(&mut pieces, Some(games("", &LastMove::default())), None));
    let counted = load(&pieces.store, counted).unwrap();
    assert_eq!(rows(&counted), rows(&load(&pieces.store, plain).unwrap()), "nothing is followed");
    assert!(counted.growth.counts().rules.is_some());
    assert_proven(&pieces, 3);
}

#[test]
fn positions_are_looked_up_once_and_a_bad_set_named() {
    let (mut place, source) = (Place::new(), LastMove::default());
    let rule = |source: &LastMove| Some(games("10%/10", source));
    let broken = LastMove { readable: Some(3), ..LastMove::default() };
    let failed = run(&mut place, rule(&broken), None).unwrap_err();
    assert_eq!(failed.to_string(), "set of games club: the disk is gone");
    assert_proven(&place, 1);
    let id = grown(run(&mut place, rule(&source), None));
    let before = source.asked.load(Ordering::Relaxed);
    let again = run(&mut place, rule(&source), None).unwrap();
    assert_eq!((again.analysis, again.searches), (Some(id), 0));
    assert_eq!(source.asked.load(Ordering::Relaxed), before);
    assert_proven(&place, 1);
}

/// A net that takes one move to be likely, which one by the moves before the position.
#[derive(Debug)]
struct ByLine;

impl CountSource for ByLine {
    fn counts(&mut self, game: &Game) -> Result<MoveCounts, CountError> {
        let moves = moves_of(&PositionKey::of(game.root()));
        let text: String = game.moves().iter().map(ToString::to_string).collect();
        let number = text.bytes().fold(7_usize, |sum, byte| (31 * sum + usize::from(byte)) % 1009);
        let likely = moves.get(number % moves.len().max(1)).map(|uci| (*uci, 900));
        Ok(MoveCounts::default().with_human(&likely.into_iter().collect::<Vec<_>>(), 30))
    }
}

#[test]
fn a_net_sees_the_same_lines_whatever_engines_do() {
    let net = || {
        let net = HumanNet { name: "crowd".to_owned(), digest: "00ff".to_owned() };
        let nets = HumanNets { white: Some(net.clone()), black: Some(net), weight: 30 };
        let digest = nets.digest_with("");
        let rule = Some("10%/1".parse().unwrap());
        let rules = PlayedRules { white: rule, black: rule };
        let set = KeptGameSet { digest, nets, ..KeptGameSet::default() };
        Some(GamesUse::new(set, rules, ByLine))
    };
    let mut place = Place::new();
    let id = grown(run_by(1, &mut place, net(), None));
    let whole = load(&place.store, id).unwrap();
    // Later passes may find another line of equal length.
    let same = whole.growth.graph().analysed().filter(|node| {
        let key = PositionKey::of(&whole.growth.position(*node));
        let game = game_to(&job().game, &whole.growth.first_line(*node), &key);
        whole.growth.counts().get(&key) == Some(&ByLine.counts(&game).unwrap())
    });
    let (same, all) = (same.count(), whole.growth.graph().analysed().count());
    assert!(same > all / 2, "{same} of {all} are asked behind their first line");
    for engines in [3, 8] {
        let mut place = Place::new();
        let id = grown(run_by(engines, &mut place, net(), None));
        assert!(rows(&load(&place.store, id).unwrap()) == rows(&whole), "{engines} engines");
    }
    let mut pieces = Place::new();
    while run(&mut pieces, net(), Some(5)).unwrap().searches > 0 {}
    assert_eq!(rows(&load(&pieces.store, id).unwrap()), rows(&whole));
    assert_proven(&pieces, 1);
}
