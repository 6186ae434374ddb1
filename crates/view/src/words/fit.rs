//! Text that fits a terminal. Without a width, nothing is cut. Tables have no lines, and are as
//! wide as their text.

use std::io::{self, Write};

use anstyle::Style;
use comfy_table::{ContentArrangement, Table, presets};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const DIM: Style = Style::new().dimmed();

/// Breaks text at blanks into lines of at most `width` columns; a longer word stands alone, and a
/// move stays with its number.
pub fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let rows = width.map_or_else(|| vec![text], |width| rows(text, width));
    rows.into_iter().map(str::to_owned).collect()
}

/// The lines as parts of the text.
pub fn rows(text: &str, width: usize) -> Vec<&str> {
    let (mut rows, mut row, mut at) = (Vec::new(), None, 0);
    for word in unbroken(text) {
        let (end, long) = (at + word.len(), columns(word));
        row = match row {
            Some((start, _, used)) if used + 1 + long <= width => {
                Some((start, end, used + 1 + long))
            }
            full => {
                rows.extend(full.and_then(|(start, end, _)| text.get(start..end)));
                Some((at, end, long))
            }
        };
        at = end + 1;
    }
    rows.extend(row.and_then(|(start, end, _)| text.get(start..end)));
    rows
}

/// The unbreakable parts: words, and numbers with their move.
fn unbroken(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut blanks = text.match_indices(' ').map(|(at, _)| at);
        let end = blanks.find(|at| text.get(..*at).is_some_and(|word| !word.ends_with('.')));
        let (word, tail) = text.split_at(end.unwrap_or(text.len()));
        rest = end.and(tail.strip_prefix(' '));
        Some(word)
    })
}

/// As `wrap`, in at most `rows` lines; text that is cut ends with three dots, and with the bracket
/// that is still open.
pub fn fill(text: &str, width: usize, rows: usize) -> Vec<String> {
    let mut lines = wrap(text, Some(width));
    if lines.len() <= rows {
        return lines;
    }
    lines.truncate(rows);
    let is_open = |lines: &[String]| {
        let last = |sign| lines.iter().rposition(|line| line.contains(sign));
        match (last('['), last(']')) {
            (Some(open), Some(shut)) => open > shut,
            (open, _) => open.is_some(),
        }
    };
    let Some(mut last) = lines.pop() else {
        return lines;
    };
    loop {
        let sign = if is_open(&lines) || is_open(&[last.clone()]) { "…]" } else { "…" };
        match last.rsplit_once(' ') {
            _ if columns(&last) + 1 + columns(sign) <= width => last = format!("{last} {sign}"),
            // A number means nothing without its move.
            Some((kept, _)) if kept.ends_with('.') => {
                last = kept.rsplit_once(' ').map_or("", |(kept, _)| kept).to_owned();
                continue;
            }
            Some((kept, _)) => {
                last = kept.to_owned();
                continue;
            }
            None => last = sign.to_owned(),
        }
        break;
    }
    lines.push(last);
    lines
}

/// As `fill`, in one line.
pub fn cut(text: &str, width: usize) -> String {
    fill(text, width, 1).concat()
}

/// A name in at most `width` columns. The part behind its last comma tells it from others of its
/// kind, and stays if it leaves room for the rest.
pub fn cut_name(name: &str, width: usize) -> String {
    if columns(name) <= width {
        return name.to_owned();
    }
    let tail = name.rfind(", ").and_then(|at| name.get(at..)).unwrap_or_default();
    let tail = if columns(tail) <= width / 2 { tail } else { "" };
    let room = width.saturating_sub(columns(tail) + 1);
    match width {
        0 => String::new(),
        _ => format!("{}…{tail}", head(name, room).trim_end()),
    }
}

