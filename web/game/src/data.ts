// The positions of a game, as the page shows them.
import type { ChosenBy, GamePageData, Move, Score } from '../../shared/contract';
import { play, positionOf, type Position } from '../../shared/rules';
import type { Value } from '../../shared/score';
import { valueOf } from '../../serve/src/api/words';

/** A position of the game; values are for its side to move, that of the played move, too. */
export interface Place {
  position: Position;
  value: Value | undefined;
  best: Move[];
  /** Where it is analysed. */
  analysis: number | null;
  /** Chooser of the best move. */
  by: ChosenBy | null;
  depth: string;
  /** The move played there; none after the last move. */
  played: (Move & { value: Value | undefined; better: boolean; glyph: string }) | undefined;
}

const GLYPHS: Record<number, string> = { 2: '?', 4: '??', 6: '?!' };

/** The marks of bad moves, the least first. */
export const MARKS = ['?!', '?', '??'];

const valued = (score: Score | null): Value | undefined => (score ? valueOf(score) : undefined);

/** The positions of a game, from its start to its end. */
export function placesOf(data: GamePageData): Place[] {
  let position = positionOf(data.game.start);
  return data.game.positions.map(raw => {
    const here = position;
    if (raw.played) position = play(position, raw.played.uci);
    const settled = raw.depth && (raw.depth.settled === null ? 'no depth complete yet' : `depth ${raw.depth.settled}`);
    const size = raw.positions === null ? '' : `, ${raw.positions} position${raw.positions === 1 ? '' : 's'}`;
    const { played } = raw;
    return {
      position: here,
      value: valued(raw.value),
      best: raw.best,
      analysis: raw.analysis,
      by: raw.by,
      depth: settled ? settled + size : '',
      played: played ? { ...played, value: valued(played.value), glyph: GLYPHS[played.glyph ?? 0] ?? '' } : undefined,
    };
  });
}
