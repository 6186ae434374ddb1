//! What an engine is told. Each text is one line with its newline, no blank at its end.

use std::fmt::Write as _;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Limit;

/// `position fen` with six fields: four crash some engines. The clocks are no part of a position.
pub fn position(position: &Chess) -> String {
    format!("position fen {} 0 1\n", epd_of(position))
}

/// `go`; `searchmoves` comes last, for everything after it is taken for a move by some engines.
pub fn go(limit: Limit, only: &[UciMove]) -> String {
    let mut line = format!("go {limit}");
    if !only.is_empty() {
        line.push_str(" searchmoves");
    }
    for m in only {
        // Writing to a string cannot fail.
        let _ = write!(line, " {m}");
    }
    line.push('\n');
    line
}

/// `setoption`; a button has no value.
pub fn set_option(name: &str, value: Option<&str>) -> String {
    match value {
        Some("") => format!("setoption name {name} value <empty>\n"),
        Some(value) => format!("setoption name {name} value {value}\n"),
        None => format!("setoption name {name}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    #[test]
    fn searchmoves_go_last_and_no_line_ends_in_a_blank() {
        let moves: Vec<UciMove> = vec!["e2e4".parse().unwrap(), "a7a8q".parse().unwrap()];
        assert_eq!(go(Limit::Depth(18), &[]), "go depth 18\n");
        assert_eq!(
            go(Limit::Nodes(1_000_000), &moves),
            "go nodes 1000000 searchmoves e2e4 a7a8q\n"
        );
    }

    #[test]
    fn positions_have_six_fields_and_clocks_at_their_start() {
        let late = parse_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 77 120").unwrap();
        assert_eq!(position(&late), "position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n");
    }

    #[test]
    fn a_button_has_no_value_and_an_empty_string_is_said() {
        assert_eq!(set_option("Clear Hash", None), "setoption name Clear Hash\n");
        assert_eq!(set_option("Eval File", Some("")), "setoption name Eval File value <empty>\n");
    }
}
