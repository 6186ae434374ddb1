//! What the JSON of a duel consists of.

use serde::Serialize;

use deepanalyze_core::chess::Score;

use super::head::{BootstrapObject, EngineObject, HeadObject};

#[derive(Serialize)]
pub struct DuelObject<'a> {
    #[serde(flatten)]
    pub head: HeadObject<'a>,
    /// Of each arm.
    pub nodes: u64,
    pub judge: JudgeObject<'a>,
    pub margin: u32,
    pub clamp: i32,
    pub bootstrap: BootstrapObject,
    pub settings: Vec<SettingObject>,
    pub positions: Vec<PositionObject<'a>>,
}

#[derive(Serialize)]
pub struct JudgeObject<'a> {
    #[serde(flatten)]
    pub engine: EngineObject<'a>,
    pub nodes: u64,
    pub same_engine: bool,
    pub first_choices: bool,
    pub own_moves: bool,
}

#[derive(Serialize)]
pub struct EstimateObject {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Serialize)]
pub struct SettingObject {
    pub name: String,
    pub tree: String,
    pub positions: usize,
    pub agreed: usize,
    pub won: usize,
    pub drawn: usize,
    pub lost: usize,
    pub won_of_decided: Option<EstimateObject>,
    pub search_loss: Option<EstimateObject>,
    pub tree_loss: Option<EstimateObject>,
    pub difference: Option<EstimateObject>,
    pub tree_is_better: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_move_found: Option<FoundObject>,
    pub overrated: Option<OverratedObject>,
    pub first_choice: FirstChoiceObject,
    pub mean_nodes: NodesObject,
    pub idle_share: f64,
    pub mean_searches: f64,
    pub mean_positions: f64,
    pub mean_settled: f64,
}

#[derive(Serialize)]
pub struct FoundObject {
    pub search: usize,
    pub tree: usize,
}

#[derive(Serialize)]
pub struct OverratedObject {
    pub search: EstimateObject,
    pub tree: EstimateObject,
}

#[derive(Serialize)]
pub struct FirstChoiceObject {
    pub kept: usize,
    pub left_for_better: usize,
    pub left_for_even: usize,
    pub left_for_worse: usize,
    pub left_unjudged: usize,
}

#[derive(Serialize)]
pub struct NodesObject {
    pub search: f64,
    pub tree: f64,
    pub uncounted: f64,
}

#[derive(Serialize)]
pub struct PositionObject<'a> {
    pub id: &'a str,
    pub line: usize,
    pub fen: String,
    pub search: SearchObject,
    pub trees: Vec<TreeObject>,
    pub judged: Vec<JudgedObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_move: Option<String>,
}

#[derive(Serialize)]
pub struct SearchObject {
    pub uci: String,
    pub san: String,
    pub eval: Score,
    pub nodes: u64,
}

#[derive(Serialize)]
pub struct TreeObject {
    pub setting: String,
    pub uci: String,
    pub san: String,
    pub score: Score,
    pub chosen_by: &'static str,
    pub result: Option<&'static str>,
    pub search_loss: Option<i32>,
    pub tree_loss: Option<i32>,
    pub first_choice: String,
    pub best: String,
    pub alpha: Score,
    pub nodes: u64,
    pub uncounted_nodes: u64,
    pub idle_nodes: u64,
    pub rehearsal_nodes: u64,
    pub searches: u64,
    pub positions: u64,
    pub passes: u64,
    pub settled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<SearchObject>,
}

#[derive(Serialize)]
pub struct JudgedObject {
    pub uci: String,
    pub san: String,
    pub score: Score,
    pub centipawns: i32,
}
