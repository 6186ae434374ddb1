// The moves on the board in two columns, the game before the root among them; what is said of the position stands above.
import { useMemo } from 'preact/hooks';
import { format, speak } from '../../../shared/score';
import { valueOf, worthWords } from '../api/words';
import { direct } from '../state/actions';
import { copy } from '../state/copy';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { nameOf } from './card';
import { directItems } from './directing';
import { MoveLink } from './links';
import { Menu, type Item } from './menu';
import { Icon, useCurrentInSight } from './parts';
import { pgnOf } from './pgn';
import { overWords } from './verdict';

export function MoveList({ app, open }: { app: App; open: OpenRoot }) {
  const place = open.place();
  const { walk } = open;
  const note = walk.at === 0 ? place?.note : (open.lastMove()?.note ?? place?.note);
  const words = threatened(app, open) || said(open);
  return (
    <section class="move-list" aria-labelledby="line-title">
      <h2 id="line-title" class="sr">Line</h2>
      <div class="line-head">
        <span class="line-words">
          {missingMove(open) ? <Offer app={app} open={open} /> : words ? <span class="said" title={words}>{words}</span> : place?.opening && <span class="whose opening-name" title={place.opening.name}><span class="eco">{place.opening.eco}</span> {place.opening.name}</span>}
        </span>
        <span class="here-tools">
          {!walk.isBefore() && <Menu label="Guide the analysis at this position" icon="more" text="Guide" items={() => directItems(app, open, open.line(), open.lastMove())} />}
          {walk.at > 0 && <button type="button" onClick={() => app.set({ dialog: { kind: 'next', id: open.id, line: open.line() } })} title="Analyses the position on the board as the next one of this game">They played this …</button>}
          <Menu label="Copy" icon="copy" items={() => copies(app, open)} />
        </span>
      </div>
      <Moves open={open} room={note ? 'less' : ''} />
      {note && <p class="users-note" tabIndex={0}>{note}</p>}
      <Announced app={app} open={open} />
    </section>
  );
}

function copies(app: App, open: OpenRoot): (Item | null)[] {
  const { walk } = open;
  return [
    { label: 'Copy FEN', action: () => void copy(app, 'FEN', walk.fen()) },
    walk.at > 0 ? { label: 'Copy line', action: () => void copy(app, 'line', walk.words(open.line())) } : null,
    { label: 'Copy PGN', action: () => void copy(app, 'PGN', pgnOf(open, nameOf(app.root()!))) },
  ];
}

/** A move of the list, or the start. */
interface Step {
  at: number;
  text: string;
  kind: string;
}

/** `room` changes where there is more or less of it. */
function Moves({ open, room }: { open: OpenRoot; room: string }) {
  const { walk } = open;
  const count = walk.before.length;
  const box = useCurrentInSight(`${open.id} ${walk.at} ${walk.steps.length} ${room}`);
  const before = walk.before.map((move, i): Step => ({ at: i + 1 - count, text: move.san, kind: i + 1 === count ? 'start' : 'before' }));
  const steps = walk.steps.map((move, i): Step => ({ at: i + 1, text: move.san, kind: i >= walk.at ? 'ahead' : '' }));
  const all = [...before, ...steps];
  const lineTo = (at: number) => walk.steps.slice(0, Math.max(0, at)).map(move => move.uci);
  const cell = (step: Step | undefined) =>
    step ? <MoveLink key={step.at} open={open} line={lineTo(step.at)} go={() => walk.goTo(step.at)} class={step.kind} label={walk.number(step.at - 1) + step.text} current={walk.at === step.at}>{step.text}</MoveLink> : <span class="gap" aria-hidden="true">{all.length ? '…' : ''}</span>;
  return (
    <div ref={box} class="moves-line" id="line" role="group" aria-label="Line on the board">
      {count === 0 && <MoveLink open={open} line={[]} go={() => walk.goTo(0)} class="start root-start" current={walk.at === 0}>Start</MoveLink>}
      {rowsOf(all, at => walk.mover(at - 1) === 'white').map(([white, black]) => (
        <>
          <span class="move-number" aria-hidden="true">{walk.number((white?.at ?? black!.at) - 1).replace(/\.+ $/, '')}</span>
          {cell(white)}
          {black ? cell(black) : null}
        </>
      ))}
    </div>
  );
}

