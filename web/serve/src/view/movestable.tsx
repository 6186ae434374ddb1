// The moves of the position on the board: score, line, what lies behind, and what is said of them.
import type { Place, PlacedMove, Score } from '../../../shared/contract';
import { closingWords, saidOf, valueOf, worthWords } from '../api/words';
import { format } from '../../../shared/score';
import { wdlParts } from '../../../shared/wdl';
import { grouped, percent } from '../../../shared/words';
import { direct } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { directItems, marksOf } from './directing';
import { MoveLink } from './links';
import { Menu } from './menu';
import { IconButton, ScoreCell, short } from './parts';
import { Pv } from './pv';
import { closingOf, overWords } from './verdict';

export function MovesTable({ app, open }: { app: App; open: OpenRoot }) {
  const place = open.place();
  return (
    <section class="moves" aria-label="Moves">
      {place && isCounted(place) && <PeopleChoice app={app} open={open} />}
      {place?.moves.length ? <Table app={app} open={open} place={place} /> : place?.table_moves.length ? <KnownMoves open={open} place={place} /> : <Empty open={open} />}
    </section>
  );
}

/** Whether it is known what people play there. */
export const isCounted = (place: Place | undefined): boolean => place?.moves.some(move => move.games !== null) ?? false;

/** For whom points against people are shown. */
function PeopleChoice({ app, open }: { app: App; open: OpenRoot }) {
  const choose = (side: string) => {
    open.places.askPeople(side === 'white' || side === 'black' ? side : '');
    app.changed();
  };
  return (
    <label class="whose people">Points in 100 expected for <select id="people" value={open.places.peopleFor()} onChange={event => choose(event.currentTarget.value)}><option value="">neither side</option><option value="white">White</option><option value="black">Black</option></select></label>
  );
}

/** For whom the scores of a position are shown. */
function whoseScores(app: App, open: OpenRoot): string {
  if (app.pov === 'white') return 'for White';
  return `for ${open.walk.mover(open.walk.at) === 'white' ? 'White' : 'Black'}, who moves`;
}

function Empty({ open }: { open: OpenRoot }) {
  const kept = open.kept();
  if (open.walk.isBefore()) return <p class="empty">Walk on to the analysed position: its moves are shown there.</p>;
  if (!kept?.place) return <div class="skeleton" aria-hidden="true"><i /><i /><i /><i /></div>;
  const over = overWords(open);
  return <p class="empty">{over ? `${over}.` : kept.place.end ? 'The line ends here.' : kept.place.analysed ? 'No moves yet.' : 'Not analysed. Moves can be played on the board all the same.'}</p>;
}

function Table({ app, open, place }: { app: App; open: OpenRoot; place: Place }) {
  const inGames = isCounted(place);
  const people = inGames && open.places.peopleFor() !== '';
  return (
    <div class="scroll" id="moves-scroll" tabIndex={-1}>
      <table id="moves-table">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col" class="right" title={`What the move is worth with the whole tree behind it, ${whoseScores(app, open)}`}>Score</th>
            {people && <th scope="col" class="right" title="Points in 100, expected against these players">Points</th>}
            {inGames && <th scope="col" class="right wide-only" title="In how many games it was played">Games</th>}
            {inGames && <th scope="col" class="right" title="Of the games that came here">Share</th>}
            <th scope="col" class="behind">Best line</th>
            <th scope="col" class="right wide-only" title="What the engine said of the move at first">Engine</th>
            <th scope="col" class="right roomy-only" title="Positions analysed behind it">Positions</th>
            <th scope="col"><span class="sr">Guide</span></th>
          </tr>
        </thead>
        <tbody id="moves">
          <Unlisted app={app} open={open} place={place} counted={inGames} people={people} />
          {place.moves.map(move => <Row key={move.uci} app={app} open={open} place={place} move={move} counted={inGames} people={people} />)}
        </tbody>
      </table>
    </div>
  );
}

/** The closing search's move of the root, where the tree does not list it. */
function Unlisted({ app, open, place, counted, people }: { app: App; open: OpenRoot; place: Place } & Columns) {
  const { walk } = open;
  const chosen = closingOf(place);
  if (!chosen || place.moves.some(move => move.uci === chosen.uci)) return null;
  const told = place.verdict?.by === 'closing';
  return (
    <tr class={told ? 'candidate' : ''}>
      <th scope="row"><MoveLink open={open} line={[chosen.uci]}>{walk.number(0) + chosen.san}</MoveLink></th>
      <td class="right"><ScoreCell kind="alpha" value={told ? valueOf(chosen.score) : null} turn={walk.sign(app.pov, 0)} /></td>
      {people && <td />}
      {counted && <td class="wide-only" />}
      {counted && <td />}
      <td class="behind"><div class="behind-row">{told ? <span class="mark">closing search, not in the tree</span> : <Closing score={chosen.score} turn={walk.sign(app.pov, 0)} />} <Pv open={open} moves={chosen.line.slice(1)} inTree={chosen.line.length} end={null} before={[chosen.uci]} /></div></td>
      <td class="wide-only" />
      <td class="roomy-only" />
      <td />
    </tr>
  );
}

