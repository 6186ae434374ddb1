//! What `deepanalyze` alone prints, and the examples in each command's help and manual page.

/// What `deepanalyze` alone prints.
pub const WELCOME: &str = "\
deepanalyze analyses a chess position for as long as you let it. It grows a tree of the best moves
and replies, has an engine search every position of it, and keeps every answer. Stop it at any
moment; the same command goes on.

To begin with:
  deepanalyze grow --for 1m                   analyse the initial position for a minute
  deepanalyze show                            print the verdict: moves, scores, best lines
  deepanalyze grow --pgn game.pgn --for 1h    analyse the last position of your game

`deepanalyze --help` lists all commands, `deepanalyze grow --help` explains one of them.
";

/// Of `grow`.
pub const GROW: &str = "\
Examples:
  Analyse the Italian Game until seven in the morning (run it again to go on):
    deepanalyze grow --moves \"e4 e5 Nf3 Nc6 Bc4\" --until 07:00
  Analyse any position:
    deepanalyze grow --root \"8/8/8/2k5/4p3/8/4PK2/8 w - - 0 1\" --for 10m
  Analyse the position of a game after Black's 15th move, with Stockfish:
    deepanalyze grow --pgn game.pgn --ply 30 --engine stockfish --for 8h
  Analyse every position of a game:
    deepanalyze grow --pgn game.pgn --every --for 1h
  Analyse the positions of an EPD file:
    deepanalyze grow --epd positions.epd --for 8h
  Look at more moves: all within 30 centipawns of the best:
    deepanalyze grow --moves \"e4 c5\" --distance 30 --for 2h
  Prepare for White: one move of your own, every reasonable reply:
    deepanalyze grow --moves \"e4 e6\" --distance-white 0+ --distance-black 30+ --for 8h
  Use two computers:
    deepanalyze grow --engine \"4*stockfish\" --engine \"8*ssh big stockfish\" --for 8h
  Search every position to one fixed depth:
    deepanalyze grow --engine-depth 18 --depth 8";

/// Of `direct`.
pub const DIRECT: &str = "\
Examples:
  Leave a move out:
    deepanalyze direct exclude \"e4 e5 Nf3 Nc6 Bc4\"
  Follow a line, whatever the engine thinks of it:
    deepanalyze direct include \"d4 d5 c4 e5\"
  Let the tree follow your repertoire:
    deepanalyze direct include --pgn repertoire.pgn
  Say what a position is worth (pawns for White, draw, white, black):
    deepanalyze direct value \"e4 c5 Nf3\" +0.30
  In an analysis that began after 1. e4 c5; the root stands before the action:
    deepanalyze direct --moves \"e4 c5\" exclude \"Nf3 d6 Bb5+\"
  See what you have said, and take it back:
    deepanalyze direct list
    deepanalyze direct undo \"d4 d5 c4 e5\"";

/// Of `show`.
pub const SHOW: &str = "\
Examples:
  The verdict: moves, scores, best lines:
    deepanalyze show
  The first four plies of the tree, or all of it:
    deepanalyze show --plies 4
    deepanalyze show --all
  What follows after 1. e4 e5:
    deepanalyze show --line \"e4 e5\"
  A web page with board, tree and plots:
    deepanalyze show --format html -o tree.html
  Variations for ChessBase, SCID, Lichess and others:
    deepanalyze show --format pgn -o tree.pgn
  A game with comments, after `grow --pgn game.pgn --every`:
    deepanalyze show --pgn game.pgn --every --format pgn -o annotated.pgn
  An opening book:
    deepanalyze show --format polyglot -o book.bin";

/// Of `explore`.
pub const EXPLORE: &str = "\
Examples:
  Walk through the latest analysis:
    deepanalyze explore
  Begin after 1. e4 c5:
    deepanalyze explore --line \"e4 c5\"";

/// Of `serve`.
pub const SERVE: &str = "\
Examples:
  Open the page in the browser:
    deepanalyze serve --open
  With Stockfish, on four processes:
    deepanalyze serve --engine stockfish --engines 4
  On another computer, seen here through ssh (open the address that is printed):
    ssh -L 7373:127.0.0.1:7373 big deepanalyze serve
  For the whole house:
    deepanalyze serve --listen 0.0.0.0 --host chess.local";

/// Of `uci`.
pub const UCI: &str = "\
Examples:
  The command to add to a chess program as an engine:
    deepanalyze uci
  With Stockfish on two processes, looking at more moves, in a database of its own:
    deepanalyze uci --engine stockfish --engines 2 --distance 30 --db gui.db";

/// Of `lichess`.
pub const LICHESS: &str = "\
Examples:
  Show your trees on the analysis board of lichess.org, with the token of LICHESS_TOKEN:
    deepanalyze lichess
  With a token from a file, and more moves than usual:
    deepanalyze lichess --token-file ~/.lichess-token --distance 30
  Let positions that you look at for longer grow in `serve` later:
    deepanalyze lichess --enqueue";

/// Of `worker`.
pub const WORKER: &str = "\
Examples:
  Let all cores of this computer search for others:
    deepanalyze worker --fleet nats://host:4222 --engine stockfish
  With half of them, at night alone, and behind everything else:
    deepanalyze worker --fleet nats://host:4222 --engines 4 --hours 22-7 --nice
  Grow a tree with all workers, on another computer:
    deepanalyze grow --fleet nats://host:4222 --engine stockfish --for 8h";

