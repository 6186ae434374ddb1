// One root of the agenda.
import { moveNumber } from '../../../shared/rules';
import { format, speak, type Color } from '../../../shared/score';
import { counted } from '../../../shared/words';
import type { Limit, Move, Root } from '../../../shared/contract';
import { limitWords } from '../api/words';
import { moveBy, run } from '../state/actions';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import { pawns } from '../state/widths';
import { analysisItems } from './analysismenu';
import type { Dragging } from './agenda';
import { plainly } from './links';
import { Menu } from './menu';
import { Icon, IconButton } from './parts';
import { untilWords } from './until';
import { verdictOf } from './verdict';

const STATES = { growing: 'growing', paused: 'paused', idle: 'not running', done: 'done', failed: 'failed', elsewhere: 'grown by another program' } as const;

export const turnOf = (root: Root): Color => (root.root.split(' ')[1] === 'b' ? 'black' : 'white');
const numberOf = (root: Root): number => Number(root.root.split(' ')[5] ?? 1) || 1;

export const nameOf = (root: Root): string => root.name ?? root.label;

/** The depth that is to be settled: what the agenda wants, before the tree knows of it. */
export const targetOf = (root: Root): number => (root.run.place === null ? root.depth.target : root.run.target);

/** Of the stage that speaks: depth, score and positions are told of it, too. */
export const limitOf = (root: Root): Limit | null => root.stages.find(stage => stage.analysis === root.analysis)?.limit ?? root.run.limit;

export const stageWords = (root: Root): string => {
  const limit = limitOf(root);
  return limit ? limitWords(limit) : '';
};

/** The other stage that is growing, if one is. */
export function growingWords(root: Root): string {
  const { limit } = root.run;
  return limit && limitWords(limit) !== stageWords(root) ? `growing at ${limitWords(limit)}` : '';
}

/** "closing search" if the verdict is its choice and the tree prefers another move. */
const closingWords = (root: Root): string => (root.verdict?.by === 'closing' && !root.verdict.agree ? 'closing search' : '');

export const bestWords = (root: Root, best: Move | null | undefined): string => (best ? moveNumber({ turn: turnOf(root), fullmoves: numberOf(root) }) + best.san : 'no answer yet');

/** The width of the tree: "moves within 0.20". */
export function withinWords({ widths: { white, black } }: Root): string {
  return white === black ? `moves within ${pawns(white)}` : `moves within ${pawns(white)} for White, ${pawns(black)} for Black`;
}

interface CardProps {
  app: App;
  root: Root;
  /** In what it differs from others of its position. */
  different: string | undefined;
  dragging: Dragging | null;
  /** True on the one card that the Tab key comes to. */
  stop: boolean;
  onFocus: () => void;
}

/** The arrow keys go from card to card. */
export function goToCard(card: HTMLElement, by: -1 | 1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.agenda .card')];
  cards[cards.indexOf(card) + by]?.querySelector<HTMLElement>('.card-main')?.focus();
}

export function Card({ app, root, different, dragging, stop, onFocus }: CardProps) {
  const tab = stop ? 0 : -1;
  const shown = app.open?.id === root.id;
  const { state } = root.run;
  const kind = ['card', state, shown ? 'shown' : '', dragging?.over === root.id && dragging.dragged !== root.id ? 'drop-here' : '', dragging?.dragged === root.id ? 'dragged' : ''].join(' ');
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    if (!by || (event.altKey && !dragging) || (event.target as Element).closest('[role=menu]')) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) moveBy(app, root.id, by);
    else goToCard(event.currentTarget as HTMLElement, by);
  };
  const drag = dragging && {
    draggable: true,
    onDragStart: (event: DragEvent) => (event.dataTransfer?.setData('text/plain', String(root.id)), dragging.start(root.id)),
    onDragOver: (event: DragEvent) => (event.preventDefault(), dragging.enter(root.id)),
    onDrop: (event: DragEvent) => (event.preventDefault(), dragging.drop(root.id)),
    onDragEnd: () => dragging.drop(dragging.dragged),
  };
  return (
    <li class={kind} onKeyDown={keys} onFocusIn={onFocus} {...drag}>
      <a class="card-main" href={hashOf(root.id)} draggable={false} tabIndex={tab} aria-current={shown ? 'true' : undefined} aria-keyshortcuts={dragging ? 'Alt+ArrowUp Alt+ArrowDown' : undefined} onClick={plainly(() => app.show(root.id, shown ? app.open!.line() : []))}>
        <Words app={app} root={root} different={different} />
      </a>
      <span class="card-tools">
        <Steer app={app} root={root} tab={tab} />
        <Menu label={`More about ${nameOf(root)}`} icon="more" tab={tab} items={() => analysisItems(app, root)} />
      </span>
    </li>
  );
}

