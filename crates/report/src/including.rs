//! Includes a file's repertoire in a tree.

use deepanalyze_core::chess::{PositionKey, epd_of};
use deepanalyze_core::directives::{Audit, Change, Dates, Directives, Skeleton};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::audit::games::{GamesAudit, describe_often};
use deepanalyze_view::{DirectError, DirectedLine, count};

/// Positions of a file that are included without a question: each is analysed like a root.
pub const UNASKED: usize = 1000;

/// Includes a file's moves, by its name; in words.
///
/// # Errors
///
/// [`DirectError`] if a move cannot be included.
pub fn include_skeleton(
    set: &mut Directives,
    root: &PositionKey,
    name: &str,
    skeleton: &Skeleton,
) -> Result<String, DirectError> {
    for (key, directive) in &skeleton.new {
        let position = key.position();
        set.add(root, &position, directive.clone())
            .map_err(|reason| DirectError::Refused { name: epd_of(&position), reason })?;
    }
    set.written_mut().add(&skeleton.written);
    let Skeleton { new, new_moves, moves, positions, games, passing, transposed, .. } = skeleton;
    let by_transposition = match transposed {
        0 => String::new(),
        transposed => format!(" ({transposed} by transposition)"),
    };
    let games = match games {
        1 => by_transposition,
        games => format!(" in {passing} of {}{by_transposition}", count(*games as u64, "game")),
    };
    let all = count(*positions as u64, "position");
    let has = format!("{name}: {}, {all}{games}", count(*moves as u64, "move"));
    let notes = match new.len() - new_moves {
        0 => String::new(),
        notes => format!(", {}", count(notes as u64, "note")),
    };
    Ok(match new.len() {
        0 => format!("{has}; all of it is already included"),
        _ => format!("{has}; new: {}{notes}", count(*new_moves as u64, "move")),
    })
}

/// Includes the unanswered replies of a repertoire that most games have, at most this many: those
/// missing in the tree, and those that it answers, with its answer. Replies of fewer than three
/// games come last. Describes it in words, a line for each; `None` if there are none.
///
/// # Errors
///
/// [`DirectError`] if a move cannot be included.
pub fn include_widest_gaps(
    set: &mut Directives,
    root: &Chess,
    audit: &Audit,
    games: &GamesAudit,
    most: usize,
) -> Result<Vec<String>, DirectError> {
    let gaps = games.gaps.iter().map(|gap| {
        let line = [&gap.line[..], &[gap.uci]].concat();
        (gap.is_few, gap.leaves, line)
    });
    let met = audit.findings.iter().zip(&games.met).filter_map(|(finding, met)| {
        let (met, uci) = ((*met)?, finding.uci?);
        let line = [&finding.line[..], &[uci], finding.answer.as_slice()].concat();
        Some((met.is_few, met.likely, line))
    });
    let mut widest: Vec<(bool, f64, Vec<UciMove>)> = gaps.chain(met).collect();
    widest.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    widest.truncate(most);
    let mut words = Vec::new();
    for (_, likely, line) in widest {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        let line = DirectedLine::read(root, &line.join(" "))?;
        let told = line.change(&Change::Include, set, &Dates::default())?;
        words.push(format!("{told}: {}", describe_often(likely)));
    }
    Ok(words)
}

/// Left out games that are named.
const NAMED: usize = 5;

/// The games of a file that are left out because they reach neither the root nor a later position,
/// in words; `None` if there are none.
pub fn describe_elsewhere(skeleton: &Skeleton) -> Option<String> {
    let Skeleton { elsewhere, .. } = skeleton;
    let named = elsewhere.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = match elsewhere.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {}", count(more as u64, "more game").replace("more games", "more")),
    };
    (!elsewhere.is_empty()).then(|| {
        format!("left out, as no move of theirs comes to the root or to a position behind it: {named}{more}")
    })
}
