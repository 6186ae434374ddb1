// A played game, step by step, with the verdict on each position.
import { Board, type Arrow } from '../../shared/board';
import { tableBox } from '../../shared/chart';
import { button, byId, h } from '../../shared/dom';
import { describe, moveNumber, play, sansOf } from '../../shared/rules';
import { format, sign, speak, type Pov } from '../../shared/score';
import { theme } from '../../shared/theme';
import { wheelSteps } from '../../shared/wheel';
import { MARKS, readGame, type Place } from './data';
import { GamePlot } from './plot';

theme();
const { data, places } = readGame();
const last = places.length - 1;
let pov: Pov = data.pov;
/** The ply on the board. */
let at = 0;
/** Moves that are on the board beside the game: of the best line, or tried. */
let aside: string[] = [];

const board = new Board({
  box: byId('board'),
  bar: byId('eval-bar'),
  above: [byId('top')],
  orientation: 'white',
  onMove: uci => (!aside.length && uci === places[at]?.played?.uci ? go(at + 1) : leave([...aside, uci])),
});
const plot = new GamePlot(byId('game-plot'), places, go);

function go(ply: number): void {
  at = Math.max(0, Math.min(last, ply));
  aside = [];
  draw();
  history.replaceState(null, '', at === 0 ? location.pathname + location.search : `#${at}`);
}

/** Beside the game, along these moves. */
function leave(line: string[]): void {
  aside = line;
  draw();
}

/** How the best line goes on behind what is on the board; nothing where something else was tried. */
const onwards = (): string | undefined => {
  const best = places[at]!.best.map(move => move.uci);
  return aside.every((uci, i) => uci === best[i]) ? best[aside.length] : undefined;
};

function forward(): void {
  const next = onwards();
  if (!aside.length) go(at + 1);
  else if (next) leave([...aside, next]);
}

const back = (): void => (aside.length ? leave(aside.slice(0, -1)) : go(at - 1));

/** Before the next move with a mark, from the start again behind the last one. */
function nextMistake(): void {
  const marked = places.flatMap((place, ply) => (place.played?.glyph ? ply : []));
  const next = marked.find(ply => ply > at) ?? marked[0];
  if (next !== undefined) go(next);
}

const turnOf = (place: Place) => sign(place.position.turn, pov);
const named = (place: Place): string => (place.played ? moveNumber(place.position) + place.played.san + place.played.glyph : '');

function draw(): void {
  const place = places[at]!;
  const before = places[at - 1]?.played;
  drawBoard(place, before?.uci);
  byId('here-title').textContent = before ? named(places[at - 1]!) : 'Start';
  const score = byId('score');
  const known = place.value !== undefined;
  score.textContent = known ? format(place.value!, turnOf(place)) : place.position.isEnd() ? 'The game is over.' : 'Not analysed.';
  score.className = !known ? 'unknown' : place.value! * turnOf(place) < 0 ? 'minus' : '';
  byId('depth').textContent = place.depth;
  drawBest(place);
  byId('played').textContent = words(place);
  for (const [ply, element] of moves.entries()) {
    if (ply + 1 === at) element.setAttribute('aria-current', 'step');
    else element.removeAttribute('aria-current');
  }
  inSight(moves[at - 1]);
  byId('first').setAttribute('aria-disabled', String(at === 0 && !aside.length));
  byId('back').setAttribute('aria-disabled', String(at === 0 && !aside.length));
  byId('forward').setAttribute('aria-disabled', String(aside.length ? !onwards() : at === last));
  byId('last').setAttribute('aria-disabled', String(at === last));
  plot.draw(at);
  const spoken = known ? `${speak(place.value!, turnOf(place))}${place.best[0] ? `, best ${place.best[0].san}` : ''}` : score.textContent;
  byId('live').textContent = `${byId('here-title').textContent}. ${spoken}`;
}

