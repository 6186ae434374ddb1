//! `--enqueue`: positions at which the user stays go on the agenda of `serve`.

use std::path::PathBuf;

use crossbeam_channel::{Sender, bounded};

use crate::printer::Printer;
use deepanalyze_core::chess::{Game, Tables};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::Breadth;
use deepanalyze_report::describe_root;
use deepanalyze_runner::{NewRoot, RootDefaults, RunnerError, Schedule, enqueue};
use deepanalyze_store::{Patience, Store};

/// Positions that may wait, as where the database is locked.
const WAITING: usize = 64;

/// How positions are put on the agenda.
#[derive(Debug, Clone)]
pub struct Enqueueing {
    pub path: PathBuf,
    pub breadth: Breadth,
    pub depth: u32,
    pub schedule: Schedule,
    /// How far their trees go by endgame tables.
    pub tables: Option<Tables>,
}

impl Enqueueing {
    /// Takes games in a thread of its own, which ends when nobody has any more. `engine` is asked for each: it
    /// may not be known before.
    pub fn start(
        self,
        engine: impl Fn() -> Option<Profile> + Send + 'static,
        printer: Printer,
    ) -> std::io::Result<Sender<Game>> {
        let (sender, games) = bounded::<Game>(WAITING);
        let work = move || {
            for game in games {
                let label = describe_root(&game);
                match engine().map(|engine| self.put(&engine, game, &printer)) {
                    Some(Ok(true)) => printer.line(format!("{label}: put on the agenda")),
                    Some(Err(error)) => {
                        printer.line(format!("{label}: not put on the agenda: {error}"));
                    }
                    Some(Ok(false)) | None => {}
                }
            }
        };
        std::thread::Builder::new().name("agenda".to_owned()).spawn(work)?;
        Ok(sender)
    }

    /// Whether it was put there: a tree that is there may have reached it.
    fn put(&self, engine: &Profile, game: Game, printer: &Printer) -> Result<bool, RunnerError> {
        let new = NewRoot {
            game,
            name: None,
            breadth: self.breadth.clone(),
            depth: None,
            schedule: self.schedule,
            weight: None,
            begins_with: RootDefaults { depth: self.depth, weight: 1 },
        };
        let printer = printer.clone();
        let tell = move |why: &str| printer.line(format!("warning: {why}; waiting for it"));
        let mut store = Store::open_with(&self.path, Patience::new(|| false, tell))?;
        Ok(enqueue(&mut store, (engine, self.tables), &new)?.is_some())
    }
}
