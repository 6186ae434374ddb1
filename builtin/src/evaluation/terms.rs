//! The terms' places in the list of weights.

macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident: $size:expr;)*) => {
        terms!(@place 0usize; $($(#[$doc])* $name: $size;)*);
        /// The groups of terms: name, first place, size.
        pub const GROUPS: &[(&str, usize, usize)] = &[$((stringify!($name), $name, $size)),*];
    };
    (@place $at:expr; $(#[$doc:meta])* $name:ident: $size:expr; $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: usize = $at;
        terms!(@place $name + $size; $($rest)*);
    };
    (@place $at:expr;) => {
        /// How many weights there are.
        pub const COUNT: usize = $at;
    };
}

terms! {
    /// A man, by role (the king's is never counted).
    MATERIAL: 6;
    /// A man's place, by role, rank and distance from the edge.
    PLACE: 6 * 32;
    /// Squares that a knight may use.
    KNIGHT_MOBILITY: 9;
    /// Squares that a bishop may use.
    BISHOP_MOBILITY: 14;
    /// Squares that a rook may use.
    ROOK_MOBILITY: 15;
    /// Squares that a queen may use.
    QUEEN_MOBILITY: 28;
    /// Two bishops.
    BISHOP_PAIR: 1;
    /// Own pawns on the bishop's colour of square.
    BISHOP_PAWNS: 1;
    /// A knight, a bishop on a square that no pawn can attack, guarded by a pawn.
    OUTPOST: 2;
    /// A knight, a bishop right behind a pawn.
    SHIELDED: 2;
    /// A rook on a file without pawns, without own pawns.
    ROOK_FILE: 2;
    /// A rook behind its own passed pawn, or behind the enemy's.
    ROOK_BEHIND_PASSED: 2;
    /// A pawn without neighbours; on a file without enemy pawns.
    ISOLATED: 2;
    /// A pawn behind another one.
    DOUBLED: 1;
    /// A pawn that neighbours cannot guard any more; on a file without enemy pawns.
    BACKWARD: 2;
    /// A pawn beside another, by rank.
    PHALANX: 8;
    /// A pawn guarded by another, by rank.
    GUARDED: 8;
    /// A passed pawn, by rank.
    PASSED: 8;
    /// A passed pawn that something stands in front of, by rank.
    PASSED_BLOCKED: 8;
    /// A passed pawn that can step without being taken, by rank.
    PASSED_SAFE_STEP: 8;
    /// A passed pawn with a way free of attacks, by rank.
    PASSED_FREE_WAY: 8;
    /// The own king's distance from the square before a far advanced passed pawn, times rank - 2.
    PASSED_OWN_KING: 1;
    /// The enemy king's, likewise.
    PASSED_ENEMY_KING: 1;
    /// A pawn that would be passed if its attackers were traded off, by rank.
    CANDIDATE: 8;
    /// The nearest own pawn before the king, by wing and distance; none is 0.
    SHELTER: 4 * 8;
    /// The nearest enemy pawn before the king, by wing and distance; none is 0.
    STORM: 4 * 8;
    /// An enemy pawn that storms but is blocked by an own one, by distance.
    STORM_BLOCKED: 8;
    /// The king on a file without own pawns, without any.
    KING_FILE: 2;
    /// A pawn attacks a knight, bishop, rook, queen.
    THREAT_BY_PAWN: 4;
    /// A minor piece attacks a pawn that nothing guards, a minor, a rook, a queen.
    THREAT_BY_MINOR: 4;
    /// A rook attacks a pawn that nothing guards, a minor, a rook that nothing guards, a queen.
    THREAT_BY_ROOK: 4;
    /// An attacked piece that nothing guards.
    HANGING: 1;
    /// A pawn could attack a piece by a safe step.
    THREAT_BY_STEP: 1;
    /// The king attacks a man that nothing guards.
    THREAT_BY_KING: 1;
    /// Squares in the own half's centre that enemy pawns do not attack.
    SPACE: 1;
    /// Squares that the enemy attacks and only the king or queen guard, twice attacked.
    RESTRICTED: 1;
    /// A piece pinned to its king.
    PINNED: 1;
}

/// A unit of danger: a piece that attacks the king's ring, by role from the knight on.
pub const RING_ATTACKER: usize = 0;
/// Attacked squares of the ring.
pub const RING_ATTACKS: usize = 4;
/// Ring squares attacked and guarded by king or queen at most.
pub const RING_WEAK: usize = 5;
/// A safe check, by role from the knight on.
pub const SAFE_CHECK: usize = 6;
/// A check that loses the piece.
pub const UNSAFE_CHECK: usize = 10;
/// The attacker has no queen.
pub const NO_QUEEN: usize = 11;
/// Attacks on the king's side of the board.
pub const FLANK_ATTACKS: usize = 12;
/// Guards of the king's side of the board.
pub const FLANK_GUARDS: usize = 13;
/// Files beside the king without own pawns.
pub const OPEN_FLANK: usize = 14;
/// Pieces pinned to the king.
pub const DANGER_PINNED: usize = 15;
/// There is a king.
pub const DANGER_BASE: usize = 16;
/// How many units there are.
pub const DANGER_COUNT: usize = 17;
/// The square of danger is divided by this in the middlegame.
pub const DANGER_SQUARE: i32 = 1024;
/// Danger is divided by this in the endgame.
pub const DANGER_LINE: i32 = 16;
