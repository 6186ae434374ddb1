use super::*;
use crate::tree::layout::ReportStart;
use crate::tree::{PrintOptions, TreeFormat};
use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::tree::{Lists, grown_of};
use deepanalyze_view::StoredTree;
use deepanalyze_view::testing::kept_of;
use shakmaty::Color;

const LISTS: &Lists<'_> = &[
    ("", &[("e2e4", 30), ("d2d4", 20)]),
    ("e4", &[("e7e5", -30), ("c7c5", -32), ("d7d5", -90)]),
    ("e4 e5", &[("g1f3", 30), ("b1c3", 25)]),
    ("e4 c5", &[("g1f3", 32)]),
    ("e4 e5 Nf3", &[("b8c6", -30)]),
    ("e4 c5 Nf3", &[("d7d6", -32), ("b8c6", -33)]),
    ("e4 c5 Nf3 Nc6", &[("d2d4", 33)]),
];

fn tree() -> StoredTree {
    let game = Game::from_start("startpos").unwrap();
    let (root, mut said) = (PositionKey::of(game.root()), Directives::default());
    let mut there = game.clone();
    there.play_line("e4 c5").unwrap();
    said.add(&root, there.root(), Directive::Note("my {main} line".to_owned())).unwrap();
    kept_of(&game, grown_of(&game, 10, LISTS), said)
}

fn report(tree: &StoredTree, side: Option<Color>) -> TreeReport<'_> {
    let options = PrintOptions { side, ..PrintOptions::of(TreeFormat::Study) };
    TreeReport::new(tree, ReportStart::behind(tree, "").unwrap(), options)
}

fn chaptered(report: &TreeReport<'_>, positions: usize, most: usize) -> String {
    let study = Study::new(report);
    let chapters = chapters(report, positions, most);
    let names = study.names(&chapters);
    let each = chapters.kept.iter().enumerate();
    let texts = each.map(|(number, chapter)| {
        String::from_utf8(study.text(&chapters, &names, number, chapter).unwrap()).unwrap()
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_small_repertoire_is_one_chapter() {
    let tree = tree();
    let report = report(&tree, Some(Color::White));
    let mut out = Vec::new();
    write_study(&report, &mut out).unwrap();
    assert_eq!(chapters_left_out(&report), None);
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}

#[test]
fn large_chapter_is_cut_into_named_parts() {
    let tree = tree();
    insta::assert_snapshot!(chaptered(&report(&tree, Some(Color::White)), 7, 64));
}

#[test]
fn chapters_are_small_and_hold_every_move_once() {
    let tree = tree();
    let report = report(&tree, None);
    let all: usize = report.places.iter().map(crate::tree::transpositions::shown).sum();
    for most in [6, 7, 8, 9, 10, 14, 3000] {
        let chapters = chapters(&report, most, 64);
        assert!(chapters.kept.iter().all(|chapter| chapter.positions <= most), "{chapters:?}");
        let before = |chapter: &Chapter| report.moves_to(chapter.start).len();
        let moves: usize =
            chapters.kept.iter().map(|chapter| chapter.positions - before(chapter)).sum();
        assert_eq!(moves, all, "{most}: {chapters:?}");
    }
    let few = chapters(&report, 6, 2);
    assert!(few.kept.len() == 2 && few.left > 0 && few.kept[0].start == 0, "{few:?}");
}
