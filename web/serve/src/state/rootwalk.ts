// The line on the board of one root; what the tree knows of it is asked of the places.
import { GameLine, type Played } from '../../../shared/gameline';
import { Numbering } from '../../../shared/numbering';
import { fenOf, play, sanOf, sansOf, INITIAL } from '../../../shared/rules';
import type { Color, Pov } from '../../../shared/score';
import { sign } from '../../../shared/score';
import type { Root } from '../../../shared/contract';

export class RootWalk extends GameLine<Played> {
  private readonly numbering: Numbering;

  constructor(root: Pick<Root, 'root' | 'start' | 'history'>) {
    super(root.root, root.start ?? (root.history.length ? INITIAL : root.root), root.history);
    this.numbering = new Numbering(this.start.turn, this.start.fullmoves);
  }

  /** Who plays the moves so many plies from the root. */
  mover(depth = this.at): Color {
    return this.numbering.mover(depth);
  }

  sign(pov: Pov, depth = this.at): 1 | -1 {
    return sign(this.mover(depth), pov);
  }

  number(depth: number, always = true): string {
    return this.numbering.number(depth, always);
  }

  numbered(moves: readonly { san: string }[], depth = 0): string {
    return this.numbering.numbered(moves, depth);
  }

  /** Moves in UCI from the root, as numbered SAN. */
  words(line: readonly string[]): string {
    return this.numbered(sansOf(this.start, line));
  }

  fen(): string {
    return fenOf(this.position());
  }

  protected resolve(at: number, uci: string): Played {
    const before = this.position(at);
    return { uci, san: sanOf(before, uci), position: play(before, uci) };
  }
}
