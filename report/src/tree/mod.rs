//! A tree in any of the formats, with all that the format wants from the database.

mod csv;
mod drawing;
mod epd;
pub mod format;
mod head;
pub mod holds;
pub mod html;
mod in_order;
mod json;
pub mod layout;
pub mod movetext;
pub mod pgn;
mod polyglot;
mod references;
pub mod shown;
mod svg;
mod text;
mod verdict;

use std::io::{self, Write};
use std::panic::resume_unwind;

use deepanalyze_core::tree::{Stability, stability};
use deepanalyze_store::{Store, StoreError};

use crate::kept::stages::stage_courses;
use crate::kept::tree::KeptTree;
use crate::kept::verdict::{Prospect, measured_prospects, prospects};
use crate::tree::csv::write_csv;
use crate::tree::drawing::{Drawing, write_dot};
use crate::tree::epd::write_epd;
use crate::tree::format::{PrintOptions, TreeFormat};
use crate::tree::html::write_html;
use crate::tree::json::write_tree_json;
use crate::tree::layout::{LineError, ReportStart, TreeReport};
use crate::tree::pgn::write_pgn;
use crate::tree::polyglot::{included_and_left_out, write_polyglot};
use crate::tree::svg::write_svg;
use crate::tree::text::write_text;
use crate::tree::verdict::write_verdict;

/// Why nothing can be printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The line.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl<'a> TreeReport<'a> {
    /// Lays out what is to be printed, with all that the format wants from the database.
    ///
    /// # Errors
    ///
    /// [`PrintError`] where the line leaves the tree, or the database fails.
    pub fn read(
        store: &Store,
        tree: &'a KeptTree,
        options: PrintOptions<'a>,
    ) -> Result<TreeReport<'a>, PrintError> {
        let beginning = ReportStart::behind(tree, options.line)?;
        let is_root = beginning.is_root();
        // In a large tree each of the two takes its time.
        let (report, prospects, stability) = std::thread::scope(|scope| {
            let stability = scope.spawn(|| stability_told(tree, options.format, is_root));
            let report = TreeReport::new(tree, beginning, options);
            let prospects = report.prospects_told(store);
            (report, prospects, stability.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let mut report = TreeReport { prospects: prospects?, stability, ..report };
        match options.format {
            TreeFormat::Epd => report.efforts = store.efforts(tree.row.id)?,
            TreeFormat::Html => report.courses = stage_courses(store, &tree.stages)?,
            _ => {}
        }
        Ok(report)
    }

    /// What lies behind the first moves, where the format tells it.
    fn prospects_told(&self, store: &Store) -> Result<Vec<Prospect>, StoreError> {
        let (of, path) = ((self.tree.row.profile_id, self.growth()), &self.path);
        match self.options.format {
            TreeFormat::Text => measured_prospects(store, of, path),
            TreeFormat::Html => prospects(store, of, path),
            // A repertoire is the tree's alone.
            TreeFormat::Pgn if self.options.side.is_none() => prospects(store, of, path),
            _ => Ok(Vec::new()),
        }
    }

    /// What the user has included and the book does not have, since it loses more than is allowed.
    pub fn included_and_left_out(&self) -> Vec<String> {
        match self.options {
            PrintOptions { format: TreeFormat::Polyglot, max_loss: Some(most), .. } => {
                included_and_left_out(self, most)
            }
            _ => Vec::new(),
        }
    }

    /// Writes it; text for people in so many columns.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        match self.options.format {
            TreeFormat::Text if self.options.shows_tree() => write_text(self, width, out),
            TreeFormat::Text => write_verdict(self, width, out),
            TreeFormat::Json => write_tree_json(self, out),
            TreeFormat::Pgn => write_pgn(self, out),
            TreeFormat::Csv => write_csv(self, out),
            TreeFormat::Epd => write_epd(self, out),
            TreeFormat::Polyglot => write_polyglot(self, out),
            TreeFormat::Dot => write_dot(&Drawing::new(self), out),
            TreeFormat::Svg => write_svg(&Drawing::new(self), out),
            TreeFormat::Html => write_html(self, out),
        }
    }
}

/// How far the best move holds, where the format tells it: of the root alone.
fn stability_told(tree: &KeptTree, format: TreeFormat, is_root: bool) -> Option<Stability> {
    let is_told = [TreeFormat::Text, TreeFormat::Json, TreeFormat::Html].contains(&format);
    let growth = &tree.growth;
    let of_root = || stability(growth.graph(), growth.values(), growth.root());
    (is_told && is_root).then(of_root).flatten()
}