/// Of `fleet`.
pub const FLEET: &str = "\
Examples:
  Who works, and how fast:
    deepanalyze fleet --fleet nats://host:4222
  The same for a script:
    deepanalyze fleet --fleet nats://host:4222 --format json";

/// Of `audit`.
pub const AUDIT: &str = "\
Examples:
  Check White's repertoire with Stockfish:
    deepanalyze direct include --pgn repertoire.pgn
    deepanalyze grow --engine stockfish --for 8h
    deepanalyze audit --side white
  Name only moves that lose more than a fifth of a pawn:
    deepanalyze audit --side white --losing 20";

/// Of `compare`.
pub const COMPARE: &str = "\
Examples:
  Compare two analyses of one position (`deepanalyze list` has their numbers):
    deepanalyze compare 3 7
  Compare two engines on all positions that both have analysed:
    deepanalyze compare 3 7 --roots";

/// Of `list`.
pub const LIST: &str = "\
Examples:
  deepanalyze list
  deepanalyze list --db club.db";

/// Of `rename`.
pub const RENAME: &str = "\
Examples:
  Give the position of a game a name of your own:
    deepanalyze rename --pgn game.pgn --ply 30 \"round 4, the critical moment\"
  Name the analysis that `list` shows as #3:
    deepanalyze rename --analysis 3 \"Najdorf, 6. Bg5\"";

/// Of `delete`.
pub const DELETE: &str = "\
Examples:
  Delete the analysis that `list` shows as #3, after asking:
    deepanalyze delete --analysis 3
  Delete all analyses of a position without asking:
    deepanalyze delete --moves \"e4 e5\" --yes";

/// Of `copy`.
pub const COPY: &str = "\
Examples:
  A backup, also while `grow` is at work:
    deepanalyze copy backup.db
  Take the backup's place with a newer one:
    deepanalyze copy --force backup.db
  Look at a copy on another computer:
    deepanalyze list --db backup.db";

/// Of `log`.
pub const LOG: &str = "\
Examples:
  How the verdict on the latest analysis came about:
    deepanalyze log
  With every change of the best move:
    deepanalyze log --passes";

/// Of `stats`.
pub const STATS: &str = "\
Examples:
  The whole database:
    deepanalyze stats
  One analysis, and where its tree and the engine disagree most:
    deepanalyze stats --analysis 3 --top 20";

/// Of `verify`.
pub const VERIFY: &str = "\
Examples:
  deepanalyze verify
  deepanalyze verify --db club.db";

/// Of `config`.
pub const CONFIG: &str = "\
Examples:
  Show all settings:
    deepanalyze config
  Always use this engine, with this much hash:
    deepanalyze config set engine /opt/stockfish/stockfish
    deepanalyze config set options Hash=256
  Go back to the default:
    deepanalyze config unset engine
  The file; every line may be left out:
    engine = \"stockfish\"        # or a list: [\"stockfish\", \"8*ssh big stockfish\"]; \"builtin\"
    database = \"/home/you/chess/trees.db\"
    distance = 10               # or \"30,10+\", as --distance takes it
    pov = \"white\"               # or \"mover\": whose side the scores take
    colours = \"auto\"            # or \"always\", \"never\"
    [options]                   # of that engine
    Hash = 64";

/// Of `engine`.
pub const ENGINE: &str = "\
Examples:
  Let another chess program use the built-in engine: install this as a UCI engine there:
    deepanalyze engine
  Measure its speed:
    deepanalyze engine bench";

/// Of `completions`.
pub const COMPLETIONS: &str = "\
Examples:
  deepanalyze completions bash > ~/.local/share/bash-completion/completions/deepanalyze
  deepanalyze completions zsh > ~/.zfunc/_deepanalyze
  deepanalyze completions fish > ~/.config/fish/completions/deepanalyze.fish";

/// Of `man`.
pub const MAN: &str = "\
Examples:
  deepanalyze man | man -l -
  deepanalyze man grow | man -l -
  deepanalyze man direct include | man -l -";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::{CommandFactory, Parser};
    use deepanalyze_core::quoting;

    /// The commands among the lines of a text, without what a shell does with their output.
    fn commands(text: &str) -> Vec<String> {
        let joined = text.replace("\\\n        ", "");
        let indented = joined.lines().filter(|line| line.starts_with("  ")).map(str::trim);
        let lines = indented.filter(|line| line.starts_with("deepanalyze "));
        let own = lines.filter_map(|line| line.split(['|', '>']).next());
        own.map(|line| line.split("   ").next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn every_command_has_examples_and_every_example_is_understood() {
        let mut all = commands(WELCOME);
        assert_eq!(all.len(), 3, "three to begin with");
        for command in Cli::command().get_subcommands() {
            let own = command.get_after_help().map(|text| commands(&text.to_string()));
            let own = own.unwrap_or_default();
            let begins = format!("deepanalyze {}", command.get_name());
            assert!(own.iter().any(|line| line.starts_with(&begins)), "{begins}: {own:?}");
            all.extend(own);
        }
        for command in all {
            let words = quoting::split(&command).unwrap();
            let parsed = Cli::try_parse_from(&words);
            assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
        }
    }
}
