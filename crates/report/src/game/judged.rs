//! Judges a game's moves by the trees of its positions (docs/formats.md, "An annotated game").

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{DrawValue, Ending, Game, PositionKey, Value};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Breadth, Graph};
use deepanalyze_store::{Store, StoreError};

use crate::tree::movetext::nag_of_move;
use deepanalyze_view::{ChosenBy, LinePosition, NamedMove, SHOWN_PLIES, Tree, Verdict, best_line};

/// A line from a position of a game. Values are for the side to move there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedLine {
    /// The value of its first move.
    pub value: Value,
    /// The engine's win, draw and loss behind it, if given.
    pub wdl: Option<WinDrawLoss>,
    /// Its moves; empty at an end of the game.
    pub moves: Vec<UciMove>,
    /// Its origin; `None` at an end of the game.
    pub by: Option<ChosenBy>,
    /// The ply of the game's position with this value.
    pub ply: usize,
}

/// The verdict of a position's tree and closing search, without the rest of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub best: JudgedLine,
    /// The moves that count, by alpha, the greatest first.
    pub moves: Vec<JudgedLine>,
}

/// A played move and its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotation {
    /// The value for its mover, if known.
    pub played: Option<Value>,
    /// True if the best line begins with another move and is better by the move distance or more.
    pub is_beaten: bool,
    /// The glyph of its loss of winning chances, if it deserves one.
    pub glyph: Option<u8>,
}

/// The judgement on the root of a stored tree; `None` if not analysed yet. Where the tree ends, the
/// engine's own lines follow.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn judge(store: &Store, tree: &Tree) -> Result<Option<Judgement>, StoreError> {
    let (growth, ply) = (&tree.growth, tree.game.moves().len());
    let line = |value, wdl, moves: Vec<UciMove>, by| {
        let moves = moves.into_iter().take(SHOWN_PLIES).collect();
        JudgedLine { value, wdl, moves, by: Some(by), ply }
    };
    let mut root = LinePosition::at(tree, &[]);
    root.look_on(store, tree)?;
    let moves = root
        .moves
        .iter()
        .filter_map(|m| Some(line(m.alpha?, m.said, NamedMove::ucis(&m.line), ChosenBy::Tree)));
    let moves: Vec<JudgedLine> = moves.collect();
    let best = match root.told {
        Some(Verdict { choice, by, .. }) => {
            let is_own = |line: &&JudgedLine| {
                by == ChosenBy::Tree && line.moves.first() == choice.moves.first()
            };
            let own = moves.iter().find(is_own).cloned();
            own.unwrap_or_else(|| line(choice.value, choice.wdl, choice.moves, by))
        }
        // The root is an end.
        None => match best_line(growth) {
            Some(best) => line(best.value, None, Vec::new(), ChosenBy::Tree),
            None => return Ok(None),
        },
    };
    Ok(Some(Judgement { best, moves }))
}

/// Propagates the judgements on a game's positions back along the game, from the last position to
/// the first: the value of a position is the better of its own verdict and of the move played
/// there, which is worth what the position behind it is. So no move is worth more to its mover than
/// its position. Returns the best line of each position (`None` if it is not judged, or the rules
/// end the game), and the annotation of each move. The first judgement is of the initial position.
pub fn hand_back(
    game: &Game,
    judgements: &[Option<Judgement>],
    breadth: &Breadth,
    draw: DrawValue,
) -> (Vec<Option<JudgedLine>>, Vec<Annotation>) {
    let positions = std::iter::once(game.start().clone()).chain(game.positions());
    let positions: Vec<Chess> = positions.collect();
    let (mut lines, mut annotations, mut behind) = (Vec::new(), Vec::new(), None);
    for (ply, position) in positions.iter().enumerate().rev() {
        let own = judgements.get(ply).and_then(Option::as_ref);
        let played = game.moves().get(ply).map(|uci| (*uci, led_to(*uci, behind.take())));
        let here = match (end_of(&positions, ply, draw), own, &played) {
            (Some(value), ..) => Some(JudgedLine::end(value, ply)),
            (None, None, _) => None,
            (None, Some(own), Some((_, Some(played)))) => Some(own.beside(played)),
            (None, Some(own), _) => Some(own.best.clone()),
        };
        if let Some((uci, played)) = played {
            let value = played.map(|played| played.value).or_else(|| own?.worth(uci));
            let distance = breadth.distance(position.turn(), 0);
            annotations.push(Annotation::of(uci, value, here.as_ref(), distance));
        }
        lines.push(here.clone().filter(|_| Ending::of(position).is_none()));
        behind = here;
    }
    lines.reverse();
    annotations.reverse();
    (lines, annotations)
}

