//! Traps of a tree, for people and for programs.

use std::collections::HashSet;
use std::io::{self, Write};

use anstyle::Style;
use serde::Serialize;

use crate::audit::games::describe_often;
use crate::tree::anki::{Card, HEADER};
use deepanalyze_core::chess::{Game, PositionKey, Score, san_of};
use deepanalyze_core::search::Limit;
use deepanalyze_view::{
    AnalysisManner, DeeperLook, NamedMove, PointOfView, Side, Trap, Tree, after,
    describe_known_games, describe_limit, describe_loss, describe_played, json, last_opening,
    numbered_line, numbered_move, pawns, rounded, seen, wrap, write_field, write_json,
};

const DIM: Style = Style::new().dimmed();

/// The columns of a header line's name.
const NAME_WIDTH: usize = 8;

/// The traps of one side or of both, in the order in which they are told.
#[derive(Debug)]
pub struct TrapsTold<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The traps.
    pub traps: Vec<Trap>,
    /// Number of traps, told or not.
    pub all: usize,
    /// Number of those left out since deeper searches refute them.
    pub refuted: usize,
}

/// Writes each trap: how much it gives and how likely it comes up, the line, and what it costs where
/// the other side answers right.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_traps(
    told: &TrapsTold<'_>,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let TrapsTold { tree, traps, all, refuted } = told;
    let mut field = |name, value: &str| write_field(name, NAME_WIDTH, value, width, out);
    if let Some(games) = describe_known_games(&tree.row) {
        field("people", &games)?;
    }
    field("scores", &format!("in pawns, {}", pov.whose()))?;
    if traps.is_empty() {
        writeln!(out, "\nno traps")?;
    }
    for (number, trap) in traps.iter().enumerate() {
        writeln!(out)?;
        let lines = Told { tree, trap, pov };
        let head = format!("{:>3}  ", number + 1);
        let mut begin = head.as_str();
        for text in [Some(lines.error()), Some(lines.line()), Some(lines.right()), lines.deeper()]
            .into_iter()
            .flatten()
        {
            for line in wrap(&text, width.map(|width| width.saturating_sub(head.len()))) {
                writeln!(out, "{DIM}{begin}{DIM:#}{line}")?;
                begin = "     ";
            }
        }
    }
    let more = all - traps.len();
    if more > 0 {
        writeln!(out, "\n{more} more: --top {all} lists them")?;
    }
    if *refuted > 0 {
        writeln!(out, "\n{refuted} left out: deeper searches see a smaller loss")?;
    }
    Ok(())
}

/// A trap in words.
struct Told<'a> {
    tree: &'a Tree,
    trap: &'a Trap,
    pov: PointOfView,
}

impl Told<'_> {
    /// `5... Bxd1? loses 3.20 (41% of people): worth 2.1 points in 100 games to White`.
    fn error(&self) -> String {
        let Trap { error, games, share, best, after: value, .. } = self.trap;
        let position = after(self.tree.game.root(), &self.trap.line);
        let loses = describe_loss(-best.1, -*value);
        let side = self.trap.side.fold_wb("White", "Black");
        let worth = match self.trap.weight() {
            weight if weight < 0.05 => "less than 0.1".to_owned(),
            weight => format!("{weight:.1}"),
        };
        format!(
            "{}? {loses} ({}): worth {worth} points in 100 games to {side}",
            numbered_move(&position, *error),
            describe_played(*games, Some(*share)),
        )
    }

    /// The line, the losing reply, its punishment and what follows, with the score.
    fn line(&self) -> String {
        let Trap { line, error, punishment, follows, after: value, look, .. } = self.trap;
        let moves = [&line[..], &[*error], punishment.as_slice(), follows].concat();
        let score = seen(Score::from(*value), self.trap.side, self.pov);
        let one_search = self.trap.one_search && look.is_none();
        let sure = if one_search { " by one search" } else { "" };
        format!("{} ({score}{sure})", numbered_line(self.tree.game.root(), &moves))
    }

    /// How likely the position is, and what comes of it where the reply is right.
    fn right(&self) -> String {
        let Trap { line, reach, best: (uci, value), risk, .. } = self.trap;
        let position = after(self.tree.game.root(), line);
        let score = seen(Score::from(*value), self.trap.side, self.pov);
        let often = describe_often(*reach);
        let verb =
            if often.starts_with("one in") || often == "every game" { "comes" } else { "come" };
        let reached = format!("{often} {verb} to it");
        let right = format!("the right reply is {} ({score})", numbered_move(&position, *uci));
        let cost = match (line.split_last(), risk) {
            (None, _) => String::new(),
            (Some((own, before)), risk) => {
                let position = after(self.tree.game.root(), before);
                let cost = if *risk == 0 { "nothing".to_owned() } else { pawns(*risk) };
                format!(": {} has cost {cost} then", san_of(&position, *own))
            }
        };
        format!("{reached}; {right}{cost}")
    }

    /// `deeper search (engine depth 14): loses 2.80`.
    fn deeper(&self) -> Option<String> {
        let DeeperLook { after, best, limit } = self.trap.look?;
        let loses = describe_loss(-best, -after);
        Some(format!("deeper search ({}): {loses}", describe_limit(limit)))
    }
}

