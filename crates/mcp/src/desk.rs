//! Answers from the database: roots, verdicts, moves, claims. It changes nothing.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, PositionKey, Score, legal_uci, written_game};
use deepanalyze_core::claims::{Claim, Source};
use deepanalyze_core::tree::{LineEnd, MoveCount};
use deepanalyze_report::{PrintOptions, RootNotes, RootSummary, TreeFormat, TreeReport};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store, StoreError};
use deepanalyze_view::{
    AnswerSource, ClaimReader, HumanObject, LinePosition, NamedMove, PointOfView, Stages, Tree,
    Truth, Why, count, describe_limit, describe_played, describe_root, describe_set, games_told,
    load, load_tree, numbered_move, one_line, seen, share_told, timestamp,
};

use crate::board::{after, board_of, legal_move, read_line, title};
use crate::told::{Answer, Told, words};

/// Columns of text.
const WIDTH: usize = 100;

/// Moves told of a position, in words.
const MOST_MOVES: usize = 12;

/// The database, and the roots that clients have named.
pub struct Desk {
    store: Store,
    /// Roots without an analysis when they were named; `new1` is the first.
    new: Vec<Game>,
    /// The tree asked last, and the state of the database when it was read.
    read: Option<(AnalysisId, i64, Arc<Tree>)>,
}

/// A root that a client has named.
pub enum Root {
    /// It has an analysis: of its stages the one that speaks.
    Kept(Box<AnalysisRow>),
    /// It has none.
    New(Box<Game>),
}

impl Root {
    /// The game up to it.
    pub fn game(&self) -> Result<Game, String> {
        match self {
            Root::Kept(row) => {
                row.game().ok_or_else(|| "the game of this root is damaged".to_owned())
            }
            Root::New(game) => Ok((**game).clone()),
        }
    }
}

impl Desk {
    /// Of a database.
    pub fn new(store: Store) -> Desk {
        Desk { store, new: Vec::new(), read: None }
    }

    /// All roots with their verdicts.
    pub fn analyses(&self) -> Answer {
        let mut text = String::new();
        let mut all = Vec::new();
        let read = self.store.at_one_moment(|| {
            let notes = RootNotes::read(&self.store)?;
            for stages in Stages::all(&self.store)? {
                let Some(root) = RootSummary::of(&self.store, &stages, &notes)? else { continue };
                let row = &root.row;
                let told = root.told.as_ref().map(|told| told.headline(PointOfView::White));
                let depth = row.settled_depth.map_or("no depth complete".to_owned(), |depth| {
                    format!("depth {depth} complete")
                });
                let verdict = told.clone().unwrap_or_else(|| "no verdict yet".to_owned());
                let _ = writeln!(
                    text,
                    "root {}: {}: {verdict}; {depth}, {}, {}",
                    row.id.0,
                    one_line(&root.called()),
                    row.profile.engine,
                    describe_limit(row.profile.limit)
                );
                all.push(json!({
                    "root": row.id.0.to_string(), "name": one_line(&root.called()), "fen": row.root,
                    "verdict": told, "settled_depth": row.settled_depth,
                    "engine": row.profile.engine, "limit": row.profile.limit,
                    "changed_at": timestamp(root.changed_at), "is_growing": root.is_growing,
                }));
            }
            Ok::<_, StoreError>(())
        });
        read.map_err(words)?;
        if all.is_empty() {
            text.push_str("no analyses yet: `deepanalyze grow` makes one, and so does the tool grow of a server started with --grow\n");
        }
        Ok(Told::new(text, json!({ "analyses": all })))
    }

    /// Names the last position of a game.
    pub fn new_root(&mut self, moves: &str, pgn: &str) -> Answer {
        let game = match (moves.trim(), pgn.trim()) {
            (moves, "") => {
                let mut game = Game::from_position(Chess::default());
                game.play_line(moves).map_err(words)?;
                game
            }
            ("", pgn) => written_game(pgn.as_bytes(), 1, None).map_err(words)?.game,
            _ => return Err("give moves or a PGN, not both".to_owned()),
        };
        let known = self.store.analyses_of(&game).map_err(words)?.into_iter().next();
        let name = match known {
            Some(row) => row.id.0.to_string(),
            None => self.name_of(&game),
        };
        let mut told = board_of(&game, &[]);
        let is = if name.starts_with("new") { "has no analysis yet" } else { "is analysed" };
        told.text = format!("root {name} ({}) {is}\n{}", describe_root(&game), told.text);
        if let Value::Object(data) = &mut told.data {
            data.insert("root".to_owned(), name.into());
            data.insert("is_analysed".to_owned(), (is == "is analysed").into());
        }
        Ok(told)
    }