/** White's and Black's moves side by side. */
function rowsOf(steps: Step[], isWhite: (at: number) => boolean): [Step | undefined, Step | undefined][] {
  const rows: [Step | undefined, Step | undefined][] = [];
  for (const step of steps) {
    const last = rows[rows.length - 1];
    if (isWhite(step.at)) rows.push([step, undefined]);
    else if (last && !last[1]) last[1] = step;
    else rows.push([undefined, step]);
  }
  return rows;
}

/** For screen readers: where the board is, when it has moved; what changes while it stands there is not read out. */
function Announced({ app, open }: { app: App; open: OpenRoot }) {
  const words = useMemo(() => announcement(app, open), [open, open.line().join(' '), open.walk.at, open.place() !== undefined]);
  return <p class="sr" id="announced" role="status">{words}</p>;
}

function announcement(app: App, open: OpenRoot): string {
  const { walk } = open;
  const last = walk.lastMove();
  const move = last && walk.at !== 0 ? walk.number(walk.at - 1) + last.san : 'Start';
  const best = open.place()?.best;
  const next = best ? ` Best: ${best.san}, ${speak(valueOf(best.score), walk.sign(app.pov))}.` : '';
  return `${move}. ${said(open)}${next}`;
}

/** In words what the red arrow shows. */
function threatened(app: App, { walk }: OpenRoot): string {
  const threat = app.threats.of(walk.fen());
  return threat ? `Threat: ${threat.san}, ${format(valueOf(threat.score), walk.sign(app.pov, walk.at + 1))}` : '';
}

export function said(open: OpenRoot): string {
  const { walk } = open;
  if (walk.isBefore()) return 'In the game, before the analysed position.';
  const kept = open.kept();
  if (kept?.error) return kept.error;
  const place = kept?.place;
  if (!place) return '';
  if (place.known) return `The tablebases know the result: ${place.known}. Nothing is searched here.`;
  if (place.end === 'repetition') return 'Repetition: the position was there before. It counts as a draw.';
  const over = overWords(open);
  if (over) return `${over}.`;
  const move = open.lastMove();
  if (move?.repetition) return 'Repetition: the position was there before. It counts as a draw.';
  const value = move?.value ?? place.value;
  if (value !== null && value !== undefined) return `You say what this position is worth: ${worthWords(value)}. Nothing is searched behind it.`;
  if (move?.stopped || place.stopped) return 'You have stopped the tree here.';
  if (move?.excluded) return 'You have excluded this move: it does not count.';
  if (walk.at > 0 && !move && open.places.place(open.line().slice(0, -1))) return place.analysed ? 'This move is not in the tree here; the position is, by another line.' : 'The tree does not have this move.';
  if (move?.included && !move.alpha) return 'You follow this move; it is not analysed yet.';
  if (!place.analysed && walk.at > 0) return 'The tree ends here.';
  if (!place.analysed) return 'Not analysed yet.';
  return '';
}

/** A move that the tree does not have, or that was left out, can be followed. */
function Offer({ app, open }: { app: App; open: OpenRoot }) {
  const { walk } = open;
  const line = open.line();
  // From the first move that the tree does not have.
  const from = line.findIndex((uci, i) => !open.places.place(line.slice(0, i))?.moves.some(move => move.uci === uci));
  const first = from < 0 ? line.length - 1 : from;
  const words = walk.numbered(walk.steps.slice(first, walk.at), first);
  return (
    <button type="button" class="with-icon primary" id="follow" onClick={() => void direct(app, line, 'include')}>
      <Icon name="plus" /> <span>Follow {words}</span>
    </button>
  );
}

/** Whether the board shows a line that the tree does not follow, and that could be included. */
function missingMove(open: OpenRoot): boolean {
  const { walk } = open;
  if (walk.at <= 0 || walk.position().isEnd()) return false;
  const before = open.places.get(open.line().slice(0, -1));
  const here = open.kept();
  if (!before?.place || !here?.place || here.place.analysed) return false;
  const move = open.lastMove();
  return !move || (!move.included && !move.excluded && !move.repetition && !move.stopped && move.value === null);
}
