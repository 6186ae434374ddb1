//! A duel of alternatives for people: a line per position, then each arm's figures.

use std::io::{self, Write};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, san_of};

use crate::duel::alternatives::summary::{AlternativesSummary, Figures, ListRow};
use crate::duel::alternatives::tally::NEAR;
use crate::duel::alternatives::{AlternativesContest, AlternativesOutcome, MORE};
use crate::duel::judging::{CLAMP, centipawns};
use crate::duel::report::nodes_text::name;
use crate::duel::report::{
    DuelFacts, ID_WIDTH, akin, engine, is_same_engine, shortened, times, typed, write_head,
};
use crate::duel::run::Duel;
use crate::duel::statistics::Estimate;
use crate::duel::suite::SuitePosition;

/// Writes a duel of alternatives as text.
pub fn write_alternatives_duel(
    duel: &Duel<AlternativesContest>,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Duel { contest, outcomes } = duel;
    write_header(contest, facts, out)?;
    writeln!(out, "{:ID_WIDTH$} {}", "position", columns(contest))?;
    for (entry, outcome) in contest.suite.entries.iter().zip(outcomes) {
        writeln!(out, "{:ID_WIDTH$} {}", shortened(&entry.id), lists(entry, outcome))?;
    }
    let summary = AlternativesSummary::of(contest, outcomes);
    for (nodes, row) in &summary.searches {
        writeln!(out, "\nMultiPV {}, {nodes} nodes", contest.moves)?;
        write_figures(&row.figures, out)?;
    }
    for row in &summary.trees {
        write_tree(row, contest, summary.positions, out)?;
    }
    Ok(())
}

fn write_header(
    contest: &AlternativesContest,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(&contest.suite, &contest.player, facts, out)?;
    let of = if contest.engines.is_empty() { "" } else { " of one engine; virtual time" };
    let (moves, nodes) = (contest.moves, contest.nodes);
    writeln!(out, "arms      the {moves} best moves with their scores: {nodes} nodes{of}")?;
    write_judge(contest, out)?;
    let (clamp, margin) = (Score::Cp(CLAMP), contest.counting.margin);
    writeln!(
        out,
        "scores    centipawns for the side to move; mates and all beyond count as {clamp}"
    )?;
    writeln!(out, "order     moves that the judge has within {margin} centipawns are in none")?;
    for (index, setting) in contest.settings.iter().enumerate() {
        writeln!(out, "tree {:4} {setting}", name(index))?;
    }
    writeln!(out, "command   {}\n", typed(facts.command))
}

fn write_judge(contest: &AlternativesContest, out: &mut dyn Write) -> io::Result<()> {
    let longest = contest.searches().last().copied().unwrap_or(contest.nodes);
    let (nodes, of_longest) = (contest.judge_nodes, times(contest.judge_nodes, longest));
    let judge = engine(&contest.judge);
    writeln!(
        out,
        "judge     {judge}, {nodes} nodes, {of_longest} times those of the longest list:"
    )?;
    let (moves, alone) = (contest.moves + MORE, contest.nodes_of_move());
    writeln!(out, "          MultiPV {moves}, then each of its moves alone with {alone} nodes")?;
    if is_same_engine(&contest.player, &contest.judge) {
        writeln!(out, "{}", akin(nodes, longest))
    } else {
        Ok(())
    }
}

/// The columns of a position.
fn columns(contest: &AlternativesContest) -> String {
    let searches = contest.searches().into_iter().map(|nodes| format!("MultiPV {nodes}"));
    let trees = contest.fleets().into_iter().flat_map(|engines| {
        let of = |setting| words_of_tree(engines, setting);
        (0..contest.settings.len()).map(of).collect::<Vec<_>>()
    });
    let all = std::iter::once("judge".to_owned()).chain(searches).chain(trees);
    all.collect::<Vec<_>>().join(" | ")
}

fn words_of_tree(engines: Option<u32>, setting: usize) -> String {
    let of = engines.map(|engines| format!(", {engines} engines")).unwrap_or_default();
    format!("tree {}{of}", name(setting))
}

/// The judge's moves, then each arm's.
fn lists(entry: &SuitePosition, outcome: &AlternativesOutcome) -> String {
    let arms = outcome.searches.iter().chain(outcome.trees.iter().flatten());
    let lists = std::iter::once(&outcome.judged).chain(arms.map(|list| &list.moves));
    let lists = lists.map(|moves| words_of_list(&entry.position, moves));
    lists.collect::<Vec<_>>().join(" | ")
}

