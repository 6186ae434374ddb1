//! Endgame tables: those of three men are part of the program, others are in the folders of `SyzygyPath`.

use deepanalyze_core::chess::{TableFiles, TableMove, TablesError, Wdl, three_men};

use super::board::Board;

/// Files are read so near the root alone: they may lie on a slow disk.
const NEAR: usize = 8;
/// Tables count the fifty moves from 0: so late in the count a win with three men may come too late.
const LATE: u16 = 60;

/// The tables of an engine.
#[derive(Debug, Default)]
pub struct EndTables {
    files: Option<TableFiles>,
}

impl EndTables {
    /// Those in folders, as `SyzygyPath` has them; none but those of the program where it is empty.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be read, or there is no table in any of them.
    pub fn open(folders: &str) -> Result<EndTables, TablesError> {
        if folders.is_empty() {
            return Ok(EndTables::default());
        }
        let folders: Vec<_> = std::env::split_paths(folders).collect();
        TableFiles::find(&folders).map(|files| EndTables { files: Some(files) })
    }

    /// What is to be said of files that were left out.
    pub fn take_complaints(&self) -> Vec<String> {
        self.files.as_ref().map(TableFiles::take_complaints).unwrap_or_default()
    }

    /// The tables that may have a position.
    fn of(&self, board: &Board) -> Option<&TableFiles> {
        let men = board.occupied().count();
        let files = match self.files.as_ref() {
            _ if men <= three_men().men().into() => three_men(),
            Some(files) if men <= files.men().into() => files,
            _ => return None,
        };
        (!board.has_castling_rights()).then_some(files)
    }

    /// The result of a node for its side to move, so many plies from the root.
    pub fn wdl(&self, board: &Board, ply: usize) -> Option<Wdl> {
        let files = self.of(board)?;
        let has_few = std::ptr::eq(files, three_men());
        let counts = if has_few { board.halfmoves() <= LATE } else { board.halfmoves() == 0 };
        if !counts || !has_few && ply > NEAR {
            return None;
        }
        files.wdl(&board.position()?)
    }

    /// The moves of a position, the best first.
    pub fn moves(&self, board: &Board) -> Option<Vec<TableMove>> {
        self.of(board)?.moves(&board.position()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    fn board(fen: &str) -> Board {
        Board::new(&parse_fen(fen).unwrap())
    }

    #[test]
    fn three_men_are_known_at_any_ply_unless_the_fifty_moves_are_near() {
        let tables = EndTables::open("").unwrap();
        let queen = board("8/8/8/8/8/3k4/8/3KQ3 b - - 60 80");
        assert_eq!(tables.wdl(&queen, 100), Some(Wdl::Loss));
        assert_eq!(tables.wdl(&board("8/8/8/8/8/3k4/8/3KQ3 b - - 61 80"), 0), None);
        assert_eq!(tables.wdl(&board("8/8/8/8/8/3k4/8/3KQQ2 b - - 0 1"), 0), None);
        assert_eq!(tables.wdl(&board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), 0), None);
    }

    #[test]
    fn a_board_is_given_back_as_the_position_that_it_was_made_of() {
        for fen in ["8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1", "8/8/8/8/2pPk3/8/8/4K3 b - d3 0 1"] {
            let position = parse_fen(fen).unwrap();
            assert_eq!(Board::new(&position).position(), Some(position), "{fen}");
        }
    }

    #[test]
    fn a_folder_without_tables_is_refused() {
        assert!(EndTables::open("/no/such/folder").is_err());
    }
}
