// The moves of the position on the board: score, line, size of the tree after them, and directives.
import type { Score } from '../../../shared/contract';
import { closingWords, saidOf, valueOf, worthWords } from '../api/words';
import { format, type Pov } from '../../../shared/score';
import { wdlParts } from '../../../shared/wdl';
import { grouped, percent } from '../../../shared/words';
import type { OpenTree, ShownMove, ShownPlace } from '../state/opentree';
import { MoveLink } from './links';
import { Menu, type Item } from './menu';
import { IconButton, ScoreCell, short } from './parts';
import { Pv } from './pv';
import { endOf, marksOf } from './saying';
import { closingOf, overWords } from './verdict';

/** Directives for moves: the menu of one, and its undo. A file has none. */
export interface Guide {
  items: (line: string[], move: ShownMove) => (Item | null)[];
  undo: (line: string[]) => void;
}

interface TableProps {
  pov: Pov;
  open: OpenTree;
  /** True if win, draw and loss are computed from the score. */
  computed: boolean;
  /** Side whose points against people are shown; '' for none. */
  people: string;
  guide?: Guide;
}

export function MovesTable(props: TableProps) {
  const { open } = props;
  const place = open.place();
  if (place?.moves.length) return <Table {...props} place={place} counted={countedBy(place)} />;
  return place?.table_moves.length ? <KnownMoves open={open} place={place} /> : <Empty open={open} />;
}

/** Sources of what people play: games, or a net alone; null without either. */
type Counted = 'games' | 'net' | null;

export const countedBy = (place: ShownPlace | undefined): Counted =>
  place?.moves.some(move => move.games !== null) ? 'games' : place?.moves.some(move => move.share !== null) ? 'net' : null;

/** For whom the scores of a position are shown. */
export function whoseScores({ pov, open }: Pick<TableProps, 'pov' | 'open'>): string {
  if (pov === 'white') return 'for White';
  return `for ${open.walk.mover(open.walk.at) === 'white' ? 'White' : 'Black'}, who moves`;
}

function Empty({ open }: { open: OpenTree }) {
  const place = open.place();
  if (open.walk.isBefore()) return <p class="empty">Walk on to the analysed position: its moves are shown there.</p>;
  if (!place) return <div class="skeleton" aria-hidden="true"><i /><i /><i /><i /></div>;
  const over = overWords(open);
  return <p class="empty">{over ? `${over}.` : place.end ? 'The line ends here.' : place.analysed ? 'No moves yet.' : 'Not analysed.'}</p>;
}

interface Columns extends TableProps {
  place: ShownPlace;
  /** True if there are columns of games. */
  counted: Counted;
}

function Table(props: Columns) {
  const { place, counted, people, guide } = props;
  return (
    <div class="scroll" id="moves-scroll" tabIndex={-1}>
      <table id="moves-table">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col" class="right" title={`What the move is worth with the whole tree behind it, ${whoseScores(props)}`}>Score</th>
            {people && <th scope="col" class="right" title={`Points ${people} in 100, expected against these players`}>Points</th>}
            {counted === 'games' && <th scope="col" class="right wide-only" title="In how many games it was played">Games</th>}
            {counted && <th scope="col" class="right" title={counted === 'net' ? 'Of people, by a net' : 'Of the games that came here, beside a net of people where one is asked'}>Share</th>}
            <th scope="col" class="behind">Best line</th>
            {!guide && <th scope="col" class="right" title="What the tree behind it makes of it, whatever line led there">Tree</th>}
            <th scope="col" class={guide ? 'right wide-only' : 'right'} title="What the engine said of the move at first">Engine</th>
            {guide ? <th scope="col" class="right roomy-only" title="Positions analysed behind it">Positions</th> : <th scope="col" class="right roomy-only" title="Rank in the engine's list">Rank</th>}
            {guide && <th scope="col"><span class="sr">Guide</span></th>}
          </tr>
        </thead>
        <tbody id="moves">
          <Unlisted {...props} />
          {place.moves.map(move => <Row key={move.uci} {...props} move={move} />)}
        </tbody>
      </table>
    </div>
  );
}

/** The closing search's move of the root, where the tree does not list it. */
function Unlisted({ pov, open, place, counted, people, guide }: Columns) {
  const { walk } = open;
  const chosen = closingOf(place);
  if (!chosen || place.moves.some(move => move.uci === chosen.uci)) return null;
  const told = place.verdict?.by === 'closing';
  return (
    <tr class={told ? 'candidate' : ''}>
      <th scope="row"><MoveLink open={open} line={[chosen.uci]}>{walk.number(0) + chosen.san}</MoveLink></th>
      <td class="right"><ScoreCell kind="alpha" value={told ? valueOf(chosen.score) : null} turn={walk.sign(pov, 0)} /></td>
      {people && <td />}
      {counted === 'games' && <td class="wide-only" />}
      {counted && <td />}
      <td class="behind"><div class="behind-row">{told ? <span class="mark">closing search, not in the tree</span> : <Closing score={chosen.score} turn={walk.sign(pov, 0)} />} <Pv open={open} moves={chosen.line.slice(1)} inTree={chosen.line.length} end={null} before={[chosen.uci]} /></div></td>
      {!guide && <td />}
      <td class={guide && 'wide-only'} />
      <td class="roomy-only" />
      {guide && <td />}
    </tr>
  );
}

