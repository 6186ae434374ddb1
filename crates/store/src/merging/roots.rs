//! Merges analyses, directives and names of another database: what is missing comes, nothing here
//! changes.

use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};

use deepanalyze_core::chess::{Game, epd_of};

use super::records::SourceId;
use crate::agenda::AgendaRow;
use crate::analyses::{AnalysisId, AnalysisKey, AnalysisRow, history_text};
use crate::closing::{ClosingId, keep_look, keep_share};
use crate::directives::DatedDirective;
use crate::error::StoreError;
use crate::incoming::{CLOSING_COLUMNS, Incoming, IncomingClosing};
use crate::memo::now;
use crate::open::Store;
use crate::profiles::ProfileId;
use crate::settings;

/// The greatest target of a tree: one with only ends settles a depth with every pass.
const DEEPEST: u32 = 500;
/// The longest note, in characters.
const LONGEST: usize = 4000;

/// Result of joining a root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RootJoined {
    /// The analysis here, if its tree is to be grown: it is new, or had a lesser target.
    pub to_grow: Option<(AnalysisId, u32)>,
    /// True if the analysis is new.
    pub is_new: bool,
    /// True if its tree is to be grown only for new directives.
    pub is_directed: bool,
    /// True if left out: no answer of its position has come.
    pub is_left: bool,
    /// True if its root got a name.
    pub named: bool,
    /// True if it was put on the agenda.
    pub on_agenda: bool,
    /// Closing searches added.
    pub closings: u64,
}

/// Result of joining a root's directives: those that change its tree, and its notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DirectivesJoined {
    /// Directives added.
    pub directives: u64,
    /// Notes added.
    pub notes: u64,
    /// Directives that need a trusted database.
    pub untrusted: u64,
    /// Directives left out because the root has others here.
    pub others: u64,
    /// Notes on positions that have another one here, which stays.
    pub other_notes: u64,
    /// Invalid notes.
    pub unfit_notes: u64,
    /// True if the directives are invalid: all are left out.
    pub is_damaged: bool,
}

impl Store {
    /// Adds an analysis of another database: not its tree, which is grown from the answers, but its
    /// existence and target depth. Closing searches, which decide verdicts, come only if it is
    /// trusted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if one of the databases fails.
    pub fn join_root(
        &mut self,
        incoming: &Incoming,
        (source, is_trusted): (SourceId, bool),
        (row, game): (&AnalysisRow, &Game),
        on_agenda: Option<&AgendaRow>,
    ) -> Result<RootJoined, StoreError> {
        let (mut joined, left) =
            (RootJoined::default(), RootJoined { is_left: true, ..RootJoined::default() });
        let Some(profile) = self.find_profile(&row.profile)? else { return Ok(left) };
        if self.answer(profile, game.root(), 0)?.is_none() {
            return Ok(left);
        }
        let before = self.analyses_of(game)?;
        let kind =
            |other: &&AnalysisRow| other.profile_id == profile && other.settings == row.settings;
        let target = row.target_depth.min(DEEPEST);
        let former = before.iter().find(kind).map(|row| row.target_depth);
        joined.is_new = former.is_none();
        let key = AnalysisKey { game, profile, settings: &row.settings };
        let id = self.open_analysis(key)?;
        if former.is_none_or(|former| former < target) {
            self.note_merged(source, id, former, target)?;
            joined.to_grow = Some((id, target));
        } else if let Some(former) = former
            && self.waits_for_merged(id, game)?
        {
            (joined.to_grow, joined.is_directed) = (Some((id, former)), true);
        }
        joined.named = self.join_names(incoming, row, game, id, joined.is_new)?;
        if let Some(theirs) = on_agenda {
            joined.on_agenda = self.join_agenda(game, id, theirs)?;
        }
        if is_trusted {
            for closing in incoming.closings(row, game)? {
                joined.closings += u64::from(self.join_closing(source, id, game, &closing)?);
            }
        }
        Ok(joined)
    }

    /// Adds another database's directives of a root, analysed or not. Directives come if it is
    /// trusted and none here change the root's tree; notes if a position has none. Nothing here
    /// changes.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if one of the databases fails.
    pub fn join_directives(
        &mut self,
        incoming: &Incoming,
        source: SourceId,
        is_trusted: bool,
        game: &Game,
    ) -> Result<DirectivesJoined, StoreError> {
        let Some(dated) = incoming.dated_directives(game)? else {
            return Ok(DirectivesJoined { is_damaged: true, ..DirectivesJoined::default() });
        };
        let (own, now) = (self.directives(game)?, now());
        let is_free = own.of_tree().is_empty();
        let (mut joined, mut taken) = (DirectivesJoined::default(), Vec::new());
        for DatedDirective { position, directive, created_at } in dated {
            let count = match directive.note() {
                _ if own.has(&position, &directive) => continue,
                Some(note) if !is_note(note) => &mut joined.unfit_notes,
                Some(_) if own.at(&position).is_some_and(|said| said.note.is_some()) => {
                    &mut joined.other_notes
                }
                Some(_) => {
                    taken.push((position, directive, created_at.clamp(0, now)));
                    &mut joined.notes
                }
                None if !is_free => &mut joined.others,
                None if !is_trusted => &mut joined.untrusted,
                None => {
                    taken.push((position, directive, created_at.clamp(0, now)));
                    &mut joined.directives
                }
            };
            *count += 1;
        }
        if taken.is_empty() {
            return Ok(joined);
        }
        self.merge_directives(game, source, |set, dates| {
            if joined.directives > 0 {
                // Not an earlier position's directives, with which a new root would begin.
                *set = own;
            }
            for (position, directive, at) in taken {
                set.put(position, directive.clone());
                dates.put(position, directive, at);
            }
        })?;
        Ok(joined)
    }

