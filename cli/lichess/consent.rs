//! What the user should know before Lichess is told anything.

use std::io::{self, IsTerminal, Write};

use crate::confirm::is_confirmed;

const TOLD: &str = "\
Lichess will see every position that you look at on its analysis board with this engine, and the moves, scores and
lines that are found here. It gets nothing else of your database. The engine is listed for your account alone, until
you delete it there.";

/// Says what Lichess will see, and asks where somebody can be asked; whoever gives the command without a terminal
/// has been told by its help.
pub fn is_given(is_said: bool) -> io::Result<bool> {
    let mut out = anstream::stderr();
    writeln!(out, "{TOLD}")?;
    if is_said || !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(true);
    }
    is_confirmed("Go on?", &mut io::stdin().lock(), &mut out)
}
