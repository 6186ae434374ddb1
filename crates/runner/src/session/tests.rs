//! A move comes from a search, whenever it is wanted and however busy the computer is.

use shakmaty::Color;

use super::*;
use crate::Schedule;
use deepanalyze_core::chess::{Game, parse_uci};
use deepanalyze_core::search::Limit;
use deepanalyze_core::uci::{Command, parse};
use deepanalyze_engine::Settings;

/// White mates with h5f7, which is not the first legal move.
const MATE_NEXT: &str = "e4 e5 Qh5 Nc6 Bc4 Nf6";

/// Its engine does not start.
fn session(place: &tempfile::TempDir) -> Session {
    let settings = SessionSettings {
        database: place.path().join("tree.db"),
        engines: Settings::new("no-such-engine-here", Limit::Depth(5)),
        schedule: Schedule::Once(Limit::Depth(5)),
        tree: 10.into(),
        depth: 5,
        look_ahead: false,
    };
    Session::new(settings).unwrap()
}

fn question(go: &str) -> SessionQuestion {
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line(MATE_NEXT).unwrap();
    let Ok(Command::Go(go)) = parse(go) else { panic!("{go}") };
    SessionQuestion {
        game,
        lines: 1,
        only: Vec::new(),
        goal: SearchGoal::of(&go, Color::White, 100),
    }
}

/// The quick-search thread stands still, as on a computer that has no time for it.
#[test]
fn every_answer_is_searched_on_the_callers_thread() {
    let place = tempfile::tempdir().unwrap();
    let session = session(&place);
    let held = session.shared.quick.hold_up();
    let nothing: fn(&SessionSteering) = |_| {};
    for (go, steer) in [
        ("go movetime 150", nothing),
        ("go movetime 250", nothing),
        ("go wtime 200 btime 200 movestogo 1", nothing),
        ("go wtime 3000 btime 3000", nothing),
        ("go ponder movetime 150", SessionSteering::ponder_hit),
        ("go ponder movetime 150", SessionSteering::stop),
        ("go infinite", SessionSteering::stop),
        ("go nodes 1000000", SessionSteering::stop),
        ("go depth 9", SessionSteering::stop),
        ("go mate 7", SessionSteering::stop),
        ("go movetime 60000", SessionSteering::stop),
    ] {
        let analysing = session.analyse(question(go));
        steer(&analysing.steering());
        let told: Vec<SessionEvent> = analysing.collect();
        let searched = told.iter().any(|told| matches!(told, SessionEvent::Report(_)));
        let Some(SessionEvent::Best { best, .. }) = told.last() else { panic!("{go}: {told:?}") };
        assert_eq!((*best, searched), (parse_uci("h5f7"), true), "{go}: {told:?}");
    }
    drop(held);
    // The calling thread searches itself.
    for go in ["go movetime 1", "go movetime 110", "go wtime 1 btime 1", "go wtime 200 btime 200"] {
        let told: Vec<SessionEvent> = session.analyse(question(go)).collect();
        let Some(SessionEvent::Best { best, .. }) = told.last() else { panic!("{go}: {told:?}") };
        assert_eq!(*best, parse_uci("h5f7"), "{go}: {told:?}");
    }
    session.end();
}
