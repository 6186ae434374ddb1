//! A question in progress.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::{FeedReader, RunEvent, RunNews, Wakers};
use deepanalyze_core::chess::{DrawValue, Ending, Value, legal_uci};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_view::{Line, PointOfView};

use super::goal::{Telling, TellingStep};
use super::memory::SessionMemory;
use super::quick::{QuickSearch, QuickSearcher};
use super::runs::{EngineRoom, SessionRun, SessionRuns};
use super::verdict::{RootVerdict, VerdictOrigin};
use super::{Report, SessionEvent, SessionQuestion, SessionSettings, SessionSteering, job};

/// A question in progress: waits for the next event. Late reports are left out, but not the answer,
/// which is the last. Dropped, it ends its run.
#[derive(Debug)]
pub struct SessionSearch {
    question: SessionQuestion,
    telling: Telling,
    began: Instant,
    steering: SessionSteering,
    wake: Receiver<()>,
    /// `None` if made at once, and once it has ended.
    quick: Option<QuickSearch>,
    /// `None` if there is no time for one.
    run: Option<(SessionRun, FeedReader)>,
    memory: SessionMemory,
    waiting: VecDeque<SessionEvent>,
    /// The last report: its lines need not be read again while nothing has changed.
    last: Option<Report>,
    is_answered: bool,
}

impl SessionSearch {
    pub(super) fn begin(
        question: SessionQuestion,
        settings: Arc<SessionSettings>,
        engines: Arc<EngineRoom>,
        quick: &QuickSearcher,
        runs: &SessionRuns,
    ) -> SessionSearch {
        let began = Instant::now();
        let wakers = Wakers::default();
        let wake = wakers.subscribe();
        let is_forced = moves(&question).len() == 1;
        let mut analysing = SessionSearch {
            telling: Telling::new(question.goal.clone(), is_forced),
            began,
            steering: SessionSteering { wakers: wakers.clone(), ..SessionSteering::default() },
            wake,
            quick: None,
            run: None,
            memory: SessionMemory::new(Arc::clone(&settings), Arc::clone(&engines)),
            waiting: VecDeque::new(),
            last: None,
            is_answered: false,
            question,
        };
        if let Some(ending) = Ending::of(analysing.question.game.root()) {
            analysing.end_at_once(ending, settings.tree.draw);
            return analysing;
        }
        if !(analysing.is_instant() && analysing.recall()) {
            analysing.begin_quick(quick, wakers.clone());
        }
        if analysing.question.goal.allows_run() {
            analysing.begin_run(&settings, engines, runs, wakers);
        }
        analysing
    }

    /// Looks up the root in the database; true if it is known.
    fn recall(&mut self) -> bool {
        let now = self.began.elapsed();
        if !self.question.goal.allows_reading() {
            return false;
        }
        let Some(known) = self.memory.look_up(&self.question, now) else {
            return false;
        };
        self.telling.take(known, now);
        self.waiting.extend(self.memory.note().map(SessionEvent::Note));
        true
    }

    /// For a root in tables a run looks up the moves, and sends no line.
    fn recall_tables(&mut self) {
        let known = self.telling.verdict.as_ref().map(|verdict| verdict.origin);
        if known != Some(VerdictOrigin::Tables) {
            self.memory.look_once_more(&self.question);
            self.recall();
        }
    }

    /// Finds a first move: from here on there is always a searched one, whenever an answer falls
    /// due.
    fn begin_quick(&mut self, quick: &QuickSearcher, wakers: Wakers) {
        let question = &self.question;
        let found = if question.goal.is_instant() {
            quick.search_now(question)
        } else {
            let first = quick.first_move(question);
            self.quick = Some(quick.search(question, wakers));
            first
        };
        found.into_iter().for_each(|found| self.telling.take(found, self.began.elapsed()));
    }

    /// True if the answer already exists.
    pub fn is_instant(&self) -> bool {
        self.question.goal.is_instant()
    }

    /// Its handle, for any thread.
    pub fn steering(&self) -> SessionSteering {
        self.steering.clone()
    }

    /// The game is over: nothing to search.
    fn end_at_once(&mut self, ending: Ending, draw: DrawValue) {
        let drawn = draw.for_side(self.question.game.root().turn());
        let (value, wdl) = match ending {
            Ending::Checkmate => (Value::MATED, WinDrawLoss::LOST),
            Ending::Stalemate | Ending::InsufficientMaterial => (drawn, WinDrawLoss::DRAWN),
        };
        let root = self.question.game.root().clone();
        let lines = vec![Line { root, moves: Vec::new(), value, wdl: Some(wdl) }];
        let report = Report { depth: 0, seldepth: 0, nodes: 0, time: Duration::ZERO, lines };
        self.waiting.push_back(SessionEvent::Report(report));
    }

