//! Flash cards for Anki: a side's moves in each position of its repertoire.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Color, EnPassantMode, Position};

use deepanalyze_core::chess::{PositionKey, Score, fen_of};
use deepanalyze_core::directives::{Chapter, cost};
use deepanalyze_core::tree::{NodeId, Place};

use crate::board::board;
use crate::repertoire::reach;
use crate::tree::layout::{Bests, TreeReport};
use crate::tree::svg::escaped;
use crate::tree::walk::note_line;
use deepanalyze_view::{
    Shown, after, count, last_opening, numbered_line, numbered_move, sans_of, share_told,
};

/// Anki's file header: its signs, and the names of its columns. `Front` and `Back` are the fields
/// of Anki's own basic note, the others are for note types that have them.
pub(crate) const HEADER: &str = "#separator:tab\n#html:true\n#notetype:Basic\n#guid column:1\n#deck column:11\n\
    #columns:id\tFront\tBack\tfen\tline\tanswer\tscore\tgames\tshare\tnote\tdeck\n";

/// Writes a card for each position of a side's repertoire in which it is to move, the likeliest
/// ones first, at most this many. The score is the answer's.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_anki(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEADER.as_bytes())?;
    let decks = Decks::of(report);
    for place in places(report).into_iter().take(report.options.cards) {
        let Some(card) = Card::of(report, place, decks.of_place(report, place)) else {
            continue;
        };
        card.write(out)?;
    }
    Ok(())
}

/// Says that there are more cards, or that some are the tree's own choice.
pub fn cards_left_out(report: &TreeReport<'_>) -> Option<String> {
    let (all, most) = (places(report).len(), report.options.cards);
    if all > most {
        return Some(format!(
            "the likeliest {most} of {all} cards are written: --cards takes more"
        ));
    }
    let left = positions_to_play(report).len() - all;
    (left > 0).then(|| {
        let positions = count(left as u64, "position");
        format!("{positions} without an included move left out: --all-moves takes the tree's own")
    })
}

/// The answers that lose more centipawns than this against the best move, the most expensive first,
/// with numbers and values: a card teaches them all the same.
pub fn losing_cards(report: &TreeReport<'_>, most_lost: u32) -> Vec<String> {
    let bests = Bests::new(report);
    let mut losing = Vec::new();
    for index in places(report).into_iter().take(report.options.cards) {
        let Some(place) = report.places.get(index) else { continue };
        let Some(best) = bests.at(place) else { continue };
        let position = after(report.tree.game.root(), &report.moves_to(index));
        let answers = answers(report, place).into_iter();
        for (shown, alpha) in answers.filter_map(|shown| Some((shown, shown.alpha()?))) {
            let lost = cost(alpha, best);
            if i64::from(lost) > i64::from(most_lost) {
                let value = report.seen(alpha, position.turn());
                losing.push((lost, format!("{} ({value})", numbered_move(&position, shown.uci))));
            }
        }
    }
    losing.sort_by_key(|(lost, _)| std::cmp::Reverse(*lost));
    losing.into_iter().map(|(_, name)| name).collect()
}

/// The places that have a card, by the chance of reaching them, then by their order: those with
/// included moves of the side, or all with an answer, if requested or if nothing is included.
fn places(report: &TreeReport<'_>) -> Vec<usize> {
    let (graph, side) = (report.growth().graph(), side_of(report));
    let all = positions_to_play(report);
    let is_chosen = |index: &usize| {
        let node = report.places.get(*index).map(|place| place.node);
        node.is_some_and(|node| !graph.included(node).is_empty())
    };
    let takes_all = report.options.all_moves || !all.iter().any(is_chosen);
    let own = all.into_iter().filter(|index| takes_all || is_chosen(index));
    let own = own.filter_map(|index| Some((index, report.places.get(index)?)));
    let reach = reach(report.growth(), side);
    let of = |place: &Place| reach.get(place.node.index()).copied().unwrap_or(0.0);
    let mut own: Vec<(f64, usize)> = own.map(|(index, place)| (of(place), index)).collect();
    // Equal places keep their order.
    own.sort_by(|a, b| b.0.total_cmp(&a.0));
    own.into_iter().map(|(_, index)| index).collect()
}

