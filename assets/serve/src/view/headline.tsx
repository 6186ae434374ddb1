// How the position on the board stands; of the whole analysis its name, how far it is, and how far it is to be trusted.
import { format, speak } from '../../../shared/score';
import { wdlParts } from '../../../shared/wdl';
import { withMinus } from '../../../shared/words';
import { valueOf, type Change, type Root } from '../api/types';
import { add } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { growingWords, nameOf, stageWords, Steer, targetOf, turnOf, whyNot, withinWords } from './card';
import { differenceOf } from './differences';
import { Menu, type Item } from './menu';
import { clock, short } from './parts';
import { bestOf, standingOf, verdictOf } from './verdict';

export function Headline({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
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
      <Standing app={app} open={open} root={root} />
      <p class="facts">
        <span>tree depth <b>{root.depth.settled ?? 0}</b> of {targetOf(root)}</span>
        <span>{stageWords(root)}</span>
        <span>{root.positions === 1 ? '1 position' : `${short(root.positions)} positions`}</span>
        <span>{withinWords(root)}</span>
        {growingWords(root) && <span>{growingWords(root)}</span>}
        {!root.own_engine && <span>{root.engine.name}</span>}
        {root.own_engine && root.games && <span>{whyNot(root)}</span>}
      </p>
      <div class="news"><News app={app} open={open} root={root} /></div>
    </section>
  );
}

/** How the position on the board stands, and its best move. */
function Standing({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const { walk } = open;
  const atRoot = walk.at === 0;
  const verdict = verdictOf(app, root);
  const place = open.place();
  const value = atRoot ? verdict.value : standingOf(open);
  const best = atRoot ? verdict.best : (bestOf(place) ?? null);
  const turn = walk.sign(app.pov);
  const wdl = bestOf(place)?.wdl ?? null;
  const whose = atRoot && verdict.words ? withMinus(verdict.words[app.pov]) : null;
  return (
    <div class="verdict">
      <span id="verdict-score" class={value !== null && value * turn < 0 ? 'minus' : ''}>
        {value === null ? '\u2013' : <><span aria-hidden="true">{format(value, turn)}</span><span class="sr">This position: {speak(value, turn)}</span></>}
      </span>
      <span class="verdict-words">
        {best ? <button type="button" class="move best-move" title="Play it (space)" onClick={() => walk.step(best.uci)}>{walk.number(walk.at) + best.san}</button> : <span class="whose">{place?.known ?? (atRoot ? 'No answer yet.' : '')}</span>}
        {whose ? <span class="whose" id="verdict-whose" title={whose}>{whose}</span> : wdl && <span class="whose">{wdlParts(wdl, turn, root.computes_wdl).words}</span>}
      </span>
    </div>
  );
}

/**
 * Of the whole analysis, in room that is always there: away from the root its verdict, which leads back; what went wrong or waits;
 * else how far the verdict is to be trusted, and what changed it last.
 */
function News({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const away = open.walk.at !== 0 && <RootVerdict app={app} open={open} root={root} />;
  if (root.run.state === 'failed') return <>{away}<p class="notice bad" role="alert">{root.run.message ?? 'The analysis has failed.'}</p></>;
  if (root.pending) return <>{away}<p class="notice" role="status" tabIndex={0}>{waitingWords(root)}</p></>;
  const change = open.course.value?.changes[0];
  const words = open.trust.value?.words;
  const likely = words?.stays ? likelyWords(words.stays) : '';
  const holds = words?.stability ? `It stays best ${withMinus(words.stability[app.pov])}` : '';
  return (
    <>
      {away}
      {(likely || holds) && <p class="trust" title={[words?.stays, holds].filter(Boolean).join('. ')}>{likely && <b>{likely}. </b>}{holds}</p>}
      {change && <p class="last-change"><ChangeWords change={change} turn={app.sign(turnOf(root))} /></p>}
    </>
  );
}

/** "69 % that 9... h6 stays the best move when ..." in short. */
const likelyWords = (stays: string): string => stays.replace(/^(.*?\d+ ?%) that (.+?) stays .*$/, '$2: $1 likely to stay');

/** The verdict of the whole, while the board shows another position. */
function RootVerdict({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const { value, best } = verdictOf(app, root);
  const turn = app.sign(turnOf(root));
  return (
    <button type="button" id="root-verdict" title="Back to the analysed position" onClick={() => open.walk.goTo(0)}>
      <span class="whose">Verdict</span> {value === null ? '\u2013' : <b>{format(value, turn)}</b>} {best && open.walk.number(0) + best.san}
    </button>
  );
}

const waitingWords = (root: Root): string =>
  root.run.state === 'growing'
    ? 'Your changes wait until the tree is grown again. Scores are those of the present tree under them.'
    : 'Your changes wait for the next start. Scores are those of the present tree under them.';

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
    { label: 'Delete …', bad: true, action: () => app.set({ dialog: { kind: 'delete', id: root.id } }) },
  ];
}

const gameOf = (root: Root, line: string[]) => ({ fen: root.start ?? (root.history.length ? 'startpos' : root.root), moves: [...root.history, ...line].join(' ') });

