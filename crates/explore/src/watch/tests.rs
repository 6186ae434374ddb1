//! Reading beside a writer, step by step in one thread.

use shakmaty::uci::UciMove;

use std::collections::BTreeMap;

use deepanalyze_core::chess::Score;
use deepanalyze_core::directives::{Directive, Refusal};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_engine::{FakeEngines, FakeSearch};
use deepanalyze_runner::{ControlReceiver, Job, Schedule};
use deepanalyze_store::AnalysisId;
use deepanalyze_view::load_tree;

use super::*;

/// Grows the starting position to depth 1 with searches of a limit, by an engine that likes the first legal
/// move.
fn grow(path: &std::path::Path, limit: Limit) {
    let profile =
        Profile { engine: "First".to_owned(), options: BTreeMap::new(), limit, kept_hash: None };
    let mut engines = FakeEngines::new(1, profile, |start| {
        let legal = deepanalyze_core::chess::legal_uci(&start.search.position);
        let left = |uci: &UciMove| !start.search.excluded.contains(uci);
        let best = legal.into_iter().find(left).unwrap();
        let (score, time, pv) = (Score::Cp(0), Duration::ZERO, vec![best]);
        FakeSearch::ending(Ok(Answer {
            best,
            score,
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time,
            pv,
        }))
    });
    let game = deepanalyze_core::chess::Game::from_start("startpos").unwrap();
    let job = Job { look_ahead: false, ..Job::new(game, 0, Schedule::Once(limit), 1) };
    let mut store = Store::open(path).unwrap();
    let never = ControlReceiver::never();
    deepanalyze_runner::grow(&job, &mut store, &mut engines, &never, &mut |_| {}).unwrap();
}

#[test]
fn deeper_stage_replaces_shallower_when_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    grow(&path, Limit::Depth(10));
    let [mut stages, mut one] = [Followed::Stages, Followed::Analysis].map(|of| {
        let store = Store::open_to_read(&path).unwrap();
        let tree = load_tree(&store, AnalysisId(1)).unwrap();
        TreeReader::new(store, Arc::new(tree), of)
    });
    let read = |reader: &mut TreeReader| {
        reader.rested = Instant::now();
        reader.read(false).unwrap().map(|tree| tree.row.profile.limit)
    };
    grow(&path, Limit::Nodes(5));
    assert_eq!((read(&mut stages), read(&mut one)), (None, None), "nodes are no stage");
    grow(&path, Limit::Depth(12));
    assert_eq!((read(&mut stages), read(&mut one)), (Some(Limit::Depth(12)), None));
    assert_eq!(read(&mut stages), None, "nothing has changed since");
}

#[derive(Debug)]
struct Failed;

impl From<StoreError> for Failed {
    fn from(_: StoreError) -> Failed {
        Failed
    }
}

impl From<Refusal> for Failed {
    fn from(_: Refusal) -> Failed {
        Failed
    }
}

/// Excludes the first move of the root, as another process does.
fn exclude(writer: &mut Store, tree: &Tree) {
    let (root, position) = (tree.growth.root(), tree.game.root());
    let uci: UciMove = tree.growth.graph().moves(root)[0].uci.unpack();
    let key = deepanalyze_core::chess::PositionKey::of(position);
    let change = |set: &mut deepanalyze_core::directives::Directives| {
        set.add(&key, position, Directive::Exclude(uci)).map_err(Failed::from)
    };
    writer.change_directives(&tree.game, change).unwrap();
}

#[test]
fn directives_are_news_and_other_writes_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    grow(&path, Limit::Depth(10));
    let store = Store::open_to_read(&path).unwrap();
    let tree = load_tree(&store, AnalysisId(1)).unwrap();
    let mut reader = TreeReader::new(store, Arc::new(tree), Followed::Analysis);
    assert!(reader.look(false).is_empty());
    let mut writer = Store::open(&path).unwrap();
    assert!(reader.look(false).is_empty(), "the tree is the same");
    exclude(&mut writer, reader.follower.tree());
    let updates = reader.look(true);
    let [TreeNews::Tree(tree)] = &updates[..] else { panic!("{} updates", updates.len()) };
    assert!(tree.is_pending() && tree.directives.len() == 1);
}

#[test]
fn another_worth_of_a_draw_turns_to_another_tree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    grow(&path, Limit::Depth(10));
    let store = Store::open_to_read(&path).unwrap();
    let tree = load_tree(&store, AnalysisId(1)).unwrap();
    let mut reader = TreeReader::new(store, Arc::new(tree), Followed::Analysis);
    let grow: GrowWithDraw = Box::new(|path, patience, row, draw| {
        let mut store = Store::open_with(path, patience).unwrap();
        let grown = deepanalyze_runner::grow_with_draw(&mut store, row, draw).unwrap();
        grown.ok_or_else(|| "nothing is known".to_owned())
    });
    for (white, id) in [(-25, 2), (0, 1), (-25, 2)] {
        let draw = DrawValue::new(white).unwrap();
        let news = reader.value_draws(draw, &grow);
        let [TreeNews::Tree(tree), TreeNews::Directed(Ok(words)), ..] = &news[..] else {
            panic!("{} news", news.len())
        };
        assert_eq!((tree.row.id, tree.row.settings.draw), (AnalysisId(id), draw));
        assert!(words.starts_with(&format!("analysis {id}: a draw is worth ")), "{words}");
        assert_eq!(reader.follower.tree().row.id, AnalysisId(id), "it is followed from now on");
    }
    let refused: GrowWithDraw = Box::new(|_, _, _, _| Err("not here".to_owned()));
    let news = reader.value_draws(DrawValue::default(), &refused);
    assert!(matches!(&news[..], [TreeNews::Directed(Err(why))] if why == "not here"));
    assert_eq!(reader.follower.tree().row.id, AnalysisId(2));
}
