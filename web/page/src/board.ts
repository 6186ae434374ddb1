// The line's position on the board, with the candidates there.
import { Board } from '../../shared/board';
import { byId } from '../../shared/dom';
import { describe, fenOf } from '../../shared/rules';
import { Flag } from './data';
import type { View } from './view';

export class WalkBoard {
  private readonly board: Board;

  constructor(private readonly view: View) {
    const { walk } = view;
    this.board = new Board({
      box: byId('board'),
      bar: byId('eval-bar'),
      // What stands above the board moves it when it grows.
      above: [byId('top')],
      orientation: walk.position(0).turn,
      onMove: uci => walk.step(uci),
    });
    this.draw();
  }

  flip(): void {
    this.board.flip();
  }

  draw(): void {
    const { walk } = this.view;
    const position = walk.position();
    const moves = walk.moves();
    const told = walk.told();
    const followed = moves.filter(move => move.flags & Flag.Candidate && move.uci !== told?.uci);
    const candidates = [...(told ? [told] : []), ...followed.map(({ uci, alpha }) => ({ uci, alpha: alpha ?? 0 }))];
    const led = walk.last()?.move?.alpha ?? undefined;
    const value = told?.alpha ?? moves[0]?.alpha ?? (led === undefined ? undefined : -led);
    const turn = this.view.sign(walk.at);
    this.board.show({ position, lastMove: walk.lastMove()?.uci, playable: !walk.isBefore(), candidates, turn, value });
    byId('pieces').textContent = describe(position);
    byId<HTMLInputElement>('fen').value = fenOf(position);
  }
}
