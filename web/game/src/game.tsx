// A played game, step by step, with the verdict on each position: the parts of its page, whatever is around them.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Arrow } from '../../shared/board';
import type { GamePageData } from '../../shared/contract';
import { listen } from '../../shared/keys';
import { moveNumber, numbered, overWords, play } from '../../shared/rules';
import { format, sign, speak, type Color, type Pov } from '../../shared/score';
import { BoardBox, type Turned } from '../../serve/src/view/boardpane';
import { Controls } from '../../serve/src/view/controls';
import { plainly } from '../../serve/src/view/links';
import { useCurrentInSight } from '../../serve/src/view/parts';
import { AsTable, Plot, TableBox, type TableData } from '../../serve/src/view/plot';
import { MARKS, type Place } from './data';
import { drawGame } from './plot';
import type { GameWalk } from './walk';

interface Props {
  walk: GameWalk;
  data: GamePageData;
  pov: Pov;
  /** The address of a position of the game. */
  href: (ply: number) => string;
}

const turnOf = (place: Place, pov: Pov) => sign(place.position.turn, pov);
const named = (place: Place): string => (place.played ? moveNumber(place.position) + place.played.san + place.played.glyph : '');

export function Game(props: Props) {
  const { walk, data, pov } = props;
  const board = useRef<Turned>({ flip: () => {}, orientation: (): Color => 'white' }).current;
  useLayoutEffect(() => listen(() => ({
    ArrowLeft: () => walk.back(),
    ArrowRight: () => walk.forward(),
    n: () => walk.nextMistake(),
    ' ': () => walk.playBest(),
    Home: () => walk.go(0),
    End: () => walk.go(walk.last()),
    f: () => board.flip(),
  })), []);
  const { at, aside } = walk;
  const place = walk.place();
  const before = walk.places[at - 1];
  const title = before ? named(before) : 'Start';
  const atStart = at === 0 && !aside.length;
  const turn = turnOf(place, pov);
  const over = overWords(place.position);
  const known = place.value !== undefined && !over ? place.value : null;
  const score = known === null ? over || 'Not analysed.' : format(known, turn);
  const spoken = known === null ? score : `${speak(known, turn)}${place.best[0] ? `, best ${place.best[0].san}` : ''}`;
  return (
    <>
      <section class="play" aria-label="Board">
        <BoardBox app={board} shown={onBoard(walk, pov)} side="white" of={walk} onMove={uci => walk.play(uci)} step={by => (by > 0 ? walk.forward() : walk.back())} />
        <Controls label="Step through the game" back={[atStart, () => walk.go(0), () => walk.back()]} forward={[aside.length ? !walk.onwards() : at === walk.last(), () => walk.forward(), () => walk.go(walk.last())]} flip={() => board.flip()}>
          {walk.hasMistakes() && <button type="button" id="mistake" title="Next mistake (n)" onClick={() => walk.nextMistake()}>Next mistake</button>}
        </Controls>
        <p id="live" class="sr" role="status" aria-live="polite">{title}. {spoken}</p>
      </section>
      <section class="here" aria-labelledby="here-title">
        <h2 id="here-title">{title}</h2>
        <div id="verdict"><p><span id="score" class={known === null ? 'unknown' : known * turn < 0 ? 'minus' : ''}>{score}</span> <span class="whose">{place.depth}</span></p></div>
        <div id="best" class="moves-line" role="group" aria-label="Best line"><Best walk={walk} /></div>
        <p id="played">{playedWords(walk, pov)}</p>
      </section>
      <section class="game" aria-label="Moves of the game">
        <div id="players"><TableBox {...players(walk.places, data)} /></div>
        <Moves {...props} />
      </section>
      <section class="graph">
        <figure>
          <figcaption><h2>The game</h2> <span class="whose">Scores for White.</span> <span class="key"><Mark glyph="?!" shape="&#x25b2;" /> <Mark glyph="?" shape="&#x25a0;" /> <Mark glyph="??" shape="&#x25c6;" /></span></figcaption>
          <Plot id="game-plot" of={[walk.places, at]} draw={box => drawGame(box, walk)} />
        </figure>
        <AsTable id="game-table" {...table(walk.places, pov)} />
      </section>
    </>
  );
}

const Mark = ({ glyph, shape }: { glyph: string; shape: string }) => <><i class="glyph" data-glyph={glyph}>{shape}</i> {glyph}</>;

