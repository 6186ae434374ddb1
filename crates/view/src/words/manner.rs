//! How an analysis is made, in words: engine, distances, tablebases, directives.

use deepanalyze_core::chess::{
    DrawValue, FiftyMoves, GivenValue, Score, TableEnd, TableMove, Tables,
};
use deepanalyze_core::directives::{Directives, Said};
use deepanalyze_core::printable::printable;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Breadth, PlayedRule, PlayedRules};
use deepanalyze_store::{
    AnalysisRow, HumanNet, HumanNets, KeptGameSet, TreeSettings, USUAL_WEIGHT,
};

use crate::words::figures::count;

/// An engine with its limit and options: `Stockfish 15.1, engine depth 18, Hash=64`.
pub fn describe_profile(profile: &Profile) -> String {
    let limit = describe_limit(profile.limit);
    let options =
        profile.described_options().into_iter().map(|(name, value)| format!(", {name}={value}"));
    let words = format!("{}, {limit}{}", profile.engine, options.collect::<String>());
    printable(&words).into_owned()
}

/// The limit of each search.
pub fn describe_limit(limit: Limit) -> String {
    match limit {
        Limit::Depth(depth) => format!("engine depth {depth}"),
        Limit::Nodes(nodes) => count(nodes, "node"),
    }
}

/// `20 centipawns`, or `White 20, Black 0`, with `at least 4 root moves` and the value of a draw if
/// the user has set them.
pub fn describe_breadth(TreeSettings { breadth, draw, .. }: &TreeSettings) -> String {
    let breadth = match breadth.plain() {
        Some(distance) if breadth.least == 1 => count(distance.into(), "centipawn"),
        _ => breadth.to_string(),
    };
    breadth + &with_draw(*draw)
}

/// In a few words: `distance 20, a draw worth -0.25 for White`.
pub fn describe_distance(breadth: &Breadth, draw: DrawValue) -> String {
    format!("distance {breadth}{}", with_draw(draw))
}

fn with_draw(draw: DrawValue) -> String {
    describe_draw(draw).map_or_else(String::new, |worth| format!(", {worth}"))
}

/// `a draw worth -0.25 for White`; `None` if it is worth nothing to either side.
pub fn describe_draw(draw: DrawValue) -> Option<String> {
    (draw != DrawValue::default()).then(|| format!("a draw worth {draw} for White"))
}

/// The words behind an engine and its distance for a tree with tablebases: `, 5-piece tablebases
/// (fide)`.
pub fn with_tables(tables: Option<Tables>) -> String {
    let words = tables.map(|Tables { men, fifty }| format!(", {men}-piece tablebases ({fifty})"));
    words.unwrap_or_default()
}

/// The words behind these for a tree that knows games or nets: `, 1,234 games of club since 2020,
/// net maia-1500 (Black 5%/10)`.
pub fn with_games(row: &AnalysisRow) -> String {
    let Some((games, set)) = row.settings.games.zip(row.game_set.as_ref()) else {
        return String::new();
    };
    let rules = rules_in_words(&games.rules);
    let rules = if rules.is_empty() { rules } else { format!(" ({rules})") };
    let filter = if set.filter.is_empty() { String::new() } else { format!(" {}", set.filter) };
    let counted = (!set.name.is_empty())
        .then(|| format!(", {} of {}{filter}", count(set.games, "game"), set.name));
    let nets = describe_nets(&set.nets).map(|nets| format!(", {nets}"));
    format!("{}{}{rules}", counted.unwrap_or_default(), nets.unwrap_or_default())
}

/// The nets that predict the moves of people: `net maia-1500`, `net maia-1500 for Black`, `nets maia-1100
/// for White and maia-1500 for Black`, with the number of games that their probabilities stand for where it
/// is not the usual one; `None` without one.
pub fn describe_nets(HumanNets { white, black, weight }: &HumanNets) -> Option<String> {
    let name = |net: &HumanNet| printable(&net.name).into_owned();
    let names = match (white, black) {
        (None, None) => return None,
        (Some(white), Some(black)) if white == black => format!("net {}", name(white)),
        (Some(white), Some(black)) => {
            format!("nets {} for White and {} for Black", name(white), name(black))
        }
        (Some(white), None) => format!("net {} for White", name(white)),
        (None, Some(black)) => format!("net {} for Black", name(black)),
    };
    let weight =
        (*weight != USUAL_WEIGHT).then(|| format!(", as {}", count((*weight).into(), "game")));
    Some(format!("{names}{}", weight.unwrap_or_default()))
}

