//! The tree of a vector in a database.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use deepanalyze_core::chess::{PositionKey, parse_fen, parse_uci};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_runner::{ControlReceiver, grow_trees};
use deepanalyze_store::{AnalysisKey, NewAnswer, RootOrigin, Store, StoreError, TreeSettings};
use shakmaty::uci::UciMove;

use super::{Said, Vector, game};

impl Said {
    fn directives(&self) -> Directives {
        let key = |epd: &str| PositionKey::of(&parse_fen(epd).unwrap());
        let moves = |texts: &BTreeMap<String, Vec<String>>, of: fn(UciMove) -> Directive| {
            let each = texts.iter().flat_map(|(epd, texts)| {
                texts.iter().map(move |text| (key(epd), of(parse_uci(text).unwrap())))
            });
            each.collect::<Vec<_>>()
        };
        let values = self.value.iter().map(|(epd, given)| (key(epd), Directive::Value(*given)));
        let stops = self.stop.iter().map(|epd| (key(epd), Directive::Stop));
        let said = moves(&self.exclude, Directive::Exclude).into_iter();
        let said = said.chain(moves(&self.include, Directive::Include)).chain(values).chain(stops);
        Directives::of(said)
    }
}

/// Grows the tree of a vector in a database, as a run does.
pub fn keep(vector: &Vector, db: &Path) {
    let mut store = Store::open(db).unwrap();
    let (game, selection) = (game(vector), vector.selection());
    let directives = vector.directives.directives();
    store
        .begin_directed::<_, StoreError>(&game, RootOrigin::Study, |set, _| {
            *set = directives;
            Ok(())
        })
        .unwrap();
    let profile = Profile {
        engine: "vector".to_owned(),
        options: BTreeMap::new(),
        limit: Limit::Depth(1),
        kept_hash: None,
    };
    let profile = store.profile_id(&profile).unwrap();
    let settings = TreeSettings { draw: selection.draw, ..selection.breadth.into() };
    let key = AnalysisKey { game: &game, profile, settings: &settings };
    let analysis = store.open_analysis(key).unwrap();
    let mut answers = Vec::new();
    for (epd, list) in &vector.answers {
        let moves: Vec<UciMove> = list.iter().map(|(uci, _)| parse_uci(uci).unwrap()).collect();
        for (rank, (_, score)) in list.iter().enumerate() {
            let answer = Answer {
                best: moves[rank],
                score: *score,
                wdl: None,
                depth: 1,
                seldepth: 1,
                nodes: 1,
                time: Duration::ZERO,
                pv: vec![moves[rank]],
            };
            let (position, excluded) = (parse_fen(epd).unwrap(), moves[..rank].to_vec());
            answers.push(NewAnswer { position, excluded, answer, worker: None });
        }
    }
    store.keep(profile, &answers).unwrap();
    let depths = BTreeMap::from([(analysis, vector.depth)]);
    grow_trees(&mut store, &depths, None, &ControlReceiver::never(), &mut |_| {}).unwrap();
}
