//! Legal moves, generated in the stages of a search.

use shakmaty::{Bitboard, CastlingSide, Color, Rank, Role, Square, attacks};

use super::Board;
use crate::moves::{Move, MoveList};

/// Moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Captures and promotions.
    Tactical,
    /// The rest.
    Quiet,
    /// Both.
    All,
}

/// King safety of the side to move: allowed target squares, and pinned men.
#[derive(Clone, Copy, Debug)]
pub struct Safety {
    king: Square,
    pinned: Bitboard,
    allowed: Bitboard,
}

/// One step forward.
#[inline]
fn forward(us: Color, squares: Bitboard) -> Bitboard {
    match us {
        Color::White => Bitboard(squares.0 << 8),
        Color::Black => Bitboard(squares.0 >> 8),
    }
}

impl Board {
    /// King safety of the side to move.
    pub fn safety(&self) -> Safety {
        let king = self.king(self.turn);
        let allowed = match self.checkers.single_square() {
            Some(checker) => attacks::between(king, checker).with(checker),
            None if self.checkers.is_empty() => Bitboard::FULL,
            None => Bitboard::EMPTY,
        };
        Safety { king, pinned: self.pinned(king), allowed }
    }

    /// The men of the side to move that are pinned to its king.
    #[inline]
    fn pinned(&self, king: Square) -> Bitboard {
        let queens = self.by_role(Role::Queen);
        let lines = attacks::rook_attacks(king, Bitboard::EMPTY)
            & (self.by_role(Role::Rook) | queens)
            | attacks::bishop_attacks(king, Bitboard::EMPTY)
                & (self.by_role(Role::Bishop) | queens);
        let mut pinned = Bitboard::EMPTY;
        for sniper in lines & self.by_color(!self.turn) {
            let between = attacks::between(king, sniper) & self.occupied();
            if !between.more_than_one() {
                pinned |= between & self.by_color(self.turn);
            }
        }
        pinned
    }

