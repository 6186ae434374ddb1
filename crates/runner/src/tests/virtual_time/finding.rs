//! A closing search's root move is followed from the next run on.

use super::{Log, Place, job, ms, profile};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::feed::event::RunEvent;
use crate::job::Job;
use crate::outcome::{RunEnd, RunOutcome};
use crate::queue::grow;
use deepanalyze_core::chess::{PositionKey, Score, epd_of, legal_uci};
use deepanalyze_core::directives::Directive;
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_store::{AnalysisId, AnalysisKey, ClosingShareRow, NewClosing, Store, StoreError};
use deepanalyze_view::{load, load_as_grown, verify};
use shakmaty::uci::UciMove;

const TREE: AnalysisId = AnalysisId(1);

/// A move of the root that the tree does not list by itself.
fn find() -> UciMove {
    let mut place = Place::new();
    run(&mut place, &Log::default(), None);
    let kept = load(&place.store, TREE).unwrap();
    let list = kept.growth.graph().list(kept.growth.root());
    let listed = |uci: &UciMove| list.iter().any(|edge| edge.uci.unpack() == *uci);
    legal_uci(kept.game.root()).into_iter().find(|uci| !listed(uci)).unwrap()
}

/// Keeps a closing search of the tree by one engine that chose that move.
fn close(store: &mut Store, best: UciMove) {
    let row = store.analysis(TREE).unwrap().unwrap();
    let new = NewClosing { passes: row.passes, limit: Some(Limit::Nodes(7)), engines: 1 };
    let (score, time, pv) = (Score::Cp(70), ms(1), vec![best]);
    let answer = Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 7, time, pv };
    let share = ClosingShareRow { number: 1, is_all: true, answer, is_done: true };
    let id = store.closing_id(TREE, &new).unwrap();
    store.keep_shares(id, row.game().unwrap().root(), &[share]).unwrap();
}

fn run(place: &mut Place, log: &Log, searches: Option<u64>) -> RunOutcome {
    let limits = RunLimits { searches, ..RunLimits::default() };
    place.grow((3, limits), &mut log.engines(3, ms(10)), &ControlReceiver::never()).unwrap()
}

/// The tree's rows in words; the root's moves with whether they are listed.
fn tree(place: &Place) -> Vec<String> {
    let kept = load_as_grown(&place.store, TREE).unwrap();
    let (graph, root) = (kept.growth.graph(), kept.growth.root());
    let row = |node| {
        let (list, idea) = (graph.list(node).len(), kept.growth.values().idea(node));
        let epd = epd_of(&kept.growth.position(node));
        format!("{epd} ply {} {list} moves {idea:?}", kept.growth.ply(node))
    };
    let mut rows: Vec<String> = graph.analysed().map(row).collect();
    rows.sort();
    let moves = graph.moves(root).iter().enumerate();
    rows.extend(
        moves.map(|(index, edge)| format!("{} {:?}", edge.uci.unpack(), graph.rank(root, index))),
    );
    rows.push(format!("{:?} {:?}", kept.growth.settled(), kept.row.found));
    let verdicts = kept.verdicts.iter().map(|verdict| format!("{:?}", verdict.moves));
    rows.into_iter().chain(verdicts).collect()
}

fn assert_proven(place: &Place) {
    let found = verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!((found.flaws, found.trees), (Vec::new(), 1));
}

/// For a root move: whether it is listed, and whether the position behind it is analysed; `None` if
/// it does not count.
fn of_find(place: &Place, find: UciMove) -> Option<(bool, bool)> {
    let kept = load(&place.store, TREE).unwrap();
    let (graph, root) = (kept.growth.graph(), kept.growth.root());
    let mut moves = graph.moves(root).iter().enumerate();
    let (index, edge) = moves.find(|(_, edge)| edge.uci.unpack() == find)?;
    Some((graph.rank(root, index).is_some(), graph.is_analysed(edge.child)))
}

