//! Rows of the present schema as former ones have them.

/// What a table of a former schema is filled from: rows of an attached database of the present one.
pub fn rows_for(table: &str, present: &str) -> String {
    match table {
        "search" => format!(
            "(SELECT search.*, checksum, source AS worker FROM {present}.search
                JOIN (SELECT profile, position, rank, checksum FROM {present}.answer) USING (profile, position, rank))"
        ),
        "link" => format!(
            "(SELECT position, move, child FROM {present}.answer UNION SELECT position, move, child FROM {present}.link)"
        ),
        "worker" => format!("{present}.source"),
        _ => format!("{present}.{table}"),
    }
}
