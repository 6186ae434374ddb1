//! An engine whose answers are kept in a file, so that a measurement is repeated without it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use crate::duel::question::{HashState, Question, Reply};
use deepanalyze_core::chess::{Score, epd_of, legal_uci};
use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::{Event, Pool, Settings};
use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duel::lane::Oracle;
use crate::failure::LabFailure;

/// An answer in the file, a line each.
#[derive(Debug, Serialize, Deserialize)]
struct KeptLine {
    question: String,
    uci: String,
    score: Score,
    nodes: u64,
}

/// One engine process on a hash cleared before each search, and all its answers.
pub struct CachedEngine {
    pool: Pool,
    /// Its name and options.
    name: String,
    known: HashMap<String, Reply>,
    file: File,
    ticket: u64,
}

impl CachedEngine {
    /// Starts an engine with the answers of a file, made if missing.
    pub fn start(settings: &Settings, path: &Path) -> Result<CachedEngine, LabFailure> {
        let pool = Pool::start(settings)?;
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let mut known = HashMap::new();
        for line in BufReader::new(&file).lines() {
            let KeptLine { question, uci, score, nodes } = serde_json::from_str(&line?)?;
            known.insert(question, Reply { uci: uci.parse()?, score, nodes });
        }
        let profile = pool.profile();
        let name = format!("{} {:?}", profile.engine, profile.options);
        Ok(CachedEngine { pool, name, known, file, ticket: 0 })
    }

    /// The engine's own name.
    pub fn engine(&self) -> &str {
        &self.pool.profile().engine
    }

    /// The answer to a search of one move alone.
    pub fn ask_move(
        &mut self,
        position: &Chess,
        uci: UciMove,
        limit: Limit,
    ) -> Result<Reply, LabFailure> {
        let question = format!("{}|{limit}|{}|only {uci}", self.name, epd_of(position));
        let mut excluded = legal_uci(position);
        excluded.retain(|other| *other != uci);
        self.reply(question, Search { position: position.clone(), excluded }, limit)
    }

    fn reply(
        &mut self,
        question: String,
        search: Search,
        limit: Limit,
    ) -> Result<Reply, LabFailure> {
        if let Some(reply) = self.known.get(&question) {
            return Ok(*reply);
        }
        self.ticket += 1;
        self.pool.submit_as(self.ticket, search, limit, false);
        let reply = self.wait()?;
        let Reply { uci, score, nodes } = reply;
        let line = KeptLine { question, uci: uci.to_string(), score, nodes };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.known.insert(line.question, reply);
        Ok(reply)
    }

    fn wait(&self) -> Result<Reply, LabFailure> {
        loop {
            match self.pool.events().recv()? {
                Event::Answered { answer, .. } => {
                    return Ok(Reply {
                        uci: answer.best,
                        score: answer.score,
                        nodes: answer.nodes,
                    });
                }
                Event::Failed { error, .. } => return Err(error.into()),
                Event::Broken => return Err(LabFailure::new("a thread of the pool has failed")),
                _ => {}
            }
        }
    }
}

impl Oracle for CachedEngine {
    type Error = LabFailure;

    /// Its hash is always empty.
    fn begin(&mut self) {}

    fn ask(&mut self, question: Question<'_>) -> Result<Reply, LabFailure> {
        let Question { position, excluded, limit, memory, .. } = question;
        debug_assert!(memory == HashState::Cleared, "no other hash is kept");
        let left_out: Vec<String> = excluded.iter().map(UciMove::to_string).collect();
        let text = format!("{}|{limit}|{}|{}", self.name, epd_of(&position), left_out.join(" "));
        self.reply(text, Search { position, excluded }, limit)
    }
}