/// The places where the side is to move and has an answer.
fn positions_to_play(report: &TreeReport<'_>) -> Vec<usize> {
    let (graph, side) = (report.growth().graph(), side_of(report));
    let own = report.places.iter().enumerate();
    let own = own.filter(|(_, place)| graph.turn(place.node) == side && has_answer(place));
    own.map(|(index, _)| index).collect()
}

/// The moves to play at a place.
fn answers<'a>(report: &TreeReport<'_>, place: &'a Place) -> Vec<Shown<'a>> {
    report.in_written_order(place).into_iter().filter(|shown| !shown.excluded).collect()
}

fn side_of(report: &TreeReport<'_>) -> Color {
    report.options.side.unwrap_or_else(|| report.tree.game.root().turn())
}

fn has_answer(place: &Place) -> bool {
    !place.moves.is_empty() || !place.aside.is_empty()
}

/// The decks of the cards: one for each game of the user's files, or one for all.
struct Decks {
    /// The repertoire's deck.
    all: String,
    games: Vec<Option<u32>>,
    /// True if there are several games.
    are_apart: bool,
}

impl Decks {
    fn of(report: &TreeReport<'_>) -> Decks {
        let game = &report.tree.game;
        let name = report.only_chapter().and_then(Chapter::name);
        let named = || last_opening(game, &[]).map(|opening| opening.name.to_owned());
        let side = side_of(report).fold_wb("White", "Black");
        let all = name.or_else(named).unwrap_or_else(|| format!("Repertoire for {side}"));
        let games = report.chapters_of_places();
        let are_apart = report.only_chapter().is_none() && games.iter().any(Option::is_some);
        Decks { all, games, are_apart }
    }

    /// Anki takes `::` for a deck in a deck.
    fn of_place(&self, report: &TreeReport<'_>, place: usize) -> String {
        let one = |name: &str| name.replace("::", ":");
        let game = self.games.get(place).copied().flatten().filter(|_| self.are_apart);
        let game = game.map(|number| {
            let name = report.chapter(Some(number)).and_then(Chapter::name);
            name.unwrap_or_else(|| format!("Chapter {}", u64::from(number) + 1))
        });
        match game {
            Some(game) => format!("{}::{}", one(&self.all), one(&game)),
            None => one(&self.all),
        }
    }
}

/// A position with the moves to play there.
pub(crate) struct Card {
    /// Tells cards of one position apart, of a repertoire and of a trap.
    pub kind: &'static str,
    pub position: Chess,
    /// The moves of the game and of the tree to it.
    pub start: Chess,
    pub line: Vec<UciMove>,
    /// The moves to play.
    pub answers: Vec<UciMove>,
    /// The score of the first of them, from the reader's point of view, and its side.
    pub score: Option<String>,
    pub whose: &'static str,
    /// Games that reached the position.
    pub games: Option<u64>,
    /// Share of the opponent's last move, from 0 to 1.
    pub share: Option<f64>,
    /// The user's notes on the position, and on those behind the answers.
    pub note: String,
    pub deck: String,
}

impl Card {
    fn of(report: &TreeReport<'_>, index: usize, deck: String) -> Option<Card> {
        let place = report.places.get(index)?;
        let (game, moves) = (&report.tree.game, report.moves_to(index));
        let position = after(game.root(), &moves);
        let shown = answers(report, place);
        let first = shown.first()?;
        // The root's answer has the verdict's score.
        let told = report.told().filter(|told| index == 0 && told.best() == first.uci);
        let score = told.map(|told| told.choice.score()).or(first.alpha().map(Score::from));
        let notes = [place.node].into_iter().chain(shown.iter().map(|m| m.node));
        let notes: Vec<String> = notes.filter_map(|node| note_line(report.said(node))).collect();
        Some(Card {
            kind: "",
            start: game.start().clone(),
            line: [game.moves(), &moves].concat(),
            answers: shown.iter().map(|m| m.uci).collect(),
            score: score.map(|score| report.seen(score, position.turn()).to_string()),
            whose: report.options.pov.whose(),
            games: games(report, place.node),
            share: share(report, place),
            note: notes.join(" · "),
            deck,
            position,
        })
    }

