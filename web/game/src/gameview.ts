// A played game, step by step, with the verdict on each position: the parts of its page, whatever is around them.
import { Board, type Arrow } from '../../shared/board';
import { tableBox } from '../../shared/chart';
import { button, byId, h } from '../../shared/dom';
import { describe, moveNumber, overWords, play, sansOf } from '../../shared/rules';
import { format, sign, speak, type Pov } from '../../shared/score';
import { wheelSteps } from '../../shared/wheel';
import type { GamePageData } from '../../shared/contract';
import { MARKS, placesOf, type Place } from './data';
import { GamePlot } from './plot';

interface GameViewParts {
  data: GamePageData;
  pov: Pov;
  /** Their growing moves the board. */
  above: HTMLElement[];
  /** Another position of the game is on the board. */
  onPly: (ply: number) => void;
  /** The address of a position of the game. */
  href: (ply: number) => string;
}

const turnOf = (place: Place, pov: Pov) => sign(place.position.turn, pov);
const named = (place: Place): string => (place.played ? moveNumber(place.position) + place.played.san + place.played.glyph : '');

/** It fills the elements of `game/main.html`. */
export class GameView {
  private data: GamePageData;
  private places: Place[];
  private pov: Pov;
  /** The ply on the board. */
  private at = 0;
  /** Moves that are on the board beside the game: of the best line, or tried. */
  private aside: string[] = [];
  /** The ply that the list was scrolled to last. */
  private seen = -1;
  private moves: HTMLElement[] = [];
  private readonly board: Board;
  private readonly plot: GamePlot;

  constructor(private readonly parts: GameViewParts) {
    this.data = parts.data;
    this.places = placesOf(this.data);
    this.pov = parts.pov;
    this.board = new Board({
      box: byId('board'),
      bar: byId('eval-bar'),
      above: parts.above,
      orientation: 'white',
      onMove: uci => (!this.aside.length && uci === this.place().played?.uci ? this.go(this.at + 1) : this.leave([...this.aside, uci])),
    });
    this.plot = new GamePlot(byId('game-plot'), this.places, ply => this.go(ply));
    const on = (id: string, action: () => void) => byId(id).addEventListener('click', action);
    on('first', () => this.go(0));
    on('back', () => this.back());
    on('forward', () => this.forward());
    on('last', () => this.go(this.last()));
    on('flip', () => this.board.flip());
    on('mistake', () => this.nextMistake());
    wheelSteps(byId('board'), by => (by > 0 ? this.forward() : this.back()));
    this.fill();
  }

  /** Leaves what is around its elements as it was before. */
  end(): void {
    this.board.end();
    this.plot.end();
  }

  /** The same game, of which more is known by now; what is on the board stays. */
  update(data: GamePageData): void {
    this.data = data;
    this.places = placesOf(data);
    this.plot.of(this.places);
    this.fill();
    this.draw();
  }

  show(pov: Pov): void {
    this.pov = pov;
    this.drawTable();
    this.draw();
  }

  go(ply: number): void {
    this.at = Math.max(0, Math.min(this.last(), ply));
    this.aside = [];
    this.draw();
    this.parts.onPly(this.at);
  }

