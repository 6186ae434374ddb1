// The board: moves by drag and click, arrows for the candidates with their scores.
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import { button, h } from './dom';
import { dests, fenOf, squares, uciOf, type Position } from './rules';
import { chances, format, type Color, type Value } from './score';

const BRUSHES = {
  best: { key: 'best', color: '#15781b', opacity: 0.9, lineWidth: 11 },
  other: { key: 'other', color: '#003088', opacity: 0.75, lineWidth: 8 },
  threat: { key: 'threat', color: '#882020', opacity: 0.85, lineWidth: 9 },
  second: { key: 'second', color: '#7b2d8b', opacity: 0.85, lineWidth: 9 },
};
const MOST_ARROWS = 6;
/** The thinnest arrow, and by how many centipawns it is worse than the best. */
const THINNEST = 4;
const WORST = 60;
const ROLES = [['q', 'Queen'], ['r', 'Rook'], ['b', 'Bishop'], ['n', 'Knight']] as const;

/** A candidate; `alpha` for the side that plays it. */
export interface Arrow {
  uci: string;
  alpha: Value;
}

export interface Shown {
  position: Position;
  lastMove: string | undefined;
  /** True if moves can be played from it. */
  playable: boolean;
  /** The best first. */
  candidates: Arrow[];
  /** Turns the mover's scores into those that are shown. */
  turn: 1 | -1;
  /** The score for its mover; undefined if it is unknown. */
  value: Value | undefined;
  /** The move that the other side would play; `alpha` for that side. */
  threat?: Arrow | undefined;
  /** The move of the second engine, where it differs from the verdict. */
  second?: Arrow | undefined;
}

export interface BoardParts {
  box: HTMLElement;
  /** Fills by how the position stands for White. */
  bar: HTMLElement;
  onMove: (uci: string) => void;
}

export class Board {
  private readonly ground: Api;
  private readonly promotion = promotionDialog();
  private shown: Shown | undefined;
  /** A board that is out of sight, or leaves the page, has no size: nothing can be drawn on it. */
  private readonly moved = new ResizeObserver(() => this.parts.box.clientWidth > 0 && this.ground.redrawAll());

  constructor(private readonly parts: BoardParts) {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.ground = Chessground(parts.box, {
      animation: { enabled: !calm, duration: 160 },
      movable: { free: false, color: 'both', showDests: true, events: { after: (from, to) => this.played(from, to) } },
      premovable: { enabled: false },
      draggable: { showGhost: true },
      drawable: { enabled: true, brushes: { ...brushesOfUser, ...BRUSHES } },
    });
    // Elements that grow above the board move it.
    for (const element of [parts.box, document.body]) this.moved.observe(element);
  }

  /** Leaves the page as it was before. */
  end(): void {
    this.moved.disconnect();
    this.promotion.dialog.remove();
    this.ground.destroy();
  }

  /** Color whose side is below. */
  orientation(): Color {
    return this.ground.state.orientation;
  }

  flip(): void {
    this.turnTo(this.orientation() === 'white' ? 'black' : 'white');
  }

  turnTo(side: Color): void {
    if (this.ground.state.orientation === side) return;
    this.ground.toggleOrientation();
    if (this.shown) this.marks(this.shown);
  }

  show(shown: Shown): void {
    this.shown = shown;
    const { position, lastMove } = shown;
    this.ground.set({
      fen: fenOf(position),
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: lastMove ? (squares(lastMove) as Key[]) : undefined,
      movable: { color: position.turn, dests: (shown.playable ? dests(position) : new Map()) as Map<Key, Key[]> },
    });
    this.marks(shown);
  }

  private marks(shown: Shown): void {
    this.arrows(shown.candidates.slice(0, MOST_ARROWS), shown);
    this.bar(shown);
  }

