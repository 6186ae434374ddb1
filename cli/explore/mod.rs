//! `deepanalyze explore`.

mod change;
mod screen;
mod watch;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use crossbeam_channel::{Receiver, select};
use crossterm::event::Event;

use crate::args::chosen::ChosenArgs;
use crate::args::pov::PovArgs;
use deepanalyze_explore::{Effect, Explorer, Look, action_of, draw};
use deepanalyze_report::{Followed, LiveTree, Trust, continuation};
use deepanalyze_store::Store;

use super::error::{CliError, INTERRUPTED};
use screen::Screen;
use watch::{Update, Watch};

/// Walk through the tree in the terminal: board, moves, best line
///
/// Works while `grow` is running, and shows the tree as it grows. Keys exclude and include moves, give a
/// position a value and stop at one, too. `?` lists the keys.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Begin after these moves ("e4 e5")
    #[arg(long, value_name = "MOVES", default_value = "", help_heading = "Output")]
    line: String,
    #[command(flatten)]
    pov: PovArgs,
    /// Pieces on the board
    #[arg(long, value_enum, default_value_t = Pieces::Auto, help_heading = "Output")]
    pieces: Pieces,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pieces {
    /// Figurines where the terminal has UTF-8, letters elsewhere
    Auto,
    /// Figurines
    Unicode,
    /// Letters; plain ASCII everywhere
    Letters,
}

/// Runs the command.
pub fn run(args: &ExploreArgs) -> Result<ExitCode, CliError> {
    let (store, reader) = (args.chosen.open()?, args.chosen.open()?);
    let tree = Arc::new(LiveTree::from(args.chosen.load(&store)?));
    let analysis = tree.row.id;
    let mut explorer = Explorer::new(Arc::clone(&tree), args.pov.get());
    explorer.play_line(&args.line).map_err(CliError::usage)?;
    explorer.set_growing(store.is_growing(analysis));
    refuse_without_terminal()?;
    let signals = screen::signals()?;
    let of = if args.chosen.is_analysis() { Followed::Analysis } else { Followed::Stages };
    let watch = Watch::start(store, tree, of)?;
    let mut screen = Screen::open()?;
    let keys = screen::keys()?;
    let session = Session { explorer, look: look(args.pieces), reader, watch, keys, signals };
    session.run(&mut screen)
}

fn refuse_without_terminal() -> Result<(), CliError> {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if std::io::stdout().is_terminal() && !dumb {
        return Ok(());
    }
    let what = if dumb { "a terminal that can move its cursor" } else { "a terminal" };
    Err(CliError::usage(format!("explore needs {what}"))
        .hint("`deepanalyze show` prints the tree anywhere"))
}

fn look(pieces: Pieces) -> Look {
    let unicode = match pieces {
        Pieces::Auto => cfg!(windows) || locale_is_utf8(),
        Pieces::Unicode => true,
        Pieces::Letters => false,
    };
    let colour = match anstream::ColorChoice::global() {
        anstream::ColorChoice::Never => false,
        anstream::ColorChoice::Auto => std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        _ => true,
    };
    Look { unicode, colour }
}

/// What the first of the locale's variables that is set says, as the C library reads them.
fn locale_is_utf8() -> bool {
    let set = |name: &&str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| set(name));
    let value = name.and_then(|name| std::env::var(name).ok()).unwrap_or_default();
    let value = value.to_ascii_lowercase();
    value.contains("utf-8") || value.contains("utf8")
}

/// What a walk needs while it lasts.
struct Session {
    explorer: Explorer,
    look: Look,
    /// Where stored lines are looked up.
    reader: Store,
    watch: Watch,
    keys: Receiver<std::io::Result<Event>>,
    signals: Receiver<()>,
}

impl Session {
    fn run(mut self, screen: &mut Screen) -> Result<ExitCode, CliError> {
        loop {
            self.look_on();
            let (explorer, look) = (&self.explorer, self.look);
            let mut rows = 0;
            screen.draw(|frame| rows = draw(frame, explorer, look))?;
            self.explorer.set_page(rows);
            select! {
                recv(self.signals) -> _ => return Ok(ExitCode::from(INTERRUPTED)),
                recv(self.watch.updates()) -> update => match update {
                    Ok(update) => self.take(update),
                    Err(_) => return Err(CliError::missing("the reader of the database has ended")),
                },
                recv(self.keys) -> event => {
                    // All that has come meanwhile is done before the screen is drawn again.
                    let more: Vec<_> = self.keys.try_iter().collect();
                    for event in event.into_iter().chain(more) {
                        if self.handle(event?, screen)? {
                            return Ok(ExitCode::SUCCESS);
                        }
                    }
                }
            }
        }
    }

    /// Looks up how the engine goes on behind the lines. Where the database fails there is nothing: the reader
    /// beside tells of it.
    fn look_on(&mut self) {
        let reader = &self.reader;
        self.explorer.look_on(|tree, end, last| {
            let whose = (tree.row.profile_id, &*tree.growth);
            continuation(reader, whose, end, Some(&last)).unwrap_or_default()
        });
        self.explorer.look_at_trust(|tree| Trust::of(reader, tree).map_err(|why| why.to_string()));
    }

    fn take(&mut self, update: Update) {
        match update {
            Update::Tree(tree) => {
                let old = self.explorer.take(tree);
                // A large tree takes a while to go.
                let _ = std::thread::Builder::new().spawn(move || drop(old));
            }
            Update::Growing(growing) => self.explorer.set_growing(growing),
            Update::Directed(Ok(done)) => self.explorer.tell(done),
            Update::Directed(Err(why)) => self.explorer.complain(why),
            Update::Unchanged => self.explorer.tell("nothing has changed".to_owned()),
            Update::Failed(why) => self.explorer.complain(why),
        }
    }

    /// Does what a key asks for; says whether that is to leave.
    fn handle(&mut self, event: Event, screen: &mut Screen) -> Result<bool, CliError> {
        let Event::Key(key) = event else {
            return Ok(false);
        };
        let Some(action) = action_of(self.explorer.mode(), key) else {
            return Ok(false);
        };
        match self.explorer.act(action) {
            Effect::None => {}
            Effect::Copy(text) => screen.copy(&text)?,
            Effect::Reload => self.watch.reload(),
            Effect::Direct(change) => {
                if !self.watch.change(change) {
                    self.explorer.complain("the changes before are still waiting".to_owned());
                }
            }
            Effect::Suspend => screen.suspend()?,
            Effect::Quit => return Ok(true),
        }
        Ok(false)
    }
}
