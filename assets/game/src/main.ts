// A played game, step by step, with the verdict on each position.
import { Board, type Arrow } from '../../shared/board';
import { tableBox } from '../../shared/chart';
import { button, byId, h } from '../../shared/dom';
import { describe, moveNumber, play } from '../../shared/rules';
import { format, sign, speak, type Pov } from '../../shared/score';
import { theme } from '../../shared/theme';
import { readGame, type Place } from './data';
import { GamePlot } from './plot';

theme();
const { data, places } = readGame();
const last = places.length - 1;
let pov: Pov = data.pov;
/** The ply on the board. */
let at = 0;
/** How many moves of the best line are shown on the board, too. */
let ahead = 0;

const board = new Board({
  box: byId('board'),
  bar: byId('eval-bar'),
  above: [byId('top')],
  orientation: 'white',
  // The game alone is walked; another move goes back where it was.
  onMove: uci => (uci === places[at]?.played?.uci ? go(at + 1) : draw()),
});
const plot = new GamePlot(byId('game-plot'), places, go);

function go(ply: number): void {
  at = Math.max(0, Math.min(last, ply));
  ahead = 0;
  draw();
  history.replaceState(null, '', at === 0 ? location.pathname + location.search : `#${at}`);
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
  moves[at - 1]?.scrollIntoView({ block: 'nearest' });
  for (const id of ['first', 'back']) byId(id).setAttribute('aria-disabled', String(at === 0));
  for (const id of ['forward', 'last']) byId(id).setAttribute('aria-disabled', String(at === last));
  plot.draw(at);
  const spoken = known ? `${speak(place.value!, turnOf(place))}${place.best[0] ? `, best ${place.best[0].san}` : ''}` : score.textContent;
  byId('live').textContent = `${byId('here-title').textContent}. ${spoken}`;
}

/** The position, or one on its best line. */
function drawBoard(place: Place, led: string | undefined): void {
  const line = place.best.slice(0, ahead).map(move => move.uci);
  const position = line.reduce(play, place.position);
  const turn = sign(position.turn, pov);
  const flips = line.length % 2 ? -1 : 1;
  const value = place.value === undefined ? undefined : place.value * flips;
  board.show({ position, lastMove: line[line.length - 1] ?? led, playable: ahead === 0, candidates: ahead ? [] : arrows(place), turn, value });
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
    const show = () => {
      ahead = ahead === i + 1 ? 0 : i + 1;
      draw();
    };
    return button(number + move.san, show, { class: ahead === i + 1 ? 'move shown' : 'move', 'aria-pressed': String(ahead === i + 1) });
  });
  byId('best').replaceChildren(...(line.length ? [h('span', { class: 'whose' }, place.by === 'closing' ? 'best, by a closing search' : 'best'), ...line] : []));
}

/** What was played, and what it is worth. */
function words(place: Place): string {
  const { played } = place;
  if (!played) return '';
  const value = played.value === undefined ? '' : ` ${format(played.value, turnOf(place))}`;
  if (played.uci === place.best[0]?.uci) return `Played: ${named(place)}${value}, the best move.`;
  return `Played: ${named(place)}${value}${played.better ? '; the best line is better.' : ''}`;
}

const moves = places.slice(0, last).map((place, ply) => {
  const played = place.played!;
  const number = moveNumber(place.position, ply === 0);
  const glyph = played.glyph ? h('span', { class: 'glyph' }, played.glyph) : null;
  const element = button(number + played.san, () => go(ply + 1), { class: 'move' });
  if (glyph) element.append(glyph);
  return element;
});

function drawTable(): void {
  const rows = places.slice(0, last).map(place => {
    const value = place.played?.value;
    return [named(place), value === undefined ? '' : format(value, turnOf(place)), place.best[0]?.san ?? '', place.value === undefined ? '' : format(place.value, turnOf(place))];
  });
  const whose = pov === 'white' ? 'for White' : 'for the side that plays the move';
  byId('game-table').replaceChildren(tableBox(`Scores ${whose}`, ['Move', 'Score', 'Best', 'Its score'], rows));
}

byId('moves').replaceChildren(...moves, h('span', { class: 'move' }, data.game.result));
byId('event').textContent = data.event;
byId('engine').textContent = data.accuracy ? `${data.engine}. Accuracy: ${data.accuracy}` : data.engine;
byId('first').addEventListener('click', () => go(0));
byId('back').addEventListener('click', () => go(at - 1));
byId('forward').addEventListener('click', () => go(at + 1));
byId('last').addEventListener('click', () => go(last));
byId('flip').addEventListener('click', () => board.flip());

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
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    Home: () => go(0),
    End: () => go(last),
    f: () => board.flip(),
  };
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

const followAddress = () => go(Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 0));
addEventListener('hashchange', followAddress);
drawTable();
followAddress();
document.documentElement.classList.add('ready');
