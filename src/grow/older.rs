//! Older analyses of roots that are grown, by another engine or to another limit: what they say before the run, and how the
//! two compare in the end.

use shakmaty::Position;

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Profile;
use deepanalyze_runner::{Job, Schedule, TreePlan, older_analysis};
use deepanalyze_store::{AnalysisRow, Store, StoreError};
use deepanalyze_view::{
    PointOfView, Verdict, count, describe_profile, numbered_move, seen, told_verdict,
};

use super::args::GrowArgs;
use super::command_line;

/// An older analysis of a root that has a verdict.
pub struct OlderRoot {
    row: AnalysisRow,
    told: Verdict,
}

impl OlderRoot {
    /// The older analysis of a game's last position beside a tree grown in this way by this engine,
    /// if any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn of(
        store: &Store,
        game: &Game,
        made: (&TreePlan, Schedule),
        engine: &Profile,
    ) -> Result<Option<OlderRoot>, StoreError> {
        let Some(row) = older_analysis(store, game, made, engine)? else { return Ok(None) };
        let told = told_verdict(store, &row, game)?;
        Ok(told.map(|told| OlderRoot { row, told }))
    }

    /// Its engine and verdict, and whether engines look ahead by it.
    pub fn begin(&self, pov: PointOfView, looks_ahead: bool) -> String {
        let (id, engine) = (self.row.id.0, describe_profile(&self.row.profile));
        let ahead = where_to_look(looks_ahead);
        format!("older     analysis {id} of this position, by {engine}: {}{ahead}", self.best(pov))
    }

    /// How the run's analysis with its verdict and it compare in the end: in a line, and the command that says more.
    pub fn end(&self, args: &GrowArgs, own: i64, told: &Verdict) -> [String; 2] {
        let best = self.best(args.pov.get());
        let best = if self.agrees(told) { format!("the same best move, {best}") } else { best };
        let compare =
            command_line(args, &["compare", &self.row.id.0.to_string(), &own.to_string()]);
        [format!("older     analysis {} has {best}", self.row.id.0), compare_line(&compare)]
    }

    fn best(&self, pov: PointOfView) -> String {
        let choice = &self.told.choice;
        let score = seen(choice.score(), choice.root.turn(), pov);
        format!("{} {score}", numbered_move(&choice.root, self.told.best()))
    }

    fn agrees(&self, own: &Verdict) -> bool {
        self.told.best() == own.best()
    }
}

/// Addition for engines that look ahead by it.
fn where_to_look(looks_ahead: bool) -> &'static str {
    if looks_ahead { "; idle engines use it to look ahead" } else { "" }
}

fn compare_line(command: &str) -> String {
    format!("compare   {command}")
}

/// The older analyses of a batch's roots, in their order.
pub struct OlderRoots(Vec<Option<OlderRoot>>);

impl OlderRoots {
    /// The older analyses beside the trees that this engine is to grow.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn of(jobs: &[Job], store: &Store, engine: &Profile) -> Result<OlderRoots, StoreError> {
        let older = |job: &Job| OlderRoot::of(store, &job.game, (&job.tree, job.schedule), engine);
        Ok(OlderRoots(jobs.iter().map(older).collect::<Result<_, _>>()?))
    }

    /// How many roots have one, and whether engines look ahead by them; nothing where none has.
    pub fn begin(&self, looks_ahead: bool) -> Option<String> {
        let (have, all) = (self.0.iter().flatten().count(), self.0.len());
        let (all, ahead) = (count(all as u64, "position"), where_to_look(looks_ahead));
        (have > 0).then(|| format!("older     {have} of {all} have an older analysis{ahead}"))
    }

    /// Number of roots at which the run's analyses and the older ones agree on the best move, and
    /// the command that says more; empty if no root can be compared.
    pub fn end<'a>(
        &self,
        args: &GrowArgs,
        own: impl Iterator<Item = Option<(i64, &'a Verdict)>>,
    ) -> Vec<String> {
        let both = self.0.iter().zip(own).filter_map(|(older, own)| Some((older.as_ref()?, own?)));
        let both: Vec<_> = both.collect();
        let Some((older, (own, _))) = both.first() else { return Vec::new() };
        let same = both.iter().filter(|(older, (_, told))| older.agrees(told)).count();
        let all = count(both.len() as u64, "position");
        let ids = [older.row.id.0, *own].map(|id| id.to_string());
        let compare = command_line(args, &["compare", &ids[0], &ids[1], "--roots"]);
        let how = format!("older     the same best move at {same} of {all} with an older analysis");
        vec![how, compare_line(&compare)]
    }
}