fn words_of_list(root: &Chess, moves: &[(UciMove, Score)]) -> String {
    let word = |(uci, score): &(UciMove, Score)| {
        format!("{} {:+}", san_of(root, *uci), centipawns(*score))
    };
    match moves {
        [] => "-".to_owned(),
        moves => moves.iter().map(word).collect::<Vec<_>>().join(", "),
    }
}

fn write_figures(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let Figures { listed, error, wrong, wrong_of_all, second, missed } = figures;
    writeln!(out, "  listed        {} of the judge's moves", share(*listed))?;
    writeln!(out, "  error         {} centipawns a listed move", decimal(*error))?;
    writeln!(out, "  wrong order   {} of the listed pairs{}", share(*wrong), tau(*wrong))?;
    let all = share(*wrong_of_all);
    writeln!(out, "                {all} of all pairs, where what is not listed comes last")?;
    writeln!(out, "  second best   {} among the first two", share(*second))?;
    writeln!(out, "  missed        {} of the moves within {NEAR} of the best", share(*missed))
}

fn write_tree(
    row: &ListRow,
    contest: &AlternativesContest,
    positions: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let setting = row.setting.unwrap_or_default();
    writeln!(out, "\n{}", words_of_tree(row.engines, setting))?;
    write_figures(&row.figures, out)?;
    let [answers, moves, nodes] =
        [row.searches, u64::try_from(row.moves).unwrap_or(u64::MAX), row.nodes]
            .map(|sum| mean(sum, positions));
    writeln!(out, "  a position    {answers:.1} answers, {moves:.1} moves, {nodes:.0} nodes")?;
    if row.empty > 0 {
        writeln!(out, "                no answer in time in {}", row.empty)?;
    }
    for beside in &row.beside {
        writeln!(out, "  less MultiPV {}, {} nodes:", contest.moves, beside.nodes)?;
        write_difference(&beside.figures, out)?;
    }
    Ok(())
}

fn write_difference(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let Figures { listed, error, wrong, wrong_of_all, second, missed } = figures;
    writeln!(out, "    listed {}, missed {}", points(*listed), points(*missed))?;
    writeln!(out, "    second best {}", points(*second))?;
    let (error, wrong) = (signed(*error), points(*wrong));
    writeln!(out, "    of what both list: error {error}, wrong order {wrong}")?;
    writeln!(out, "    wrong order of all {}", points(*wrong_of_all))
}

/// In percent: `78.3 % (70.1 to 86.0)`.
fn share(share: Option<Estimate>) -> String {
    worded(share, |Estimate { value, low, high }| {
        let [value, low, high] = [value, low, high].map(|part| 100.0 * part);
        format!("{value:.1} % ({low:.1} to {high:.1})")
    })
}

/// In percent, less another: `-8.1 % (-14.0 to -2.2)`.
fn points(share: Option<Estimate>) -> String {
    worded(share, |Estimate { value, low, high }| {
        let [value, low, high] = [value, low, high].map(|part| 100.0 * part);
        format!("{value:+.1} % ({low:+.1} to {high:+.1})")
    })
}

fn decimal(number: Option<Estimate>) -> String {
    worded(number, |Estimate { value, low, high }| format!("{value:.1} ({low:.1} to {high:.1})"))
}

fn signed(number: Option<Estimate>) -> String {
    worded(number, |Estimate { value, low, high }| format!("{value:+.1} ({low:+.1} to {high:+.1})"))
}

/// Kendall's rank correlation, by the share of pairs in the wrong order.
fn tau(wrong: Option<Estimate>) -> String {
    let tau = wrong.map(|Estimate { value, low, high }| {
        let [value, high, low] = [value, low, high].map(|wrong| 2.0f64.mul_add(-wrong, 1.0));
        format!("; tau {value:+.2} ({low:+.2} to {high:+.2})")
    });
    tau.unwrap_or_default()
}

fn worded(estimate: Option<Estimate>, words: impl Fn(Estimate) -> String) -> String {
    estimate.map_or_else(|| "-".to_owned(), words)
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn mean(sum: u64, of: usize) -> f64 {
    if of == 0 { 0.0 } else { sum as f64 / of as f64 }
}