    /// Writes its line.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let fields = self.fields().map(|field| field.replace(['\t', '\n', '\r'], " "));
        writeln!(out, "{}", fields.join("\t"))
    }

    /// In the order of the columns.
    fn fields(&self) -> [String; 11] {
        let line = numbered_line(&self.start, &self.line);
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        [
            self.id(),
            self.front(&line),
            self.back(),
            fen_of(&self.position),
            escaped(&line),
            self.sans().join(" or "),
            self.score.clone().unwrap_or_default(),
            self.games.map(|games| games.to_string()).unwrap_or_default(),
            self.share.map(percent).unwrap_or_default(),
            escaped(&self.note),
            self.deck.clone(),
        ]
    }

    /// An id of kind and position, equal in every tree and version: Anki updates the card that has it.
    fn id(&self) -> String {
        let key: Zobrist64 = self.position.zobrist_hash(EnPassantMode::Legal);
        format!("deepanalyze-{}{:016x}", self.kind, key.0)
    }

    fn sans(&self) -> Vec<String> {
        self.answers.iter().map(|uci| sans_of(&self.position, &[*uci]).concat()).collect()
    }

    fn front(&self, line: &str) -> String {
        let (turn, from) = (self.position.turn(), self.position.turn());
        let side = turn.fold_wb("White", "Black");
        let line = if line.is_empty() { String::new() } else { format!("{}<br>", escaped(line)) };
        format!("{}<br>{line}<b>{side} to move</b>", board(&self.position, from))
    }

    fn back(&self) -> String {
        let numbered = self.answers.iter().map(|uci| numbered_move(&self.position, *uci));
        let mut back = format!("<b>{}</b>", numbered.collect::<Vec<_>>().join(" or "));
        if let Some(score) = &self.score {
            back += &format!("<br>{score} {}", self.whose);
        }
        if !self.note.is_empty() {
            back += &format!("<br>{}", escaped(&self.note));
        }
        back
    }
}

/// Games counted in a position; `None` if it has none.
fn games(report: &TreeReport<'_>, node: NodeId) -> Option<u64> {
    let growth = report.growth();
    let counts = growth.counts().get(&PositionKey::of(&growth.position(node)))?;
    (counts.games_here() > 0 || counts.weight() == 0).then(|| counts.games_here())
}

