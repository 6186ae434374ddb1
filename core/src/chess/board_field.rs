//! What is wrong with a FEN's first field, in a player's words.

/// What is wrong with the board of a FEN: the rank and the character, or how many squares it has.
pub(super) fn fault_of(board: &str) -> String {
    let ranks: Vec<&str> = board.split('/').collect();
    let fault =
        (1..=8_usize).rev().zip(&ranks).find_map(|(number, rank)| fault_of_rank(number, rank));
    match (fault, ranks.len()) {
        (Some(fault), _) => fault,
        (None, count) => format!("the board has {count} ranks, not 8"),
    }
}

fn fault_of_rank(number: usize, rank: &str) -> Option<String> {
    let is_square = |c: &char| "pnbrqkPNBRQK12345678~".contains(*c);
    if let Some(other) = rank.chars().find(|c| !is_square(c)) {
        return Some(format!("rank {number} ({rank}) has the character {other:?}"));
    }
    let width = |c: char| c.to_digit(10).unwrap_or(u32::from(c != '~'));
    let squares: u32 = rank.chars().map(width).sum();
    (squares != 8).then(|| format!("rank {number} ({rank}) has {squares} squares, not 8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_named() {
        for (board, fault) in [
            (
                "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
                "rank 7 (ppppppppp) has 9 squares, not 8",
            ),
            ("rnbqkbnr/pppppppp/8/8/4P2/8/PPPPPPPP/RNBQKBNR", "rank 4 (4P2) has 7 squares, not 8"),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKSNR",
                "rank 1 (RNBQKSNR) has the character 'S'",
            ),
            ("rnbqkbnr/pppppppp/44/8/8/8/PPPP9/RNBQKBNR", "rank 2 (PPPP9) has the character '9'"),
            ("8/8/8/8/8/8/8", "the board has 7 ranks, not 8"),
            ("8/8/8/8/8/8/8/8/8", "the board has 9 ranks, not 8"),
            ("8/8/8/8//8/8/8", "rank 4 () has 0 squares, not 8"),
        ] {
            assert_eq!(fault_of(board), fault, "{board}");
        }
    }
}
