// Scores: centipawns to ±31000, beyond it mates in plies from ±32000, as in crates/core/src/chess/score.rs.

/** A score as one ordered integer, for the side that plays the move. */
export type Value = number;
export type Pov = 'mover' | 'white';
export type Color = 'white' | 'black';

const MATE = 32000;
const GREATEST_CP = 31000;

/** +1 where the mover's score is shown as it is, -1 where it is turned. */
export const sign = (mover: Color, pov: Pov): 1 | -1 => (pov === 'white' && mover === 'black' ? -1 : 1);

/** As people write scores: +0.13, #3, #-2. */
export function format(value: Value, turn: 1 | -1 = 1): string {
  const size = Math.abs(value);
  if (size > GREATEST_CP) {
    const plies = MATE - size;
    const moves = (value > 0 ? Math.ceil(plies / 2) : -Math.floor(plies / 2)) * turn;
    return `#${moves === 0 ? 0 : moves}`;
  }
  if (size === 0) return '0.00';
  return `${value * turn > 0 ? '+' : '\u2212'}${(size / 100).toFixed(2)}`;
}

/** For screen readers: "plus 0.13", "mate in 3", "mated in 2". */
export function speak(value: Value, turn: 1 | -1 = 1): string {
  const text = format(value, turn);
  if (text.startsWith('#-')) return `mated in ${text.slice(2)}`;
  if (text.startsWith('#')) return value * turn < 0 ? 'mated' : `mate in ${text.slice(1)}`;
  return text.replace('+', 'plus ').replace('\u2212', 'minus ');
}

/** From -1 to 1; the usual curve from centipawns to the expected result. */
export function chances(value: Value): number {
  if (Math.abs(value) > GREATEST_CP) return Math.sign(value);
  return 2 / (1 + Math.exp(-0.00368208 * value)) - 1;
}

export const isMate = (value: Value): boolean => Math.abs(value) > GREATEST_CP;
