//! A walk in the terminal, from the first picture to the last key.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::Event;
use ratatui::{DefaultTerminal, Frame};

use deepanalyze_store::Store;
use deepanalyze_view::{Followed, MoveSearch, Tree, Trust, Why};

use super::action::action_of;
use super::asking::{AskEngine, MovePlace};
use super::explorer::{Effect, Explorer};
use super::view::{Look, draw};
use super::watch::{GrowWithDraw, TreeNews, TreeWatch};

/// Walks through a tree; one reader looks up lines, another one follows changes. True if the user
/// has left, false on a signal. `grow` grows a tree from the memo with another draw value; `ask` lets an
/// engine search the position behind a move.
///
/// # Errors
///
/// If the terminal cannot be used.
pub fn walk(
    explorer: Explorer,
    look: Look,
    (tree, of): (Arc<Tree>, Followed),
    [reader, store]: [Store; 2],
    (grow, ask): (GrowWithDraw, AskEngine),
    signals: &Receiver<()>,
) -> io::Result<bool> {
    let watch = TreeWatch::start(store, tree, of, grow)?;
    let mut screen = Screen::open()?;
    let keys = keys()?;
    let (answered, answers) = unbounded();
    TerminalWalk { explorer, look, reader, watch, keys, ask, answered, answers }
        .run(&mut screen, signals)
}

/// State of a walk in the terminal.
struct TerminalWalk {
    explorer: Explorer,
    look: Look,
    /// For looking up stored lines.
    reader: Store,
    watch: TreeWatch,
    keys: Receiver<io::Result<Event>>,
    ask: AskEngine,
    answered: Sender<Answered>,
    answers: Receiver<Answered>,
}

/// An engine's answer to a question.
type Answered = (MovePlace, Result<Option<MoveSearch>, String>);

impl TerminalWalk {
    fn run(mut self, screen: &mut Screen, signals: &Receiver<()>) -> io::Result<bool> {
        loop {
            self.explorer.look_on(&self.reader);
            let trust = |tree: &Tree| Trust::of(&self.reader, tree).map_err(|why| why.to_string());
            self.explorer.look_at_trust(trust);
            if let Some((tree, why)) = self.explorer.look_at_question(&self.reader) {
                self.search(tree, why);
            }
            let (explorer, look) = (&self.explorer, self.look);
            let mut rows = 0;
            screen.draw(|frame| rows = draw(frame, explorer, look))?;
            self.explorer.set_page(rows);
            select! {
                recv(signals) -> _ => return Ok(false),
                recv(self.watch.updates()) -> update => match update {
                    Ok(update) => self.take(update),
                    Err(_) => return Err(io::Error::other("the reader of the database has ended")),
                },
                recv(self.answers) -> answer => if let Ok((place, found)) = answer {
                    self.explorer.take_search(&place, found);
                },
                recv(self.keys) -> event => {
                    // All pending events are handled before the screen is drawn again.
                    let more: Vec<_> = self.keys.try_iter().collect();
                    for event in event.into_iter().chain(more) {
                        if self.handle(event?, screen)? {
                            return Ok(true);
                        }
                    }
                }
            }
        }
    }

    /// Has an engine search, in a thread of its own.
    fn search(&mut self, tree: Arc<Tree>, why: Why) {
        let Some(place) = self.explorer.asked_place() else { return };
        let (ask, answered, of) = (Arc::clone(&self.ask), self.answered.clone(), place.clone());
        let searching = std::thread::Builder::new().name("question".to_owned()).spawn(move || {
            // The walk may be over.
            let _ = answered.send((of, ask(&tree, &why)));
        });
        if let Err(error) = searching {
            self.explorer.take_search(&place, Err(error.to_string()));
        }
    }

    fn take(&mut self, update: TreeNews) {
        match update {
            TreeNews::Tree(tree) => {
                let old = self.explorer.take(tree);
                // A large tree takes a while to go.
                let _ = std::thread::Builder::new().spawn(move || drop(old));
            }
            TreeNews::Growing(growing) => self.explorer.set_growing(growing),
            TreeNews::Directed(Ok(done)) => self.explorer.tell(done),
            TreeNews::Directed(Err(why)) => self.explorer.complain(why),
            TreeNews::Unchanged => self.explorer.tell("nothing has changed".to_owned()),
            TreeNews::Failed(why) => self.explorer.complain(why),
        }
    }

    /// Handles a key; true if that is to leave.
    fn handle(&mut self, event: Event, screen: &mut Screen) -> io::Result<bool> {
        let Event::Key(key) = event else {
            return Ok(false);
        };
        let Some(action) = action_of(&self.explorer.mode, key) else {
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
            Effect::Draw(draw) => {
                if !self.watch.value_draws(draw) {
                    self.explorer.complain("the changes before are still waiting".to_owned());
                }
            }
            Effect::Suspend => screen.suspend()?,
            Effect::Quit => return Ok(true),
        }
        Ok(false)
    }
}

/// The terminal in its other screen, without echo; restored when this is dropped, or when the
/// program panics.
struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    /// Opens the screen.
    fn open() -> io::Result<Screen> {
        // The hook restores the terminal before a panic is reported.
        Ok(Screen { terminal: ratatui::try_init()? })
    }

    /// Draws the whole screen; what has not changed is not sent.
    fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(drop)
    }

    /// Puts a text on the clipboard of a terminal that lets programs do that (OSC 52).
    fn copy(&mut self, text: &str) -> io::Result<()> {
        crossterm::execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Restores the terminal and stops, until the shell continues it.
    #[cfg(unix)]
    fn suspend(&mut self) -> io::Result<()> {
        ratatui::try_restore()?;
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGTSTP)?;
        self.terminal = ratatui::try_init()?;
        self.terminal.clear()
    }

    /// Not available here.
    #[cfg(not(unix))]
    fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing.
        let _ = ratatui::try_restore();
    }
}

/// Keys and changes of the window's size, read in a thread of their own.
fn keys() -> io::Result<Receiver<io::Result<Event>>> {
    // Changes of the size are noticed from here on, before the first screen is drawn for one.
    crossterm::event::poll(Duration::ZERO)?;
    let (sender, keys) = unbounded();
    std::thread::Builder::new().name("keys".to_owned()).spawn(move || {
        loop {
            let event = crossterm::event::read();
            let failed = event.is_err();
            if sender.send(event).is_err() || failed {
                return;
            }
        }
    })?;
    Ok(keys)
}