/// A tree begun before its first pass, with a closing search of its root.
fn begun(find: UciMove) -> Place {
    let mut place = Place::new();
    let profile = place.store.profile_id(&profile()).unwrap();
    let job = job();
    let key = AnalysisKey { game: &job.game, profile, settings: &job.tree.breadth.clone().into() };
    assert_eq!(place.store.begin_analysis(key).unwrap().0, TREE);
    close(&mut place.store, find);
    place
}

#[test]
fn unlisted_find_counts_with_replies_after_next_run() {
    let (mut place, log, find) = (Place::new(), Log::default(), find());
    run(&mut place, &log, None);
    let before = tree(&place);
    assert_eq!(of_find(&place, find), None);
    close(&mut place.store, find);
    assert_eq!(tree(&place), before, "until it is grown");
    assert_proven(&place);
    let mut told = Vec::new();
    let job = Job { depth: 3, ..job() };
    let more = grow(
        &job,
        &mut place.store,
        &mut log.engines(3, ms(10)),
        &ControlReceiver::never(),
        &mut |event| {
            if let RunEvent::Found(moves) = event {
                told.push(moves);
            }
        },
    );
    let more = more.unwrap();
    assert_eq!(told, [[find]]);
    assert!(more.ending == RunEnd::Settled && more.searches > 0, "{more:?}");
    assert_eq!(of_find(&place, find), Some((false, true)));
    let kept = load(&place.store, TREE).unwrap();
    let root = PositionKey::of(kept.game.root());
    assert_eq!(kept.growth.selection().played.get(&root).map(Vec::len), Some(1));
    assert_eq!((kept.row.found.len(), kept.row.regrown), (1, 1));
    assert_proven(&place);
    // A closing search that is known, or chooses the same again, makes no other tree.
    let grown = tree(&place);
    close(&mut place.store, find);
    let again = run(&mut place, &Log::default(), None);
    assert_eq!((again.searches, tree(&place) == grown), (0, true));
    assert_eq!(place.store.analysis(TREE).unwrap().unwrap().regrown, 1);
}

#[test]
fn tree_with_a_find_is_the_same_however_grown() {
    let (mut again, log, find) = (Place::new(), Log::default(), find());
    run(&mut again, &log, None);
    close(&mut again.store, find);
    run(&mut again, &log, None);
    let expected = tree(&again);
    let mut at_once = begun(find);
    run(&mut at_once, &Log::default(), None);
    assert_eq!(tree(&at_once), expected);
    assert_eq!(at_once.store.analysis(TREE).unwrap().unwrap().regrown, 0);
    assert_proven(&at_once);
    let mut resumed = begun(find);
    for _ in 0..4 {
        run(&mut resumed, &Log::default(), Some(25));
        assert_proven(&resumed);
    }
    run(&mut resumed, &Log::default(), None);
    assert_eq!(tree(&resumed), expected);
}

#[test]
fn earlier_tree_stays_until_the_find_has_caught_up() {
    let (mut place, log, find) = (Place::new(), Log::default(), find());
    run(&mut place, &log, None);
    close(&mut place.store, find);
    let before = tree(&place);
    let (steer, control) = crate::control::control();
    steer.end();
    let limits = RunLimits::default();
    let ended = place.grow((3, limits), &mut log.engines(1, ms(10)), &control).unwrap();
    assert_eq!((ended.ending, tree(&place)), (RunEnd::Interrupted, before));
    assert_proven(&place);
}

#[test]
fn excluded_find_is_not_followed_but_stays_on_record() {
    let (mut place, log, find) = (Place::new(), Log::default(), find());
    run(&mut place, &log, None);
    close(&mut place.store, find);
    run(&mut place, &log, None);
    let game = job().game;
    let root = PositionKey::of(game.root());
    let exclude = Directive::Exclude(find);
    let said = place.store.change_directives(&game, |set| {
        set.add(&root, game.root(), exclude.clone()).unwrap();
        Ok::<(), StoreError>(())
    });
    assert!(said.is_ok_and(|said| said.before != said.after));
    run(&mut place, &log, None);
    assert_eq!(of_find(&place, find), None);
    assert_eq!(place.store.analysis(TREE).unwrap().unwrap().found.len(), 1);
    assert_proven(&place);
}
