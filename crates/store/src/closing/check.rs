//! Checks of `verify` on closing searches: intact rows, and legal lines.

use deepanalyze_core::chess::{parse_uci, playable};

use super::{ClosingId, LOOK_COLUMNS, LOOKS, moves_of, sharing};
use crate::check::play;
use crate::error::StoreError;
use crate::memo::is_answer_as_written;
use crate::open::Store;

/// The checked part of a row of `closing_share`.
struct ShareChecked {
    number: i64,
    uci: String,
    pv: String,
    is_as_written: bool,
}

impl Store {
    /// Checks every closing search and its shares.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_closings(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id, start_epd, history, engines FROM closing ORDER BY id";
        let rows: Vec<(i64, String, String, i64)> =
            self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let mut flaws = Vec::new();
        for (id, start, history, engines) in rows {
            let place = format!("closing search {id}");
            let Some(game) = play(&start, &history) else {
                flaws.push(format!("{place}: {start} {history} cannot be played"));
                continue;
            };
            for share in self.checked_shares(ClosingId(id))? {
                let flaw = if !share.is_as_written {
                    Some("the row was changed after it was written".to_owned())
                } else if share.number > engines {
                    Some(format!("there are only {engines} engines"))
                } else {
                    line_flaw(game.root(), &share)
                };
                let named = |flaw| format!("{place}, engine {}: {flaw}", share.number);
                flaws.extend(flaw.map(named));
            }
            for (engine, look) in self.checked_looks(ClosingId(id))? {
                let flaw = if look.is_as_written {
                    line_flaw(game.root(), &look)
                } else {
                    Some("the row was changed after it was written".to_owned())
                };
                flaws.extend(flaw.map(|flaw| format!("{place}, second engine {engine}: {flaw}")));
            }
        }
        Ok(flaws)
    }

    fn checked_looks(&self, closing: ClosingId) -> Result<Vec<(String, ShareChecked)>, StoreError> {
        self.rows(LOOKS, [closing.0], read_checked_look)
    }

    fn checked_shares(&self, closing: ClosingId) -> Result<Vec<ShareChecked>, StoreError> {
        self.rows(&sharing(), [closing.0], |row| {
            let is_as_written = is_answer_as_written(row, 13)? == Some(true);
            Ok(ShareChecked {
                number: row.get(1)?,
                uci: row.get(3)?,
                pv: row.get(10)?,
                is_as_written,
            })
        })
    }
}

/// The engine's name, and the checked part of its look.
fn read_checked_look(row: &rusqlite::Row<'_>) -> rusqlite::Result<(String, ShareChecked)> {
    let is_as_written = is_answer_as_written(row, LOOK_COLUMNS)? == Some(true);
    let look = ShareChecked { number: 0, uci: row.get(3)?, pv: row.get(10)?, is_as_written };
    Ok((row.get(1)?, look))
}

fn line_flaw(root: &shakmaty::Chess, share: &ShareChecked) -> Option<String> {
    let ShareChecked { uci, pv, .. } = share;
    let legal = parse_uci(uci).is_some_and(|uci| uci.to_move(root).is_ok());
    if !legal {
        return Some(format!("{uci} is not legal"));
    }
    if pv.split(' ').next() != Some(uci) {
        return Some(format!("its pv {pv:?} does not begin with {uci}"));
    }
    let played = playable(root, moves_of(pv)).len();
    (played != pv.split(' ').count()).then(|| format!("its pv {pv:?} cannot be played"))
}
