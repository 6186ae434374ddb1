//! Results of a recheck: a line for each root, or JSON.

use std::io::{self, Write};

use serde::Serialize;

use deepanalyze_core::chess::Game;
use deepanalyze_core::quoting;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::RecheckState;
use deepanalyze_runner::{RecheckOutcome, RecheckPlan, RecheckRoot, RootRecheck, RunEnd};
use deepanalyze_store::{AnalysisRow, TreeSettings};
use deepanalyze_view::{
    NamedEngine, PointOfView, Rechecked, Variant, describe_rechecked, start_of, variant_of,
};

use super::RecheckArgs;
use crate::args::root::RootArgs;
use crate::progress::ending_name;

/// Results of all roots. As JSON, scores are the mover's.
#[derive(Serialize)]
pub struct RecheckTable<'a> {
    ending: &'static str,
    searches: u64,
    elapsed_ms: u128,
    engine: NamedEngine<'a>,
    roots: Vec<RecheckedRoot<'a>>,
}

/// Result of a root.
#[derive(Serialize)]
struct RecheckedRoot<'a> {
    analysis: i64,
    name: &'a str,
    root: &'a str,
    history: Vec<String>,
    /// Where the history began; only where that was not the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// Only of Chess960.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    recheck: Option<&'a Rechecked>,
    /// The command that grows a tree with the new engine; only where the best move has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    grow: Option<String>,
    #[serde(skip)]
    game: Option<Game>,
    /// Why it is not checked to its end.
    #[serde(skip)]
    why_open: &'static str,
}

impl<'a> RecheckTable<'a> {
    /// The results of a run.
    pub fn of(
        args: &RecheckArgs,
        plan: &'a RecheckPlan,
        outcome: &'a RecheckOutcome,
        profile: &'a Profile,
    ) -> RecheckTable<'a> {
        let roots = plan.analyses.iter().zip(&outcome.roots);
        RecheckTable {
            ending: ending_name(outcome.ending),
            searches: outcome.searches,
            elapsed_ms: outcome.elapsed.as_millis(),
            engine: NamedEngine::without_limit(profile),
            roots: roots
                .map(|(root, came)| RecheckedRoot {
                    why_open: match outcome.ending {
                        RunEnd::Interrupted => "the run was interrupted",
                        _ => "the limit was reached",
                    },
                    ..RecheckedRoot::of(args, root, came)
                })
                .collect(),
        }
    }

    /// Writes a line for each root, and how to go on where the best move has changed.
    pub fn write(&self, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
        for root in &self.roots {
            writeln!(out, "#{} {}: {}", root.analysis, root.name, root.described(pov))?;
            if let Some(grow) = &root.grow {
                writeln!(out, "  to grow its tree with this engine: {grow}")?;
            }
        }
        Ok(())
    }
}

impl<'a> RecheckedRoot<'a> {
    fn of(args: &RecheckArgs, root: &'a RecheckRoot, came: &'a RootRecheck) -> RecheckedRoot<'a> {
        let (row, game) = (&root.row, root.row.game());
        let is_asked = |checked: &Rechecked| {
            let row = &checked.note.row;
            row.asked > 0 || row.state != RecheckState::Open
        };
        let (recheck, error) = match came {
            // Where nothing was asked there is nothing to say.
            RootRecheck::Checked(checked) => {
                (Some(&**checked).filter(|checked| is_asked(checked)), None)
            }
            RootRecheck::Failed(error) => (None, Some(error.to_string())),
            RootRecheck::NoMove | RootRecheck::Left => (None, None),
        };
        let state = match (came, recheck.map(|checked| checked.note.row.state)) {
            (_, Some(RecheckState::Stays)) => "stays",
            (_, Some(RecheckState::Changed)) => "changed",
            (RootRecheck::Failed(_), _) => "failed",
            (RootRecheck::NoMove, _) => "no move",
            _ => "open",
        };
        let grow = (state == "changed").then(|| game.as_ref().map(|game| grow(args, root, game)));
        RecheckedRoot {
            analysis: row.id.0,
            name: &root.name,
            root: &row.root,
            history: row.history.iter().map(ToString::to_string).collect(),
            start: game.as_ref().and_then(start_of),
            variant: game.as_ref().and_then(variant_of),
            state,
            error,
            recheck,
            grow: grow.flatten(),
            game,
            why_open: "",
        }
    }

    fn described(&self, pov: PointOfView) -> String {
        match (&self.recheck, &self.game, &self.error) {
            (Some(checked), Some(game), _) => {
                let told = describe_rechecked(game.root(), checked, pov);
                match self.state {
                    "open" => format!("{told}; {}", self.why_open),
                    _ => told,
                }
            }
            (_, _, Some(error)) => format!("failed: {error}"),
            _ if self.state == "open" => {
                format!("open: nothing searched again yet, {}", self.why_open)
            }
            _ => "there is no move to check".to_owned(),
        }
    }
}

/// The command that grows the tree of a root with the engine that has checked it.
fn grow(args: &RecheckArgs, root: &RecheckRoot, game: &Game) -> String {
    let mut words = vec!["deepanalyze".to_owned(), "grow".to_owned()];
    words.extend(RootArgs::words_of(game));
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    if let Some(db) = args.chosen.named_database() {
        add("--db", db);
    }
    args.engine.commands.iter().for_each(|engine| add("--engine", engine.to_string()));
    for (name, value) in &args.engine.options {
        add("--option", format!("{name}={value}"));
    }
    match root.limit {
        Limit::Depth(depth) => add("--engine-depth", depth.to_string()),
        Limit::Nodes(nodes) => add("--engine-nodes", nodes.to_string()),
    }
    settings(&root.row, &mut add);
    let line = quoting::join(words.iter().map(String::as_str));
    let TreeSettings { tables, games, .. } = &root.row.settings;
    if tables.is_some() || games.is_some() {
        format!("{line} (and the options for tables and games that its tree was grown with)")
    } else {
        line
    }
}

/// How the tree was grown.
fn settings(row: &AnalysisRow, add: &mut impl FnMut(&str, String)) {
    let TreeSettings { breadth, draw, .. } = &row.settings;
    add("--distance", breadth.typed());
    if breadth.least > 1 {
        add("--root-moves", breadth.least.to_string());
    }
    if *draw != Default::default() {
        add("--draw-value", draw.to_string());
    }
    add("--depth", row.target_depth.to_string());
}