/// Writes a flash card for Anki for each trap whose punishment is known: the position behind the losing
/// reply, and the punishing move.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_trap_cards(
    told: &TrapsTold<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(HEADER.as_bytes())?;
    let game = &told.tree.game;
    let deck = last_opening(game, &[]).map_or("Traps", |opening| opening.name);
    let mut written = HashSet::new();
    for trap in &told.traps {
        let Some(punishment) = trap.punishment else { continue };
        let moves = [&trap.line[..], &[trap.error]].concat();
        // Another error may lead to the same position.
        if !written.insert(PositionKey::of(&after(game.root(), &moves))) {
            continue;
        }
        let words = Told { tree: told.tree, trap, pov };
        let card = Card {
            kind: "trap-",
            position: after(game.root(), &moves),
            start: game.start().clone(),
            line: [game.moves(), &moves].concat(),
            answers: vec![punishment],
            score: Some(seen(Score::from(trap.after), trap.side, pov).to_string()),
            whose: pov.whose(),
            games: trap.games,
            share: Some(trap.share),
            note: format!("{}; {}", words.line(), words.right()),
            deck: format!("{deck}::Traps for {}", trap.side.fold_wb("White", "Black")),
        };
        card.write(out)?;
    }
    Ok(())
}

/// Traps in JSON. Scores are the side's that sets them.
#[derive(Serialize)]
struct TrapsObject<'a> {
    analysis: i64,
    #[serde(flatten, serialize_with = "json::root")]
    game: &'a Game,
    #[serde(flatten)]
    made_of: AnalysisManner<'a>,
    all: usize,
    refuted: usize,
    traps: Vec<TrapObject>,
}

#[derive(Serialize)]
struct TrapObject {
    side: Side,
    /// The moves from the root to the position in which the reply is played.
    line: Vec<NamedMove>,
    error: NamedMove,
    games: Option<u64>,
    /// 0 to 1.
    share: f64,
    reach: f64,
    /// Points in 100 games from the root, if the side aims at it.
    gain: f64,
    score: Score,
    /// True if a single search gave it.
    one_search: bool,
    punishment: Option<NamedMove>,
    /// How the game goes on behind it.
    follows: Vec<NamedMove>,
    best: NamedMove,
    best_score: Score,
    /// Centipawns that the last move of the line costs if the best reply is played.
    risk: u32,
    /// Deeper searches of the position behind the reply, and of the one before it.
    deeper: Option<DeeperObject>,
}

#[derive(Serialize)]
struct DeeperObject {
    limit: Limit,
    score: Score,
    best_score: Score,
}

impl TrapObject {
    fn of(tree: &Tree, trap: &Trap) -> TrapObject {
        let root = tree.game.root();
        let position = after(root, &trap.line);
        let behind = after(&position, [&trap.error]);
        TrapObject {
            side: trap.side.into(),
            line: NamedMove::line(root, &trap.line),
            error: NamedMove::of(&position, trap.error),
            games: trap.games,
            share: rounded(trap.share),
            reach: rounded(trap.reach),
            gain: rounded(trap.weight()),
            score: trap.after.into(),
            one_search: trap.one_search,
            punishment: trap.punishment.map(|uci| NamedMove::of(&behind, uci)),
            follows: NamedMove::line(&after(&behind, trap.punishment.as_slice()), &trap.follows),
            best: NamedMove::of(&position, trap.best.0),
            best_score: trap.best.1.into(),
            risk: trap.risk,
            deeper: trap.look.map(|DeeperLook { after, best, limit }| DeeperObject {
                limit,
                score: after.into(),
                best_score: best.into(),
            }),
        }
    }
}

/// Writes the traps as JSON.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_traps_json(told: &TrapsTold<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tree = told.tree;
    let traps = told.traps.iter().map(|trap| TrapObject::of(tree, trap)).collect();
    let object = TrapsObject {
        analysis: tree.row.id.0,
        game: &tree.game,
        made_of: AnalysisManner::of(&tree.row),
        all: told.all,
        refuted: told.refuted,
        traps,
    };
    write_json(&object, out)
}
