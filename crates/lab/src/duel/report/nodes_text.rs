//! A duel for people: a line per position, then each setting's figures.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Score, san_of};
use deepanalyze_view::{PointOfView, seen};

use crate::duel::arm::TreeArm;
use crate::duel::judging::{CLAMP, MoveResult, verdict};
use crate::duel::nodes::summary::{PositionOutcome, Summary};
use crate::duel::nodes::{JudgeAsked, NodesContest};
use crate::duel::report::{
    DuelFacts, ID_WIDTH, akin, engine, is_same_engine, shortened, times, typed, write_head,
};
use crate::duel::run::Duel;
use crate::duel::setting::Setting;
use crate::duel::statistics::Estimate;
use crate::duel::suite::SuitePosition;

/// A mark, a move and a score.
const ARM_WIDTH: usize = 18;

/// Writes a duel as text.
pub fn write_duel(
    duel: &Duel<NodesContest>,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(&duel.contest, facts, out)?;
    write_positions(duel, facts.pov, out)?;
    let counting = duel.contest.counting;
    let summaries: Vec<Summary> = (0..duel.contest.settings.len())
        .map(|index| Summary::of(&duel.outcomes, index, counting))
        .collect();
    let settings = || duel.contest.settings.iter().zip(&summaries).enumerate();
    for (index, (setting, summary)) in settings() {
        writeln!(out, "\n{}: tree, {setting}", name(index))?;
        write_summary(summary, setting, out)?;
    }
    if summaries.len() > 1 {
        writeln!(out, "\n    same   won drawn  lost    loss  difference               tree")?;
    }
    for (index, (setting, summary)) in settings().filter(|_| summaries.len() > 1) {
        writeln!(out, "{}", overview(&name(index), setting, summary))?;
    }
    Ok(())
}

/// A setting in one line.
fn overview(name: &str, setting: &Setting, summary: &Summary) -> String {
    let Summary { agreed, won, drawn, lost, .. } = summary;
    let loss = summary.tree_loss.map_or(0.0, |loss| loss.value);
    let difference = summary
        .difference
        .map(|Estimate { value, low, high }| format!("{value:+.2} ({low:+.2} to {high:+.2})"));
    let difference = difference.unwrap_or_default();
    format!(
        "{name:3} {agreed:>4} {won:>5} {drawn:>5} {lost:>5} {loss:>7.2}  {difference:23}  {setting}"
    )
}

