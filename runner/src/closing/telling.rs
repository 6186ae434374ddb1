//! What is told of engines that make a closing search.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select};

use crate::control::{Control, ControlReceiver};
use crate::feed::progress::Observer;
use crate::serial::SearcherEvent;

/// How often the observer hears of a long search.
const TICK: Duration = Duration::from_millis(250);

/// What an engine tells.
#[derive(Debug)]
pub enum News {
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
    fn hear(&mut self, engine: usize, news: &News) {
        let Some(under_way) = self.under_way.get_mut(engine) else { return };
        match news {
            News::Searcher(SearcherEvent::Searched(_)) => *under_way += 1,
            // What is on a lost hash is searched again.
            News::Searcher(SearcherEvent::Fault(..)) | News::Failed => *under_way = 0,
            News::Answered(searches) => {
                *under_way = 0;
                self.answered += searches;
            }
            News::Searcher(_) => {}
        }
    }

    fn done(&self) -> usize {
        self.answered + self.under_way.iter().sum::<usize>()
    }
}

/// Why engines were told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// They were not.
    Nothing,
    /// Somebody wanted it.
    Interrupted,
    /// They have taken all the time that they may take.
    TimeUp,
}

/// Who steers the engines: somebody outside, and the time.
#[derive(Debug)]
pub struct Steering<'a> {
    /// What somebody outside wants.
    pub outside: &'a ControlReceiver,
    /// What the engines listen to.
    pub engines: Control,
    /// How long they may take.
    pub within: Option<Duration>,
}

impl Steering<'_> {
    /// Passes on what is wanted by now, beside what was passed on before.
    fn pass_on(&self, told: Told, elapsed: Duration) -> Told {
        if self.outside.is_paused() != self.engines.is_paused() {
            match self.outside.is_paused() {
                true => self.engines.pause(),
                false => self.engines.go_on(),
            }
        }
        let now = match (self.outside.is_told_to_end(), self.within) {
            (true, _) => Told::Interrupted,
            (false, Some(within)) if elapsed >= within => Told::TimeUp,
            (false, _) => told,
        };
        if now != told {
            self.engines.end();
        }
        now
    }
}

/// Tells the observer until the engines are gone, each of which sends its number with its news. Says why they were told
/// to end, if they were.
pub fn listen(
    (engines, searches): (usize, usize),
    news: &Receiver<(usize, News)>,
    steering: &Steering<'_>,
    observer: &mut dyn Observer,
) -> Told {
    let (began, mut told) = (Instant::now(), Told::Nothing);
    let mut count = Count { answered: 0, under_way: vec![0; engines] };
    loop {
        let now = steering.pass_on(told, began.elapsed());
        if now != std::mem::replace(&mut told, now) {
            observer.stopping(match now {
                Told::TimeUp => "out of time",
                Told::Interrupted | Told::Nothing => "interrupted",
            });
        }
        observer.closing(count.done().min(searches), searches, began.elapsed());
        select! {
            recv(news) -> said => {
                let Ok((engine, said)) = said else {
                    return if steering.outside.is_told_to_end() { Told::Interrupted } else { told };
                };
                count.hear(engine, &said);
                pass_on(said, observer);
            },
            recv(steering.outside.wake()) -> _ => {}
            default(TICK) => {}
        }
    }
}

fn pass_on(news: News, observer: &mut dyn Observer) {
    match news {
        News::Searcher(SearcherEvent::Fault(error, attempt)) => {
            observer.fault(&error, attempt, None);
        }
        News::Searcher(SearcherEvent::Notice(notice)) => observer.notice(&notice),
        News::Searcher(SearcherEvent::Searched(_)) | News::Answered(_) | News::Failed => {}
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
        let steering = Steering { outside: &receiver, engines, within: Some(hour) };
        assert_eq!(steering.pass_on(Told::Nothing, Duration::ZERO), Told::Nothing);
        outside.pause();
        assert_eq!(steering.pass_on(Told::Nothing, hour / 2), Told::Nothing);
        assert!(listens.is_paused() && !listens.is_told_to_end());
        outside.go_on();
        assert_eq!(steering.pass_on(Told::Nothing, hour), Told::TimeUp);
        assert_eq!((listens.is_paused(), listens.times_told_to_end()), (false, 1));
        assert_eq!(steering.pass_on(Told::TimeUp, 2 * hour), Told::TimeUp);
        assert_eq!(listens.times_told_to_end(), 1);
        outside.end();
        assert_eq!(steering.pass_on(Told::TimeUp, 2 * hour), Told::Interrupted);
        assert_eq!(listens.times_told_to_end(), 2);
        let without = Steering { within: None, outside: &ControlReceiver::never(), ..steering };
        assert_eq!(without.pass_on(Told::Nothing, 99 * hour), Told::Nothing);
    }

    #[test]
    fn searches_that_are_lost_with_a_hash_do_not_count() {
        let mut count = Count { answered: 0, under_way: vec![0; 2] };
        let mut hear = |engine, news| {
            count.hear(engine, &news);
            count.done()
        };
        let searched = || News::Searcher(SearcherEvent::Searched(9));
        let reason = Reason::NothingToSearch(String::new());
        let error = EngineError { engine: String::new(), command: None, reason };
        assert_eq!([hear(0, searched()), hear(1, searched()), hear(1, searched())], [1, 2, 3]);
        assert_eq!(hear(1, News::Searcher(SearcherEvent::Fault(error, 1))), 1);
        // The memo may have known some of a share's searches.
        assert_eq!(hear(0, News::Answered(4)), 4);
        assert_eq!([hear(1, searched()), hear(1, News::Failed), hear(0, searched())], [5, 4, 5]);
    }
}
