// The open tree and the line on the board. Its source is the server, or the data inside the page.
import type { GivenValue, Place, PlacedMove, Verdict } from '../../../shared/contract';
import type { GameLine } from '../../../shared/gameline';
import { play, readMove } from '../../../shared/rules';

/** A move of a place; in a file the user's value is words. */
export type ShownMove = Omit<PlacedMove, 'value' | 'played'> & { value: GivenValue | string | null; cut?: boolean };

export type ShownPlace = Pick<Place, 'alpha' | 'analysed' | 'end' | 'known' | 'note' | 'opening' | 'stopped' | 'table_moves'> & {
  best: Omit<NonNullable<Place['best']>, 'wdl'> | null;
  moves: ShownMove[];
  value: GivenValue | string | null;
  verdict: Omit<Verdict, 'agree' | 'words'> | null;
};

/** Answers for places; what it does not have yet it asks for. */
export interface PlaceSource<P extends ShownPlace = ShownPlace> {
  place(line: readonly string[]): P | undefined;
  ask(): void;
}

export abstract class OpenTree<P extends ShownPlace = ShownPlace> {
  abstract readonly places: PlaceSource<P>;

  constructor(readonly walk: GameLine) {}

  /** The address of a line. */
  abstract href(line: readonly string[]): string;

  /** Why nothing is known of the position on the board. */
  error(): string | null {
    return null;
  }

  /** The moves of the line that can be played. */
  legal(line: readonly string[]): string[] {
    let position = this.walk.position(0);
    const found: string[] = [];
    for (const word of line) {
      const uci = readMove(position, word);
      if (!uci) break;
      found.push(uci);
      position = play(position, uci);
    }
    return found;
  }

  /** From the root to the board; of a position before the root, nothing. */
  line(): string[] {
    return this.walk.line();
  }

  place(): P | undefined {
    return this.walk.isBefore() ? undefined : this.places.place(this.line());
  }

  /** The last move of a line, as the tree has it. */
  moveOf(line: readonly string[]): P['moves'][number] | undefined {
    const last = line[line.length - 1];
    return last ? this.places.place(line.slice(0, -1))?.moves.find(move => move.uci === last) : undefined;
  }

  /** The move that led here, as the tree has it. */
  lastMove(): P['moves'][number] | undefined {
    return this.moveOf(this.line());
  }

  /** How the engine's own line goes on behind the end of the tree; null beside such lines. */
  ownLine(): ShownMove['line'] | null {
    const line = this.line();
    const led = this.places.place([])?.moves.find(move => line.every((uci, i) => move.line[i]?.uci === uci));
    return led ? led.line.slice(line.length) : null;
  }
}
