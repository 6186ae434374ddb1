//! Parse, dispatch, exit code.

use std::io::{self, BufReader};

use deepanalyze::builtin::{bench, uci};

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["engine"] => uci::run(BufReader::new(io::stdin()), io::stdout()),
        ["engine", "bench"] => bench::run(io::stdout())?,
        _ => {}
    }
    Ok(())
}
