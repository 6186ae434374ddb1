//! A scripted broker and analyses that record everything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use shakmaty::Chess;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};

use super::super::provide;
use crate::api::{BoardJob, LichessId};
use crate::provider::{BoardAnalysis, Means};
use crate::question::BoardQuestion;
use crate::{Blocks, Broker, LichessError};
use deepanalyze_core::chess::Score;
use deepanalyze_runner::session::Report;
use deepanalyze_view::Line;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Time of a poll without work.
pub const LONG_POLL: Duration = Duration::from_secs(10);

/// A job for a position; `more` becomes a part of its work.
pub fn job(id: &str, session: &str, moves: &str, more: serde_json::Value) -> BoardJob {
    let mut work = json!({
        "sessionId": session, "threads": 1, "hash": 16, "multiPv": 2, "variant": "chess",
        "initialFen": START, "moves": moves.split_whitespace().collect::<Vec<_>>(),
    });
    for (key, value) in more.as_object().unwrap() {
        work[key] = value.clone();
    }
    serde_json::from_value(json!({ "id": id, "work": work })).unwrap()
}

pub fn status(status: u16, after: Option<u64>) -> LichessError {
    let (host, text) = ("broker".to_owned(), String::new());
    LichessError::Status { host, status, text, after: after.map(Duration::from_secs) }
}

/// One poll's answer, after some time.
pub type Poll = (Duration, Result<Option<BoardJob>, LichessError>);

/// The broker's record.
#[derive(Default)]
pub struct Seen {
    /// Times of polls, since the start.
    pub polls: Vec<Duration>,
    /// Each job's blocks, and times.
    pub blocks: HashMap<String, Vec<(Duration, String)>>,
    /// Jobs whose answer has ended.
    pub ended: Vec<String>,
    /// Messages to the user.
    pub told: Vec<String>,
}

/// How a job's lines are read.
pub enum Reading {
    /// All, each after this time.
    Every(Duration),
    /// Some, then the broker answers.
    Until(usize, Result<(), LichessError>),
}

pub struct FakeBroker {
    pub seen: Arc<Mutex<Seen>>,
    script: tokio::sync::Mutex<mpsc::UnboundedReceiver<Poll>>,
    readings: Arc<Mutex<HashMap<String, Reading>>>,
    began: Instant,
}

impl Broker for FakeBroker {
    async fn acquire(&self) -> Result<Option<BoardJob>, LichessError> {
        self.seen.lock().unwrap().polls.push(self.began.elapsed());
        let mut script = self.script.lock().await;
        match tokio::time::timeout(LONG_POLL, script.recv()).await {
            Ok(Some((after, result))) => {
                sleep(after).await;
                result
            }
            Ok(None) => std::future::pending().await,
            Err(_) => Ok(None),
        }
    }

    async fn answer(&self, job: &LichessId, mut blocks: Blocks) -> Result<(), LichessError> {
        let id = job.as_str().to_owned();
        let reading = self.readings.lock().unwrap().remove(&id);
        let reading = reading.unwrap_or(Reading::Every(Duration::ZERO));
        self.seen.lock().unwrap().blocks.entry(id.clone()).or_default();
        let mut count = 0;
        while let Some(block) = blocks.recv().await {
            let block = (self.began.elapsed(), block);
            self.seen.lock().unwrap().blocks.entry(id.clone()).or_default().push(block);
            count += 1;
            match &reading {
                Reading::Every(pause) => sleep(*pause).await,
                Reading::Until(most, result) if count >= *most => return result.clone(),
                Reading::Until(..) => {}
            }
        }
        self.seen.lock().unwrap().ended.push(id);
        Ok(())
    }
}

/// An analysis in progress.
pub struct Asked {
    pub question: BoardQuestion,
    pub reports: watch::Sender<Option<Arc<Report>>>,
    /// Closed once the analysis has ended.
    pub stopped: oneshot::Receiver<()>,
}

impl Asked {
    /// True if it is no longer wanted.
    pub fn is_stopped(&mut self) -> bool {
        matches!(self.stopped.try_recv(), Err(oneshot::error::TryRecvError::Closed))
    }

