//! A session as the analyst of Lichess.

use std::sync::Arc;

use tokio::sync::watch;

use deepanalyze_runner::session::{SearchGoal, Session, SessionEvent, SessionSteering};

use super::analyst::{Analysing, Analyst};
use super::question::Question;

/// Stops a search when it goes.
struct Stop(SessionSteering);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Analyst for Session {
    fn begin(&self, question: &Question) -> Result<Analysing, String> {
        let asked = deepanalyze_runner::session::SessionQuestion {
            game: question.game.clone(),
            lines: question.lines,
            only: Vec::new(),
            // When it has come far enough is the provider's to say: it knows when nobody looks any more.
            goal: SearchGoal { infinite: true, ..SearchGoal::default() },
        };
        let analysing = self.analyse(asked);
        let stop = Box::new(Stop(analysing.steering()));
        let (sender, reports) = watch::channel(None);
        let pass_on = move || {
            for told in analysing {
                match told {
                    SessionEvent::Report(report) => {
                        drop(sender.send_replace(Some(Arc::new(report))))
                    }
                    SessionEvent::Note(note) => tracing::info!("{note}"),
                    SessionEvent::Best { .. } => {}
                }
            }
        };
        let thread = std::thread::Builder::new().name("a board of Lichess".to_owned());
        thread.spawn(pass_on).map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Analysing { reports, stop })
    }
}