    /// Adds the wanted legal moves to `list`.
    pub fn generate(&self, safety: &Safety, wanted: Wanted, list: &mut MoveList) {
        let them = self.by_color(!self.turn);
        let target = match wanted {
            Wanted::Tactical => them,
            Wanted::Quiet => !self.occupied(),
            Wanted::All => !self.by_color(self.turn),
        };
        self.generate_pawns(safety, wanted, list);
        if safety.allowed.any() {
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                for from in self.pieces(self.turn, role) {
                    for to in self.destinations(safety, role, from) & target {
                        list.push(Move::normal(from, to));
                    }
                }
            }
        }
        for to in attacks::king_attacks(safety.king) & target {
            if self.king_may_go(safety, to) {
                list.push(Move::normal(safety.king, to));
            }
        }
        if wanted != Wanted::Tactical {
            self.generate_castling(safety, list);
        }
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(&self.safety(), Wanted::All, &mut list);
        list
    }

    /// True if there are more legal moves than `limit`; does not list them all.
    pub fn has_more_moves_than(&self, safety: &Safety, limit: usize) -> bool {
        if self.checkers.is_empty() {
            let mut count = 0;
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                for from in self.pieces(self.turn, role) {
                    let to = self.destinations(safety, role, from) & !self.by_color(self.turn);
                    count += to.count();
                    if count > limit {
                        return true;
                    }
                }
            }
        }
        self.legal_moves().len() > limit
    }

    /// Targets of a knight, bishop, rook or queen, own men not excluded.
    fn destinations(&self, safety: &Safety, role: Role, from: Square) -> Bitboard {
        let reach = match role {
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => attacks::bishop_attacks(from, self.occupied()),
            Role::Rook => attacks::rook_attacks(from, self.occupied()),
            _ => attacks::queen_attacks(from, self.occupied()),
        };
        self.restricted(safety, from, reach)
    }

    fn restricted(&self, safety: &Safety, from: Square, reach: Bitboard) -> Bitboard {
        let reach = reach & safety.allowed;
        if safety.pinned.contains(from) { reach & attacks::ray(safety.king, from) } else { reach }
    }

    fn king_may_go(&self, safety: &Safety, to: Square) -> bool {
        let occupied = self.occupied() ^ safety.king;
        (self.attackers(to, occupied) & self.by_color(!self.turn)).is_empty()
    }

    /// Targets of a pawn, en passant aside.
    fn pawn_destinations(&self, safety: &Safety, from: Square) -> Bitboard {
        let captures = attacks::pawn_attacks(self.turn, from) & self.by_color(!self.turn);
        self.restricted(safety, from, self.pawn_steps(self.turn, from.into()) | captures)
    }

    /// Empty squares that a side's pawns may step to.
    #[inline]
    pub fn pawn_steps(&self, us: Color, pawns: Bitboard) -> Bitboard {
        let empty = !self.occupied();
        let third = us.fold_wb(Rank::Third, Rank::Sixth);
        let single = forward(us, pawns) & empty;
        single | forward(us, single & third) & empty
    }

    fn generate_pawns(&self, safety: &Safety, wanted: Wanted, list: &mut MoveList) {
        let tactical = self.by_color(!self.turn) | Bitboard::BACKRANKS;
        let target = match wanted {
            Wanted::Tactical => tactical,
            Wanted::Quiet => !tactical,
            Wanted::All => Bitboard::FULL,
        };
        if safety.allowed.any() {
            for from in self.pieces(self.turn, Role::Pawn) {
                for to in self.pawn_destinations(safety, from) & target {
                    if Bitboard::BACKRANKS.contains(to) {
                        for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                            list.push(Move::promotion(from, to, role));
                        }
                    } else {
                        list.push(Move::normal(from, to));
                    }
                }
            }
        }
        if wanted != Wanted::Quiet
            && let Some(to) = self.en_passant
        {
            let takers = attacks::pawn_attacks(!self.turn, to);
            for from in takers & self.pieces(self.turn, Role::Pawn) {
                if self.en_passant_is_safe(safety, from, to) {
                    list.push(Move::en_passant(from, to));
                }
            }
        }
    }

    fn en_passant_is_safe(&self, safety: &Safety, from: Square, to: Square) -> bool {
        let captured = Square::from_coords(to.file(), from.rank());
        let occupied = (self.occupied() ^ from ^ captured) | to;
        let attackers = self.attackers(safety.king, occupied) & self.by_color(!self.turn);
        attackers.without(captured).is_empty()
    }

    fn generate_castling(&self, safety: &Safety, list: &mut MoveList) {
        if self.is_check() {
            return;
        }
        for rook in (self.castling & self.turn.backrank()).into_iter().rev() {
            if self.may_castle(safety, rook) {
                let side = CastlingSide::from_king_side(safety.king < rook);
                let to = if self.chess960 { rook } else { side.king_to(self.turn) };
                list.push(Move::castle(safety.king, to));
            }
        }
    }

    /// True if the king, which is not in check, may castle with a rook that has its right.
    fn may_castle(&self, safety: &Safety, rook: Square) -> bool {
        let side = CastlingSide::from_king_side(safety.king < rook);
        let (king_to, rook_to) = (side.king_to(self.turn), side.rook_to(self.turn));
        let way = attacks::between(safety.king, king_to);
        let others = self.occupied() ^ safety.king ^ rook;
        let free = way.with(king_to).with(rook_to) | attacks::between(rook, rook_to);
        (free & others).is_empty()
            && way.into_iter().all(|square| self.king_may_go(safety, square))
            // The king's target is checked with the rook already moved.
            && (self.attackers(king_to, others.with(rook_to)) & self.by_color(!self.turn)).is_empty()
    }

    /// True if a move from a table is legal here.
    pub fn is_legal(&self, safety: &Safety, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let own = self.by_color(self.turn);
        let Some(role) = self.role_at(from).filter(|_| own.contains(from)) else {
            return false;
        };
        if m.is_castle() {
            let mut castling = MoveList::new();
            self.generate_castling(safety, &mut castling);
            return castling.contains(&m);
        }
        if own.contains(to) {
            return false;
        }
        if m.is_en_passant() {
            return role == Role::Pawn
                && self.en_passant == Some(to)
                && attacks::pawn_attacks(self.turn, from).contains(to)
                && self.en_passant_is_safe(safety, from, to);
        }
        match role {
            Role::Pawn => {
                Bitboard::BACKRANKS.contains(to) == m.promoted().is_some()
                    && self.pawn_destinations(safety, from).contains(to)
            }
            _ if m.promoted().is_some() => false,
            Role::King => attacks::king_attacks(from).contains(to) && self.king_may_go(safety, to),
            _ => self.destinations(safety, role, from).contains(to),
        }
    }
}
