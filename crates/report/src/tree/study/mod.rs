//! Chapters of a Lichess study, as PGN: a tree is cut into chapters, each small enough for Lichess,
//! and under a name of its own.

mod moves;

use std::io;
use std::io::Write;

use hashbrown::HashMap;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Game;
use deepanalyze_core::directives::Chapter as WrittenChapter;
use deepanalyze_view::{
    count, cut_name, describe_profile, describe_root, last_opening, numbered_line,
};

use crate::repertoire::reach;
use crate::tree::layout::{Bests, TreeReport};
use crate::tree::movetext::Movetext;
use crate::tree::pgn::{as_comment, date, player, start_tags, tag_value};
use crate::tree::references::References;
use crate::tree::study::moves::{Studied, write_moves};
use crate::tree::transpositions::shown;
use crate::tree::walk::note_line;

/// Lichess's limits: chapters of a study, positions of a chapter, and characters of its PGN.
const MOST_CHAPTERS: usize = 64;
const MOST_POSITIONS: usize = 3000;
const MOST_SIGNS: usize = 100_000;
/// Lichess cuts names of chapters here.
const NAME_LENGTH: usize = 80;

/// Writes the tree, or a repertoire, as chapters, the likeliest ones first if games are known, else
/// the largest ones: a PGN file for Lichess's form for new chapters of a study.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_study(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (_, texts) = Study::new(report).written()?;
    for (index, text) in texts.iter().enumerate() {
        // A blank line separates games.
        if index > 0 {
            writeln!(out)?;
        }
        out.write_all(text)?;
    }
    Ok(())
}

/// Says that there are more chapters than a study takes.
pub fn chapters_left_out(report: &TreeReport<'_>) -> Option<String> {
    let (chapters, _) = Study::new(report).written().ok()?;
    let left = (chapters.left > 0).then(|| {
        let all = count(chapters.left as u64, "chapter");
        format!("a study has {MOST_CHAPTERS} chapters at most: {all} left out; --max-variations or --plies takes less")
    });
    left.or_else(|| report.not_written_out())
}

/// The report with shared data.
struct Study<'a> {
    report: &'a TreeReport<'a>,
    references: References<'a>,
    bests: Bests,
    /// The game of the user's files that each place comes from.
    games: Vec<Option<u32>>,
}

