// The position on the board: the line to it, what is known of it, and what can be said of it.
import { useMemo } from 'preact/hooks';
import { speak } from '../../../shared/score';
import { valueOf, worthWords } from '../api/types';
import { direct } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { directItems } from './directing';
import { Menu } from './menu';
import { Icon, useCurrentInSight } from './parts';
import { bestOf } from './verdict';

export function Here({ app, open }: { app: App; open: OpenRoot }) {
  const place = open.place();
  const { walk } = open;
  const note = walk.at === 0 ? place?.note : (open.lastMove()?.note ?? place?.note);
  return (
    <div class="here">
      <LineOnBoard open={open} />
      <div class="here-words">
        {place?.opening && <p class="opening-name"><span class="eco">{place.opening.eco}</span> {place.opening.name}</p>}
        <p class="said">{said(open)}</p>
      </div>
      <Announced app={app} open={open} />
      {note && <p class="users-note" tabIndex={0}>{note}</p>}
      <div class="here-tools">
        <Offer app={app} open={open} />
        {!walk.isBefore() && <Menu label="Say something of this position" icon="more" text="Direct" items={() => directItems(app, open, open.line(), open.lastMove())} />}
        {walk.at > 0 && (
          <button type="button" onClick={() => app.set({ dialog: { kind: 'next', id: open.id, line: open.line() } })} title="Makes the position on the board the next root of this game">
            They played this …
          </button>
        )}
      </div>
    </div>
  );
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
  const best = bestOf(open.place());
  const next = best ? ` Best: ${best.san}, ${speak(valueOf(best.score), walk.sign(app.pov))}.` : '';
  return `${move}. ${said(open)}${next}`;
}

/** A move that the tree does not have, or that was left out, can be followed. */
function Offer({ app, open }: { app: App; open: OpenRoot }) {
  const { walk } = open;
  const missing = missingMove(open);
  if (!missing) return null;
  const line = open.line();
  // From the first move that the tree does not have.
  const from = line.findIndex((uci, i) => !open.places.place(line.slice(0, i))?.moves.some(move => move.uci === uci));
  const first = from < 0 ? line.length - 1 : from;
  const words = walk.numbered(walk.steps.slice(first, walk.at), first);
  return (
    <button type="button" class="with-icon primary" id="follow" onClick={() => void direct(app, line, 'include')}>
      <Icon name="plus" /> Follow {words}
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

export function said(open: OpenRoot): string {
  const { walk } = open;
  if (walk.isBefore()) return 'In the game, before the analysed position.';
  const kept = open.kept();
  if (kept?.error) return kept.error;
  const place = kept?.place;
  if (!place) return '';
  if (place.known) return `Endgame tables know the result: ${place.known}. Nothing is searched here.`;
  if (place.end && place.end !== 'value') return place.end === 'repetition' ? 'Repetition: the position was there before. It counts as a draw.' : `The game ends here: ${place.end}.`;
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

function LineOnBoard({ open }: { open: OpenRoot }) {
  const { walk } = open;
  const count = walk.before.length;
  const step = (at: number, text: string, kind: string) => (
    <button type="button" key={at} class={`move ${kind}`} aria-current={walk.at === at ? 'step' : undefined} onClick={() => walk.goTo(at)}>{text}</button>
  );
  const last = walk.before[count - 1];
  const box = useCurrentInSight(`${open.id} ${walk.at} ${walk.steps.length}`);
  return (
    <div ref={box} class="moves-line" id="line" role="group" aria-label="Line on the board">
      {walk.before.slice(0, -1).map((move, i) => step(i + 1 - count, walk.number(i - count, i === 0) + move.san, 'before'))}
      {step(0, last ? walk.number(-1, count === 1) + last.san : 'Start', 'start')}
      {walk.steps.map((move, i) => step(i + 1, walk.number(i, i === 0 && count === 0) + move.san, i >= walk.at ? 'ahead' : ''))}
    </div>
  );
}
