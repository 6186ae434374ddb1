//! The terminal: taken for the walk, and given back as it was, whatever ends the program.

use std::io;

use crossbeam_channel::{Receiver, unbounded};
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::Event;
use ratatui::{DefaultTerminal, Frame};

use deepanalyze_runner::on_signal;

/// The terminal in its other screen, without echo; given back when this is dropped, or when the
/// program panics.
pub struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    /// Takes the terminal.
    pub fn open() -> io::Result<Screen> {
        // Restores the terminal in a hook before a panic is told.
        Ok(Screen { terminal: ratatui::try_init()? })
    }

    /// Draws the whole screen; what has not changed is not sent.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(drop)
    }

    /// Puts a text on the clipboard of a terminal that lets programs do that (OSC 52).
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        crossterm::execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Gives the terminal back and stops, until the shell says to go on.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> io::Result<()> {
        ratatui::try_restore()?;
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGTSTP)?;
        self.terminal = ratatui::try_init()?;
        self.terminal.clear()
    }

    /// There is no such thing here.
    #[cfg(not(unix))]
    pub fn suspend(&mut self) -> io::Result<()> {
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
pub fn keys() -> io::Result<Receiver<io::Result<Event>>> {
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

/// The signals that end the program, so that the terminal is given back before.
pub fn signals() -> io::Result<Receiver<()>> {
    let (sender, receiver) = unbounded();
    on_signal(move || {
        // Nobody listens once the walk is over.
        let _ = sender.send(());
    })?;
    Ok(receiver)
}