    /// The name of a root without an analysis.
    fn name_of(&mut self, game: &Game) -> String {
        let known = self.new.iter().position(|other| other == game);
        let index = known.unwrap_or_else(|| {
            self.new.push(game.clone());
            self.new.len() - 1
        });
        format!("new{}", index + 1)
    }

    /// The root of a name.
    pub fn root(&self, name: &str) -> Result<Root, String> {
        let unknown = || {
            format!(
                "there is no root {name:?}: `analyses` lists all, and `new_root` names a new one"
            )
        };
        let row = if let Some(new) = name.strip_prefix("new") {
            let index = new.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let game = index.and_then(|index| self.new.get(index)).ok_or_else(unknown)?;
            match self.store.analyses_of(game).map_err(words)?.into_iter().next() {
                Some(row) => row,
                None => return Ok(Root::New(Box::new(game.clone()))),
            }
        } else {
            let id = name.trim_start_matches('#').parse().map_err(|_| unknown())?;
            self.store.analysis(AnalysisId(id)).map_err(words)?.ok_or_else(unknown)?
        };
        let stages = Stages::of(&self.store, row.clone()).map_err(words)?;
        Ok(Root::Kept(Box::new(stages.speaking().cloned().unwrap_or(row))))
    }

    /// The tree of a root that is analysed.
    pub fn tree(&mut self, name: &str) -> Result<Arc<Tree>, String> {
        let row = match self.root(name)? {
            Root::Kept(row) => row,
            Root::New(_) => {
                return Err(format!(
                    "root {name} has no analysis yet, so nothing is known: `grow` of a server started with --grow makes one"
                ));
            }
        };
        let version = self.store.data_version().map_err(words)?;
        if let Some((id, at, tree)) = &self.read
            && (*id, *at) == (row.id, version)
        {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(load_tree(&self.store, row.id).map_err(words)?);
        self.read = Some((row.id, version, Arc::clone(&tree)));
        Ok(tree)
    }

    /// Reads the database anew: this program has changed it.
    pub fn forget(&mut self) {
        self.read = None;
    }

    /// The board behind a line.
    pub fn board(&self, name: &str, line: &str) -> Answer {
        let game = self.root(name)?.game()?;
        let line = read_line(&game, line)?;
        Ok(board_of(&game, &line))
    }

    /// The verdict of a root, as `deepanalyze show` has it.
    pub fn verdict(&mut self, name: &str) -> Answer {
        let id = self.tree(name)?.row.id;
        let tree = load(&self.store, id).map_err(words)?;
        let report = TreeReport::read(&self.store, &tree, PrintOptions::of(TreeFormat::Text));
        let mut text = Vec::new();
        report.map_err(words)?.write(WIDTH, &mut text).map_err(words)?;
        let text = String::from_utf8_lossy(&text);
        let text = anstream::adapter::strip_str(&text).to_string();
        let waits = match (tree.is_pending(), tree.waiting) {
            (true, waiting @ 1..) => Some(format!(
                "{} for the next `grow`",
                if waiting == 1 {
                    "1 position waits".to_owned()
                } else {
                    format!("{waiting} positions wait")
                }
            )),
            _ => None,
        };
        let data = json!({
            "root": name, "verdict": tree.verdict(), "settled_depth": tree.growth.settled().last().map(|last| last.depth),
            "engine": tree.row.profile.engine, "limit": tree.row.profile.limit, "waiting": waits,
            "tree_source": self.best_source(&tree).map_err(words)?,
        });
        Ok(Told::new(text, data))
    }

    /// The answer that the score of the tree's best move comes from.
    fn best_source(&self, tree: &Tree) -> Result<Option<AnswerSource>, StoreError> {
        let claim = Claim::Score { at: Vec::<String>::new(), at_least: 0 };
        match ClaimReader::new(&self.store, tree).answer(&claim) {
            Ok(answered) => Ok(answered.because.sources.into_iter().next()),
            Err(_) => Ok(None),
        }
    }

    /// The moves behind a line.
    pub fn moves(&mut self, name: &str, line: &str) -> Answer {
        let tree = self.tree(name)?;
        let line = read_line(&tree.game, line)?;
        let mut here = LinePosition::at(&tree, &line);
        here.look_on(&self.store, &tree).map_err(words)?;
        let mut text = format!("{}\n", title(&tree.game, &line));
        if !here.analysed {
            let why = here.end.map_or("the tree does not come to this position", |end| end.name());
            let _ = writeln!(text, "unknown: {why}");
        }
        if let Some(told) = &here.told {
            let whose = told.describe(PointOfView::White).map(|whose| format!(", {whose}"));
            let headline = told.headline(PointOfView::White);
            let _ = writeln!(text, "verdict: {headline}{}", whose.unwrap_or_default());
        }
        for m in here.moves.iter().take(MOST_MOVES) {
            let score = m
                .alpha
                .or(m.eval)
                .map(|value| seen(value, here.position.turn(), PointOfView::White));
            let score = score.map_or("no score".to_owned(), |score| format!("{score} for White"));
            let marks = if m.marks.is_empty() {
                String::new()
            } else {
                format!(" ({})", m.marks.join(", "))
            };
            let _ = writeln!(
                text,
                "{} {score}{marks}: {}",
                numbered_move(&here.position, m.uci),
                m.words_behind(&here.position)
            );
        }
        let mut sources = Vec::new();
        for m in &here.moves {
            // Where the line of the move's score ends.
            let source = match m.line_end {
                LineEnd::Tree { position, rank } => {
                    let source = Source { position, rank };
                    AnswerSource::of_tree(&self.store, &tree, source).map_err(words)?
                }
                _ => None,
            };
            sources.push(json!({ "move": m.uci.to_string(), "source": source }));
        }
        let legal = legal_uci(&here.position).len();
        if here.analysed && legal > here.moves.len() {
            let rest = legal - here.moves.len();
            let rest = if rest == 1 {
                "1 legal move is".to_owned()
            } else {
                format!("{rest} legal moves are")
            };
            let _ =
                writeln!(text, "{rest} in no answer; why_not tells what they can be worth at most");
        }
        Ok(Told::new(text, json!({ "position": here, "sources": sources })))
    }

    /// A tree's knowledge of a move.
    pub fn why(&mut self, name: &str, line: &str, word: &str) -> Result<(Arc<Tree>, Why), String> {
        let tree = self.tree(name)?;
        let line = read_line(&tree.game, line)?;
        let position = after(&tree.game, &line);
        let uci = legal_move(&position, word)?;
        let why = Why::of(&self.store, &tree, &line, uci).map_err(words)?;
        Ok((tree, why))
    }

    /// Checks a claim.
    pub fn check(&mut self, name: &str, claim: &Value) -> Answer {
        // Some clients send objects as text.
        let read = match claim {
            Value::String(text) => {
                serde_json::from_str(text).and_then(|claim| Claim::from_json(&claim))
            }
            claim => Claim::from_json(claim),
        };
        let claim = read.map_err(|error| {
            format!("{error}; a claim is like {{\"claim\": \"best\", \"at\": \"e4 e5\", \"move\": \"Nf3\"}}")
        })?;
        let tree = self.tree(name)?;
        let answered = ClaimReader::new(&self.store, &tree).answer(&claim).map_err(words)?;
        let answer = match answered.answer {
            Truth::True => "true",
            Truth::False => "false",
            Truth::Unknown => "unknown",
        };
        Ok(Told::new(format!("{answer}: {}", answered.words), answered))
    }

    /// The changes of the verdict since a time.
    pub fn what_changed(&mut self, name: &str, since: &str) -> Answer {
        let since_ms = read_time(since)?;
        let id = self.tree(name)?.row.id;
        let tree = load(&self.store, id).map_err(words)?;
        let (root, mut text) = (tree.game.root(), String::new());
        let move_at = |point: &deepanalyze_store::CoursePoint| {
            let score = seen(point.alpha, root.turn(), PointOfView::White);
            format!("{} {score} for White", numbered_move(root, point.best))
        };
        let (before, later): (Vec<_>, Vec<_>) =
            tree.course.iter().partition(|point| point.noted_at < since_ms);
        let _ = writeln!(text, "since {}:", timestamp(since_ms));
        let first = before.last().copied().map(move_at);
        let _ = match &first {
            Some(first) => writeln!(text, "then the tree's best move was {first}"),
            None => writeln!(text, "then there was no tree"),
        };
        let mut last = before.last().map(|point| point.best);
        let (mut changes, mut lines) = (Vec::new(), Vec::new());
        for point in &later {
            if last != Some(point.best) {
                let at = timestamp(point.noted_at);
                lines.push(format!("{at}: {}", move_at(point)));
                changes.push(json!({ "at": at, "move": NamedMove::of(root, point.best), "score": Score::from(point.alpha) }));
            }
            last = Some(point.best);
        }
        let left_out = lines.len().saturating_sub(MOST_MOVES);
        if left_out > 0 {
            let _ = writeln!(text, "{} before these:", count(left_out as u64, "change"));
        }
        lines.iter().skip(left_out).for_each(|line| text.extend([line, "\n"]));
        if lines.is_empty() {
            let _ = writeln!(text, "its best move has not changed");
        }
        let depths: Vec<u32> = tree
            .verdicts
            .iter()
            .filter(|v| v.settled_at >= since_ms)
            .map(|v| v.settled.depth)
            .collect();
        if let (Some(first), Some(last)) = (depths.first(), depths.last()) {
            let _ = writeln!(text, "depths completed since: {first} to {last}");
        }
        let searches = later.last().map_or(0, |last| {
            last.searches - before.last().map_or(0, |before| before.searches.min(last.searches))
        });
        let _ = writeln!(text, "{} since", count(searches, "answer"));
        if let Some(told) = tree.verdict() {
            let _ = writeln!(text, "the verdict is now {}", told.headline(PointOfView::White));
        }
        let data = json!({
            "since": timestamp(since_ms), "before": first, "changes": changes, "depths": depths,
            "answers": searches, "verdict": tree.verdict(),
        });
        Ok(Told::new(text, data))
    }

    /// Moves that people play behind a line.
    pub fn people(&mut self, name: &str, line: &str) -> Answer {
        let tree = self.tree(name)?;
        let line = read_line(&tree.game, line)?;
        let position = after(&tree.game, &line);
        let counts = tree.growth.counts().get(&PositionKey::of(&position));
        let mut text = format!("{}\n", title(&tree.game, &line));
        let Some(counts) = counts else {
            let why = match tree.row.settings.games {
                Some(_) => {
                    "what people play in this position was not looked up: the tree has not analysed it"
                }
                None => {
                    "this analysis knows no games and no net: `deepanalyze grow --games SET` or `--human NET` makes one that does"
                }
            };
            let _ = writeln!(text, "unknown: {why}");
            return Ok(Told::new(text, json!({ "games": null, "unknown": why })));
        };
        let all = (counts.games_here() > 0 || counts.weight() == 0).then(|| counts.games_here());
        if let Some(set) = &tree.row.game_set {
            let _ = writeln!(text, "{}", describe_set(set));
        }
        if let Some(all) = all {
            let _ = writeln!(text, "{} here", count(all, "game"));
        }
        let mut moves = Vec::new();
        for MoveCount { uci, .. } in counts.iter() {
            let (games, share) = (games_told(counts, uci), share_told(counts, uci));
            let told = describe_played(games, share);
            let _ = writeln!(text, "{} {told}", numbered_move(&position, uci));
            let (named, human) = (NamedMove::of(&position, uci), counts.human(uci));
            moves.push(json!({ "move": named, "games": games, "share": share, "human": human }));
        }
        let set = tree.row.game_set.as_ref().map(|set| {
            let human = HumanObject::of(&set.nets);
            json!({ "name": set.name, "games": set.games, "human": human })
        });
        Ok(Told::new(text, json!({ "games": all, "moves": moves, "set": set })))
    }
}

/// A time of the past: how long ago, or a date. Milliseconds since 1970.
fn read_time(text: &str) -> Result<i64, String> {
    let text = text.trim().trim_end_matches("ago").trim();
    let ago = |ago: Duration| SystemTime::now().checked_sub(ago);
    let time = humantime::parse_duration(text).ok().and_then(ago);
    let time = time.or_else(|| humantime::parse_rfc3339_weak(text).ok());
    let time = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let ms = time.and_then(|since| i64::try_from(since.as_millis()).ok());
    ms.ok_or_else(|| format!("{text:?} is no time: \"24h\" and \"2026-11-30T08:00:00Z\" are"))
}