impl<'a> Study<'a> {
    fn new(report: &'a TreeReport<'a>) -> Study<'a> {
        let (references, bests) = (References::new(report), Bests::new(report));
        Study { report, references, bests, games: report.chapters_of_places() }
    }

    /// The game of the user's files that a chapter comes from.
    fn game_of(&self, chapter: &Chapter) -> Option<&WrittenChapter> {
        self.report.chapter(self.games.get(chapter.start).copied().flatten())
    }

    /// The chapters with their texts. If one is too long, all are cut smaller.
    fn written(&self) -> io::Result<(Chapters, Vec<Vec<u8>>)> {
        let mut most = MOST_POSITIONS;
        loop {
            let chapters = chapters(self.report, most, MOST_CHAPTERS);
            let names = self.names(&chapters);
            let texts: Vec<Vec<u8>> = chapters
                .kept
                .iter()
                .enumerate()
                .map(|(index, chapter)| self.text(&chapters, &names, index, chapter))
                .collect::<io::Result<_>>()?;
            // Characters have bytes.
            let is_small = texts.iter().all(|text| text.len() <= MOST_SIGNS);
            if is_small || most < MOST_POSITIONS / 64 {
                return Ok((chapters, texts));
            }
            most = most * 2 / 3;
        }
    }

    /// A name for each chapter: that of the game of the user's files, or of its first position,
    /// with the moves to it if another has the same.
    fn names(&self, chapters: &Chapters) -> Vec<String> {
        let games: Vec<Game> =
            chapters.kept.iter().map(|chapter| self.game_to(chapter.start)).collect();
        let names = games.iter().zip(&chapters.kept).map(|(game, chapter)| {
            let written = self.game_of(chapter).and_then(WrittenChapter::name);
            written.unwrap_or_else(|| self.name(game))
        });
        let names: Vec<String> = names.collect();
        let named = names.iter().zip(&games).map(|(name, game)| {
            let is_only = names.iter().filter(|other| *other == name).count() == 1;
            let moves = numbered_line(game.start(), game.moves());
            if is_only { name.clone() } else { format!("{name}, {moves}") }
        });
        named.map(|name| cut_name(&name, NAME_LENGTH)).collect()
    }

    /// Name of a chapter by its first position.
    fn name(&self, game: &Game) -> String {
        match (*game.root() == Chess::default(), self.report.options.side) {
            (true, Some(side)) => format!("Repertoire for {}", side.fold_wb("White", "Black")),
            (true, None) => "All openings".to_owned(),
            (false, _) => describe_root(game),
        }
    }

    /// The game with the moves of the tree to a place.
    fn game_to(&self, place: usize) -> Game {
        let mut game = self.report.tree.game.clone();
        for uci in self.report.moves_to(place) {
            if let Ok(m) = uci.to_move(game.root()) {
                game.play(m);
            }
        }
        game
    }

    fn text(
        &self,
        chapters: &Chapters,
        names: &[String],
        index: usize,
        chapter: &Chapter,
    ) -> io::Result<Vec<u8>> {
        let (mut out, game) = (Vec::new(), self.game_to(chapter.start));
        let name = names.get(index).map_or("", String::as_str);
        self.write_tags(index, name, &game, self.game_of(chapter), &mut out)?;
        let mut text = Movetext::new(&mut out);
        text.comment(&self.legend())?;
        let position = text.write_line(game.start(), game.moves(), None)?;
        let node = self.report.places.get(chapter.start).map(|place| place.node);
        let note = node.and_then(|node| note_line(self.report.said(node)));
        note.map_or(Ok(()), |note| text.comment(&as_comment(&note)))?;
        let (report, references, bests) = (self.report, &self.references, &self.bests);
        let studied = Studied { report, references, chapters, names, bests };
        write_moves(&studied, position, chapter.start, &mut text)?;
        text.end("*")?;
        Ok(out)
    }

    fn legend(&self) -> String {
        let pov = self.report.options.pov.whose();
        let shares = match self.report.growth().counts().rules {
            Some(_) => "; per cent: how often a reply is played",
            None => "",
        };
        format!("Scores are in pawns, {pov}{shares}.")
    }

    fn write_tags(
        &self,
        index: usize,
        name: &str,
        game: &Game,
        written: Option<&WrittenChapter>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let row = &self.report.tree.row;
        let side = self.report.options.side.unwrap_or_else(|| self.report.tree.game.root().turn());
        let mut tag = |name: &str, value: &str| writeln!(out, "[{name} \"{}\"]", tag_value(value));
        tag("Event", name)?;
        tag("Site", "?")?;
        tag("Date", &date(row.changed_at))?;
        tag("Round", &(index + 1).to_string())?;
        tag("White", player(written.map(|written| &written.white)))?;
        tag("Black", player(written.map(|written| &written.black)))?;
        tag("Result", "*")?;
        start_tags(game.start(), None).iter().try_for_each(|(name, value)| tag(name, value))?;
        if let Some(opening) = last_opening(game, &[]) {
            tag("ECO", opening.eco)?;
            tag("Opening", opening.name)?;
        }
        tag("Annotator", &describe_profile(&row.profile))?;
        tag("ChapterName", name)?;
        tag("ChapterMode", "normal")?;
        tag("Orientation", side.fold_wb("white", "black"))?;
        writeln!(out)
    }
}

/// A part of the tree: all behind a place, up to the start of other chapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chapter {
    /// The place that it begins at.
    pub start: usize,
    /// Its moves, including those to its beginning: each is a position.
    pub positions: usize,
}

