//! Tables without lines, as wide as their text; wide characters count as two columns.

use comfy_table::{ContentArrangement, Table, presets};

pub use comfy_table::CellAlignment as Alignment;
pub use comfy_table::CellAlignment::{Left, Right};

/// Blanks between two columns.
pub const GAP: u16 = 2;

/// Rows of cells in columns that stand two blanks apart, a line each.
pub fn lines<const N: usize>(
    alignments: [Alignment; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.add_rows(rows);
    for (column, alignment) in table.column_iter_mut().zip(alignments) {
        column.set_padding((0, GAP)).set_cell_alignment(alignment);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}