/// Share of the move to a place where it was played, from 0 to 1.
fn share(report: &TreeReport<'_>, place: &Place) -> Option<f64> {
    let (growth, (before, index)) = (report.growth(), place.parent?);
    let before = report.places.get(before)?;
    let uci = before.moves.get(index)?.edge.uci.unpack();
    let counts = growth.counts().get(&PositionKey::of(&growth.position(before.node)))?;
    share_told(counts, uci)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::layout::ReportStart;
    use crate::tree::{PrintOptions, TreeFormat};
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::directives::{BadGames, Directive, Directives, Skeleton};
    use deepanalyze_core::tree::{
        Breadth, CountFacts, Growth, Lists, MoveCounts, PlayedRules, Selection, grown_of,
    };
    use deepanalyze_view::testing::{closing_of, kept_of};

    const LISTS: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 20)]),
        ("e4", &[("e7e5", -30), ("c7c5", -31)]),
        ("e4 e5", &[("g1f3", 30)]),
        ("e4 c5", &[("g1f3", 31)]),
    ];

    fn growth(rules: Option<PlayedRules>) -> Growth {
        let game = Game::from_start("startpos").unwrap();
        let counts = rules.map(CountFacts::new).unwrap_or_default();
        grown_of(&game, Selection { counts, ..Breadth::from(10).into() }, LISTS)
    }

    fn after_e4() -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("e4").unwrap();
        game
    }

    /// The cards without pictures, and the words on the rest.
    fn cards(growth: Growth, cards: usize) -> (Vec<String>, Option<String>) {
        let game = Game::from_start("startpos").unwrap();
        let (root, mut said) = (PositionKey::of(game.root()), Directives::default());
        let mut there = after_e4();
        there.play_line("c5").unwrap();
        let note = Directive::Note("<open>\tor \"closed\"".to_owned());
        said.add(&root, there.root(), note).unwrap();
        let tree = kept_of(&game, growth, said);
        let options = PrintOptions { cards, ..PrintOptions::of(TreeFormat::Anki) };
        let start = ReportStart::behind(&tree, "").unwrap();
        let report = TreeReport::new(&tree, start, options);
        let mut text = Vec::new();
        report.write(80, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let rest = text.strip_prefix(HEADER).unwrap().lines();
        let plain = rest.map(|line| {
            let (before, behind) = line.split_once("<svg").unwrap();
            format!("{before}{}", behind.split_once("</svg>").unwrap().1)
        });
        (plain.collect(), report.left_out())
    }

    #[test]
    fn a_card_asks_for_a_move_with_all_known_figures() {
        let (cards, left_out) = cards(growth(None), 9);
        let right = [
            "deepanalyze-463b96181691fc9c\t<br><b>White to move</b>\t<b>1. e4</b><br>+0.30 for White\t\
            rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t\te4\t+0.30\t\t\t\tRepertoire for White",
            "deepanalyze-0844931a6ef4b9a0\t<br>1. e4 e5<br><b>White to move</b>\t<b>2. Nf3</b><br>\
            +0.30 for White\trnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\t1. e4 e5\t\
            Nf3\t+0.30\t\t\t\tRepertoire for White",
            "deepanalyze-644d4afe02564aeb\t<br>1. e4 c5<br><b>White to move</b>\t<b>2. Nf3</b><br>\
            +0.31 for White<br>&lt;open&gt; or &quot;closed&quot;\t\
            rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\t1. e4 c5\tNf3\t+0.31\t\t\t\
            &lt;open&gt; or &quot;closed&quot;\tRepertoire for White",
        ];
        assert_eq!(cards, right);
        assert_eq!(left_out, None);
    }

    #[test]
    fn the_first_answer_is_the_verdict_s() {
        let game = Game::from_start("startpos").unwrap();
        let mut tree = kept_of(&game, growth(None), Directives::default());
        tree.tree.closing = Some(closing_of(&tree, "d4 d5", 40));
        let options = PrintOptions::of(TreeFormat::Anki);
        let report = TreeReport::new(&tree, ReportStart::behind(&tree, "").unwrap(), options);
        let answers = places(&report)
            .into_iter()
            .map(|place| Card::of(&report, place, String::new()).unwrap().sans());
        assert_eq!(answers.collect::<Vec<_>>(), [["d4"]]);
    }

    /// White's repertoire of two games: 1. e4 e5 2. f4, which loses 1.20, and 1. e4 c5 2. Nf3. 1...
    /// e6 has no included answer.
    fn repertoire(options: PrintOptions<'_>, pgn: &str) -> (String, Vec<String>, Option<String>) {
        let game = Game::from_start("startpos").unwrap();
        let (root, mut said) = (PositionKey::of(game.root()), Directives::default());
        let bad = BadGames::Refuse;
        let skeleton = Skeleton::read(|| pgn.as_bytes(), &root, &said, false, bad).unwrap();
        skeleton.new.iter().for_each(|(key, new)| said.put(*key, new.clone()));
        said.written_mut().add(&skeleton.written);
        let lists: [(&str, &[(&str, i32)]); 5] = [
            ("", &[("e2e4", 30)]),
            ("e4", &[("e7e6", -29), ("e7e5", -30), ("c7c5", -31)]),
            ("e4 e5", &[("g1f3", 30), ("f2f4", -90)]),
            ("e4 c5", &[("g1f3", 31)]),
            ("e4 e6", &[("d2d4", 29)]),
        ];
        let wishes = said.wishes();
        let growth = grown_of(&game, Selection { wishes, ..Breadth::from(10).into() }, &lists);
        let tree = kept_of(&game, growth, said);
        let start = ReportStart::behind(&tree, "").unwrap();
        let report = TreeReport::new(&tree, start, options);
        let mut text = Vec::new();
        report.write(80, &mut text).unwrap();
        (String::from_utf8(text).unwrap(), report.losing_cards(), report.left_out())
    }

    const TWO: &str =
        "[Event \"Open::games\"]\n\n1. e4 e5 2. f4 $5 *\n\n[White \"Me\"]\n\n1. e4 c5 2. Nf3 $14 *";

    fn told(cards: &str) -> Vec<String> {
        let rest = cards.lines().filter(|line| !line.starts_with('#'));
        let told = rest.map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            format!("{}|{}|{}", fields[4], fields[5], fields[10])
        });
        told.collect()
    }

    #[test]
    fn included_moves_have_cards_in_decks_by_game() {
        let options =
            PrintOptions { side: Some(Color::White), ..PrintOptions::of(TreeFormat::Anki) };
        let (cards, losing, left_out) = repertoire(options, TWO);
        let deck = "Repertoire for White::";
        let right = [
            format!("|e4|{deck}Open:games"),
            format!("1. e4 e5|f4|{deck}Open:games"),
            format!("1. e4 c5|Nf3|{deck}Me"),
        ];
        assert_eq!(told(&cards), right);
        assert_eq!(losing, ["2. f4 (-0.90)"], "it loses 1.20");
        let words =
            "1 position without an included move left out: --all-moves takes the tree's own";
        assert_eq!(left_out.as_deref(), Some(words));
        let all = PrintOptions { all_moves: true, max_loss: Some(120), ..options };
        let (cards, losing, left_out) = repertoire(all, TWO);
        assert!(told(&cards).contains(&format!("1. e4 e6|d4|{deck}Open:games")), "{cards}");
        assert_eq!((told(&cards).len(), losing, left_out), (4, vec![], None));
        let one = "[Event \"Mine\"]\n\n1. e4 e5 2. f4 *";
        assert_eq!(told(&repertoire(options, one).0), ["|e4|Mine", "1. e4 e5|f4|Mine"]);
    }

    #[test]
    fn a_study_has_a_chapter_for_each_game_and_glyphs() {
        let options =
            PrintOptions { side: Some(Color::White), ..PrintOptions::of(TreeFormat::Study) };
        let (study, ..) = repertoire(options, TWO);
        let tags = |name: &str| {
            let start = format!("[{name} \"");
            let found =
                study.lines().filter_map(|line| line.strip_prefix(&start)?.strip_suffix("\"]"));
            found.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(tags("ChapterName"), ["Open::games", "Me"]);
        assert_eq!(tags("White"), ["?", "Me"]);
        let joined = study.replace('\n', " ");
        assert!(joined.contains("2. f4 $5") && joined.contains("2. Nf3 $14"), "{study}");
        // The file has 1... e5 first; the tree prefers 1... e6.
        assert!(joined.find("1... e5").unwrap() < joined.find("1... e6").unwrap(), "{study}");
    }

    #[test]
    fn a_repertoire_in_pgn_keeps_names_order_and_glyphs() {
        let options =
            PrintOptions { side: Some(Color::White), ..PrintOptions::of(TreeFormat::Pgn) };
        let one = "[Event \"Mine\"]\n[White \"Me\"]\n\n1. e4 c5 $6 (1... e5 2. f4 $5) 2. Nf3 *";
        let (pgn, ..) = repertoire(options, one);
        assert!(pgn.contains("[Event \"Mine\"]") && pgn.contains("[White \"Me\"]"), "{pgn}");
        let joined = pgn.replace('\n', " ");
        let place = |words: &str| joined.find(words).unwrap_or_else(|| panic!("{words}: {pgn}"));
        assert!(place("1... c5 $6") < place("1... e5"), "{pgn}");
        assert!(place("2. f4 $5") > 0 && !joined.contains("2. f4 $5 $4"), "{pgn}");
    }

    #[test]
    fn the_likeliest_positions_get_the_cards() {
        let mut growth = growth(Some(PlayedRules::default()));
        let counts = [("c7c5", 3), ("e7e5", 1)];
        let counts = counts.map(|(uci, games)| (uci.parse().unwrap(), games));
        growth.learn_counts([(PositionKey::of(after_e4().root()), MoveCounts::new(counts))]);
        let (cards, left_out) = cards(growth, 2);
        let line = |card: &String| card.split('\t').skip(4).take(5).collect::<Vec<_>>().join("|");
        let lines: Vec<String> = cards.iter().map(line).collect();
        assert_eq!(lines, ["|e4|+0.30||", "1. e4 c5|Nf3|+0.31||75.0%"]);
        assert_eq!(left_out.unwrap(), "the likeliest 2 of 3 cards are written: --cards takes more");
    }
}