/// `A`, `B`, … `Z`, `A1`, …
pub fn name(setting: usize) -> String {
    let letter = u8::try_from(setting % 26).map_or('?', |index| char::from(b'A' + index));
    match setting / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn write_header(
    contest: &NodesContest,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(&contest.suite, &contest.player, facts, out)?;
    writeln!(
        out,
        "arms      {} nodes each: one search, and for each setting a tree",
        contest.nodes
    )?;
    let (judge, times) = (engine(&contest.judge), times(contest.judge_nodes, contest.nodes));
    writeln!(out, "judge     {judge}, {} nodes, {times} times an arm's", contest.judge_nodes)?;
    if is_same_engine(&contest.player, &contest.judge) {
        writeln!(out, "{}", akin(contest.judge_nodes, contest.nodes))?;
    }
    if contest.asked == JudgeAsked::OwnMoves {
        writeln!(out, "          asked for its own move, too: losses are beside that")?;
    }
    let clamp = Score::Cp(CLAMP);
    writeln!(
        out,
        "margin    {} centipawns; mates and scores beyond {clamp} count as {clamp}",
        contest.counting.margin
    )?;
    writeln!(out, "scores    the judge's, in pawns, {}", facts.pov.whose())?;
    writeln!(out, "marks     = the same move, + a better one, ~ one as good, - a worse one")?;
    writeln!(out, "command   {}", typed(facts.command))
}

fn write_positions(
    duel: &Duel<NodesContest>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let entries = &duel.contest.suite.entries;
    let width = entries.iter().map(|entry| entry.id.chars().count()).max().unwrap_or(0);
    let width = width.clamp("position".len(), ID_WIDTH);
    let settings = duel.contest.settings.len();
    let names: String = match settings {
        ..=MOVES => (0..settings).map(|index| padded(&format!("  {}", name(index)))).collect(),
        _ => format!("  {}", (0..settings).map(|index| name(index % 26)).collect::<String>()),
    };
    let header = format!("\n{:width$}  {}{names}", "position", padded("  one search"));
    writeln!(out, "{}", header.trim_end())?;
    for (entry, outcome) in entries.iter().zip(&duel.outcomes) {
        let margin = duel.contest.counting.margin;
        writeln!(out, "{}", row(entry, outcome, margin, pov, width).trim_end())?;
    }
    Ok(())
}

/// With more settings, only the marks are printed: the moves are in the JSON.
const MOVES: usize = 4;

fn row(
    entry: &SuitePosition,
    outcome: &PositionOutcome,
    margin: u32,
    pov: PointOfView,
    width: usize,
) -> String {
    let search = outcome.search.uci;
    let mut row = format!("{:width$}  ", shortened(&entry.id));
    row += &cell(' ', search, &entry.position, outcome, pov);
    let with_moves = outcome.trees.len() <= MOVES;
    row += if with_moves { "" } else { "  " };
    for tree in &outcome.trees {
        let mark = mark(verdict(&outcome.judged, search, tree.uci, margin));
        if with_moves {
            row += &cell(mark, tree.uci, &entry.position, outcome, pov)
        } else {
            row.push(mark)
        }
    }
    row
}

fn mark(verdict: Option<MoveResult>) -> char {
    match verdict {
        Some(MoveResult::Agreed) => '=',
        Some(MoveResult::Won) => '+',
        Some(MoveResult::Drawn) => '~',
        Some(MoveResult::Lost) => '-',
        None => '?',
    }
}

fn padded(text: &str) -> String {
    format!("{text:ARM_WIDTH$}")
}

fn cell(
    mark: char,
    uci: UciMove,
    position: &Chess,
    outcome: &PositionOutcome,
    pov: PointOfView,
) -> String {
    let score = outcome.judged.moves.iter().find(|(judged, _)| *judged == uci);
    let score = score.map(|(_, score)| seen(*score, position.turn(), pov).to_string());
    let score = score.unwrap_or_default();
    padded(&format!("{mark} {:<7} {score:>6}", san_of(position, uci)))
}

fn write_summary(summary: &Summary, setting: &Setting, out: &mut dyn Write) -> io::Result<()> {
    let Summary { positions, agreed, won, drawn, lost, .. } = summary;
    writeln!(out, "  same move     {agreed} of {positions}")?;
    let decided = summary.decided.map(|share| {
        let [value, low, high] = [share.value, share.low, share.high].map(|part| 100.0 * part);
        format!("; won {value:.1}% of those decided ({low:.1}% to {high:.1}%)")
    });
    let decided = decided.unwrap_or_default();
    writeln!(out, "  other moves   {won} won, {drawn} drawn, {lost} lost{decided}")?;
    let (search, tree) = (loss(summary.search_loss), loss(summary.tree_loss));
    writeln!(out, "  loss          one search {search}, tree {tree}; centipawns a position")?;
    if let Some(Estimate { value, low, high }) = summary.difference {
        let shown = match summary.better() {
            Some(true) => "the tree loses less",
            Some(false) => "the tree loses more",
            None => "neither is shown to be better",
        };
        writeln!(out, "  difference    {value:+.2} ({low:+.2} to {high:+.2}): {shown}")?;
    }
    if let Some((search, tree)) = summary.found {
        writeln!(out, "  judge's move  found by one search in {search}, by the tree in {tree}")?;
    }
    if let Some((search, tree)) = summary.overrated {
        let (search, tree) = (above(search), above(tree));
        writeln!(
            out,
            "  own scores    one search {search}, tree {tree} above the judge's where moves differ"
        )?;
    }
    write_tree(summary, setting, out)
}

fn write_tree(summary: &Summary, setting: &Setting, out: &mut dyn Write) -> io::Result<()> {
    let departures = summary.departures;
    let judged = departures.right + departures.even + departures.wrong;
    writeln!(
        out,
        "  first choice  kept in {}, left in {}: for a better move in {}, for one as good in {}, \
         for a worse one in {}{}",
        departures.kept,
        judged + departures.unjudged,
        departures.right,
        departures.even,
        departures.wrong,
        unjudged(departures.unjudged)
    )?;
    let uncounted = match setting.closing {
        Some(_) => String::new(),
        None => format!(" and {:.0} in a last search that did not count", summary.uncounted_nodes),
    };
    writeln!(
        out,
        "  nodes         one search {:.0}, tree {:.0}{uncounted}, on average",
        summary.search_nodes, summary.tree_nodes
    )?;
    writeln!(
        out,
        "  tree          {:.1} searches, {:.1} positions, settled depth {:.1}, on average",
        summary.searches, summary.tree_positions, summary.settled
    )?;
    writeln!(
        out,
        "  idle          {:.1}% of the tree's nodes below root moves that were never best",
        100.0 * summary.idle
    )
}

fn unjudged(count: usize) -> String {
    if count == 0 { String::new() } else { format!(", not judged in {count}") }
}

fn above(estimate: Estimate) -> String {
    format!("{:+.1} ({:+.1} to {:+.1})", estimate.value, estimate.low, estimate.high)
}

fn loss(loss: Option<Estimate>) -> String {
    loss.map(|loss| format!("{:.2} ({:.2} to {:.2})", loss.value, loss.low, loss.high))
        .unwrap_or_default()
}

/// The origin of a tree's move, as JSON has it.
pub fn chose(tree: &TreeArm) -> &'static str {
    if tree.closing.is_some() { "closing search" } else { "tree" }
}
