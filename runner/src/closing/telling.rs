//! What is told of engines that make a closing search.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select};

use crate::control::{Control, ControlReceiver};
use crate::feed::event::{ClosingProgress, RunEvent, RunListener};
use crate::outcome::RunEnd;
use crate::serial::SearcherEvent;

/// How often a long search is told of.
const TICK: Duration = Duration::from_millis(250);

/// What an engine tells.
#[derive(Debug)]
pub enum ClosingNews {
    /// Its searcher has something to say.
    Searcher(SearcherEvent),
    /// It has answered a share of so many searches.
    Answered(usize),
    /// It has failed at a share, and takes no other one.
    Failed,
}

/// How far engines have come.
#[derive(Debug)]
struct Count {
    /// The searches of the shares that are answered.
    answered: usize,
    /// Those that each engine has made of the share that it is at.
    under_way: Vec<usize>,
}

impl Count {
    fn hear(&mut self, engine: usize, news: &ClosingNews) {
        let Some(under_way) = self.under_way.get_mut(engine) else { return };
        match news {
            ClosingNews::Searcher(SearcherEvent::Searched(_)) => *under_way += 1,
            // What is on a lost hash is searched again.
            ClosingNews::Searcher(SearcherEvent::Fault(..)) | ClosingNews::Failed => *under_way = 0,
            ClosingNews::Answered(searches) => {
                *under_way = 0;
                self.answered += searches;
            }
            ClosingNews::Searcher(_) => {}
        }
    }

    fn done(&self) -> usize {
        self.answered + self.under_way.iter().sum::<usize>()
    }
}

/// Who steers the engines: somebody outside, and the time.
#[derive(Debug)]
pub struct ClosingSteering<'a> {
    /// What somebody outside wants.
    pub outside: &'a ControlReceiver,
    /// What the engines listen to.
    pub engines: Control,
    /// How long they may take.
    pub within: Option<Duration>,
}

impl ClosingSteering<'_> {
    /// Passes on what is wanted by now, beside what was passed on before.
    fn pass_on(&self, told: Option<RunEnd>, elapsed: Duration) -> Option<RunEnd> {
        if self.outside.is_paused() != self.engines.is_paused() {
            match self.outside.is_paused() {
                true => self.engines.pause(),
                false => self.engines.go_on(),
            }
        }
        let now = match (self.outside.is_told_to_end(), self.within) {
            (true, _) => Some(RunEnd::Interrupted),
            (false, Some(within)) if elapsed >= within => Some(RunEnd::Limit),
            (false, _) => told,
        };
        if now != told {
            self.engines.end();
        }
        now
    }
}

/// Tells until the engines are gone, each of which sends its number with its news. Says why they were told
/// to end, if they were.
pub fn listen(
    engines: usize,
    searches: usize,
    news: &Receiver<(usize, ClosingNews)>,
    steering: &ClosingSteering<'_>,
    tell: &mut RunListener<'_>,
) -> Option<RunEnd> {
    let (began, mut told) = (Instant::now(), None);
    let mut count = Count { answered: 0, under_way: vec![0; engines] };
    loop {
        let now = steering.pass_on(told, began.elapsed());
        if now != std::mem::replace(&mut told, now) {
            let why = if now == Some(RunEnd::Limit) { "out of time" } else { "interrupted" };
            tell(RunEvent::Stopping(why.to_owned()));
        }
        let (done, elapsed) = (count.done().min(searches), began.elapsed());
        tell(RunEvent::Closing(ClosingProgress { done, searches, elapsed }));
        select! {
            recv(news) -> said => {
                let Ok((engine, said)) = said else {
                    return if steering.outside.is_told_to_end() { Some(RunEnd::Interrupted) } else { told };
                };
                count.hear(engine, &said);
                pass_on(said, tell);
            },
            recv(steering.outside.wake()) -> _ => {}
            default(TICK) => {}
        }
    }
}

fn pass_on(news: ClosingNews, tell: &mut RunListener<'_>) {
    match news {
        ClosingNews::Searcher(SearcherEvent::Fault(error, attempt)) => {
            tell(RunEvent::Fault { error, attempt, position: None });
        }
        ClosingNews::Searcher(SearcherEvent::Notice(notice)) => tell(RunEvent::Notice(notice)),
        ClosingNews::Searcher(SearcherEvent::Searched(_))
        | ClosingNews::Answered(_)
        | ClosingNews::Failed => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::control;
    use deepanalyze_engine::{EngineError, Reason};

    #[test]
    fn engines_end_when_somebody_wants_it_or_their_time_is_up() {
        let (outside, receiver) = control();
        let (engines, listens) = control();
        let hour = Duration::from_secs(3600);
        let steering = ClosingSteering { outside: &receiver, engines, within: Some(hour) };
        assert_eq!(steering.pass_on(None, Duration::ZERO), None);
        outside.pause();
        assert_eq!(steering.pass_on(None, hour / 2), None);
        assert!(listens.is_paused() && !listens.is_told_to_end());
        outside.go_on();
        assert_eq!(steering.pass_on(None, hour), Some(RunEnd::Limit));
        assert_eq!((listens.is_paused(), listens.times_told_to_end()), (false, 1));
        assert_eq!(steering.pass_on(Some(RunEnd::Limit), 2 * hour), Some(RunEnd::Limit));
        assert_eq!(listens.times_told_to_end(), 1);
        outside.end();
        assert_eq!(steering.pass_on(Some(RunEnd::Limit), 2 * hour), Some(RunEnd::Interrupted));
        assert_eq!(listens.times_told_to_end(), 2);
        let without =
            ClosingSteering { within: None, outside: &ControlReceiver::never(), ..steering };
        assert_eq!(without.pass_on(None, 99 * hour), None);
    }

    #[test]
    fn searches_that_are_lost_with_a_hash_do_not_count() {
        let mut count = Count { answered: 0, under_way: vec![0; 2] };
        let mut hear = |engine, news| {
            count.hear(engine, &news);
            count.done()
        };
        let searched = || ClosingNews::Searcher(SearcherEvent::Searched(9));
        let reason = Reason::NothingToSearch(String::new());
        let error = EngineError { engine: String::new(), command: None, reason };
        assert_eq!([hear(0, searched()), hear(1, searched()), hear(1, searched())], [1, 2, 3]);
        assert_eq!(hear(1, ClosingNews::Searcher(SearcherEvent::Fault(error, 1))), 1);
        // The memo may have known some of a share's searches.
        assert_eq!(hear(0, ClosingNews::Answered(4)), 4);
        assert_eq!(
            [hear(1, searched()), hear(1, ClosingNews::Failed), hear(0, searched())],
            [5, 4, 5]
        );
    }
}
