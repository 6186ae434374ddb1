//! A walk through the findings of an audit.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use deepanalyze_core::directives::{Directives, Finding, audit};
use deepanalyze_core::tree::Growth;
use deepanalyze_report::{FindingWords, GapFound, OwnLoss, games_audit};
use deepanalyze_view::{PeopleAsked, PointOfView};

use super::explorer::Explorer;

/// Greatest number of unanswered played replies, and of own moves that score less.
const MOST_OF_GAMES: usize = 20;

/// A finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// By the tree's scores.
    InTree(Finding),
    /// A reply that is played and has no answer.
    Gap(GapFound),
    /// An included move that scores less than another one.
    Loss(OwnLoss),
}

impl Found {
    /// The moves from the root to its position.
    pub fn line(&self) -> &[UciMove] {
        match self {
            Found::InTree(finding) => &finding.line,
            Found::Gap(gap) => &gap.line,
            Found::Loss(loss) => &loss.line,
        }
    }

    /// The move it is about.
    pub fn uci(&self) -> Option<UciMove> {
        match self {
            Found::InTree(finding) => finding.uci,
            Found::Gap(gap) => Some(gap.uci),
            Found::Loss(loss) => Some(loss.own.0),
        }
    }

    /// True for the same kind at the same line and move: the weight may differ.
    fn is_same(&self, other: &Found) -> bool {
        let is_same_kind = match (self, other) {
            (Found::InTree(a), Found::InTree(b)) => a.kind == b.kind,
            (Found::Gap(_), Found::Gap(_)) | (Found::Loss(_), Found::Loss(_)) => true,
            _ => false,
        };
        is_same_kind && (self.line(), self.uci()) == (other.line(), other.uci())
    }

    /// Its text, without the line to it, which is on screen.
    fn words(&self, root: &Chess, side: Color, pov: PointOfView) -> String {
        match self {
            Found::InTree(finding) => {
                let FindingWords { kind, what, rest, .. } =
                    FindingWords::of(root, side, (finding, None), pov);
                format!("{kind}: {what}{rest}")
            }
            Found::Gap(gap) => gap.words_here(root),
            Found::Loss(loss) => loss.words_here(root),
        }
    }
}

/// The findings of one side's repertoire, and a place among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    side: Color,
    list: Vec<Found>,
    /// The current finding; if there is none, the next one.
    at: usize,
    is_there: bool,
    /// True if moves are included at the root: without any there is no repertoire.
    has_moves: bool,
    /// True if the tree or its directives have changed since.
    is_old: bool,
}

impl Findings {
    /// Audits a side's repertoire in a tree under these directives, the greatest cost first. The
    /// next one is the first.
    pub fn of(growth: &Growth, directives: &Directives, side: Color) -> Findings {
        let (list, has_moves) = look(growth, directives, side);
        Findings { side, list, at: 0, is_there: false, has_moves, is_old: false }
    }

    /// The repertoire's side.
    pub fn side(&self) -> Color {
        self.side
    }

    /// Marks the findings as out of date: the tree or its directives have changed.
    pub fn expire(&mut self) {
        self.is_old = true;
    }

    /// Audits again, in a tree that has grown or has other directives. The current finding stays
    /// current if it is still one; else the next one is the one now in its place.
    pub fn renew(&mut self, growth: &Growth, directives: &Directives) {
        let before = self.here().cloned();
        (self.list, self.has_moves) = look(growth, directives, self.side);
        self.is_old = false;
        let same = |found: &Found| before.as_ref().is_some_and(|before| before.is_same(found));
        let place = self.list.iter().position(same);
        self.is_there = place.is_some();
        self.at = place.unwrap_or(self.at);
    }

    /// The current finding.
    pub fn here(&self) -> Option<&Found> {
        self.list.get(self.at).filter(|_| self.is_there)
    }

    /// Goes to the next finding, from the last to the first.
    pub fn go_on(&mut self) -> Option<&Found> {
        let next = self.at.saturating_add(usize::from(self.is_there));
        self.go(if next < self.list.len() { next } else { 0 })
    }

    /// Goes to the finding before, from the first to the last.
    pub fn go_back(&mut self) -> Option<&Found> {
        let last = self.list.len().saturating_sub(1);
        self.go(self.at.min(self.list.len()).checked_sub(1).unwrap_or(last))
    }

    fn go(&mut self, place: usize) -> Option<&Found> {
        (self.at, self.is_there) = (place, place < self.list.len());
        self.here()
    }

    /// The place and text of the finding, without the line to it, which is on screen: `3/19 not
    /// prepared: 4. Bd3: +0.32, …`.
    pub fn words(&self, root: &Chess, pov: PointOfView) -> Option<String> {
        let words = self.here()?.words(root, self.side, pov);
        Some(format!("{}/{} {words}", self.at + 1, self.list.len()))
    }
}

/// The findings of a side's repertoire; true if it has one: included moves, or games by which the
/// moves that score most are one.
fn look(growth: &Growth, directives: &Directives, side: Color) -> (Vec<Found>, bool) {
    let (root, audit) = (growth.position(growth.root()), audit(growth, directives, side, 0));
    let games = games_audit(growth, &root, &audit.findings, PeopleAsked::of(side), MOST_OF_GAMES);
    let (is_included, is_counted) = (audit.positions > 1, games.is_some());
    let in_tree = if is_included { audit.findings } else { Vec::new() };
    let (gaps, losses) = games.map(|games| (games.gaps, games.losses)).unwrap_or_default();
    let in_tree = in_tree.into_iter().filter(|finding| !finding.is_at_end_of_line());
    let by_games = gaps.into_iter().map(Found::Gap).chain(losses.into_iter().map(Found::Loss));
    (by_games.chain(in_tree.map(Found::InTree)).collect(), is_included || is_counted)
}