    /// Reports a result.
    pub fn tell(&self, depth: u32, lines: &[(i32, &str)]) {
        let line = |(cp, moves): &(i32, &str)| {
            let moves = moves.split_whitespace().map(|uci| uci.parse().unwrap()).collect();
            Line::new(Chess::default(), moves, Score::Cp(*cp).into())
        };
        let report = Report {
            depth,
            seldepth: depth + 5,
            nodes: u64::from(depth) * 1000,
            time: Duration::from_millis(u64::from(depth) * 100),
            lines: lines.iter().map(line).collect(),
        };
        self.reports.send_replace(Some(Arc::new(report)));
    }
}

/// A provider that runs, and both its sides.
pub struct Scene {
    pub seen: Arc<Mutex<Seen>>,
    script: mpsc::UnboundedSender<Poll>,
    readings: Arc<Mutex<HashMap<String, Reading>>>,
    asked: mpsc::UnboundedReceiver<Asked>,
    pub stayed: crossbeam_channel::Receiver<deepanalyze_core::chess::Game>,
    end: Option<oneshot::Sender<()>>,
    run: tokio::task::JoinHandle<Result<(), LichessError>>,
}

impl Scene {
    pub fn new() -> Scene {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (script, polls) = mpsc::unbounded_channel();
        let (sender, asked) = mpsc::unbounded_channel();
        let readings = Arc::default();
        let broker = FakeBroker {
            seen: Arc::clone(&seen),
            script: tokio::sync::Mutex::new(polls),
            readings: Arc::clone(&readings),
            began: Instant::now(),
        };
        let say = {
            let seen = Arc::clone(&seen);
            Arc::new(move |words| seen.lock().unwrap().told.push(words))
        };
        let (notes, stayed) = crossbeam_channel::unbounded();
        let analyse = move |question: &BoardQuestion| {
            let (reports, newest) = watch::channel(None);
            let (stop, stopped) = oneshot::channel::<()>();
            let asked = Asked { question: question.clone(), reports, stopped };
            sender.send(asked).map_err(|_| "nobody is here".to_owned())?;
            Ok(BoardAnalysis { reports: newest, _stop: Box::new(stop) })
        };
        let means = Means { broker, analyse: Box::new(analyse), say, stayed: Some(notes) };
        let (end, is_ended) = oneshot::channel::<()>();
        let run = tokio::spawn(provide(means, async move { drop(is_ended.await) }));
        Scene { seen, script, readings, asked, stayed, end: Some(end), run }
    }

    /// Sets the answer of the next unanswered poll.
    pub fn answer(&self, result: Result<Option<BoardJob>, LichessError>) {
        self.answer_after(Duration::ZERO, result);
    }

    pub fn answer_after(&self, time: Duration, result: Result<Option<BoardJob>, LichessError>) {
        self.script.send((time, result)).unwrap();
    }

    /// Sets how a job's lines will be read.
    pub fn reads(&self, job: &str, reading: Reading) {
        self.readings.lock().unwrap().insert(job.to_owned(), reading);
    }

    /// Waits until an analysis is asked for.
    pub async fn asked(&mut self) -> Asked {
        self.asked.recv().await.unwrap()
    }

    /// Blocks for a job so far.
    pub fn blocks(&self, job: &str) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let blocks = seen.blocks.get(job).cloned().unwrap_or_default();
        blocks.into_iter().map(|(_, block)| block).collect()
    }

    /// Milliseconds from the first block of a job to each of the others.
    pub fn moments(&self, job: &str) -> Vec<u128> {
        let seen = self.seen.lock().unwrap();
        let blocks = &seen.blocks[job];
        blocks.iter().map(|(at, _)| (*at - blocks[0].0).as_millis()).collect()
    }

    pub fn has_ended(&self, job: &str) -> bool {
        self.seen.lock().unwrap().ended.iter().any(|ended| ended == job)
    }

    pub fn told(&self) -> Vec<String> {
        self.seen.lock().unwrap().told.clone()
    }

    /// Seconds between the polls.
    pub fn between_polls(&self) -> Vec<f64> {
        let polls = self.seen.lock().unwrap().polls.clone();
        polls.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
    }

    /// Tells it to end, and waits for that.
    pub async fn end(mut self) -> (Result<(), LichessError>, Arc<Mutex<Seen>>) {
        drop(self.end.take());
        (self.run.await.unwrap(), self.seen)
    }

    /// Waits for an end by itself.
    pub async fn ended(self) -> Result<(), LichessError> {
        self.run.await.unwrap()
    }
}
