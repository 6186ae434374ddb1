//! What `verify` asks of facts: each row as it was written, of a position that can be looked up.

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Ending, Wdl, parse_fen};

use super::check::Flaw;
use super::check_parts::PartOfRows;
use super::error::StoreError;
use super::facts::FactRow;
use super::open::Store;

impl Store {
    /// Checks the rows of some facts: that it is as it was written, and of a position that tables may have. Each
    /// sound one goes to `take`, with its position and whatever tables said of it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn check_facts(
        &self,
        part: PartOfRows,
        mut take: impl FnMut(&Chess, Option<Wdl>) -> Option<Flaw>,
    ) -> Result<Vec<Flaw>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut flaws = Vec::new();
        let sql = format!(
            "SELECT {}, checksum, epd FROM fact JOIN position ON position.id = fact.position
            WHERE fact.position > ?1 AND fact.position <= ?2 ORDER BY fact.position",
            FactRow::COLUMNS
        );
        let mut query = self.db.prepare(&sql).map_err(&named)?;
        let mut rows = query.query([part.above, part.up_to]).map_err(&named)?;
        while let Some(row) = rows.next().map_err(&named)? {
            let fact = FactRow::read(row).map_err(&named)?;
            let checksum: i64 = row.get(5).map_err(&named)?;
            let epd: String = row.get(6).map_err(&named)?;
            // A position that cannot be read has been reported as such.
            let Ok(position) = parse_fen(&epd) else { continue };
            let flaw = if checksum != fact.checksum() {
                Some(format!("the fact of {epd} does not match its checksum"))
            } else if let Some(why) = why_not_known(&position, &fact) {
                Some(format!("the fact of {epd}: {why}"))
            } else {
                take(&position, fact.wdl.and_then(Wdl::new))
            };
            flaws.extend(flaw);
        }
        Ok(flaws)
    }
}

/// Why tables cannot have said that of a position.
fn why_not_known(position: &Chess, fact: &FactRow) -> Option<String> {
    let men = position.board().occupied().count();
    if position.castles().any() {
        return Some("tables know nothing of castling".to_owned());
    }
    if let Some(ending) = Ending::of(position) {
        return Some(format!("the game is over there ({})", ending.name()));
    }
    let is_right = usize::try_from(fact.men).is_ok_and(|kept| kept == men);
    (!is_right).then(|| format!("it has {men} men, not {}", fact.men))
}