/// Removes moves from the front of a line, but for the last one with its number.
pub fn shorten(line: &str, room: usize) -> String {
    if columns(line) <= room {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &&str| word.contains('.');
    let mut shortest = line.to_owned();
    for start in (1..words.len()).filter(|start| words.get(*start).is_some_and(is_number)) {
        shortest = format!("… {}", words.get(start..).unwrap_or_default().join(" "));
        if columns(&shortest) <= room {
            break;
        }
    }
    shortest
}

/// The columns that a text takes; wide characters take two.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// The beginning of a text, in at most `width` columns.
pub fn head(text: &str, width: usize) -> &str {
    let mut used = 0;
    let is_over = |c: char| {
        used += c.width().unwrap_or(0);
        used > width
    };
    text.find(is_over).and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Text behind a beginning, in lines of at most `width` columns that hang below its own.
pub fn hanging(beginning: &str, text: &str, width: usize) -> Vec<String> {
    let indent = columns(beginning);
    let mut lines = wrap(text, Some(width.saturating_sub(indent)));
    for (index, line) in lines.iter_mut().enumerate() {
        *line =
            if index == 0 { format!("{beginning}{line}") } else { format!("{:indent$}{line}", "") };
    }
    lines
}

/// Writes a name in a fixed number of columns, and its text behind it, in lines that fit a width,
/// if there is one.
pub fn write_field(
    name: &str,
    columns: usize,
    value: &str,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let room = width.map(|width| width.saturating_sub(columns));
    for (index, line) in wrap(value, room).iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        writeln!(out, "{DIM}{name:<columns$}{DIM:#}{line}")?;
    }
    Ok(())
}

pub use comfy_table::CellAlignment as Alignment;

pub use comfy_table::CellAlignment::{Left, Right};

/// Blanks between two columns.
pub const GAP: u16 = 2;

/// Rows of cells in columns that stand two blanks apart, a line each.
pub fn table_lines<const N: usize>(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_width_nothing_is_broken() {
        assert_eq!(wrap("a b c", None), ["a b c"]);
        assert_eq!(wrap("aa b ccccc d", Some(4)), ["aa b", "ccccc", "d"]);
        assert_eq!(wrap("", Some(4)), [""]);
        assert_eq!(wrap("1. e4 e5 2. Nf3", Some(8)), ["1. e4 e5", "2. Nf3"]);
        assert_eq!(wrap("1. e4 e5 2. Nf3", Some(2)), ["1. e4", "e5", "2. Nf3"]);
        assert_eq!(wrap("ends.", Some(2)), ["ends."]);
    }

    #[test]
    fn what_is_cut_says_so() {
        let line = "1... e5 2. Nf3 [2... Nc6 3. Bb5]";
        assert_eq!(fill(line, 80, 1), [line]);
        assert_eq!(fill(line, 16, 3), ["1... e5 2. Nf3", "[2... Nc6", "3. Bb5]"]);
        assert_eq!(fill(line, 16, 2), ["1... e5 2. Nf3", "[2... Nc6 …]"]);
        assert_eq!(fill(line, 16, 1), ["1... e5 2. Nf3 …"]);
        assert_eq!(fill(line, 15, 1), ["1... e5 …"], "no number without its move");
        assert_eq!(fill("[1... e5 2. Nf3 Nc6 3. d4]", 16, 2), ["[1... e5 2. Nf3", "Nc6 3. d4]"]);
        let own = "[1... e5 2. Nf3 Nc6 3. d4 d5 4. e5]";
        assert_eq!(fill(own, 16, 2), ["[1... e5 2. Nf3", "Nc6 3. d4 d5 …]"]);
        for width in 1..40 {
            for rows in 1..4 {
                let filled = fill(line, width, rows);
                assert!(filled.len() <= rows, "{width} {rows}");
                let is_whole = filled.concat().replace(' ', "") == line.replace(' ', "");
                assert!(is_whole != filled.concat().contains('…'), "{width} {rows}: {filled:?}");
                assert!(
                    width < 9 || filled.iter().all(|line| columns(line) <= width),
                    "{filled:?}"
                );
            }
        }
        assert_eq!(cut("1. e4 e5 2. Nf3 Nc6", 12), "1. e4 e5 …");
    }

    #[test]
    fn a_name_keeps_its_end_where_that_is_short() {
        let name = "Carlsen–Caruana 2018, 18... Rc8";
        assert_eq!(cut_name(name, 31), name);
        assert_eq!(cut_name(name, 24), "Carlsen–Caru…, 18... Rc8");
        assert_eq!(cut_name(name, 12), "Carlsen–Car…");
        assert_eq!(cut_name("4. Rg1, Ruy Lopez: Morphy Defense", 20), "4. Rg1, Ruy Lopez:…");
        for width in 0..32 {
            assert!(columns(&cut_name(name, width)) <= width, "{width}");
        }
    }

    #[test]
    fn a_line_loses_its_first_moves() {
        assert_eq!(shorten("1. d4 Nf6 2. c4 e6", 18), "1. d4 Nf6 2. c4 e6");
        assert_eq!(shorten("1. d4 Nf6 2. c4 e6", 17), "… 2. c4 e6");
        assert_eq!(shorten("1. d4 Nf6 2. c4 e6", 0), "… 2. c4 e6");
    }

    #[test]
    fn hanging_text_breaks_between_moves() {
        let line = (1..30).map(|n| format!("{n}. Nf3 Nc6")).collect::<Vec<_>>().join(" ");
        let lines = hanging("   3 positions  ", &line, 80);
        assert!(lines.len() > 3 && lines.iter().all(|line| line.len() <= 80));
        assert!(lines.iter().skip(1).all(|line| line.starts_with(&" ".repeat(16))), "{lines:?}");
        assert!(lines.iter().all(|line| !line.ends_with('.')), "{lines:?}");
        let words: Vec<&str> =
            lines.iter().flat_map(|line| line.split_whitespace()).skip(2).collect();
        assert_eq!(words.join(" "), line);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((columns("名a"), head("名前a", 3), head("名前a", 9)), (3, "名", "名前a"));
    }
}