  /** Whether a key was one of the game's. */
  key(event: KeyboardEvent): void {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest('input, select, textarea, dialog, .wide, [role=menu]') || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      n: () => this.nextMistake(),
      ' ': () => this.onwards() && this.leave([...this.aside, this.onwards()!]),
      Home: () => this.go(0),
      End: () => this.go(this.last()),
      f: () => this.board.flip(),
    };
    const action = keys[event.key];
    if (!action || (event.key === ' ' && target.closest('button, summary'))) return;
    event.preventDefault();
    action();
  }

  ply(): number {
    return this.at;
  }

  /** The position of the game that is on the board, or beside which moves are tried. */
  place(): Place {
    return this.places[this.at]!;
  }

  private last(): number {
    return this.places.length - 1;
  }

  /** Beside the game, along these moves. */
  private leave(line: string[]): void {
    this.aside = line;
    this.draw();
  }

  /** How the best line goes on behind what is on the board; nothing where something else was tried. */
  private onwards(): string | undefined {
    const best = this.place().best.map(move => move.uci);
    return this.aside.every((uci, i) => uci === best[i]) ? best[this.aside.length] : undefined;
  }

  private forward(): void {
    const next = this.onwards();
    if (!this.aside.length) this.go(this.at + 1);
    else if (next) this.leave([...this.aside, next]);
  }

  private back(): void {
    if (this.aside.length) this.leave(this.aside.slice(0, -1));
    else this.go(this.at - 1);
  }

  /** The ply to begin with: before the first mistake, else before the first dubious move, else the start. */
  opening(): number {
    const first = (...glyphs: string[]) => this.places.findIndex(place => glyphs.includes(place.played?.glyph ?? ''));
    const [mistake, dubious] = [first('?', '??'), first('?!')];
    return Math.max(mistake < 0 ? dubious : mistake, 0);
  }

  /** Before the next move with a mark, from the start again behind the last one. */
  private nextMistake(): void {
    const marked = this.places.flatMap((place, ply) => (place.played?.glyph ? ply : []));
    const next = marked.find(ply => ply > this.at) ?? marked[0];
    if (next !== undefined) this.go(next);
  }

  private draw(): void {
    const { at, aside } = this;
    const place = this.place();
    const before = this.places[at - 1]?.played;
    const turn = turnOf(place, this.pov);
    this.drawBoard(place, before?.uci);
    byId('here-title').textContent = before ? named(this.places[at - 1]!) : 'Start';
    const score = byId('score');
    const over = overWords(place.position);
    const known = place.value !== undefined && !over;
    score.textContent = known ? format(place.value!, turn) : over || 'Not analysed.';
    score.className = !known ? 'unknown' : place.value! * turn < 0 ? 'minus' : '';
    byId('depth').textContent = place.depth;
    this.drawBest(place);
    byId('played').textContent = this.words(place);
    for (const [ply, element] of this.moves.entries()) {
      if (ply + 1 === at) element.setAttribute('aria-current', 'step');
      else element.removeAttribute('aria-current');
    }
    if (this.seen !== at) inSight(this.moves[at - 1]);
    this.seen = at;
    const off = { first: at === 0 && !aside.length, back: at === 0 && !aside.length, forward: aside.length ? !this.onwards() : at === this.last(), last: at === this.last() };
    for (const [id, is] of Object.entries(off)) byId(id).setAttribute('aria-disabled', String(is));
    this.plot.draw(at);
    const spoken = known ? `${speak(place.value!, turn)}${place.best[0] ? `, best ${place.best[0].san}` : ''}` : score.textContent;
    byId('live').textContent = `${byId('here-title').textContent}. ${spoken}`;
  }

  /** The position, or one beside the game. */
  private drawBoard(place: Place, led: string | undefined): void {
    const { aside } = this;
    const position = aside.reduce(play, place.position);
    const turn = sign(position.turn, this.pov);
    const flips = aside.length % 2 ? -1 : 1;
    const isKnown = place.value !== undefined && place.best.length >= aside.length && aside.every((uci, i) => uci === place.best[i]!.uci);
    this.board.show({ position, lastMove: aside[aside.length - 1] ?? led, playable: true, candidates: aside.length ? [] : arrows(place), turn, value: isKnown ? place.value! * flips : undefined });
    byId('pieces').textContent = describe(position);
  }

  private drawBest(place: Place): void {
    let position = place.position;
    const line = place.best.map((move, i) => {
      const number = moveNumber(position, i === 0);
      position = play(position, move.uci);
      const to = place.best.slice(0, i + 1).map(one => one.uci);
      const shown = to.join(' ') === this.aside.join(' ');
      return button(number + move.san, () => this.leave(shown ? [] : to), { class: shown ? 'move shown' : 'move', 'aria-pressed': String(shown) });
    });
    const focused = [...byId('best').querySelectorAll('.move')].indexOf(document.activeElement!);
    byId('best').replaceChildren(...(line.length ? [h('span', { class: 'whose' }, place.by === 'closing' ? 'best, by a closing search' : 'best'), ...line] : []));
    if (focused >= 0) line[focused]?.focus({ preventScroll: true });
  }

  /** What was played, and what it is worth. */
  private words(place: Place): string {
    const { played } = place;
    const isBest = this.aside.every((uci, i) => uci === place.best[i]?.uci);
    if (this.aside.length && !isBest) return `Tried: ${this.tried(place)}`;
    if (!played) return '';
    const value = played.value === undefined ? '' : ` ${format(played.value, turnOf(place, this.pov))}`;
    if (played.uci === place.best[0]?.uci) return `Played: ${named(place)}${value}, the best move.`;
    return `Played: ${named(place)}${value}${played.better ? '; the best line is better.' : ''}`;
  }

  /** What is tried, numbered. */
  private tried(place: Place): string {
    let position = place.position;
    return sansOf(position, this.aside).map(({ san }, i) => {
      const number = moveNumber(position, i === 0);
      position = play(position, this.aside[i]!);
      return number + san;
    }).join(' ');
  }

  /** All that does not go by the position on the board. */
  private fill(): void {
    this.moves = this.places.slice(0, -1).map((place, ply) => {
      const played = place.played!;
      const element = h('a', { class: 'move', href: this.parts.href(ply + 1), 'aria-label': named(place) }, played.san);
      element.addEventListener('click', event => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        this.go(ply + 1);
      });
      if (played.glyph) element.append(h('span', { class: 'glyph', 'data-glyph': played.glyph }, played.glyph));
      return element;
    });
    const focused = [...byId('moves').querySelectorAll('.move')].indexOf(document.activeElement!);
    byId('moves').replaceChildren(...this.rows(), h('span', { class: 'result' }, this.data.game.result));
    this.moves[focused]?.focus({ preventScroll: true });
    byId('players').replaceChildren(this.players());
    byId('mistake').hidden = this.places.every(place => !place.played?.glyph);
    this.drawTable();
  }

  /** Two columns with the numbers before them. */
  private rows(): HTMLElement[] {
    return this.moves.flatMap((move, ply) => {
      const { position } = this.places[ply]!;
      const number = h('span', { class: 'move-number', 'aria-hidden': 'true' }, String(position.fullmoves));
      if (position.turn === 'white') return [number, move];
      return ply === 0 ? [number, h('span', { class: 'gap', 'aria-hidden': 'true' }, '\u2026'), move] : [move];
    });
  }

  /** Accuracy and marks of each side. */
  private players(): HTMLElement {
    const side = (name: 'White' | 'Black') => {
      const of = this.places.filter(place => (place.position.turn === 'white') === (name === 'White'));
      const accuracy = new RegExp(`${name} ([\\d.]+)`).exec(this.data.accuracy ?? '')?.[1];
      return [name, accuracy ?? '', ...MARKS.map(mark => String(of.filter(place => place.played?.glyph === mark).length))];
    };
    return tableBox('How accurately each side has played', ['Side', 'Accuracy', ...MARKS], [side('White'), side('Black')]);
  }

  private drawTable(): void {
    const rows = this.places.slice(0, -1).map(place => {
      const value = place.played?.value;
      const turn = turnOf(place, this.pov);
      return [named(place), value === undefined ? '' : format(value, turn), place.best[0]?.san ?? '', place.value === undefined ? '' : format(place.value, turn)];
    });
    const whose = this.pov === 'white' ? 'for White' : 'for the side that plays the move';
    byId('game-table').replaceChildren(tableBox(`Scores ${whose}`, ['Move', 'Score', 'Best', 'Its score'], rows));
  }
}

/** Only the list is scrolled, not the page. */
function inSight(move: HTMLElement | undefined): void {
  const box = byId('moves');
  if (!move) box.scrollTop = 0;
  else if (move.offsetTop < box.scrollTop || move.offsetTop + move.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = move.offsetTop - box.clientHeight / 2;
}

/** The best move, and behind it the one that was played. */
function arrows(place: Place): Arrow[] {
  const { value, played } = place;
  const found: Arrow[] = [];
  const best = place.best[0];
  if (best && value !== undefined) found.push({ uci: best.uci, alpha: value });
  if (played && played.value !== undefined && played.uci !== best?.uci) found.push({ uci: played.uci, alpha: played.value });
  return found;
}
