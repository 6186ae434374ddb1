//! How every kind of duel begins: its positions and the arms' engine, as text and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::duels::{RESAMPLES, Suite};
use deepanalyze_core::search::Profile;
use deepanalyze_report::PointOfView;

use super::words::{engine, printable};

/// What a duel's file and command line were, and whose side scores take.
#[derive(Debug, Clone, Copy)]
pub struct DuelFacts<'a> {
    /// The command line without what the result does not depend on.
    pub command: &'a [String],
    /// The EPD file as it was named.
    pub file: &'a str,
    /// CRC-32 of its bytes.
    pub checksum: u32,
    /// The seed of the sample, where one was drawn.
    pub seed: Option<u64>,
    /// Whose side the scores of single moves take in text.
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
    engine: EngineObject<'a>,
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
pub(super) struct EngineObject<'a> {
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
    /// Of a kind of duel; that of equal nodes has no name.
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
            engine: EngineObject::of(player),
        }
    }
}

impl EngineObject<'_> {
    /// An engine.
    pub(super) fn of(profile: &Profile) -> EngineObject<'_> {
        EngineObject { name: &profile.engine, options: &profile.options }
    }
}

impl BootstrapObject {
    /// With a seed.
    pub(super) fn seeded(seed: u64) -> BootstrapObject {
        BootstrapObject { resamples: RESAMPLES, seed, confidence: 0.95 }
    }
}
