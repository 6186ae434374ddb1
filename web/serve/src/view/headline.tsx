// How the position on the board stands, and how far to trust it; facts of the whole analysis behind an (i).
import { useRef } from 'preact/hooks';
import { format, speak } from '../../../shared/score';
import { wdlParts } from '../../../shared/wdl';
import { withMinus } from '../../../shared/words';
import type { Root, VerdictChange } from '../../../shared/contract';
import { valueOf } from '../api/words';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { analysisItems } from './analysismenu';
import { growingWords, nameOf, stageWords, Steer, targetOf, turnOf, whyNot, withinWords } from './card';
import { differenceOf } from './differences';
import { MoveLink } from './links';
import { Menu } from './menu';
import { clock, Icon, short } from './parts';
import { overWords, standingOf, verdictOf } from './verdict';

export function Headline({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const different = differenceOf(root, app.roots.values());
  const part = Math.min(1, (root.depth.settled ?? 0) / Math.max(1, targetOf(root)));
  return (
    <section class={`headline ${root.run.state}`} aria-labelledby="root-name">
      <div class="headline-name">
        <h1 title={nameOf(root)}><bdi id="root-name">{nameOf(root)}</bdi> {different && <span class="whose different">{different}</span>}</h1>
        <span class="tools">
          <Steer app={app} root={root} words />
          <Menu label="More about this analysis" icon="more" items={() => analysisItems(app, root)} />
        </span>
      </div>
      <span class="meter" aria-hidden="true"><i style={{ width: `${part * 100}%` }} /></span>
      <Standing app={app} open={open} root={root} />
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
  const over = overWords(open);
  const value = over ? null : atRoot ? verdict.value : standingOf(open);
  const best = atRoot ? verdict.best : (place?.best ?? null);
  const turn = walk.sign(app.pov);
  const likely = atRoot && !root.pending ? verdict.trust?.likely : null;
  return (
    <div class="verdict">
      {best ? <MoveLink open={open} line={[...open.line(), best.uci]} go={() => walk.step(best.uci)} class="best-move" title="Play it (space)">{walk.number(walk.at) + best.san}</MoveLink> : <span class="verdict-end">{over || place?.known || (atRoot ? 'No answer yet.' : '')}</span>}
      <span id="verdict-score" class={value !== null && value * turn < 0 ? 'minus' : ''}>
        {value !== null ? <><span aria-hidden="true">{format(value, turn)}</span><span class="sr">This position: {speak(value, turn)}</span></> : over ? '' : '\u2013'}
      </span>
      <span class="likely">{likely}</span>
      <Facts app={app} open={open} root={root} />
    </div>
  );
}

/** So wide is what opens behind the (i), in pixels. */
const WIDTH = 400;
const EDGE = 12;

/** Facts about the whole analysis, behind a button. */
function Facts({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { words, trust } = verdictOf(app, root);
  const place = open.place();
  const wdl = place?.best?.wdl ?? null;
  const lay = () => {
    const { right, bottom } = button.current!.getBoundingClientRect();
    const width = Math.min(WIDTH, innerWidth - 2 * EDGE);
    Object.assign(box.current!.style, { width: `${width}px`, left: `${Math.max(EDGE, right - width)}px`, top: `${bottom + 6}px` });
  };
  const told = [words?.[app.pov], root.pending ? null : trust?.holds?.[app.pov]].filter((one): one is string => !!one);
  return (
    <>
      <button ref={button} type="button" class="icon about" popovertarget="about" aria-label="About this analysis" title="How far it is, and how far to trust it" onClick={lay}><Icon name="info" /></button>
      <div ref={box} id="about" popover="auto" role="dialog" aria-label="About this analysis">
        <p class="facts">
          <span>tree depth <b>{root.depth.settled ?? 0}</b> of {targetOf(root)}</span>{' '}
          <span>{stageWords(root)}</span>{' '}
          <span>{root.positions === 1 ? '1 position' : `${short(root.positions)} positions`}</span>{' '}
          <span>{withinWords(root)}</span>{' '}
          {growingWords(root) && <span>{growingWords(root)} </span>}
          {!root.own_engine && <span>{root.engine.name} </span>}
          {root.own_engine && root.games && <span>{whyNot(root)}</span>}
        </p>
        {wdl && <p>{wdlParts(wdl, open.walk.sign(app.pov), root.computes_wdl).words}</p>}
        {told.map(one => <p key={one}>{sentence(one)}</p>)}
        {trust?.change && <p class="last-change"><ChangeWords change={trust.change} turn={app.sign(turnOf(root))} /></p>}
      </div>
    </>
  );
}

const sentence = (text: string): string => withMinus(text.charAt(0).toUpperCase() + text.slice(1));

// News in room that is always there: failures and waiting; away from the root its verdict, which leads back; else how far
// the verdict is to be trusted.
function News({ app, open, root }: { app: App; open: OpenRoot; root: Root }) {
  const away = open.walk.at !== 0 && <RootVerdict app={app} open={open} root={root} />;
  if (root.run.state === 'failed') return <>{away}<p class="notice bad" role="alert">{root.run.message ?? 'The analysis has failed.'}</p></>;
  if (root.pending) return <>{away}<p class="notice" role="status" tabIndex={0}>{waitingWords(root)}</p></>;
  if (away) return away;
  const { words, agree, trust } = verdictOf(app, root);
  if (words && !agree) return <p class="trust" id="verdict-whose" title={withMinus(words[app.pov])}>{sentence(words[app.pov])}</p>;
  const holds = trust?.holds?.[app.pov];
  if (holds) return <p class="trust" title={withMinus(holds)}>{sentence(holds)}</p>;
  const wdl = open.place()?.best?.wdl;
  return wdl ? <p class="trust">{sentence(wdlParts(wdl, open.walk.sign(app.pov), root.computes_wdl).words)}</p> : null;
}

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
export function ChangeWords({ change, turn }: { change: VerdictChange; turn: 1 | -1 }) {
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
