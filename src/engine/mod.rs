//! UCI engines as processes, and the pool of them.
use crate::chess::Score;
use shakmaty::uci::UciMove;
use std::collections::BTreeMap;
use std::time::Duration;
/// t
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// d
    Depth(u32),
    /// n
    Nodes(u64),
}
/// t
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// e
    pub engine: String,
    /// o
    pub options: BTreeMap<String, String>,
    /// l
    pub limit: Limit,
}
/// t
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// b
    pub best: UciMove,
    /// s
    pub score: Score,
    /// d
    pub depth: u32,
    /// s
    pub seldepth: u32,
    /// n
    pub nodes: u64,
    /// t
    pub time: Duration,
    /// p
    pub pv: Vec<UciMove>,
}
