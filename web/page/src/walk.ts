// Where the user is: a line from the start of the page, in the tree or outside of it.
import { GameLine, type Played } from '../../shared/gameline';
import { keyOf, overWords, play, sanOf, type Position } from '../../shared/rules';
import type { Value } from '../../shared/score';
import type { Move, Tree } from './data';
import { Flag, ending } from './data';

export interface Step extends Played {
  /** The tree's move; none where the tree has no such move. */
  move: Move | undefined;
  /** The place with the moves of the position after it, or -1. */
  place: number;
}

export class Walk extends GameLine<Step> {
  private keys: Map<string, number> | undefined;

  constructor(readonly tree: Tree) {
    super(tree.data.start, tree.data.game, tree.data.before.split(' ').filter(Boolean));
  }

  place(at = this.at): number {
    if (at < 0) return -1;
    if (at === 0) return this.tree.places.length ? 0 : -1;
    return this.steps[at - 1]!.place;
  }

  /** Whether the line is the one under which the tree prints the moves here. */
  isPrinted(): boolean {
    const place = this.place();
    if (place < 0) return true;
    const printed = this.tree.lineTo(place);
    return printed.length === this.at && printed.every((move, i) => move === this.steps[i]!.move);
  }

  /** The next step of the line, or else the best move, or how the engine's own line goes on. */
  forward(): void {
    if (this.at < this.steps.length) this.goTo(this.at + 1);
    else {
      const next = this.told()?.uci ?? this.moves()[0]?.uci ?? this.own()[0];
      if (next) this.step(next);
    }
  }

  /** The verdict, where a closing search has had its say and this is the start. */
  told(): { uci: string; alpha: Value; line: string[] } | undefined {
    const { told } = this.tree.data;
    const line = told?.line.split(' ').filter(Boolean) ?? [];
    return told && line[0] && this.at === 0 ? { uci: line[0], alpha: told.score, line } : undefined;
  }

  /** How the engine's own search goes on where the tree ends. */
  own(): string[] {
    if (this.isBefore() || this.moves().length) return [];
    const line = this.tree.behind(this.line());
    return line && line.inTree === 0 ? line.moves.map(move => move.uci) : [];
  }

  /** To the end of the line, or of the best line where there is nothing ahead. */
  end(): void {
    if (this.at === this.steps.length) {
      const onwards = this.told()?.line ?? this.tree.bestLine(this.place()).map(move => move.uci);
      for (const uci of onwards.length ? onwards : this.own()) this.steps.push(this.resolve(this.steps.length, uci));
    }
    this.goTo(this.steps.length);
  }

  /** To another move in the position before, in the tree's order. */
  sibling(by: number): void {
    const move = this.last()?.move;
    const other = move && this.tree.places[move.place]?.moves[move.index + by];
    if (other) this.instead(other.uci);
  }

  moves(): Move[] {
    return this.tree.places[this.place()]?.moves ?? [];
  }

  /** What is to be said about the position, beside its moves. */
  note(): string {
    if (this.isBefore()) return 'In the game, before the analysed position.';
    const step = this.last();
    if (!step) return this.noteAtStart();
    const { move } = step;
    const own = this.tree.behind(this.line());
    if (!move && own && own.inTree === 0) return 'The tree has ended: this is the engine\u2019s own line.';
    if (!move) {
      const elsewhere = step.place >= 0 ? ' The position is, by another line.' : ' This position was not analysed.';
      return `${step.san} is not in the tree here.${elsewhere}`;
    }
    if (move.known) return `The tablebases know the result: ${move.known}. Nothing is searched behind it.`;
    if (ending(move)) return `${overWords(this.position()) || `The game ends here: ${ending(move)}`}.`;
    if (move.flags & Flag.Repetition) return 'Repetition: the position was there before on this line or in the game. Alpha counts it as a draw.';
    if (move.flags & Flag.Cut) return 'Analysed, but cut off this page.';
    if (move.value) return `You say what this position is worth: ${move.value}. Nothing is searched behind it.`;
    if (move.flags & Flag.Stopped) return 'You have stopped the tree here.';
    if (move.flags & Flag.Excluded) return 'You have excluded this move: it does not count.';
    if (move.alpha === null) return 'You have included this move; it is not analysed yet.';
    if (step.place < 0) return 'The tree ends here: the position after this move was not analysed.';
    return '';
  }

  private noteAtStart(): string {
    const { ending: end, known: result, places } = this.tree.data;
    if (result) return `The tablebases know the result for the side to move: ${result}. There is nothing to search.`;
    if (end) return `The game is over: ${end}. There is nothing to analyse.`;
    return places.length ? '' : 'Not analysed yet.';
  }

  /** The last opening named along the line. */
  opening(): string {
    if (this.isBefore()) return '';
    for (const step of this.played().reverse()) {
      const opening = step.move?.opening ?? -1;
      if (opening >= 0) return this.tree.opening(opening);
    }
    return this.tree.opening(this.tree.data.opening ?? -1);
  }

  protected resolve(at: number, uci: string): Step {
    const before = this.position(at);
    const move = this.tree.places[this.place(at)]?.moves.find(m => m.uci === uci);
    const position = play(before, uci);
    const place = move ? move.target : this.find(position);
    return { uci, san: move?.san ?? sanOf(before, uci), move, place, position };
  }

  /** The place of a position that was reached outside of the tree. */
  private find(position: Position): number {
    this.keys ??= this.index();
    return this.keys.get(keyOf(position)) ?? -1;
  }

  private index(): Map<string, number> {
    const positions: Position[] = [];
    const keys = new Map<string, number>();
    this.tree.places.forEach((place, i) => {
      const parent = place.parent;
      const position = parent ? play(positions[parent.place]!, parent.uci) : this.start;
      positions.push(position);
      keys.set(keyOf(position), i);
    });
    return keys;
  }
}