/** The closing search's score of a move. */
function Closing({ score, turn }: { score: Score; turn: 1 | -1 }) {
  return <span class="mark">{closingWords(score, turn)}</span>;
}

/** The moves of a root that tablebases know. */
function KnownMoves({ open, place }: { open: OpenTree; place: ShownPlace }) {
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

function Row({ pov, open, place, move, computed, counted, people, guide }: Columns & { move: ShownMove }) {
  const { walk } = open;
  const depth = walk.at;
  const turn = walk.sign(pov, depth);
  const line = [...open.line(), move.uci];
  const name = walk.number(depth) + move.san;
  // The move told as the best has the score of its chooser.
  const told = place.verdict?.by === 'closing' && place.verdict.uci === move.uci ? place.verdict : null;
  const kind = [move.candidate || told ? 'candidate' : '', move.excluded ? 'excluded' : ''].join(' ');
  const chosen = told?.line ?? null;
  const score = told?.score ?? move.alpha;
  const wdl = saidOf(move);
  const parts = wdl && wdlParts(wdl, turn, computed);
  return (
    <tr class={kind}>
      <th scope="row">
        <MoveLink open={open} line={line}>{name}{move.candidate && <span class="sr"> candidate</span>}</MoveLink>
      </th>
      <td class="right" title={parts?.words}><ScoreCell kind="alpha" value={score && valueOf(score)} turn={turn} />{parts && !guide && <span class="wdl" role="img" aria-label={parts.words}>{parts.parts.map(one => <i key={one.kind} class={one.kind} style={{ flexGrow: one.share }} />)}</span>}</td>
      {people && <td class="right">{move.expected === null ? '' : (100 * move.expected).toFixed(1)}</td>}
      {counted === 'games' && <td class="right wide-only eval">{move.games ?? ''}</td>}
      {counted && <td class="right eval" title={move.games === null ? undefined : `${grouped(move.games)} games`}>{move.share === null ? '' : percent(move.share)}</td>}
      <td class="behind"><div class="behind-row">{told ? <span class="mark">closing search{move.alpha ? `, tree ${format(valueOf(move.alpha), turn)}` : ''}</span> : move.closing && <Closing score={move.closing} turn={turn} />}<Marks guide={guide} move={move} line={line} name={name} /><Pv open={open} moves={(chosen ?? move.line).slice(1)} inTree={(chosen?.length ?? Math.max(1, move.in_tree)) - 1} end={chosen ? null : move.line_end} before={line} /></div></td>
      {!guide && <td class="right"><ScoreCell kind="idea" value={move.idea && valueOf(move.idea)} turn={turn} /></td>}
      <td class={guide ? 'right wide-only eval' : 'right eval'}>{move.eval ? format(valueOf(move.eval), turn) : ''}</td>
      {guide ? <td class="right behind-count roomy-only" title={move.plies ? `down to ${move.plies} plies behind it` : undefined}>{move.positions ? short(move.positions) : ''}</td> : <td class="right eval roomy-only">{move.rank === null ? '' : move.rank + 1}</td>}
      {guide && <td class="row-menu"><Menu label={`Guide ${name}`} icon="more" items={() => guide.items(line, move)} /></td>}
    </tr>
  );
}

/** The user's directives for a move, with their undo. */
function Marks({ guide, move, line, name }: { guide: Guide | undefined; move: ShownMove; line: string[]; name: string }) {
  const marks = marksOf(move, guide ? 'followed' : 'included');
  if (move.value !== null) marks.push(`your value: ${worthWords(move.value)}`);
  const words = marks.join(', ');
  const ends = endOf(move);
  return (
    <>
      {words && (
        <span class="marks">
          <span class="mark">{words}</span>
          {guide && <IconButton icon="close" label={`Take back: ${name} ${words}`} title="Take back" class="small" onClick={() => guide.undo(line)} />}
        </span>
      )}
      {move.trap && <span class="mark" title={move.trap}>trap<span class="sr">{move.trap.replace('trap', '')}</span></span>}
      {ends && <span class="note">{ends}</span>}
      {move.note && <span class="users-note" title={move.note}>{move.note}</span>}
    </>
  );
}
