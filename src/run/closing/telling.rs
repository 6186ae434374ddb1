//! What is told of engines that make a closing search.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select};

use crate::run::control::ControlReceiver;
use crate::run::feed::progress::Observer;
use crate::run::serial::SearcherEvent;

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

/// Tells the observer until the engines are gone, each of which sends its number with its news. Says whether somebody
/// wanted them to end.
pub fn listen(
    (engines, searches): (usize, usize),
    news: &Receiver<(usize, News)>,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> bool {
    let (began, mut told) = (Instant::now(), false);
    let mut count = Count { answered: 0, under_way: vec![0; engines] };
    loop {
        if !told && control.is_told_to_end() {
            told = true;
            observer.stopping("interrupted");
        }
        observer.closing(count.done().min(searches), searches, began.elapsed());
        select! {
            recv(news) -> said => {
                let Ok((engine, said)) = said else { return control.is_told_to_end() };
                count.hear(engine, &said);
                pass_on(said, observer);
            },
            recv(control.wake()) -> _ => {}
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
        News::Searcher(SearcherEvent::Waiting(why)) => observer.waiting(&why),
        News::Searcher(SearcherEvent::Searched(_)) | News::Answered(_) | News::Failed => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineError, Reason};

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