/** The position, or one beside the game. */
function onBoard(walk: GameWalk, pov: Pov) {
  const { aside } = walk;
  const place = walk.place();
  const position = aside.reduce(play, place.position);
  const value = place.value !== undefined && walk.isBest() ? place.value * (aside.length % 2 ? -1 : 1) : undefined;
  return { position, lastMove: aside[aside.length - 1] ?? walk.places[walk.at - 1]?.played?.uci, playable: true, candidates: aside.length ? [] : arrows(place), turn: sign(position.turn, pov), value };
}

function Best({ walk }: { walk: GameWalk }) {
  const place = walk.place();
  const links = numbered(place.position, place.best.map(move => move.uci)).map((name, i) => {
    const to = place.best.slice(0, i + 1).map(one => one.uci);
    const shown = to.join(' ') === walk.aside.join(' ');
    return <button type="button" key={i} class={shown ? 'move shown' : 'move'} aria-pressed={shown} onClick={() => walk.leave(shown ? [] : to)}>{name}</button>;
  });
  return links.length ? <><span class="whose">{place.by === 'closing' ? 'best, by a closing search' : 'best'}</span>{links}</> : null;
}

/** The move played, and its score, in words. */
function playedWords(walk: GameWalk, pov: Pov): string {
  const place = walk.place();
  const { played } = place;
  if (walk.aside.length && !walk.isBest()) return `Tried: ${numbered(place.position, walk.aside).join(' ')}`;
  if (!played) return '';
  const value = played.value === undefined ? '' : ` ${format(played.value, turnOf(place, pov))}`;
  if (played.uci === place.best[0]?.uci) return `Played: ${named(place)}${value}, the best move.`;
  return `Played: ${named(place)}${value}${played.better ? '; the best line is better.' : ''}`;
}

/** Two columns with the numbers before them. */
function Moves({ walk, data, href }: Props) {
  const box = useCurrentInSight(String(walk.at), walk.places.length);
  return (
    <div id="moves" ref={box} class="moves-line" role="group" aria-label="Moves">
      {walk.places.slice(0, -1).map((place, ply) => (
        <>
          {(ply === 0 || place.position.turn === 'white') && <span class="move-number" aria-hidden="true">{place.position.fullmoves}</span>}
          {ply === 0 && place.position.turn === 'black' && <span class="gap" aria-hidden="true">…</span>}
          <a class="move" href={href(ply + 1)} aria-label={named(place)} aria-current={ply + 1 === walk.at ? 'step' : undefined} onClick={plainly(() => walk.go(ply + 1))}>{place.played!.san}{place.played!.glyph && <span class="glyph" data-glyph={place.played!.glyph}>{place.played!.glyph}</span>}</a>
        </>
      ))}
      <span class="result">{data.game.result}</span>
    </div>
  );
}

/** Accuracy and marks of each side. */
function players(places: Place[], data: GamePageData): TableData {
  const side = (name: 'White' | 'Black') => {
    const of = places.filter(place => (place.position.turn === 'white') === (name === 'White'));
    const accuracy = new RegExp(`${name} ([\\d.]+)`).exec(data.accuracy ?? '')?.[1];
    return [name, accuracy ?? '', ...MARKS.map(mark => String(of.filter(place => place.played?.glyph === mark).length))];
  };
  return { caption: 'How accurately each side has played', head: ['Side', 'Accuracy', ...MARKS], rows: [side('White'), side('Black')] };
}

function table(places: Place[], pov: Pov): TableData {
  const rows = places.slice(0, -1).map(place => {
    const value = place.played?.value;
    const turn = turnOf(place, pov);
    return [named(place), value === undefined ? '' : format(value, turn), place.best[0]?.san ?? '', place.value === undefined ? '' : format(place.value, turn)];
  });
  return { caption: `Scores ${pov === 'white' ? 'for White' : 'for the side that plays the move'}`, head: ['Move', 'Score', 'Best', 'Its score'], rows };
}

/** The best move, and behind it the one that was played. */
function arrows({ value, played, best: [best] }: Place): Arrow[] {
  const found: Arrow[] = [];
  if (best && value !== undefined) found.push({ uci: best.uci, alpha: value });
  if (played && played.value !== undefined && played.uci !== best?.uci) found.push({ uci: played.uci, alpha: played.value });
  return found;
}
