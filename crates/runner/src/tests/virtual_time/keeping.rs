//! Runs that keep answers alone, and the reported lines.

use shakmaty::uci::UciMove;

use super::{Log, Place, job, lost, ms};
use crate::control::ControlReceiver;
use crate::feed::event::RunEvent;
use crate::job::Job;
use crate::job::Keeping;
use crate::outcome::RunOutcome;
use crate::queue::grow;
use deepanalyze_core::chess::parse_uci;

fn run(place: &mut Place, log: &Log, job: &Job) -> RunOutcome {
    let mut engines = log.engines(3, ms(10));
    grow(job, &mut place.store, &mut engines, &ControlReceiver::never(), &mut |_| {}).unwrap()
}

fn alone(only: &[&str]) -> Job {
    let only: Vec<UciMove> = only.iter().filter_map(|uci| parse_uci(uci)).collect();
    Job { keeping: Keeping::AnswersAlone { only }, look_ahead: false, ..job() }
}

#[test]
fn answers_only_run_grows_the_tree_beside_the_lock() {
    let (mut place, mut other) = (Place::new(), Place::new());
    let kept = run(&mut other, &Log::default(), &Job { look_ahead: false, ..job() });
    // Another run grows the analysis.
    let mut locking = place.connect();
    let game = job().game;
    let profile = locking.profile_id(&crate::tests::made_up::profile()).unwrap();
    let breadth = job().tree.breadth;
    let key =
        deepanalyze_store::AnalysisKey { game: &game, profile, settings: &breadth.clone().into() };
    let (analysis, _lock) = locking.begin_analysis(key).unwrap();
    let log = Log::default();
    let alone = run(&mut place, &log, &alone(&[]));
    assert_eq!((alone.analysis, alone.settled_depth), (None, kept.settled_depth));
    assert_eq!((&alone.lines, alone.admitted), (&kept.lines, kept.admitted));
    assert_eq!(lost(&mut place.store, &log), 0, "answers are kept");
    let row = place.store.analysis(analysis).unwrap().unwrap();
    assert_eq!((row.searches, row.settled_depth), (0, None));
}

#[test]
fn run_of_some_moves_does_not_affect_the_next() {
    let mut place = Place::new();
    let narrow = run(&mut place, &Log::default(), &alone(&["a2a3", "h2h4"]));
    let best = |outcome: &RunOutcome| outcome.best().unwrap().moves[0].to_string();
    assert!(["a2a3", "h2h4"].contains(&best(&narrow).as_str()), "{}", best(&narrow));
    assert_eq!(place.store.analyses().unwrap(), []);
    let (wide, other) = (run(&mut place, &Log::default(), &job()), Place::new());
    let unknown = run(&mut { other }, &Log::default(), &job());
    assert_eq!(wide.lines, unknown.lines);
}

#[test]
fn run_reports_the_lines_asked_for_and_their_stage() {
    let (mut place, mut last) = (Place::new(), None);
    let mut heard = |event| {
        if let RunEvent::Progress(progress) = event {
            last = Some(progress);
        }
    };
    let breadth = deepanalyze_core::tree::Breadth { least: 3, ..8.into() };
    let job = Job { lines: 3, tree: breadth.into(), ..job() };
    let mut engines = Log::default().engines(3, ms(10));
    let never = ControlReceiver::never();
    grow(&job, &mut place.store, &mut engines, &never, &mut heard).unwrap();
    let last = last.unwrap();
    let lines = last.lines;
    assert_eq!(lines.len(), 3);
    assert!(lines.is_sorted_by(|a, b| a.value >= b.value && a.moves[0] != b.moves[0]));
    let speaking = last.speaking.unwrap();
    assert_eq!((speaking.limit, speaking.settled), (job.schedule.first(), Some(2)));
}
