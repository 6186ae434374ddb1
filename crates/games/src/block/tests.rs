//! Tests of the index's blocks.

use proptest::prelude::*;

use super::*;

/// Positions with some moves of a few games each, or of a hundred.
fn groups() -> impl Strategy<Value = Vec<(u64, Group)>> {
    let games = prop_oneof![1..4_usize, Just(INLINE as usize), Just(100_usize)];
    let facts = games.prop_flat_map(|games| prop::collection::vec(0..1_u32 << 22, games));
    let played = (0..1_u16 << 15, facts, 0..1_u32 << 20);
    let position = prop::collection::btree_map(any::<u16>(), played, 1..5);
    let positions = prop::collection::btree_map(any::<u64>(), position, 1..60);
    positions.prop_map(|positions| {
        positions.into_iter().map(|(key, moves)| (key, group_of(moves.into_values()))).collect()
    })
}

fn group_of(moves: impl Iterator<Item = (u16, Vec<u32>, u32)>) -> Group {
    let mut group = Group::default();
    for (bits, facts, first) in moves {
        group.begin(bits);
        for (game, facts) in facts.into_iter().enumerate() {
            group.push(first + 3 * game as u32, GameFacts::from_bits(facts));
        }
    }
    group
}

fn written(groups: &[(u64, Group)]) -> (Vec<Block>, Vec<GamesApart>) {
    let (mut writer, mut apart) = (BlockWriter::new(7), Vec::new());
    let mut blocks: Vec<Block> = Vec::new();
    for (key, group) in groups {
        blocks.extend(writer.push(*key, group, &mut apart).unwrap());
    }
    blocks.extend(writer.finish());
    (blocks, apart)
}

/// A group as read, with the games stored apart.
fn whole(read: &Group, apart: &[GamesApart]) -> Group {
    let mut group = Group::default();
    for played in &read.moves {
        let mut games = read.games_of(played).to_vec();
        if let Games::Apart(id) = played.games {
            let row = apart.iter().find(|row| row.id == id).unwrap();
            take_growing(&mut &row.bytes[..], played.tally.games, &mut games).unwrap();
        }
        let from = Games::Here(group.games.len());
        group.moves.push(Played { games: from, ..*played });
        group.games.extend(games);
    }
    group
}

proptest! {
    #[test]
    fn positions_come_back(groups in groups()) {
        let (blocks, apart) = written(&groups);
        let mut back = Vec::new();
        for block in &blocks {
            let (mut reader, mut group) = (BlockReader::new(block.first, &block.bytes), Group::default());
            while let Some(key) = reader.next(&mut group).unwrap() {
                back.push((key, whole(&group, &apart)));
            }
        }
        prop_assert_eq!(&back, &groups);
        for (key, group) in &groups {
            let block = blocks.iter().rev().find(|block| block.first <= *key).unwrap();
            let found = find(block.first, &block.bytes, *key).unwrap().unwrap();
            prop_assert_eq!(&whole(&found, &apart), group);
            let beside = find(block.first, &block.bytes, key.wrapping_add(1)).unwrap();
            prop_assert!(beside.is_none() || groups.iter().any(|(other, _)| *other == key + 1));
        }
    }

    #[test]
    fn bytes_that_are_no_block_do_no_harm(bytes: Vec<u8>, first: u64) {
        let (mut reader, mut group) = (BlockReader::new(first, &bytes), Group::default());
        while let Ok(Some(_)) = reader.next(&mut group) {}
    }
}

#[test]
fn a_move_of_one_game_takes_fourteen_bytes() {
    let step = u64::MAX / 40_000_000;
    let groups: Vec<(u64, Group)> = (0..10_000_u64)
        .map(|at| {
            let facts = GameFacts::new(GameResult::Draw, 2400, 2020);
            (at * step, group_of([(796, vec![facts.bits()], 900_000)].into_iter()))
        })
        .collect();
    let (blocks, apart) = written(&groups);
    let bytes: usize = blocks.iter().map(|block| block.bytes.len()).sum();
    assert!(bytes <= 140_000 && apart.is_empty(), "{bytes}");
    assert!(blocks.iter().all(|block| block.bytes.len() <= BLOCK));
}