impl Explorer {
    /// Audits a side's repertoire, and goes to the first finding.
    pub(super) fn look_through(&mut self, side: Color) {
        let findings = Findings::of(&self.tree().growth, &self.tree().directives, side);
        self.findings = Some(findings);
        self.go_to_finding(Findings::go_on);
    }

    /// Goes to another finding, and shows its text.
    pub(super) fn go_to_finding(&mut self, go: fn(&mut Findings) -> Option<&Found>) {
        let Some(mut findings) = self.findings.take() else {
            return self.tell("press w to audit White's repertoire, b for Black's".to_owned());
        };
        if findings.is_old {
            findings.renew(&self.tree().growth, &self.tree().directives);
        }
        match go(&mut findings).cloned() {
            Some(found) => {
                self.go_to(found.line(), found.uci());
                let words = findings.words(self.tree().game.root(), self.pov);
                let is_far = self.here().line.len() < found.line().len();
                let far = if is_far { "; the tree does not reach that far" } else { "" };
                self.tell(words.unwrap_or_default() + far);
            }
            None if findings.has_moves => self.tell("nothing found in this repertoire".to_owned()),
            None => self.tell("no move is included at the root: i includes one".to_owned()),
        }
        self.findings = Some(findings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Game, PositionKey, Score, Value};
    use deepanalyze_core::directives::Directive;
    use deepanalyze_core::tree::Selection;

    fn after(line: &str) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(line).unwrap();
        game
    }

    fn including(lines: &[&str]) -> Directives {
        let mut set = Directives::default();
        for line in lines {
            let mut game = after("");
            for word in line.split(' ') {
                let before = game.root().clone();
                game.play_line(word).unwrap();
                let uci: UciMove = *game.moves().last().unwrap();
                let root = PositionKey::of(after("").root());
                set.add(&root, &before, Directive::Include(uci)).unwrap();
            }
        }
        set
    }

    type Lists<'a> = [(&'a str, &'a [(&'a str, i32)])];

    /// Three replies at the root, of which one has an answer that loses 0.07.
    const LISTS: [(&str, &[(&str, i32)]); 2] = [
        ("", &[("d2d4", 30), ("c2c4", 28), ("e2e4", 25)]),
        ("e4", &[("e7e5", -25), ("c7c6", -32)]),
    ];

    fn tree(set: &Directives) -> Growth {
        tree_of(set, &LISTS)
    }

    fn tree_of(set: &Directives, lists: &Lists<'_>) -> Growth {
        let selection = Selection { wishes: set.wishes(), ..20.into() };
        let mut growth = Growth::new(&after(""), selection);
        for (line, moves) in lists {
            let node = growth.node_of(after(line).root());
            let value = |cp| Value::from(Score::Cp(cp));
            let moves = moves.iter().map(|(uci, cp)| (uci.parse().unwrap(), value(*cp)));
            growth.admit(vec![(node, moves.collect())]).unwrap();
        }
        growth
    }

    fn told(findings: &Findings) -> String {
        let words = findings.words(after("").root(), PointOfView::White);
        let words = words.unwrap_or_default();
        words.split(',').next().unwrap_or_default().to_owned()
    }

    const LAST: &str = "4/4 not reached yet: 1. e4 c6";

    #[test]
    fn findings_are_walked_both_ways_and_around() {
        let set = including(&["e4 c6"]);
        let mut findings = Findings::of(&tree(&set), &set, Color::Black);
        assert_eq!((told(&findings), findings.side()), (String::new(), Color::Black));
        let mut forward = Vec::new();
        for _ in 0..5 {
            findings.go_on();
            forward.push(told(&findings));
        }
        let expected = [
            "1/4 own move: 1... c6: +0.32",
            "2/4 not prepared: 1. d4: +0.30",
            "3/4 not prepared: 1. c4: +0.28",
            LAST,
            "1/4 own move: 1... c6: +0.32",
        ];
        assert_eq!(forward, expected);
        findings.go_back();
        assert_eq!(told(&findings), LAST);
        findings.go_back();
        assert_eq!(told(&findings), expected[2]);
        let mut findings = Findings::of(&tree(&set), &set, Color::Black);
        assert_eq!(findings.go_back().map(|found| found.line().len()), Some(2), "the last one");
    }

    #[test]
    fn gone_finding_is_replaced_by_the_next() {
        let set = including(&["e4 c6"]);
        let mut findings = Findings::of(&tree(&set), &set, Color::Black);
        findings.go_on();
        findings.go_on();
        findings.renew(&tree(&set), &set);
        assert_eq!(told(&findings), "2/4 not prepared: 1. d4: +0.30", "nothing has changed");
        let more = including(&["e4 c6", "d4 d5"]);
        findings.renew(&tree(&more), &more);
        assert_eq!(findings.here(), None, "it has an answer now");
        findings.go_on();
        assert_eq!(told(&findings), "2/5 not prepared: 1. c4: +0.28");
    }

    #[test]
    fn without_a_finding_there_is_nowhere_to_go() {
        let mut set = including(&["e4"]);
        let root = PositionKey::of(after("").root());
        set.add(&root, after("e4").root(), Directive::Stop).unwrap();
        let growth = tree_of(&set, &[("", &[("e2e4", 25)])]);
        let mut findings = Findings::of(&growth, &set, Color::White);
        assert_eq!(findings.go_on(), None);
        assert_eq!(findings.go_back(), None);
        assert_eq!(told(&findings), "");
    }
}
