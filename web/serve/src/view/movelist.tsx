// The line on the board; words about the position stand above.
import { format } from '../../../shared/score';
import { valueOf } from '../api/words';
import { direct } from '../state/actions';
import { copy } from '../state/copy';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { nameOf } from './card';
import { directItems } from './directing';
import { Line } from './line';
import { Menu, type Item } from './menu';
import { Icon } from './parts';
import { pgnOf } from './pgn';
import { Announced, said } from './saying';

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
      <Line open={open} room={note ? 'less' : ''} />
      {note && <p class="users-note" tabIndex={0}>{note}</p>}
      <Announced pov={app.pov} open={open} id="announced" />
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

/** In words what the red arrow shows. */
function threatened(app: App, { walk }: OpenRoot): string {
  const threat = app.threats.of(walk.fen());
  return threat ? `Threat: ${threat.san}, ${format(valueOf(threat.score), walk.sign(app.pov, walk.at + 1))}` : '';
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

/** True if the board shows a line that the tree does not follow, and that could be included. */
function missingMove(open: OpenRoot): boolean {
  const { walk } = open;
  if (walk.at <= 0 || walk.position().isEnd()) return false;
  const before = open.places.get(open.line().slice(0, -1));
  const here = open.kept();
  if (!before?.place || !here?.place || here.place.analysed) return false;
  const move = open.lastMove();
  return !move || (!move.included && !move.excluded && !move.repetition && !move.stopped && move.value === null);
}