/** Only the list is scrolled, not the page. */
function inSight(move: HTMLElement | undefined): void {
  const box = byId('moves');
  if (!move) box.scrollTop = 0;
  else if (move.offsetTop < box.scrollTop || move.offsetTop + move.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = move.offsetTop - box.clientHeight / 2;
}

/** The position, or one beside the game. */
function drawBoard(place: Place, led: string | undefined): void {
  const position = aside.reduce(play, place.position);
  const turn = sign(position.turn, pov);
  const flips = aside.length % 2 ? -1 : 1;
  const isKnown = place.value !== undefined && place.best.length >= aside.length && aside.every((uci, i) => uci === place.best[i]!.uci);
  board.show({ position, lastMove: aside[aside.length - 1] ?? led, playable: true, candidates: aside.length ? [] : arrows(place), turn, value: isKnown ? place.value! * flips : undefined });
  byId('pieces').textContent = describe(position);
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

function drawBest(place: Place): void {
  let position = place.position;
  const line = place.best.map((move, i) => {
    const number = moveNumber(position, i === 0);
    position = play(position, move.uci);
    const to = place.best.slice(0, i + 1).map(one => one.uci);
    const shown = to.join(' ') === aside.join(' ');
    return button(number + move.san, () => leave(shown ? [] : to), { class: shown ? 'move shown' : 'move', 'aria-pressed': String(shown) });
  });
  byId('best').replaceChildren(...(line.length ? [h('span', { class: 'whose' }, place.by === 'closing' ? 'best, by a closing search' : 'best'), ...line] : []));
}

/** What was played, and what it is worth. */
function words(place: Place): string {
  const { played } = place;
  const isBest = aside.every((uci, i) => uci === place.best[i]?.uci);
  if (aside.length && !isBest) return `Tried: ${tried(place)}`;
  if (!played) return '';
  const value = played.value === undefined ? '' : ` ${format(played.value, turnOf(place))}`;
  if (played.uci === place.best[0]?.uci) return `Played: ${named(place)}${value}, the best move.`;
  return `Played: ${named(place)}${value}${played.better ? '; the best line is better.' : ''}`;
}

/** What is tried, numbered. */
function tried(place: Place): string {
  let position = place.position;
  return sansOf(position, aside).map(({ san }, i) => {
    const number = moveNumber(position, i === 0);
    position = play(position, aside[i]!);
    return number + san;
  }).join(' ');
}

const moves = places.slice(0, last).map((place, ply) => {
  const played = place.played!;
  const element = button(played.san, () => go(ply + 1), { class: 'move', 'aria-label': named(place) });
  if (played.glyph) element.append(h('span', { class: 'glyph', 'data-glyph': played.glyph }, played.glyph));
  return element;
});

/** Two columns with the numbers before them. */
const rows = (): HTMLElement[] =>
  moves.flatMap((move, ply) => {
    const { position } = places[ply]!;
    const number = h('span', { class: 'move-number', 'aria-hidden': 'true' }, String(position.fullmoves));
    if (position.turn === 'white') return [number, move];
    return ply === 0 ? [number, h('span', { class: 'gap', 'aria-hidden': 'true' }, '\u2026'), move] : [move];
  });

/** Accuracy and marks of each side. */
function players(): HTMLElement {
  const side = (name: 'White' | 'Black') => {
    const of = places.filter(place => (place.position.turn === 'white') === (name === 'White'));
    const accuracy = new RegExp(`${name} ([\\d.]+)`).exec(data.accuracy ?? '')?.[1];
    return [name, accuracy ?? '', ...MARKS.map(mark => String(of.filter(place => place.played?.glyph === mark).length))];
  };
  return tableBox('How accurately each side has played', ['Side', 'Accuracy', ...MARKS], [side('White'), side('Black')]);
}

function drawTable(): void {
  const rows = places.slice(0, last).map(place => {
    const value = place.played?.value;
    return [named(place), value === undefined ? '' : format(value, turnOf(place)), place.best[0]?.san ?? '', place.value === undefined ? '' : format(place.value, turnOf(place))];
  });
  const whose = pov === 'white' ? 'for White' : 'for the side that plays the move';
  byId('game-table').replaceChildren(tableBox(`Scores ${whose}`, ['Move', 'Score', 'Best', 'Its score'], rows));
}

byId('moves').replaceChildren(...rows(), h('span', { class: 'result' }, data.game.result));
byId('players').replaceChildren(players());
byId('event').textContent = data.event;
byId('engine').textContent = data.accuracy ? `${data.engine}. Accuracy: ${data.accuracy}` : data.engine;
byId('first').addEventListener('click', () => go(0));
byId('back').addEventListener('click', back);
byId('forward').addEventListener('click', forward);
byId('last').addEventListener('click', () => go(last));
byId('flip').addEventListener('click', () => board.flip());
byId('mistake').addEventListener('click', nextMistake);
byId('mistake').hidden = places.every(place => !place.played?.glyph);
wheelSteps(byId('board'), by => (by > 0 ? forward() : back()));

const select = byId<HTMLSelectElement>('pov');
select.value = pov;
select.addEventListener('change', () => {
  pov = select.value === 'white' ? 'white' : 'mover';
  draw();
  drawTable();
});

document.addEventListener('keydown', event => {
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest('input, select, textarea, dialog, .wide') || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const keys: Record<string, () => void> = {
    ArrowLeft: back,
    ArrowRight: forward,
    n: nextMistake,
    ' ': () => onwards() && leave([...aside, onwards()!]),
    Home: () => go(0),
    End: () => go(last),
    f: () => board.flip(),
  };
  const action = keys[event.key];
  if (!action || (event.key === ' ' && target.closest('button, summary'))) return;
  event.preventDefault();
  action();
});

const followAddress = () => go(Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 0));
addEventListener('hashchange', followAddress);
drawTable();
followAddress();
document.documentElement.classList.add('ready');