/// `White 5%/10, Black 5%/10`; empty if no side has a rule.
fn rules_in_words(PlayedRules { white, black }: &PlayedRules) -> String {
    let sides = [("White", white), ("Black", black)];
    let rules = sides.iter().filter_map(|(side, rule)| rule.map(|rule| format!("{side} {rule}")));
    rules.collect::<Vec<_>>().join(", ")
}

/// `club, 1,234 games, since 2020; followed: Black's moves from 5% and 10 games on`.
pub fn describe_games(set: &KeptGameSet, PlayedRules { white, black }: &PlayedRules) -> String {
    let sides = [("White", white), ("Black", black)];
    let rule = |(side, rule): (&str, &Option<PlayedRule>)| {
        let rule = (*rule)?.to_string();
        let (share, least) = rule.split_once('/')?;
        let games = if least == "1" { String::new() } else { format!(" and {least} games") };
        Some(format!("{side}'s moves from {share}{games} on"))
    };
    let rules: Vec<String> = sides.into_iter().filter_map(rule).collect();
    let followed = if rules.is_empty() {
        "none followed".to_owned()
    } else {
        format!("followed: {}", rules.join(", "))
    };
    format!("{}; {followed}", describe_set(set))
}

/// The games that an analysis knows, described likewise; `None` if it knows none. For a set that is
/// only counted, without the rules.
pub fn describe_known_games(row: &AnalysisRow) -> Option<String> {
    let set = row.game_set.as_ref()?;
    Some(
        row.settings
            .games
            .map_or_else(|| describe_set(set), |games| describe_games(set, &games.rules)),
    )
}

/// `club, 1,234 games, since 2020; net maia-1500`.
pub fn describe_set(KeptGameSet { name, games, filter, nets, .. }: &KeptGameSet) -> String {
    let filter = if filter.is_empty() { String::new() } else { format!(", {filter}") };
    let counted = (!name.is_empty()).then(|| format!("{name}, {}{filter}", count(*games, "game")));
    counted.into_iter().chain(describe_nets(nets)).collect::<Vec<_>>().join("; ")
}

/// How an analysis is made, in a few words: `Stockfish 17, engine depth 12, distance 30, 5-piece tablebases (fide)`.
pub fn describe_manner(row: &AnalysisRow) -> String {
    let (profile, tables) = (describe_profile(&row.profile), with_tables(row.settings.tables));
    let distance = describe_distance(&row.settings.breadth, row.settings.draw);
    format!("{profile}, {distance}{tables}{}", with_games(row))
}

/// `up to 5 pieces, the fifty-move rule counts (fide)`.
pub fn describe_tables(Tables { men, fifty }: Tables) -> String {
    let rule = match fifty {
        FiftyMoves::Fide => "the fifty-move rule counts (fide)",
        FiftyMoves::Iccf => "the fifty-move rule does not count (iccf)",
    };
    format!("up to {men} pieces, {rule}")
}

/// The result of a root move that tablebases know, for the side that plays it, in words.
pub fn describe_table_move(tables: Tables, m: &TableMove) -> &'static str {
    TableEnd { wdl: m.wdl, value: tables.value(m.wdl) }.words()
}

/// Number of each kind: `2 moves excluded, 1 move included, 1 note`; empty if there are none.
pub fn describe_directives(set: &Directives) -> String {
    let mut counts = [0; 5];
    for (_, Said { exclude, include, value, stop, note }) in set.positions() {
        let [value, stop, note] = [value.is_some(), *stop, note.is_some()].map(usize::from);
        let more = [exclude.len(), include.len(), value, stop, note];
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    }
    let words =
        [("move", " excluded"), ("move", " included"), ("value", ""), ("stop", ""), ("note", "")];
    let told = counts.iter().zip(words).filter(|(number, _)| **number > 0);
    let told = told.map(|(number, (noun, what))| format!("{}{what}", count(*number as u64, noun)));
    told.collect::<Vec<String>>().join(", ")
}

