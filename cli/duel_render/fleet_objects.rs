//! What the JSON of a duel of equal time consists of.

use serde::Serialize;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Limit;

use super::head::{BootstrapObject, EngineObject, HeadObject};
use super::objects::{EstimateObject, JudgedObject};

#[derive(Serialize)]
pub struct FleetDuelObject<'a> {
    #[serde(flatten)]
    pub head: HeadObject<'a>,
    /// In nodes of one engine.
    pub time: u64,
    pub fleet: &'a [u32],
    pub trees: Vec<String>,
    pub judge: Option<FleetJudgeObject<'a>>,
    pub bootstrap: BootstrapObject,
    pub searches: Vec<SearchesObject>,
    pub arms: Vec<ArmObject>,
    pub positions: Vec<FleetPositionObject<'a>>,
}

#[derive(Serialize)]
pub struct FleetJudgeObject<'a> {
    #[serde(flatten)]
    pub engine: EngineObject<'a>,
    pub nodes: u64,
    pub own_moves: bool,
    pub same_engine: bool,
    /// Scores beyond, and mates, count as so many centipawns.
    pub clamp: i32,
}

#[derive(Serialize)]
pub struct SearchesObject {
    pub speed: u32,
    pub nodes: u64,
    #[serde(flatten)]
    pub cost: CostObject,
}

#[derive(Serialize)]
pub struct CostObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved_share: Option<EstimateObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<EstimateObject>,
}

#[derive(Serialize)]
pub struct ArmObject {
    pub engines: u32,
    pub square_root: f64,
    /// `tree`, or `split` or `threads`.
    pub arm: &'static str,
    /// Null where it is no tree.
    pub tree: Option<String>,
    #[serde(flatten)]
    pub cost: CostObject,
    pub worth: Option<WorthObject>,
    /// The mean cost less that of the searches, position by position.
    pub difference: Vec<DifferenceObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_to_threads: Option<EstimateObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_to_split: Option<EstimateObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<SharesObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_answer_in_time: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
}

#[derive(Serialize)]
pub struct DifferenceObject {
    pub speed: u32,
    #[serde(flatten)]
    pub difference: EstimateObject,
}

#[derive(Serialize)]
pub struct WorthObject {
    /// Null where nothing tells speeds apart.
    pub value: Option<SpeedObject>,
    pub low: SpeedObject,
    pub high: SpeedObject,
}

/// A number, or `"less than 1"`, or `"more than all"`.
#[derive(Serialize)]
#[serde(untagged)]
pub enum SpeedObject {
    At(f64),
    Outside(&'static str),
}

#[derive(Serialize)]
pub struct SharesObject {
    pub used: u64,
    pub unused: u64,
    pub unfinished: u64,
    pub closing: u64,
    pub idle: u64,
}

#[derive(Serialize)]
pub struct FleetPositionObject<'a> {
    pub id: &'a str,
    pub line: usize,
    pub fen: String,
    pub searches: Vec<ChosenObject>,
    pub arms: Vec<ChosenObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<JudgedObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_move: Option<String>,
}

#[derive(Serialize)]
pub struct ChosenObject {
    /// Times as fast, or engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engines: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    pub uci: Option<String>,
    pub san: Option<String>,
    pub score: Option<Score>,
    /// 1 where the position is not solved, or centipawns.
    pub cost: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
    /// The engine depth of the stage that speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<SharesObject>,
}
