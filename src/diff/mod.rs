//! `deepanalyze diff`.

mod directives;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Value, fen_of};
use deepanalyze_core::search::Profile;
use deepanalyze_runner::{Shutdown, SurveyAsked, survey};
use deepanalyze_store::{AnalysisRow, Incoming, Store, StoreError};
use deepanalyze_view::{
    NamedEngine, NamedMove, PointOfView, count, describe_manner, describe_profile, describe_root,
    grouped, numbered_move, seen, wrap, write_json,
};

use crate::args::database::DbArgs;
use crate::args::report::{ReportArgs, ReportFormat};
use crate::args::root::root_key;
use crate::error::CliError;
use crate::printer::{Printer, printing};

use directives::DirectivesDiff;

/// Compare two databases: what each has that the other does not
///
/// Answers, analyses, directives and notes. Two answers to the same question (engine, options, limit, position and rank)
/// that differ are a conflict. Nothing is written; impossible answers of B are not counted.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Two databases, or one to compare with yours
    #[arg(num_args = 1..=2, required = true, value_name = "DATABASE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    db: DbArgs,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &DiffArgs) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    printing(false, |printer| {
        let (first, second) = match &*args.files {
            [one, other] => (one.clone(), other.clone()),
            [other] => (args.db.path()?, other.clone()),
            _ => return Err(CliError::usage("give one or two databases to compare")),
        };
        let store = Store::open_to_read(&first)?;
        let incoming = Incoming::open(&second, store.path())?;
        let output = args.report.output(&store)?;
        let Some(diff) = DatabaseDiff::of(&store, &incoming, &shutdown, printer)? else {
            return Err(CliError::interrupted());
        };
        printer.clear();
        printer.flush();
        output.write(|out| match args.report.format {
            ReportFormat::Json => write_json(&diff, out),
            ReportFormat::Text => {
                let mut text = Vec::new();
                diff.write(args.report.pov(), &mut text)?;
                let text = String::from_utf8_lossy(&text);
                let mut lines = text.lines().flat_map(|line| wrap(line, output.width()));
                lines.try_for_each(|line| writeln!(out, "{line}"))
            }
        })
    })
}

/// Comparison of two databases.
#[derive(Serialize)]
struct DatabaseDiff {
    /// Their files.
    a: String,
    b: String,
    profiles: Vec<ProfileDiff>,
    /// Answers of the second one that cannot be ones.
    left_behind: BTreeMap<&'static str, u64>,
    analyses: Vec<AnalysisDiff>,
    /// The roots of which they do not say the same.
    directives: Vec<DirectivesDiff>,
}

/// The answers of a profile.
#[derive(Debug, Serialize)]
struct ProfileDiff {
    #[serde(serialize_with = "named")]
    engine: Profile,
    same: u64,
    only_a: u64,
    only_b: u64,
    conflicts: u64,
}

/// An analysis that one of them has, or of which they say something else.
#[derive(Debug, Serialize)]
struct AnalysisDiff {
    root: String,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    manner: String,
    #[serde(skip)]
    game: Game,
    /// Their numbers.
    a: Option<i64>,
    b: Option<i64>,
    /// Their verdicts, for the side to move.
    verdict_a: Option<BestMove>,
    verdict_b: Option<BestMove>,
}

/// A best move as the tree has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct BestMove {
    #[serde(flatten)]
    best: NamedMove,
    value: Value,
}

fn named<S: serde::Serializer>(profile: &Profile, serializer: S) -> Result<S::Ok, S::Error> {
    NamedEngine::of(profile).serialize(serializer)
}

impl DatabaseDiff {
    /// Nothing where somebody wants it to end.
    fn of(
        store: &Store,
        incoming: &Incoming,
        shutdown: &Shutdown,
        printer: &Printer,
    ) -> Result<Option<DatabaseDiff>, StoreError> {
        let asked = SurveyAsked { sample: 0, seed: 0, with_unrepeatable: true };
        let mut tell = |seen, all| {
            printer.status(format!("read {} of {} answers", grouped(seen), grouped(all)));
        };
        let found = survey(store, incoming, asked, shutdown.receiver(), &mut tell)?;
        let Some(found) = found else { return Ok(None) };
        let mut own: BTreeMap<i64, (Profile, u64)> = store.counted_profiles()?;
        let mut profiles = Vec::new();
        for of in found.profiles {
            let here = store.find_profile(&of.profile)?.and_then(|id| own.remove(&id.0));
            let all = here.map_or(0, |(_, count)| count);
            let joined = of.joined;
            profiles.push(ProfileDiff {
                engine: of.profile,
                same: joined.same,
                only_a: all.saturating_sub(joined.same + joined.conflicts),
                only_b: joined.new + joined.behind,
                conflicts: joined.conflicts,
            });
        }
        let only_here = own.into_values().map(|(engine, only_a)| ProfileDiff {
            engine,
            same: 0,
            only_a,
            only_b: 0,
            conflicts: 0,
        });
        profiles.extend(only_here);
        profiles.retain(|of| of.same + of.only_a + of.only_b + of.conflicts > 0);
        Ok(Some(DatabaseDiff {
            a: store.path().display().to_string(),
            b: incoming.path().display().to_string(),
            profiles,
            left_behind: found.left.each().map(|(why, count)| (why.name(), count)).collect(),
            analyses: analyses(store, incoming)?,
            directives: directives::directives(store, incoming)?,
        }))
    }