    /// True if a tree is not grown with its root's directives, and some of these were merged.
    fn waits_for_merged(&self, id: AnalysisId, game: &Game) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM merged_directive AS merged
            JOIN game ON game.id = merged.game
            WHERE start_epd = ?1 AND game.history = ?2 AND kind <> 'note')";
        let key = params![epd_of(game.start()), history_text(game)];
        let have_come: bool = self.only_row(sql, key, |row| row.get(0))?;
        Ok(have_come && self.is_pending(id, &self.directives(game)?)?)
    }

    fn join_names(
        &mut self,
        incoming: &Incoming,
        row: &AnalysisRow,
        game: &Game,
        id: AnalysisId,
        is_new: bool,
    ) -> Result<bool, StoreError> {
        let own = incoming.own_name_of(row.id)?;
        let mut named = false;
        match (own, self.analysis(id)?) {
            (Some(own), Some(row)) if is_new => {
                self.rename_analysis(&[row], own.as_deref())?;
                named = own.is_some();
            }
            (Some(Some(own)), _) => named = self.suggest_name_of(id, &own)?,
            _ => {}
        }
        if is_new {
            self.join_page(incoming, row.id, id)?;
        }
        let Some(name) = incoming.name_of(game)? else { return Ok(named) };
        Ok(self.suggest_name(game, &name)? || named)
    }

    /// Adds what the page of `serve` knows of a merged analysis: that it is archived, and its
    /// annotated games.
    fn join_page(
        &mut self,
        incoming: &Incoming,
        theirs: AnalysisId,
        own: AnalysisId,
    ) -> Result<(), StoreError> {
        if incoming.is_archived(theirs)?
            && let Some(row) = self.analysis(own)?
        {
            self.archive(&[row], true)?;
        }
        for (pgn, made) in incoming.games_of(theirs)? {
            let game = self.keep_annotated_game(&pgn)?;
            self.put_in_game(game, own, made)?;
        }
        Ok(())
    }

    fn join_agenda(
        &mut self,
        game: &Game,
        id: AnalysisId,
        theirs: &AgendaRow,
    ) -> Result<bool, StoreError> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM agenda JOIN analysis ON analysis.id = agenda.analysis
            WHERE start_epd = ?1 AND history = ?2)";
        let key = params![epd_of(game.start()), history_text(game)];
        if self.only_row(sql, key, |row| row.get(0))? {
            return Ok(false);
        }
        let AgendaRow { stages, weight, .. } = *theirs;
        let row = AgendaRow { weight, ..AgendaRow::new(id, stages, false) };
        self.put_on_agenda(&row).map(|()| true)
    }

    fn join_closing(
        &self,
        source: SourceId,
        analysis: AnalysisId,
        game: &Game,
        closing: &IncomingClosing,
    ) -> Result<bool, StoreError> {
        let settings = settings::COLUMNS.join(", ");
        let sql = format!(
            "INSERT INTO closing (start_epd, history, profile, {settings}, {})
            SELECT start_epd, history, profile, {settings}, ?2, ?3, ?4, ?5, ?6, ?7
            FROM analysis WHERE id = ?1
            ON CONFLICT DO NOTHING",
            CLOSING_COLUMNS.join(", ")
        );
        self.write(|write| {
            let mut row: Vec<Value> = vec![analysis.0.into()];
            row.extend(closing.columns.iter().cloned());
            if write.execute(&sql, params_from_iter(row)).map_err(write.named())? == 0 {
                return Ok(false);
            }
            let id = write.last_insert_rowid();
            let note = "INSERT INTO merged_closing (closing, source) VALUES (?1, ?2)";
            write.execute(note, params![id, source.0]).map_err(write.named())?;
            for share in &closing.shares {
                keep_share(write, ClosingId(id), closing.is_limited, game.root(), share)?;
            }
            for look in &closing.looks {
                keep_look(write, ClosingId(id), game.root(), look)?;
            }
            Ok(true)
        })
    }

    pub(super) fn note_merged(
        &self,
        source: SourceId,
        id: AnalysisId,
        former: Option<u32>,
        target: u32,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO merged_analysis (source, analysis, former_target, target)
            VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET target = max(target, excluded.target), changed_at = NULL";
        self.write(|write| {
            let row = params![source.0, id.0, former, target];
            write.execute(sql, row).map(drop).map_err(write.named())
        })
    }

    /// Notes that trees have been grown after a merge or its removal: later changes are the user's
    /// own.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn note_grown(&self) -> Result<(), StoreError> {
        let sql = "UPDATE merged_analysis SET changed_at =
                (SELECT changed_at FROM analysis WHERE analysis.id = merged_analysis.analysis)
            WHERE changed_at IS NULL";
        self.write(|write| write.execute(sql, []).map(drop).map_err(write.named()))
    }

    /// The analyses of a profile whose trees have not reached their targets.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn unsettled(&self, profile: ProfileId) -> Result<Vec<(AnalysisId, u32)>, StoreError> {
        let sql = "SELECT id, target_depth FROM analysis
            WHERE profile = ?1 AND coalesce(settled_depth, -1) < target_depth ORDER BY id";
        self.rows(sql, [profile.0], |row| Ok((AnalysisId(row.get(0)?), row.get(1)?)))
    }
}

/// True if a note can be shown.
fn is_note(note: &str) -> bool {
    let is_plain = !note.chars().any(|sign| sign.is_control() && sign != '\n');
    is_plain && !note.is_empty() && note.chars().count() <= LONGEST
}