/// The line of a move, from the best line of the position behind it.
fn led_to(uci: UciMove, behind: Option<JudgedLine>) -> Option<JudgedLine> {
    let JudgedLine { value, wdl, moves, by, ply } = behind?;
    let moves = std::iter::once(uci).chain(moves).take(SHOWN_PLIES).collect();
    Some(JudgedLine { value: value.step(), wdl: wdl.map(WinDrawLoss::flipped), moves, by, ply })
}

/// The value of a position that ends the game, for its side to move: by the rules, or by a third
/// repetition in the last position.
fn end_of(positions: &[Chess], ply: usize, draw: DrawValue) -> Option<Value> {
    let position = positions.get(ply)?;
    let drawn = draw.for_side(position.turn());
    if let Some(ending) = Ending::of(position) {
        return Some(Graph::end_value(ending, drawn));
    }
    let key = PositionKey::of(position);
    let is_third = || positions.iter().filter(|other| PositionKey::of(other) == key).count() >= 3;
    (ply + 1 == positions.len() && is_third()).then_some(drawn)
}

impl JudgedLine {
    fn end(value: Value, ply: usize) -> JudgedLine {
        JudgedLine { value, wdl: None, moves: Vec::new(), by: None, ply }
    }

    /// True if it begins with it.
    fn begins_with(&self, uci: UciMove) -> bool {
        self.moves.first() == Some(&uci)
    }
}

impl Judgement {
    /// The best line, given the value of the game's move.
    fn beside(&self, played: &JudgedLine) -> JudgedLine {
        let own = match played.moves.first() {
            Some(uci) if self.is_refuted_by(*uci, played.value) => self.other_than(*uci),
            _ => Some(self.best.clone()),
        };
        own.filter(|own| own.value >= played.value).unwrap_or_else(|| played.clone())
    }

    /// True if the verdict's move was played, and the game shows it is a mistake, or not what the
    /// verdict assumes: a return to an earlier position is a draw in the tree, but the game may go
    /// on.
    fn is_refuted_by(&self, uci: UciMove, played: Value) -> bool {
        self.best.begins_with(uci) && nag_of_move(self.best.value, played).is_some()
    }

    /// The best of the other moves, worth no more than the verdict.
    fn other_than(&self, uci: UciMove) -> Option<JudgedLine> {
        let other = self.moves.iter().find(|line| !line.begins_with(uci))?;
        Some(JudgedLine { value: other.value.min(self.best.value), ..other.clone() })
    }

    /// The value of a move by this judgement alone.
    fn worth(&self, uci: UciMove) -> Option<Value> {
        let found =
            std::iter::once(&self.best).chain(&self.moves).find(|line| line.begins_with(uci));
        found.map(|line| line.value.min(self.best.value))
    }
}

