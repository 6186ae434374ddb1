// A board to play on in a dialog.
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Key } from '@lichess-org/chessground/types';
import { useEffect, useRef } from 'preact/hooks';
import { dests, fenOf, squares, uciOf, type Position } from '../../../shared/rules';

interface Props {
  position: Position;
  last: string | undefined;
  /** None where it is only looked at. */
  onMove?: (uci: string) => void;
}

export function PickBoard({ position, last, onMove }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const now = useRef({ position, onMove });
  now.current = { position, onMove };
  useEffect(() => {
    const promoted = (to: string) => (ground.current?.state.pieces.get(to as Key)?.role === 'pawn' && /[18]$/.test(to) ? 'q' : '');
    const played = (from: string, to: string) => now.current.onMove?.(uciOf(now.current.position, from, to) + promoted(to));
    ground.current = Chessground(box.current!, {
      animation: { enabled: false },
      movable: { free: false, events: { after: played } },
      premovable: { enabled: false },
      drawable: { enabled: false },
    });
  }, []);
  useEffect(() => {
    ground.current?.set({
      fen: fenOf(position),
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: last ? (squares(last) as Key[]) : undefined,
      movable: { color: position.turn, dests: (onMove ? dests(position) : new Map()) as Map<Key, Key[]> },
    });
  });
  return <div class="board-box pick-board"><div ref={box} aria-hidden="true" /></div>;
}