/// The chapters of a tree.
#[derive(Debug)]
pub(crate) struct Chapters {
    /// The written ones, in their order.
    pub kept: Vec<Chapter>,
    /// Number left out.
    pub left: usize,
    /// The number of each chapter by its first place; `None` if left out.
    numbers: HashMap<usize, Option<usize>>,
}

impl Chapters {
    /// The chapter that begins at a place, if any, with its number if written.
    pub fn begins(&self, place: usize) -> Option<Option<usize>> {
        self.numbers.get(&place).copied()
    }
}

/// Cuts a report into chapters of at most this many positions: wherever more lies behind a place,
/// the largest parts of it become chapters of their own, and so do parts from another game of the
/// user's file. The first one comes first; of the others at most `most` are written, the likeliest
/// to be met if games are known, else the largest.
pub(crate) fn chapters(report: &TreeReport<'_>, positions: usize, most: usize) -> Chapters {
    let games = report.chapters_of_places();
    let mut all = cut(report, &games, positions);
    let first = all.iter().position(|chapter| chapter.start == 0).map(|first| all.remove(first));
    let growth = report.growth();
    let side = report.options.side.unwrap_or_else(|| report.tree.game.root().turn());
    if growth.counts().rules.is_some() {
        let reach = reach(growth, side);
        let of = |chapter: &Chapter| {
            let node = report.places.get(chapter.start).map(|place| place.node.index());
            node.and_then(|node| reach.get(node)).copied().unwrap_or(0.0)
        };
        all.sort_by(|a, b| of(b).total_cmp(&of(a)).then(a.start.cmp(&b.start)));
    } else {
        all.sort_by_key(|chapter| (std::cmp::Reverse(chapter.positions), chapter.start));
    }
    // Chapters of a game stay together, in the order of the user's file.
    all.sort_by_key(|chapter| games.get(chapter.start).copied().flatten());
    let all: Vec<Chapter> = first.into_iter().chain(all).collect();
    let number = |(index, chapter): (usize, &Chapter)| {
        (chapter.start, Some(index).filter(|index| *index < most))
    };
    let numbers = all.iter().enumerate().map(number).collect();
    let left = all.len().saturating_sub(most);
    Chapters { kept: all.into_iter().take(most).collect(), left, numbers }
}

/// Cuts from the ends of the lines to the first place, always a chapter. A part from another game
/// of the user's file than the moves before it is a chapter of its own, too.
fn cut(report: &TreeReport<'_>, games: &[Option<u32>], most: usize) -> Vec<Chapter> {
    let before = report.tree.game.moves().len();
    if report.places.is_empty() {
        return vec![Chapter { start: 0, positions: before + report.line.len() }];
    }
    let mut sizes: Vec<usize> = report.places.iter().map(shown).collect();
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
    let mut chapters = Vec::new();
    // Places follow those that lead to them.
    for (index, place) in report.places.iter().enumerate().rev() {
        let line = before + usize::try_from(place.ply).unwrap_or(usize::MAX);
        let mut size = sizes.get(index).copied().unwrap_or(0);
        let mut parts = behind.get_mut(index).map(std::mem::take).unwrap_or_default();
        parts.sort_by_key(|part| std::cmp::Reverse(sizes.get(*part).copied()));
        let of = |part: usize| sizes.get(part).copied().unwrap_or(0);
        size += parts.iter().map(|part| of(*part)).sum::<usize>();
        let game = |place: usize| games.get(place).copied().flatten();
        parts.sort_by_key(|part| game(*part) == game(index));
        for part in parts {
            if size + line <= most && game(part) == game(index) {
                break;
            }
            size -= of(part);
            chapters.push(Chapter { start: part, positions: of(part) + line + 1 });
        }
        sizes.get_mut(index).into_iter().for_each(|entry| *entry = size);
        match place.parent {
            Some((parent, _)) => {
                behind.get_mut(parent).into_iter().for_each(|parts| parts.push(index));
            }
            None => chapters.push(Chapter { start: index, positions: size + line }),
        }
    }
    chapters
}

#[cfg(test)]
mod tests;