    fn begin_run(
        &mut self,
        settings: &SessionSettings,
        engines: Arc<EngineRoom>,
        runs: &SessionRuns,
        wakers: Wakers,
    ) {
        engines.begin();
        let job = job(settings, &self.question);
        match runs.begin(job, settings.database.clone(), engines, wakers) {
            Ok(run) => {
                let reader = run.feed.from_start();
                self.run = Some((run, reader));
            }
            Err(error) => self.note(format!("error: cannot start a thread: {error}")),
        }
    }

    fn note(&mut self, text: String) {
        self.waiting.push_back(SessionEvent::Note(text));
    }

    /// Takes all news.
    fn take_in(&mut self) {
        let now = self.began.elapsed();
        if self.steering.is_stopped.load(Ordering::SeqCst) {
            self.telling.stop();
        }
        if self.steering.is_ponder_hit.load(Ordering::SeqCst) {
            self.telling.ponder_hit();
        }
        if let Some(quick) = &self.quick {
            // In this order: its last result is there before its end.
            let has_ended = quick.has_ended();
            quick.newest().into_iter().for_each(|found| self.telling.take(found, now));
            self.quick = self.quick.take().filter(|_| !has_ended);
        }
        self.recall();
        if let Some((_, reader)) = &mut self.run {
            let news = reader.look();
            self.take_news(news, now);
        }
        // A run that ends without a verdict leaves the answer to the quick search.
        if self.run.is_none() && self.quick.is_none() {
            self.telling.is_over();
        }
    }

    fn take_news(&mut self, news: RunNews, now: Duration) {
        if let Some(snapshot) = news.snapshot {
            self.telling.nodes = snapshot.progress.nodes;
            self.memory.count(&snapshot.progress);
            if let Some(verdict) = self.memory.of_run(&self.question, &snapshot.progress) {
                self.quick = None;
                self.telling.take(verdict, now);
            } else {
                self.recall_tables();
            }
        }
        for event in news.events {
            if matches!(event, RunEvent::Waiting(_)) {
                self.memory.look_again();
            }
            let note = note_of(event, self.question.game.root());
            self.waiting.extend(note.map(SessionEvent::Note));
        }
        if let Some(end) = news.end {
            self.end_of_run(end.err());
        }
    }

    /// Handles the run's own end.
    fn end_of_run(&mut self, why: Option<String>) {
        self.run = None;
        if let Some(why) = why {
            self.note(format!("error: {why}"));
        }
        self.recall_tables();
    }

    fn report(&mut self) -> Option<Report> {
        let (time, nodes) = (self.began.elapsed(), self.telling.nodes);
        let is_told = self.telling.is_told();
        self.telling.has_told(time);
        let verdict = self.telling.verdict.as_ref()?;
        let report = match self.last.take().filter(|_| is_told) {
            Some(last) => Report { nodes, time, ..last },
            None => self.memory.report(&self.question, verdict, nodes, time),
        };
        self.last = Some(report.clone());
        Some(report)
    }

    /// Queues report and answer.
    fn answer(&mut self) {
        self.is_answered = true;
        let report = self.report();
        let best = self.telling.verdict.as_ref().and_then(RootVerdict::best);
        let line = report.as_ref().and_then(|report| report.lines.first());
        let ponder = line.and_then(|line| line.moves.get(1)).copied();
        self.waiting.extend(report.map(SessionEvent::Report));
        self.waiting.extend(self.memory.note().map(SessionEvent::Note));
        self.waiting.push_back(SessionEvent::Best { best, ponder });
        self.run = None;
        self.quick = None;
    }
}

impl Iterator for SessionSearch {
    type Item = SessionEvent;

    fn next(&mut self) -> Option<SessionEvent> {
        loop {
            if !self.is_answered {
                self.take_in();
            }
            if self.is_answered || !self.waiting.is_empty() {
                return self.waiting.pop_front();
            }
            let now = self.began.elapsed();
            match self.telling.step(now) {
                TellingStep::Report => {
                    if let Some(report) = self.report() {
                        return Some(SessionEvent::Report(report));
                    }
                }
                TellingStep::Answer => self.answer(),
                // Woken or not, it looks again.
                TellingStep::Wait(until) => drop(self.wake.recv_timeout(until.saturating_sub(now))),
            }
        }
    }
}

/// The allowed moves.
fn moves(question: &SessionQuestion) -> Vec<UciMove> {
    if Ending::of(question.game.root()).is_some() {
        return Vec::new();
    }
    match question.only.as_slice() {
        [] => legal_uci(question.game.root()),
        only => only.to_vec(),
    }
}

/// A run's event as a message, if any.
fn note_of(event: RunEvent, root: &Chess) -> Option<String> {
    match event {
        RunEvent::Fault { error, .. } => Some(format!("warning: {error}")),
        RunEvent::Notice(notice) => Some(notice.to_string()),
        RunEvent::Warning(why) => Some(format!("warning: {why}")),
        RunEvent::Second { word, told } => Some(word.describe(root, told, PointOfView::Mover)),
        RunEvent::Waiting(why) => Some(why),
        _ => None,
    }
}