    fn write(&self, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
        let DatabaseDiff { a, b, profiles, left_behind, analyses, directives } = self;
        writeln!(out, "A: {a}\nB: {b}")?;
        for of in profiles {
            let [same, a, b] = [of.same, of.only_a, of.only_b].map(grouped);
            writeln!(out, "\n{}", describe_profile(&of.engine))?;
            writeln!(out, "  answers: {same} in both, {a} in A alone, {b} in B alone")?;
            if of.conflicts > 0 {
                writeln!(out, "  {}", count(of.conflicts, "conflict"))?;
            }
        }
        for (why, count) in left_behind.iter().filter(|(why, _)| **why != "behind") {
            writeln!(out, "\nnot counted: {} answers of B ({why})", grouped(*count))?;
        }
        analyses.iter().try_for_each(|analysis| analysis.write(pov, out))?;
        directives.iter().try_for_each(|of_root| of_root.write(out))
    }
}

/// Key of an analysis, the same in every database.
fn key_of(row: &AnalysisRow, game: &Game) -> String {
    let settings = &row.settings;
    let games = row.game_set.as_ref().map(|set| &set.digest);
    let rules = settings.games.map(|games| games.rules);
    let manner = (&row.profile, &settings.breadth, settings.tables, settings.draw);
    format!("{:?} {manner:?} {games:?} {rules:?}", root_key(game))
}

/// The analyses that only one of them has, and those of which they say something else.
fn analyses(store: &Store, incoming: &Incoming) -> Result<Vec<AnalysisDiff>, StoreError> {
    let mut all: BTreeMap<String, AnalysisDiff> = BTreeMap::new();
    for row in store.analyses()? {
        let Some(game) = row.game() else { continue };
        let newest = store.newest_of_course(row.id)?;
        let said = newest.map(|newest| (newest.best, newest.alpha));
        let said = said.map(|said| BestMove::of(&game, said));
        let of = all.entry(key_of(&row, &game)).or_insert_with(|| AnalysisDiff::of(&row, game));
        (of.a, of.verdict_a) = (Some(row.id.0), said);
    }
    for id in incoming.analyses()? {
        let Some((row, game)) = incoming.analysis(id)? else { continue };
        let said = incoming.best_move(id)?.map(|said| BestMove::of(&game, said));
        let of = all.entry(key_of(&row, &game)).or_insert_with(|| AnalysisDiff::of(&row, game));
        (of.b, of.verdict_b) = (Some(row.id.0), said);
    }
    let mut all: Vec<AnalysisDiff> = all.into_values().collect();
    all.retain(|of| of.a.is_none() || of.b.is_none() || of.verdict_a != of.verdict_b);
    all.sort_by_key(|of| (of.a.is_none(), of.a, of.b));
    Ok(all)
}

impl BestMove {
    fn of(game: &Game, (uci, value): (UciMove, Value)) -> BestMove {
        BestMove { best: NamedMove::of(game.root(), uci), value }
    }
}

impl AnalysisDiff {
    fn of(row: &AnalysisRow, game: Game) -> AnalysisDiff {
        AnalysisDiff {
            root: fen_of(game.root()),
            name: describe_root(&game),
            manner: describe_manner(row),
            game,
            a: None,
            b: None,
            verdict_a: None,
            verdict_b: None,
        }
    }

    fn write(&self, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
        let AnalysisDiff { name, manner, a, b, .. } = self;
        let said = |said: &Option<BestMove>| {
            let (position, said) = (self.game.root(), said.as_ref()?);
            let score = seen(said.value, position.turn(), pov);
            Some(format!("{} {score}", numbered_move(position, said.best.uci)))
        };
        let [in_a, in_b] = [&self.verdict_a, &self.verdict_b]
            .map(|verdict| said(verdict).unwrap_or_else(|| "no best move".to_owned()));
        match (a, b) {
            (Some(a), Some(b)) => {
                writeln!(out, "\n{name} ({manner})\n  A #{a}: {in_a}\n  B #{b}: {in_b}")
            }
            (Some(a), None) => writeln!(out, "\nonly in A, #{a}: {name} ({manner}), {in_a}"),
            (None, Some(b)) => writeln!(out, "\nonly in B, #{b}: {name} ({manner}), {in_b}"),
            (None, None) => Ok(()),
        }
    }
}
