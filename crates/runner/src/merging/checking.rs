//! Searching the answers of others again.

use deepanalyze_core::search::{Answer, Limit, Search};
use deepanalyze_engine::{Engines, Event, Wakeup};
use deepanalyze_store::IncomingAnswer;
use shakmaty::Chess;

use crate::control::ControlReceiver;
use crate::outcome::RunError;

/// An answer to search again.
#[derive(Debug, Clone)]
pub struct SearchedAgain {
    /// The search behind it, by anyone.
    pub search: Search,
    /// The limit of that search.
    pub limit: Limit,
    /// The claimed answer; `None` if there is none.
    pub said: Option<Answer>,
}

impl SearchedAgain {
    /// The answer of a rank in another database's list of a position.
    pub fn of(
        position: &Chess,
        list: &[IncomingAnswer],
        rank: usize,
        limit: Limit,
    ) -> SearchedAgain {
        let excluded = list.iter().take(rank).map(|listed| listed.answer.best).collect();
        let said = list.get(rank).map(|listed| listed.answer.clone());
        SearchedAgain { search: Search { position: position.clone(), excluded }, limit, said }
    }

    /// True if `found` is what a deterministic engine repeats for the same work. Win, draw and loss
    /// may be missing from either.
    fn is_right(&self, found: &Answer) -> bool {
        let same = |said: &Answer| {
            let of = |answer: &Answer| (answer.best, answer.score, answer.depth, answer.nodes);
            let is_same_wdl = said.wdl.is_none() || found.wdl.is_none() || said.wdl == found.wdl;
            of(said) == of(found) && said.seldepth == found.seldepth && is_same_wdl
        };
        self.said.as_ref().is_some_and(same)
    }
}

/// The end of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckEnd {
    /// An engine here confirms all.
    Right,
    /// The one of this index, from 0, differs; with the answer found here.
    Wrong(usize, Box<Answer>),
    /// It was asked to end.
    Interrupted,
}

/// Searches answers again, on hashes cleared before each; the first difference ends it. `tell` gets
/// the number done.
///
/// # Errors
///
/// [`RunError`] if engines fail at one of them.
pub fn check_answers(
    asked: &[SearchedAgain],
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut dyn FnMut(usize),
) -> Result<CheckEnd, RunError> {
    for (ticket, again) in (0..).zip(asked) {
        engines.submit(ticket, again.search.clone(), again.limit, false);
    }
    let end = wait_for_all(asked, engines, control, tell);
    if !matches!(end, Ok(CheckEnd::Right)) {
        let mut tickets = 0..asked.len() as u64;
        tickets.by_ref().for_each(|ticket| engines.abandon(ticket));
    }
    end
}

fn wait_for_all(
    asked: &[SearchedAgain],
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut dyn FnMut(usize),
) -> Result<CheckEnd, RunError> {
    let mut done = 0;
    while done < asked.len() {
        if control.is_told_to_end() {
            return Ok(CheckEnd::Interrupted);
        }
        let Wakeup::Event(event) = engines.wait(control.wake(), None) else { continue };
        match event {
            Event::Answered { ticket, answer, .. } => {
                let number = usize::try_from(ticket).unwrap_or(usize::MAX);
                let Some(again) = asked.get(number) else { continue };
                if !again.is_right(&answer) {
                    return Ok(CheckEnd::Wrong(number, Box::new(answer)));
                }
                done += 1;
                tell(done);
            }
            Event::Failed { error, .. } => return Err(error.into()),
            Event::Broken => return Err(RunError::EnginesGone),
            _ => {}
        }
    }
    Ok(CheckEnd::Right)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::control::control;
    use crate::tests::made_up::{answer, engines, profile};
    use deepanalyze_core::chess::{Game, Score};
    use deepanalyze_engine::EngineError;
    use deepanalyze_engine::{FakeEngines, FakeSearch};

    /// The made-up engine's answers after some moves.
    fn asked(lines: &[&str]) -> Vec<SearchedAgain> {
        let again = |line: &&str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(line).unwrap();
            let search = Search { position: game.root().clone(), excluded: Vec::new() };
            let said = Some(answer(&search));
            SearchedAgain { search, limit: profile().limit, said }
        };
        lines.iter().map(again).collect()
    }

    const LINES: [&str; 4] = ["", "e4", "d4 d5", "c4"];

    fn check(asked: &[SearchedAgain], engines: &mut FakeEngines) -> Result<CheckEnd, RunError> {
        let (mut told, never) = (Vec::new(), ControlReceiver::never());
        let end = check_answers(asked, engines, &never, &mut |done| told.push(done));
        assert!(told.iter().copied().eq(1..=told.len()), "{told:?}");
        end
    }

    #[test]
    fn answers_that_an_engine_gives_again_are_right() {
        let mut two = engines(2, |_| Duration::from_millis(7));
        assert_eq!(check(&asked(&LINES), &mut two).unwrap(), CheckEnd::Right);
        assert_eq!(check(&[], &mut two).unwrap(), CheckEnd::Right);
    }

    #[test]
    fn wrong_move_or_score_ends_the_check_and_its_engines() {
        for wrong in 0..LINES.len() {
            let mut asked = asked(&LINES);
            let right = answer(&asked[wrong].search);
            let said = |best, score| Some(Answer { best, score, ..right.clone() });
            asked[wrong].said = said(right.best, Score::Cp(999));
            let mut one = engines(1, |_| Duration::from_millis(7));
            let CheckEnd::Wrong(number, found) = check(&asked, &mut one).unwrap() else { panic!() };
            assert_eq!((number, found.best, one.running()), (wrong, right.best, 0));
            asked[wrong].said = said("a1a1".parse().unwrap(), right.score);
            assert!(matches!(check(&asked, &mut one).unwrap(), CheckEnd::Wrong(..)));
        }
    }

    #[test]
    fn it_ends_when_it_is_told_to_and_where_engines_fail() {
        let (control, receiver) = control();
        let mut mute = engines(2, |_| Duration::from_hours(24));
        mute.at(Duration::from_secs(1), move || control.end());
        let end = check_answers(&asked(&LINES), &mut mute, &receiver, &mut |_| {});
        assert_eq!(end.unwrap(), CheckEnd::Interrupted);
        let mut dead = FakeEngines::new(1, profile(), |start| {
            let error = EngineError::nothing_to_search(
                "Made up",
                &Search {
                    excluded: deepanalyze_core::chess::legal_uci(&start.search.position),
                    position: start.search.position.clone(),
                },
            );
            FakeSearch::ending(Err(error.unwrap()))
        });
        assert!(matches!(check(&asked(&LINES), &mut dead), Err(RunError::Engine(_))));
    }
}