/** What the closing search says of a move. */
function Closing({ score, turn }: { score: Score; turn: 1 | -1 }) {
  return <span class="mark">{closingWords(score, turn)}</span>;
}

/** The moves of a root that tablebases know. */
function KnownMoves({ open, place }: { open: OpenRoot; place: Place }) {
  const { walk } = open;
  return (
    <div class="scroll" id="moves-scroll" tabIndex={-1}>
      <table id="known-table">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col">Result in the tablebases</th>
            <th scope="col" class="right" title="Plies to the next capture, pawn move or mate">DTZ</th>
          </tr>
        </thead>
        <tbody id="known">
          {place.table_moves.map(move => (
            <tr key={move.uci}>
              <th scope="row"><MoveLink open={open} line={[move.uci]}>{walk.number(0) + move.san}</MoveLink></th>
              <td>{move.known}</td>
              <td class="right">{move.dtz ?? '?'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Which columns there are beside the usual ones. */
interface Columns {
  counted: boolean;
  people: boolean;
}

interface RowProps extends Columns {
  app: App;
  open: OpenRoot;
  place: Place;
  move: PlacedMove;
}

function Row({ app, open, place, move, counted, people }: RowProps) {
  const { walk } = open;
  const depth = place.line.length;
  const turn = walk.sign(app.pov, depth);
  const line = [...place.line.map(one => one.uci), move.uci];
  const name = walk.number(depth) + move.san;
  // What is told as the best has the score of who tells it.
  const told = place.verdict?.by === 'closing' && place.verdict.uci === move.uci ? place.verdict : null;
  const kind = [move.candidate || told ? 'candidate' : '', move.excluded ? 'excluded' : ''].join(' ');
  const chosen = told?.line ?? null;
  const score = told?.score ?? move.alpha;
  const wdl = saidOf(move);
  return (
    <tr class={kind}>
      <th scope="row">
        <MoveLink open={open} line={line}>{name}{move.candidate && <span class="sr"> candidate</span>}</MoveLink>
      </th>
      <td class="right" title={wdl ? wdlParts(wdl, turn, app.root()?.computes_wdl ?? false).words : undefined}><ScoreCell kind="alpha" value={score && valueOf(score)} turn={turn} /></td>
      {people && <td class="right">{move.expected === null ? '' : (100 * move.expected).toFixed(1)}</td>}
      {counted && <td class="right wide-only eval">{move.games ?? ''}</td>}
      {counted && <td class="right eval" title={move.games === null ? undefined : `${grouped(move.games)} games`}>{move.share === null ? '' : percent(move.share)}</td>}
      <td class="behind"><div class="behind-row">{told ? <span class="mark">closing search{move.alpha ? `, tree ${format(valueOf(move.alpha), turn)}` : ''}</span> : move.closing && <Closing score={move.closing} turn={turn} />}<Marks app={app} move={move} line={line} name={name} /><Pv open={open} moves={(chosen ?? move.line).slice(1)} inTree={(chosen?.length ?? Math.max(1, move.in_tree)) - 1} end={chosen ? null : move.line_end} before={line} /></div></td>
      <td class="right wide-only eval">{move.eval ? format(valueOf(move.eval), turn) : ''}</td>
      <td class="right behind-count roomy-only" title={move.plies ? `down to ${move.plies} plies behind it` : undefined}>{move.positions ? short(move.positions) : ''}</td>
      <td class="row-menu"><Menu label={`Guide ${name}`} icon="more" items={() => directItems(app, open, line, move)} /></td>
    </tr>
  );
}

/** What the user has said, each with the way to take it back. */
function Marks({ app, move, line, name }: { app: App; move: PlacedMove; line: string[]; name: string }) {
  const marks = marksOf(move);
  if (move.value !== null) marks.push(`your value: ${worthWords(move.value)}`);
  const ends = move.end && move.end !== 'value' ? (move.known ?? move.end) : move.repetition ? 'repetition' : null;
  return (
    <>
      {marks.length > 0 && (
        <span class="marks">
          {marks.map(mark => <span class="mark" key={mark}>{mark}</span>)}
          <IconButton icon="close" label={`Take back: ${name} ${marks.join(', ')}`} title="Take back" class="small" onClick={() => void direct(app, line, 'undo')} />
        </span>
      )}
      {ends && <span class="note">{ends}</span>}
      {move.note && <span class="users-note" title={move.note}>{move.note}</span>}
    </>
  );
}