function Words({ app, root, different }: Pick<CardProps, 'app' | 'root' | 'different'>) {
  const turn = app.sign(turnOf(root));
  const verdict = verdictOf(app, root);
  const { value } = verdict;
  const settled = root.depth.settled ?? 0;
  const { state } = root.run;
  const part = Math.min(1, settled / Math.max(1, targetOf(root)));
  return (
    <>
      <span class="card-top">
        <bdi class="card-name">{nameOf(root)}</bdi>
        {value !== null && <Chip value={value} turn={turn} />}
      </span>
      <span class="card-label" title={verdict.words?.[app.pov]}>{[different, root.name && root.label, stageWords(root), closingWords(root)].filter(Boolean).join(' \u00b7 ')}</span>
      <span class="card-progress">
        <span class="card-best">{bestWords(root, verdict.best)}</span>
        <span class={`state ${state}`}><i class="dot" />{STATES[state]}</span>
        <span>tree depth {settled} of {targetOf(root)}</span>
        {root.run.closing && <span>closing search</span>}
        {root.run.rechecking && <span>recheck: {counted(root.run.rechecking.asked, 'score')} asked</span>}
        {untilWords(root) && <span>{untilWords(root)}</span>}
        {root.run.weight > 1 && <span title="Its share of the engines">×{root.run.weight}</span>}
        {app.news.has(root.id) && <span class="mark news-mark">{app.news.get(root.id)}</span>}
        {root.pending && <span class="mark waiting">your changes wait</span>}
      </span>
      <span class="meter" aria-hidden="true"><i style={{ width: `${part * 100}%` }} /></span>
      {root.run.message && <span class={state === 'failed' ? 'card-message bad' : 'card-message'}>{root.run.message}</span>}
    </>
  );
}

export function Chip({ value, turn }: { value: number; turn: 1 | -1 }) {
  return (
    <span class={value * turn < 0 ? 'chip minus' : 'chip'}>
      <span aria-hidden="true">{format(value, turn)}</span>
      <span class="sr">{speak(value, turn)}</span>
    </span>
  );
}

/** Why the server cannot grow a tree; nothing where it can. */
export function whyNot(root: Root): string | undefined {
  if (!root.own_engine) return `Analysed with ${root.engine.name}; this server has another engine`;
  if (!root.own_games) return `Grown with ${root.games?.words}, which this server does not have`;
  return root.run.state === 'elsewhere' ? 'Another program grows it' : undefined;
}

export function Steer({ app, root, words, tab }: { app: App; root: Root; words?: boolean; tab?: number }) {
  const growing = root.run.state === 'growing';
  const why = whyNot(root);
  const off = why !== undefined;
  const label = growing ? 'Pause' : root.positions > 0 ? 'Resume' : 'Start';
  const act = () => void run(app, root.id, growing ? 'pause' : 'start');
  if (!words) return <IconButton icon={growing ? 'pause' : 'play'} label={`${label} ${nameOf(root)}`} title={why ?? label} off={off} class="steer" tab={tab} onClick={act} />;
  return (
    <button type="button" class={growing ? 'with-icon steer-words' : 'with-icon primary steer-words'} aria-label={label} aria-disabled={off ? 'true' : undefined} title={why} onClick={() => off || act()}>
      <Icon name={growing ? 'pause' : 'play'} /> <span>{label}</span>
    </button>
  );
}
