//! One analysis in several lines, with all that identifies it.

use std::io::{self, Write};

use crate::render::words::{
    describe_depth, describe_profile, describe_size, describe_tables, numbered_line, span,
    timestamp,
};
use deepanalyze_store::AnalysisRow;

/// Writes an analysis with the name of its root, what engines have spent on its tree, and what is directed.
///
/// # Errors
///
/// Those of `out`.
pub fn write_analysis(
    row: &AnalysisRow,
    name: Option<&str>,
    engine_time_ms: u64,
    directed: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}analysis {}{bold:#}  {}", row.id.0, row.root)?;
    if let Some(name) = name {
        writeln!(out, "  name      {name}")?;
    }
    if let Some(game) = row.game().filter(|game| !game.moves().is_empty()) {
        writeln!(out, "  history   {}", numbered_line(game.start(), game.moves()))?;
    }
    writeln!(out, "  engine    {}", describe_profile(&row.profile))?;
    let settled = describe_depth(row.settled_depth);
    if let Some(tables) = row.tables {
        writeln!(out, "  tables    {}", describe_tables(tables))?;
    }
    writeln!(out, "  distance  {}, depth {settled} settled of {}", row.breadth, row.target_depth)?;
    if let Some(directed) = directed {
        writeln!(out, "  directed  {directed}")?;
    }
    writeln!(
        out,
        "  tree      {}, engine time {}",
        describe_size(row.positions, row.searches),
        span(engine_time_ms)
    )?;
    writeln!(out, "  changed   {}", timestamp(row.changed_at))
}