impl Annotation {
    fn of(
        uci: UciMove,
        played: Option<Value>,
        best: Option<&JudgedLine>,
        distance: u32,
    ) -> Annotation {
        let beaten = best.filter(|best| !best.moves.is_empty() && !best.begins_with(uci));
        let Some((best, value)) = beaten.map(|best| best.value).zip(played) else {
            return Annotation { played, ..Annotation::default() };
        };
        let distance = if best.is_mate() { 0 } else { distance };
        let is_beaten = value < best && i64::from(value.get()) <= best.less(distance);
        Annotation { played, is_beaten, glyph: nag_of_move(best, value) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use deepanalyze_core::chess::parse_uci;

    fn line(uci: &str, value: i64) -> JudgedLine {
        let (value, moves) = (Value::new(value).unwrap(), vec![parse_uci(uci).unwrap()]);
        JudgedLine { value, wdl: None, moves, by: Some(ChosenBy::Tree), ply: 0 }
    }

    /// Best first.
    fn judgement(moves: &[(&str, i64)]) -> Option<Judgement> {
        let moves: Vec<_> = moves.iter().map(|(uci, value)| line(uci, *value)).collect();
        Some(Judgement { best: moves[0].clone(), moves })
    }

    /// Value and first move of each position, and value and glyph of each move.
    type Told = (Vec<Option<(i16, String)>>, Vec<(Option<i16>, Option<u8>)>);

    fn of(moves: &str, judgements: &[Option<Judgement>]) -> Told {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let draw = DrawValue::default();
        let (lines, annotations) = hand_back(&game, judgements, &20.into(), draw);
        let first = |line: JudgedLine| {
            let first = line.moves.first().map(ToString::to_string);
            (line.value.get(), first.unwrap_or_default())
        };
        let lines = lines.into_iter().map(|line| line.map(first)).collect();
        let moves = annotations.into_iter().map(|a| (a.played.map(Value::get), a.glyph));
        (lines, moves.collect())
    }

    fn told(value: i16, first: &str) -> Option<(i16, String)> {
        Some((value, first.to_owned()))
    }

    #[test]
    fn a_move_is_worth_what_the_position_behind_it_is() {
        let judgements = [
            judgement(&[("e2e4", 30), ("g2g4", -200)]),
            judgement(&[("d7d5", 90)]),
            judgement(&[("g1f3", -95)]),
        ];
        let (lines, moves) = of("g4 d5", &judgements);
        assert_eq!(moves, [(Some(-95), Some(2)), (Some(95), None)]);
        assert_eq!(lines, [told(30, "e2e4"), told(95, "d7d5"), told(-95, "g1f3")]);
    }

    #[test]
    fn better_moves_of_the_game_pass_back_their_line() {
        let judgements = [
            judgement(&[("e2e4", 0)]),
            judgement(&[("e7e5", 0)]),
            judgement(&[("d2d4", 300)]),
            None,
        ];
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("d4 a6 d5").unwrap();
        let (lines, moves) = hand_back(&game, &judgements, &20.into(), DrawValue::default());
        let first = lines[0].as_ref().unwrap();
        // Black had only moves that lose, so White's was no mistake.
        assert_eq!((first.value.get(), first.moves.len(), first.ply), (0, 1, 0));
        assert_eq!((moves[0].glyph, moves[1].glyph), (None, Some(4)));
        let (lines, moves) =
            of("d4 a6", &[judgement(&[("e2e4", 0)]), judgement(&[("a7a6", -250)])]);
        assert_eq!(lines[0], told(250, "d2d4"));
        assert_eq!(moves[0], (Some(250), None));
    }

    #[test]
    fn a_refuted_verdict_yields_to_the_next_move() {
        let before = judgement(&[("e2e4", 20), ("d2d4", 10), ("c2c4", -20)]);
        let behind = judgement(&[("d7d5", 400)]);
        let (lines, moves) = of("e4", &[before.clone(), behind]);
        assert_eq!((&lines[0], moves[0]), (&told(10, "d2d4"), (Some(-400), Some(4))));
        // All others are as bad: the game was lost before.
        let lost = judgement(&[("e2e4", 20), ("d2d4", -410)]);
        let (lines, moves) = of("e4", &[lost, judgement(&[("d7d5", 400)])]);
        assert_eq!((&lines[0], moves[0]), (&told(-400, "e2e4"), (Some(-400), None)));
        // A slight loss is no refutation.
        let (lines, moves) = of("e4", &[before, judgement(&[("d7d5", 30)])]);
        assert_eq!((&lines[0], moves[0]), (&told(20, "e2e4"), (Some(-30), None)));
    }

    #[test]
    fn unanalysed_moves_get_their_alpha_up_to_the_verdict() {
        let before = judgement(&[("e2e4", 30), ("d2d4", 10), ("b1c3", 11)]);
        let nothing = (None, None);
        assert_eq!(of("d4 d5", &[before.clone(), None, None]).1, [(Some(10), None), nothing]);
        let mut overruled = before.unwrap();
        overruled.moves[1].value = Value::new(80).unwrap();
        assert_eq!(of("d4", &[Some(overruled)]).1, [(Some(30), None)]);
    }

    #[test]
    fn no_value_passes_an_unanalysed_position() {
        let judgements = [judgement(&[("e2e4", 30)]), None, judgement(&[("g1f3", 900)])];
        let (lines, moves) = of("e4 e5", &judgements);
        assert_eq!(lines, [told(30, "e2e4"), None, told(900, "g1f3")]);
        assert_eq!(moves, [(Some(30), None), (Some(-900), None)]);
    }

    #[test]
    fn beside_a_mate_every_longer_way_is_worse() {
        let before = judgement(&[("e2e4", 31_997), ("d2d4", 31_995)]).unwrap();
        let best = Some(before.best.clone());
        let uci = parse_uci("d2d4").unwrap();
        let played = Annotation::of(uci, before.worth(uci), best.as_ref(), 20);
        assert!(played.is_beaten && played.glyph.is_none());
    }

    #[test]
    fn a_return_is_judged_by_what_the_game_made_of_it() {
        let judgements = [
            judgement(&[("g1f3", 300)]),
            judgement(&[("g8f6", -300)]),
            judgement(&[("f3g1", 290)]),
            judgement(&[("f6g8", 0), ("d7d5", -290)]),
            judgement(&[("e2e4", 310)]),
        ];
        let (lines, moves) = of("Nf3 Nf6 Ng1 Ng8", &judgements);
        assert_eq!(moves[3], (Some(-310), None), "not the draw that the tree takes it for");
        assert_eq!((&lines[3], moves[2]), (&told(-290, "d7d5"), (Some(290), None)));
    }

    #[test]
    fn the_third_occurrence_at_the_end_is_a_draw() {
        let win = || judgement(&[("e2e4", 500), ("a2a3", 500)]);
        let lost = || judgement(&[("d7d5", -500)]);
        let all = [win(), lost(), win(), lost(), win(), lost(), win(), lost(), win()];
        let (lines, moves) = of("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", &all);
        assert_eq!((&lines[8], moves[7]), (&told(0, ""), (Some(0), None)));
        assert_eq!(moves[6], (Some(0), Some(4)), "White had better");
        let (_, moves) = of("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4", &all);
        assert_eq!((moves[7].0, moves[6].1), (Some(-500), None), "the game went on");
    }

    #[test]
    fn the_end_of_the_game_needs_no_tree() {
        let judgements = [None, None, None, judgement(&[("d8h4", 31_999)]), None];
        let (lines, moves) = of("f3 e5 g4 Qh4", &judgements);
        assert_eq!(moves[2..], [(Some(-31_998), None), (Some(31_999), None)]);
        assert_eq!((&lines[3], &lines[4]), (&told(31_999, "d8h4"), &None));
    }

    /// A value, whether it is of the game's own move, and both for further moves.
    type AnyJudgement = Option<(i64, bool, Vec<(i64, bool)>)>;

    /// A verdict that begins with the game's move or another one, and more moves.
    fn any_judgement() -> impl Strategy<Value = AnyJudgement> {
        let value = prop_oneof![
            4 => -900..900_i64,
            1 => prop::sample::select(vec![31_999_i64, 31_990, -31_998, -31_991, 0]),
        ];
        let moves = prop::collection::vec((value.clone(), any::<bool>()), 0..4);
        prop::option::weighted(0.8, (value, any::<bool>(), moves))
    }

    proptest! {
        #[test]
        fn moving_never_betters_a_position(
            all in prop::collection::vec(any_judgement(), 12),
            shuffled in any::<bool>(),
            draw in -30..30_i64,
        ) {
            let mut game = Game::from_start("startpos").unwrap();
            let moves = if shuffled { "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8" } else { "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1" };
            game.play_line(moves).unwrap();
            let other = parse_uci("h2h4").unwrap();
            let made = all.iter().take(game.moves().len() + 1).enumerate().map(|(ply, said)| {
                let (value, is_played, moves) = said.as_ref()?;
                let first = |is_played: bool| {
                    let played = game.moves().get(ply).filter(|_| is_played);
                    vec![played.copied().unwrap_or(other)]
                };
                let line = |value: i64, is_played| JudgedLine {
                    value: Value::new(value).unwrap(),
                    wdl: None,
                    moves: first(is_played),
                    by: Some(ChosenBy::Tree),
                    ply,
                };
                let moves = moves.iter().map(|(value, is_played)| line(*value, *is_played));
                Some(Judgement { best: line(*value, *is_played), moves: moves.collect() })
            });
            let judgements: Vec<Option<Judgement>> = made.collect();
            let draw = DrawValue::new(draw).unwrap();
            let (lines, annotations) = hand_back(&game, &judgements, &20.into(), draw);
            prop_assert_eq!((lines.len(), annotations.len() + 1), (judgements.len(), judgements.len()));
            for (ply, annotation) in annotations.iter().enumerate() {
                let [here, behind] = [&lines[ply], &lines[ply + 1]];
                prop_assert_eq!(here.is_some(), judgements[ply].is_some());
                if let Some(behind) = behind {
                    prop_assert_eq!(annotation.played, Some(behind.value.step()));
                }
                if let Some(here) = here {
                    prop_assert!(annotation.played.is_none_or(|played| played <= here.value));
                    let is_best = here.begins_with(game.moves()[ply]);
                    prop_assert!(!is_best || annotation.glyph.is_none() && !annotation.is_beaten);
                }
            }
            let last = judgements.last().unwrap().as_ref().map(|own| own.best.value);
            let drawn = draw.for_side(game.root().turn());
            let told = lines.last().unwrap().as_ref().map(|line| line.value);
            prop_assert_eq!(told, if shuffled { Some(drawn) } else { last });
        }
    }
}
