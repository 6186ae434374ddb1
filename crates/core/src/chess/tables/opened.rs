//! The table of each file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;
use shakmaty::{Chess, Color, Position, Role};
use shakmaty_syzygy::Tablebase;
use shakmaty_syzygy::filesystem::Filesystem;

use super::TablesError;

/// Files that can be used.
pub(super) struct Opened {
    /// In the order of the folders.
    pub(super) paths: Vec<PathBuf>,
    /// The path of each table.
    pub(super) used: HashMap<Name, PathBuf>,
    pub(super) tables: Tablebase<Chess>,
}

impl Opened {
    /// Opens files, with messages about unusable ones. Of several of the same table the first
    /// is used.
    pub(super) fn new(
        filesystem: &Arc<dyn Filesystem>,
        mut paths: Vec<PathBuf>,
    ) -> (Opened, Vec<String>) {
        let (mut used, mut complaints) = (HashMap::new(), Vec::new());
        let mut tables = Tablebase::with_filesystem(Arc::clone(filesystem));
        paths.retain(|path| {
            let Some(name) = Name::new(stem(path), is_wdl(path)) else {
                return false;
            };
            if used.contains_key(&name) {
                return true;
            }
            match tables.add_file(path) {
                Ok(()) => _ = used.insert(name, path.clone()),
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => return false,
                Err(error) => {
                    complaints.push(left_out(path, &error.to_string()));
                    return false;
                }
            }
            true
        });
        (Opened { paths, used, tables }, complaints)
    }
}

/// The table of a file, whichever side is named first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name {
    /// The letters of both sides, in the order of the alphabet.
    sides: [String; 2],
    pub(super) is_wdl: bool,
}

impl Name {
    pub(super) fn new(material: &str, is_wdl: bool) -> Option<Name> {
        let (one, two) = material.split_once('v')?;
        let mut sides = [one.to_owned(), two.to_owned()];
        sides.sort();
        Some(Name { sides, is_wdl })
    }

    /// The table of results of a position's men.
    pub(super) fn of_position(position: &Chess) -> Name {
        let letters = |color: Color| {
            let side = position.board().material_side(color);
            let letters = Role::ALL.into_iter().rev().map(|role| {
                let count = usize::from(*side.get(role));
                role.upper_char().to_string().repeat(count)
            });
            letters.collect::<String>()
        };
        let mut sides = [letters(Color::White), letters(Color::Black)];
        sides.sort();
        Name { sides, is_wdl: true }
    }

    /// Number of men of its positions.
    pub(super) fn men(&self) -> u8 {
        u8::try_from(self.sides.iter().map(String::len).sum::<usize>()).unwrap_or(u8::MAX)
    }
}

/// Files in a folder that look like tables, in the order of the names.
pub(super) fn table_paths(folder: &Path) -> Result<Vec<PathBuf>, TablesError> {
    let failed = |source| TablesError::Folder { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let paths: Result<Vec<PathBuf>, io::Error> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| extension(path) == "rtbw" || extension(path) == "rtbz");
    paths.sort();
    Ok(paths)
}

pub(super) fn left_out(path: &Path, why: &str) -> String {
    format!("the table {} is left out: {why}", path.display())
}

pub(super) fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

pub(super) fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

pub(super) fn is_wdl(path: &Path) -> bool {
    extension(path) == "rtbw"
}
