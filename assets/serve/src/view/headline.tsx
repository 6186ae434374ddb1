// The verdict: score, best line, how far it is, and what changed it last.
import { format, speak } from '../../../shared/score';
import { withMinus } from '../../../shared/words';
import { valueOf, type Change, type Root } from '../api/types';
import { add } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { growingWords, nameOf, stageWords, Steer, targetOf, turnOf, whyNot } from './card';
import { copy } from '../state/copy';
import { differenceOf } from './differences';
import { MoveLine } from './moveline';
import { Menu, type Item } from './menu';
import { clock, short } from './parts';
import { verdictOf, type Verdict } from './verdict';

export function Headline({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const turn = app.sign(turnOf(root));
  const verdict = verdictOf(app, root);
  const { value } = verdict;
  const different = differenceOf(root, app.roots.values());
  return (
    <section class="headline" aria-labelledby="root-name">
      <div class="headline-name">
        <h1 title={nameOf(root)}><bdi id="root-name">{nameOf(root)}</bdi> {different && <span class="whose different">{different}</span>}</h1>
        <span class="tools">
          <Steer app={app} root={root} words />
          <Menu label="Export this analysis" icon="download" items={() => exports(open)} />
          <Menu label="More about this analysis" icon="more" items={() => more(app, open, root)} />
        </span>
      </div>
      <div class="verdict">
        <span id="verdict-score" class={value !== null && value * turn < 0 ? 'minus' : ''}>
          {value === null ? '–' : <><span aria-hidden="true">{format(value, turn)}</span><span class="sr">Verdict: {speak(value, turn)}</span></>}
        </span>
        <BestLine open={open} root={root} verdict={verdict} />
      </div>
      {verdict.words && <p class="whose" id="verdict-whose">{withMinus(verdict.words[app.pov])}</p>}
      <p class="facts">
        <span>for {app.pov === 'white' || turnOf(root) === 'white' ? 'White' : 'Black'}</span>
        <span>depth <b>{root.depth.settled ?? 0}</b> of {targetOf(root)}</span>
        <span>{stageWords(root)}</span>
        <span>{root.positions === 1 ? '1 position' : `${short(root.positions)} positions`}</span>
        {growingWords(root) && <span>{growingWords(root)}</span>}
        {!root.own_engine && <span>{root.engine.name}</span>}
        {root.own_engine && root.games && <span>{whyNot(root)}</span>}
      </p>
      <div class="news"><News open={open} root={root} turn={turn} /></div>
    </section>
  );
}

/** One thing at a time, in room that is always there: what went wrong, what waits, or what changed last. */
function News({ open, root, turn }: { open: OpenRoot; root: Root; turn: 1 | -1 }) {
  if (root.run.state === 'failed') return <p class="notice bad" role="alert">{root.run.message ?? 'The analysis has failed.'}</p>;
  if (root.pending) return <p class="notice" role="status" tabIndex={0}>{waitingWords(root)}</p>;
  const change = open.course.value?.changes[0];
  return change ? <p class="last-change"><ChangeWords change={change} turn={turn} /></p> : null;
}

const waitingWords = (root: Root): string =>
  root.run.state === 'growing'
    ? 'Your changes wait until the tree is grown again. Scores are those of the present tree under them.'
    : 'Your changes wait for the next start. Scores are those of the present tree under them.';

function BestLine({ open, root, verdict }: { open: OpenRoot; root: Root; verdict: Verdict }) {
  const { line, inTree, end } = verdict;
  const known = open.places.place([])?.known;
  if (!line.length) return <p class="whose">{known ? `${turnOf(root) === 'white' ? 'White' : 'Black'} to move: ${known}` : 'No answer yet.'}</p>;
  return <MoveLine open={open} moves={line} inTree={inTree} end={end} depth={0} label="Best line" />;
}

/** "+0.31 → +0.18, 03:12: 3... Qh4 now meets 4. g3" */
export function ChangeWords({ change, turn }: { change: Change; turn: 1 | -1 }) {
  const { from, to } = change;
  const other = from && from.san !== to.san;
  return (
    <>
      {from && <><span class="from">{other ? `${from.san} ` : ''}{format(valueOf(from.value), turn)}</span> → </>}
      <b>{other || !from ? `${to.san} ` : ''}{format(valueOf(to.value), turn)}</b>, <time dateTime={new Date(change.at).toISOString()}>{clock(change.at)}</time>
      {change.because ? <>: <span class="because">{withMinus(change.because)}</span></> : null}
    </>
  );
}

const FORMATS: [string, string][] = [
  ['text', 'Text'],
  ['pgn', 'PGN for Lichess, ChessBase, SCID'],
  ['html', 'Web page to keep or send'],
  ['json', 'JSON'],
  ['csv', 'CSV for spreadsheets'],
  ['epd', 'EPD positions'],
  ['svg', 'Picture (SVG)'],
  ['dot', 'Graph (DOT)'],
  ['book', 'Polyglot book'],
  ['anki', 'Flash cards for Anki'],
  ['study', 'Lichess study'],
  ['conditional', 'Conditional moves'],
];

const exports = (open: OpenRoot): Item[] =>
  FORMATS.map(([format, label]) => ({ label, href: `/api/analyses/${open.id}/export?format=${format}` }));

function more(app: App, open: OpenRoot, root: Root): (Item | null)[] {
  const line = open.line();
  return [
    { label: 'Name, depth, share …', action: () => app.set({ dialog: { kind: 'settings', id: root.id } }) },
    line.length ? { label: `Analyse the position on the board${root.games ? ', without games' : ''}`, action: () => void add(app, { ...gameOf(root, line) }) } : null,
    { label: 'Copy the FEN', action: () => void copy(app, 'FEN', open.walk.fen()) },
    { label: 'Delete …', bad: true, action: () => app.set({ dialog: { kind: 'delete', id: root.id } }) },
  ];
}

const gameOf = (root: Root, line: string[]) => ({ fen: root.start ?? (root.history.length ? 'startpos' : root.root), moves: [...root.history, ...line].join(' ') });