/// Number of each kind, or `none`.
pub fn describe_directives_or(set: &Directives, none: &str) -> String {
    match describe_directives(set) {
        words if words.is_empty() => none.to_owned(),
        words => words,
    }
}

/// Words for directives copied from a game this many plies shorter.
pub fn describe_copied(directives: usize, plies: usize) -> String {
    let directives = count(directives as u64, "directive");
    let before = if plies == 1 { "one ply".to_owned() } else { format!("{plies} plies") };
    format!("new position: copied the {directives} from {before} earlier in the game")
}

/// The directives of a root, and the number of positions waiting for answers under them, if its
/// tree was grown with others: `1 move excluded; 3 positions wait for the next `grow``. `None`
/// without either.
pub fn describe_directed(said: &Directives, waiting: Option<usize>) -> Option<String> {
    let named = || describe_directives_or(said, "none");
    match waiting {
        Some(0) => Some(format!("{}; all answers are known", named())),
        Some(1) => Some(format!("{}; 1 position waits for the next `grow`", named())),
        Some(more) => Some(format!("{}; {more} positions wait for the next `grow`", named())),
        None => (!said.is_empty()).then(named),
    }
}

/// A value that a position was given, in words: `a draw`, `won for White`, `+0.50 for White`.
pub fn describe_value(given: GivenValue) -> String {
    const WHITE_WINS: GivenValue = GivenValue::Centipawns(Directives::DECIDED);
    const BLACK_WINS: GivenValue = GivenValue::Centipawns(-Directives::DECIDED);
    match given {
        GivenValue::Draw => "a draw".to_owned(),
        WHITE_WINS => "won for White".to_owned(),
        BLACK_WINS => "won for Black".to_owned(),
        GivenValue::Centipawns(white) => format!("{} for White", Score::Cp(white)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::PositionKey;
    use deepanalyze_core::directives::read_set;
    use shakmaty::Chess;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn set(text: &str) -> Directives {
        read_set(&text.replace("START", START), &PositionKey::of(&Chess::default())).unwrap()
    }

    #[test]
    fn directives_are_counted_by_kind() {
        let all = set(r#"{"exclude": {"START": ["a2a3", "h2h3"]}, "include": {"START": ["e2e4"]},
            "note": {"START": "mine"}}"#);
        assert_eq!(describe_directives(&all), "2 moves excluded, 1 move included, 1 note");
        assert_eq!(describe_directives(&Directives::default()), "");
    }

    #[test]
    fn a_copy_says_where_it_comes_from() {
        let told = "new position: copied the 1 directive from one ply earlier in the game";
        assert_eq!(describe_copied(1, 1), told);
        assert!(
            describe_copied(5, 3).ends_with("the 5 directives from 3 plies earlier in the game")
        );
    }

    #[test]
    fn directives_say_how_many_positions_wait() {
        let (none, one) = (Directives::default(), set(r#"{"exclude": {"START": ["a2a3"]}}"#));
        let noted = set(r#"{"exclude": {"START": ["a2a3"]}, "note": {"START": "mine"}}"#);
        for (said, waiting, words) in [
            (&none, None, None),
            (&noted, None, Some("1 move excluded, 1 note")),
            (&one, Some(0), Some("1 move excluded; all answers are known")),
            (&one, Some(1), Some("1 move excluded; 1 position waits for the next `grow`")),
            (&none, Some(3), Some("none; 3 positions wait for the next `grow`")),
        ] {
            assert_eq!(describe_directed(said, waiting).as_deref(), words);
        }
    }

    #[test]
    fn values_are_told_as_players_say_them() {
        let told = [0, 30_000, -30_000, 50, -7].map(GivenValue::Centipawns).map(describe_value);
        let expected = [
            "0.00 for White",
            "won for White",
            "won for Black",
            "+0.50 for White",
            "-0.07 for White",
        ];
        assert_eq!(told, expected);
        assert_eq!(describe_value(GivenValue::Draw), "a draw");
    }
}
