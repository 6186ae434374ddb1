//! The engine at work: registered, asked, and fed with results, until it is to end.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;

use crossbeam_channel::{Sender, bounded};
use tokio::select;
use tokio::sync::{oneshot, watch};

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Profile;
use deepanalyze_runner::session::{
    SearchGoal, Session, SessionEvent, SessionQuestion, SessionSettings, SessionSteering,
};
use deepanalyze_runner::{ControlReceiver, Job, RunnerError, enqueue};
use deepanalyze_store::{Patience, Store};
use deepanalyze_view::describe_root;

use super::api::{Addresses, Registration};
use super::error::LichessError;
use super::http::{Http, LichessBroker, register};
use super::provider::{Analyse, BoardAnalysis, Means, Say, patiently, provide};
use super::question::BoardQuestion;

/// The user's and the engine's credentials, and the registration.
#[derive(Debug)]
pub struct LichessEngine {
    /// Its addresses.
    pub addresses: Addresses,
    /// The token of the user's account.
    pub token: String,
    /// The engine, with its secret.
    pub registration: Registration,
}

/// Registers the engine and works, on this thread; the session has its own. Positions at which the
/// user stays go on the agenda if `enqueueing` has the settings to grow them.
///
/// # Errors
///
/// If Lichess refuses for good, or a thread or a socket cannot be had.
pub fn work(
    engine: LichessEngine,
    session: &Session,
    enqueueing: Option<SessionSettings>,
    control: ControlReceiver,
    say: Say,
    ready: impl FnOnce(),
) -> io::Result<Result<(), LichessError>> {
    let LichessEngine { addresses, token, registration } = engine;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let stayed = enqueueing
        .map(|settings| start_enqueueing(settings, session.clone(), Arc::clone(&say)))
        .transpose()?;
    let http = Http::default();
    let secret = registration.secret.clone();
    let broker = LichessBroker::new(http.clone(), addresses.clone(), secret);
    let (session, patient) = (session.clone(), Arc::clone(&say));
    let analyse: Analyse = Box::new(move |question| begin(&session, question));
    let means = Means { broker, analyse, say, stayed };
    let end = told_to_end(control)?;
    let work = async move {
        let mut end = pin!(end);
        let registered = patiently(&patient, || register(&http, &addresses, &token, &registration));
        select! {
            biased;
            () = &mut end => return Ok(()),
            registered = registered => registered?,
        }
        ready();
        provide(means, end).await
    };
    let result = runtime.block_on(work);
    // Does not wait for a name lookup.
    runtime.shutdown_background();
    Ok(result)
}

/// Stops a search when dropped.
struct StopOnDrop(SessionSteering);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Begins a position; a thread passes on its reports.
fn begin(session: &Session, question: &BoardQuestion) -> Result<BoardAnalysis, String> {
    let asked = SessionQuestion {
        game: question.game.clone(),
        lines: question.lines,
        only: Vec::new(),
        // The provider ends it: it knows when the user has left.
        goal: SearchGoal { infinite: true, ..SearchGoal::default() },
    };
    let analysing = session.analyse(asked);
    let stop = Box::new(StopOnDrop(analysing.steering()));
    let (sender, reports) = watch::channel(None);
    let pass_on = move || {
        for told in analysing {
            match told {
                SessionEvent::Report(report) => drop(sender.send_replace(Some(Arc::new(report)))),
                SessionEvent::Note(note) => tracing::info!("{note}"),
                SessionEvent::Best { .. } => {}
            }
        }
    };
    let thread = std::thread::Builder::new().name("a board of Lichess".to_owned());
    thread.spawn(pass_on).map_err(|error| format!("cannot start a thread: {error}"))?;
    Ok(BoardAnalysis { reports, _stop: stop })
}

/// Done once the run is to end.
fn told_to_end(control: ControlReceiver) -> io::Result<impl Future<Output = ()>> {
    let (sender, told) = oneshot::channel::<()>();
    let wait = move || {
        while !control.is_told_to_end() && control.wake().recv().is_ok() {}
        drop(sender);
    };
    std::thread::Builder::new().name("end".to_owned()).spawn(wait)?;
    Ok(async move { drop(told.await) })
}

/// Positions that may wait for the agenda, as with a locked database.
const WAITING: usize = 64;

/// Takes games at which the user stays, in a thread of its own, and puts them on the agenda of
/// `serve`. It ends with the senders.
fn start_enqueueing(
    settings: SessionSettings,
    session: Session,
    say: Say,
) -> io::Result<Sender<Game>> {
    let (sender, games) = bounded::<Game>(WAITING);
    let work = move || {
        for game in games {
            let label = describe_root(&game);
            // The engine may not be known before.
            let Some(engine) = session.profile() else { continue };
            match put_on_agenda(&settings, &engine, game, &say) {
                Ok(true) => say(format!("{label}: put on the agenda")),
                Ok(false) => {}
                Err(error) => say(format!("{label}: not put on the agenda: {error}")),
            }
        }
    };
    std::thread::Builder::new().name("agenda".to_owned()).spawn(work)?;
    Ok(sender)
}

/// True if it was put there: an existing tree may have reached it.
fn put_on_agenda(
    settings: &SessionSettings,
    engine: &Profile,
    game: Game,
    say: &Say,
) -> Result<bool, RunnerError> {
    let job = Job::new(game, settings.tree.clone(), settings.schedule, settings.depth);
    let say = Arc::clone(say);
    let tell = move |why: &str| say(format!("warning: {why}; waiting for it"));
    let mut store = Store::open_with(&settings.database, Patience::new(|| false, tell))?;
    Ok(enqueue(&mut store, engine, &job)?.is_some())
}
