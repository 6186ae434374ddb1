//! Results of a duel, as text and as JSON. The JSON is public; its `"format": 1` names it. Common
//! to every kind is the beginning: its positions and the arms' engine.

pub mod alternatives_json;
pub mod alternatives_text;
pub mod fleet_json;
pub mod fleet_text;
pub mod nodes_json;
pub mod nodes_text;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use deepanalyze_core::search::Profile;
use deepanalyze_view::PointOfView;

use crate::duel::statistics::RESAMPLES;
use crate::duel::suite::Suite;

/// A duel's file and command line, and the side of its scores.
#[derive(Debug, Clone, Copy)]
pub struct DuelFacts<'a> {
    /// The command line without parts irrelevant to the result.
    pub command: &'a [String],
    /// The EPD file as named.
    pub file: &'a str,
    /// CRC-32 of its bytes.
    pub checksum: u32,
    /// The seed of the sample, if one was drawn.
    pub seed: Option<u64>,
    /// The point of view of single moves' scores in text.
    pub pov: PointOfView,
}

/// The first lines of the text.
pub(super) fn write_head(
    suite: &Suite,
    player: &Profile,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let drawn = facts.seed.map(|seed| format!(" (drawn by seed {seed})")).unwrap_or_default();
    let (positions, file) = (suite.entries.len(), printable(facts.file));
    writeln!(out, "positions {positions} of {file}{drawn}")?;
    for skipped in &suite.skipped {
        writeln!(out, "left out  line {}: {}", skipped.line, printable(&skipped.why))?;
    }
    writeln!(out, "engine    {}", engine(player))
}

/// The first keys of the JSON.
#[derive(Serialize)]
pub(super) struct HeadObject<'a> {
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    program: &'static str,
    command: &'a [String],
    suite: SuiteObject<'a>,
    engine: ArmEngineObject<'a>,
}

#[derive(Serialize)]
struct SuiteObject<'a> {
    file: &'a str,
    crc32: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    positions: usize,
    left_out: Vec<SkippedObject<'a>>,
}

#[derive(Serialize)]
struct SkippedObject<'a> {
    line: usize,
    why: &'a str,
}

/// An engine with its options.
#[derive(Serialize)]
pub(super) struct ArmEngineObject<'a> {
    name: &'a str,
    options: &'a BTreeMap<String, String>,
}

/// How intervals were made.
#[derive(Serialize)]
pub(super) struct BootstrapObject {
    resamples: usize,
    seed: u64,
    confidence: f64,
}

impl<'a> HeadObject<'a> {
    /// For a kind of duel; equal nodes have no name.
    pub(super) fn of(
        kind: Option<&'static str>,
        suite: &'a Suite,
        player: &'a Profile,
        facts: DuelFacts<'a>,
    ) -> HeadObject<'a> {
        let left_out = suite.skipped.iter();
        let left_out = left_out.map(|skip| SkippedObject { line: skip.line, why: &skip.why });
        HeadObject {
            format: 1,
            kind,
            program: concat!("deepanalyze ", env!("CARGO_PKG_VERSION")),
            command: facts.command,
            suite: SuiteObject {
                file: facts.file,
                crc32: format!("{:08x}", facts.checksum),
                seed: facts.seed,
                positions: suite.entries.len(),
                left_out: left_out.collect(),
            },
            engine: ArmEngineObject::of(player),
        }
    }
}

impl ArmEngineObject<'_> {
    /// An engine.
    pub(super) fn of(profile: &Profile) -> ArmEngineObject<'_> {
        ArmEngineObject { name: &profile.engine, options: &profile.options }
    }
}

impl BootstrapObject {
    /// With a seed.
    pub(super) fn seeded(seed: u64) -> BootstrapObject {
        BootstrapObject { resamples: RESAMPLES, seed, confidence: 0.95 }
    }
}

/// The widest id that is printed whole.
pub(super) const ID_WIDTH: usize = 28;

/// An engine with its options: `Stockfish 15.1, Hash=64`.
pub(super) fn engine(profile: &Profile) -> String {
    let options = profile.options.iter().map(|(name, value)| format!(", {name}={value}"));
    printable(&format!("{}{}", profile.engine, options.collect::<String>()))
}

/// Factor that a judge of the arms' own engine should have over their nodes.
const ENOUGH: u64 = 20;

/// The ratio, to one decimal.
#[expect(clippy::cast_precision_loss, reason = "for people")]
pub(super) fn times(many: u64, few: u64) -> f64 {
    (10.0 * many as f64 / few as f64).round() / 10.0
}

/// True if the judge is the arms' engine, with any options.
pub(super) fn is_same_engine(player: &Profile, judge: &Profile) -> bool {
    player.engine == judge.engine
}

/// The warning about a judge that is the arms' own engine.
pub(super) fn akin(judge_nodes: u64, arms_nodes: u64) -> String {
    let few = judge_nodes / ENOUGH < arms_nodes;
    let few = if few { ", and sees little more: give it 20 times an arm's nodes" } else { "" };
    format!("          the arms' own engine: it may share their errors{few}")
}

/// A command line as typed.
pub(super) fn typed(command: &[String]) -> String {
    printable(&deepanalyze_core::quoting::join(command.iter().map(String::as_str)))
}

/// Names come from outside: a terminal must not obey them.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// A name that fits its column.
pub(super) fn shortened(id: &str) -> String {
    match id.chars().count() {
        ..=ID_WIDTH => id.to_owned(),
        _ => id.chars().take(ID_WIDTH - 3).chain("...".chars()).collect(),
    }
}
