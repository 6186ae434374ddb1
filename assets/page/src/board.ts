// The board: moves by drag and click, arrows for the candidates with their scores.
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import { Flag, type Move } from './data';
import { button, byId } from './dom';
import { dests, fenOf, squares } from './rules';
import { chances, format } from './score';
import { describe, type View } from './view';

const BRUSHES = {
  best: { key: 'best', color: '#15781b', opacity: 0.9, lineWidth: 11 },
  other: { key: 'other', color: '#003088', opacity: 0.75, lineWidth: 8 },
};
const MOST_ARROWS = 6;
const ROLES = [['q', 'Queen'], ['r', 'Rook'], ['b', 'Bishop'], ['n', 'Knight']] as const;

export class Board {
  private readonly ground: Api;
  private readonly box = byId('board');

  constructor(private readonly view: View) {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.ground = Chessground(this.box, {
      orientation: view.walk.position(0).turn,
      animation: { enabled: !calm, duration: 160 },
      movable: { free: false, color: 'both', showDests: true, events: { after: (from, to) => this.played(from, to) } },
      premovable: { enabled: false },
      draggable: { showGhost: true },
      drawable: { enabled: true, brushes: { ...brushesOfUser, ...BRUSHES } },
    });
    const moved = new ResizeObserver(() => this.ground.redrawAll());
    // What stands above the board moves it when it grows.
    for (const element of [this.box, byId('top')]) moved.observe(element);
    this.draw();
  }

  flip(): void {
    this.ground.toggleOrientation();
    this.arrows();
    this.bar();
  }

  draw(): void {
    const { walk } = this.view;
    const position = walk.position();
    const last = walk.lastMove();
    this.ground.set({
      fen: fenOf(position),
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: last ? (squares(last.uci) as Key[]) : undefined,
      movable: { color: position.turn, dests: (walk.isBefore() ? new Map() : dests(position)) as Map<Key, Key[]> },
    });
    this.arrows();
    this.bar();
    byId('pieces').textContent = describe(position);
    byId<HTMLInputElement>('fen').value = fenOf(position);
  }

  private arrows(): void {
    const { view } = this;
    const moves = view.walk.moves().filter(move => move.flags & Flag.Candidate).slice(0, MOST_ARROWS);
    // The best arrow lies on top.
    const before = (i: number) => moves.slice(0, i).filter(other => other.uci.slice(2, 4) === moves[i]!.uci.slice(2, 4)).length;
    this.ground.setAutoShapes(moves.map((move, i) => this.arrow(move, i === 0, before(i))).reverse());
  }

  /** `above`: how many other labels stand on its square. */
  private arrow(move: Move, best: boolean, above: number): DrawShape {
    const [orig, dest] = squares(move.uci) as [Key, Key];
    const brush = best ? 'best' : 'other';
    const text = format(move.alpha ?? 0, this.view.sign(this.view.walk.at));
    const width = 14 + 12 * text.length;
    // At the arrow's tip, below the piece that stands there.
    const top = 70 - 31 * above;
    // Digits and signs alone: nothing of the user's is in this markup.
    const html = `<rect x="${50 - width / 2}" y="${top}" width="${width}" height="29" rx="8" fill="${BRUSHES[brush].color}" stroke="#fff" stroke-width="2"/><text x="50" y="${top + 22}" font-size="21" font-weight="600" text-anchor="middle" fill="#fff" font-family="system-ui, sans-serif">${text}</text>`;
    return { orig, dest, brush, customSvg: { html, center: 'dest' } };
  }

  /** How the position stands for White, from its best move's alpha. */
  private bar(): void {
    const { walk } = this.view;
    const led = walk.last()?.move?.alpha ?? undefined;
    const best = walk.moves()[0]?.alpha ?? (led === undefined ? undefined : -led);
    const white = best === undefined ? undefined : chances(walk.position().turn === 'white' ? best : -best);
    const bar = byId('eval-bar');
    bar.classList.toggle('flipped', this.ground.state.orientation === 'black');
    bar.classList.toggle('unknown', white === undefined);
    bar.style.setProperty('--white', `${50 + 50 * (white ?? 0)}%`);
  }

  private played(from: string, to: string): void {
    const { walk } = this.view;
    const piece = walk.position().board.get(squareIndex(from));
    const promotes = piece?.role === 'pawn' && /[18]$/.test(to);
    if (promotes) this.askPromotion(from + to);
    else walk.step(from + to);
  }

  private askPromotion(uci: string): void {
    const dialog = byId<HTMLDialogElement>('promotion');
    const choose = (role: string) => {
      dialog.close();
      this.view.walk.step(uci + role);
    };
    byId('promotion-choices').replaceChildren(...ROLES.map(([role, name]) => button(name, () => choose(role))));
    dialog.oncancel = () => this.draw();
    dialog.showModal();
  }
}

const squareIndex = (name: string): number => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

/** What the right mouse button draws with. */
const brushesOfUser = {
  green: { key: 'g', color: '#15781B', opacity: 1, lineWidth: 10 },
  red: { key: 'r', color: '#882020', opacity: 1, lineWidth: 10 },
  blue: { key: 'b', color: '#003088', opacity: 1, lineWidth: 10 },
  yellow: { key: 'y', color: '#e68f00', opacity: 1, lineWidth: 10 },
};
