//! What a position and a `go` mean on this engine's board.

use crate::board::Board;
use crate::moves::Move;
use crate::time::Limits;
use deepanalyze_core::chess::parse_fen;
use deepanalyze_core::uci::{Go, Position};

/// The limits for a position.
///
/// # Errors
///
/// The first of the moves to search that is not legal.
pub fn limits(go: &Go, board: &Board) -> Result<Limits, String> {
    let side = usize::from(board.turn() == shakmaty::Color::Black);
    let mut limits = Limits {
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        move_time: go.move_time,
        clock: go.clocks[side],
        increment: go.increments[side],
        moves_to_go: go.moves_to_go,
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: Vec::new(),
    };
    if let Some(texts) = &go.search_moves {
        for text in texts {
            let m = legal(board, text).ok_or_else(|| format!("{text:?} is not legal here"))?;
            limits.search_moves.push(m);
        }
        if texts.is_empty() {
            return Err("go searchmoves names no move".to_owned());
        }
    }
    Ok(limits)
}

fn legal(board: &Board, text: &str) -> Option<Move> {
    let text = text.to_ascii_lowercase();
    board.legal_moves().into_iter().find(|m| m.to_string() == text)
}

/// The position after all moves, and the keys of those before.
///
/// # Errors
///
/// What is wrong with the FEN, or the first move that is not legal.
pub fn play(position: &Position) -> Result<(Board, Vec<u64>), String> {
    let start = match &position.fen {
        Some(fen) => parse_fen(fen).map_err(|error| error.to_string())?,
        None => shakmaty::Chess::default(),
    };
    let mut board = Board::new(&start);
    let mut earlier = Vec::new();
    for (index, text) in position.moves.iter().enumerate() {
        let m = legal(&board, text)
            .ok_or_else(|| format!("move {} of the position, {text:?}, is not legal", index + 1))?;
        earlier.push(board.key());
        board = board.play(m);
    }
    Ok((board, earlier))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::uci::{Command, parse};

    #[test]
    fn positions_are_played_and_refused() {
        let at = |line: &str| match parse(line)? {
            Command::Position(position) => play(&position),
            other => panic!("{other:?}"),
        };
        let (board, earlier) = at("position startpos moves e2e4 e7e5 g1f3").unwrap();
        assert_eq!(earlier.len(), 3);
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        assert_eq!(at(&format!("position fen {fen}")).unwrap().0, board);
        assert!(at("position startpos moves e2e5").unwrap_err().contains("move 1"));
        assert!(at("position fen 8/8/8/8/8/8/8/8 w - - 0 1").is_err());
        assert!(at("position").is_err());
        let (board, _) = at("position fen 8/P6k/8/8/8/8/7K/8 w - - 0 1 moves a7a8Q").unwrap();
        assert!(board.role_at(shakmaty::Square::A8) == Some(shakmaty::Role::Queen));
    }
}