  private arrows(moves: Arrow[], { turn, threat, second }: Shown): void {
    // The best arrow lies on top.
    const before = (i: number) => moves.slice(0, i).filter(other => other.uci.slice(2, 4) === moves[i]!.uci.slice(2, 4)).length;
    const best = moves[0]?.alpha ?? 0;
    const shapes = moves.map((move, i) => arrow(move, best - move.alpha, format(move.alpha, turn), i === 0 ? 'best' : 'other', before(i)));
    const threats = threat ? [arrow(threat, 0, format(threat.alpha, turn > 0 ? -1 : 1), 'threat', 0)] : [];
    const seconds = second ? [arrow(second, 0, format(second.alpha, turn), 'second', shapes.filter(({ dest }) => dest === second.uci.slice(2, 4)).length)] : [];
    this.ground.setAutoShapes([...shapes, ...threats, ...seconds].reverse());
  }

  private bar(shown: Shown): void {
    const { value, position } = shown;
    const white = value === undefined ? undefined : chances(position.turn === 'white' ? value : -value);
    const { bar } = this.parts;
    bar.classList.toggle('flipped', this.ground.state.orientation === 'black');
    bar.classList.toggle('unknown', white === undefined);
    bar.style.setProperty('--white', `${50 + 50 * (white ?? 0)}%`);
  }

  private played(from: string, to: string): void {
    if (!this.shown) return;
    const { position } = this.shown;
    const promotes = position.board.get(squareIndex(from))?.role === 'pawn' && /[18]$/.test(to);
    if (promotes) this.askPromotion(from + to);
    else this.parts.onMove(uciOf(position, from, to));
  }

  private askPromotion(uci: string): void {
    const { dialog, choices } = this.promotion;
    const choose = (role: string) => {
      dialog.close();
      this.parts.onMove(uci + role);
    };
    choices.replaceChildren(...ROLES.map(([role, name]) => button(name, () => choose(role))));
    dialog.oncancel = () => this.shown && this.show(this.shown);
    dialog.showModal();
  }
}

/** `loss` against the best in centipawns; `above`: how many other labels stand on its square. */
function arrow(move: Arrow, loss: number, text: string, brush: keyof typeof BRUSHES, above: number): DrawShape {
  const [orig, dest] = squares(move.uci) as [Key, Key];
  const { color, lineWidth } = BRUSHES[brush];
  const width = 14 + 12 * text.length;
  // At the arrow's tip, below the piece that stands there.
  const top = 70 - 31 * above;
  // A move that the best was preferred to may have the better score: a closing search has its own.
  const thickness = lineWidth - (lineWidth - THINNEST) * (Math.min(Math.max(loss, 0), WORST) / WORST);
  // Digits and signs alone: nothing of the user's is in this markup.
  const html = `<rect x="${50 - width / 2}" y="${top}" width="${width}" height="29" rx="8" fill="${color}" stroke="#fff" stroke-width="2"/><text x="50" y="${top + 22}" font-size="21" font-weight="600" text-anchor="middle" fill="#fff" font-family="system-ui, sans-serif">${text}</text>`;
  return { orig, dest, brush, modifiers: { lineWidth: thickness }, customSvg: { html, center: 'dest' } };
}

function promotionDialog(): { dialog: HTMLDialogElement; choices: HTMLElement } {
  const choices = h('div', { id: 'promotion-choices' });
  const dialog = h('dialog', { id: 'promotion', 'aria-labelledby': 'promotion-title' }, h('h2', { id: 'promotion-title' }, 'Promote to'), choices);
  document.body.append(dialog);
  return { dialog, choices };
}

const squareIndex = (name: string): number => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

/** Brushes of the right mouse button. */
const brushesOfUser = {
  green: { key: 'g', color: '#15781B', opacity: 1, lineWidth: 10 },
  red: { key: 'r', color: '#882020', opacity: 1, lineWidth: 10 },
  blue: { key: 'b', color: '#003088', opacity: 1, lineWidth: 10 },
  yellow: { key: 'y', color: '#e68f00', opacity: 1, lineWidth: 10 },
};
