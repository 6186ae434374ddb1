//! Output of the engine: info lines, `bestmove`, and nonsense.

use std::io::Write as _;

use deepanalyze_core::chess::{Score, legal_uci};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::args::Args;

/// Everything goes to stdout in one write, so that lines of several threads never mix.
pub fn print(args: &Args, text: &str) {
    let ended = if args.crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    write_bytes(ended.as_bytes());
}

/// Bytes as they are. A closed pipe ends the engine quietly.
pub fn write_bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// A score as UCI writes it.
pub fn score(score: Score) -> String {
    match score {
        Score::Cp(cp) => format!("cp {cp}"),
        Score::Mate(n) => format!("mate {n}"),
    }
}

/// Win, draw and loss as UCI writes them behind a score.
pub fn wdl(score: Score) -> String {
    let (win, loss) = match score {
        Score::Cp(cp) => ((250 + cp).clamp(0, 500), (250 - cp).clamp(0, 500)),
        Score::Mate(n) => {
            if n > 0 {
                (1000, 0)
            } else {
                (0, 1000)
            }
        }
    };
    format!(" wdl {win} {} {loss}", 1000 - win - loss)
}

/// One info line of a finished iteration.
pub fn info(depth: u32, multipv: usize, said: &str, nodes: u64, pv: &[String]) -> String {
    format!(
        "info depth {depth} seldepth {} multipv {multipv} score {said} nodes {nodes} nps 1000000 \
         hashfull 0 time 1 pv {}\n",
        depth + 2,
        pv.join(" ")
    )
}

/// The move and the first legal answer to it.
pub fn pv(args: &Args, position: &Chess, best: UciMove) -> Vec<String> {
    let mut pv = vec![uci(args, best)];
    let mut after = position.clone();
    if let Ok(m) = best.to_move(position) {
        after.play_unchecked(m);
        pv.extend(legal_uci(&after).first().map(|reply| uci(args, *reply)));
    }
    pv
}

/// The move in this engine's notation.
pub fn uci(args: &Args, uci: UciMove) -> String {
    let text = uci.to_string();
    match (args.upper_case, text.len()) {
        (true, 5) => format!("{}{}", &text[..4], text[4..].to_ascii_uppercase()),
        _ => text,
    }
}

/// Lines that no GUI understands, some of them no text at all, and none of them a score.
pub const GARBAGE: &[u8] = b"info depth\ninfo depth 999999999999999999999 score\ninfo\n\n   \n\
    info score cp\ninfo depth 300 score mate 999 upperbound pv\ninfo string score cp 7777 depth 99\n\
    info depth 4 score cp 9999 wdl 1 2 3 lowerbound pv zzzz\n\xff\xfe\x00\x80 bestmove e2e4\n\
    bestmovee e2e4\nreadyokay\nuciokay\ninfo nps inf time -1 score cp +9998 upperbound\n\
    info depth 5 nodes 12345678901234567890123 score cp 99999999999999999999 pv e2e4\n";
