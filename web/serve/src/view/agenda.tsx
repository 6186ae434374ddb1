// All roots: what is planned in its order, and what else the database has.
import { useState } from 'preact/hooks';
import type { Root, WholeGame } from '../../../shared/contract';
import { moveBefore } from '../state/actions';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import { Card, nameOf } from './card';
import { differences, type Differences } from './differences';
import { GameCard } from './gamecard';
import { plainly } from './links';
import { Menu } from './menu';
import { Icon, IconButton, useCurrentInSight } from './parts';

/** Number of analyses from which there is a field to find one. */
const MANY = 7;

const mapped = ({ planned, others }: { planned: Root[]; others: Root[] }, each: (roots: Root[]) => Root[]) => ({ planned: each(planned), others: each(others) });

/** By its name, its opening, its moves, or its position. */
const isFound = (root: Root, words: string): boolean => {
  const all = [root.name, root.label, root.root, root.engine.name].join(' ').toLowerCase();
  return words.toLowerCase().split(/\s+/).every(word => all.includes(word));
};

/** Ways to order them; without one they stand as they were planned. */
const ORDERS = {
  planned: ['as planned', null],
  name: ['by name', (a: Root, b: Root) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true })],
  changed: ['last changed', (a: Root, b: Root) => b.changed_at - a.changed_at],
  size: ['largest', (a: Root, b: Root) => b.positions - a.positions],
} as const;
type Order = keyof typeof ORDERS;

const isGameFound = ({ title, event }: WholeGame, words: string): boolean => words.toLowerCase().split(/\s+/).every(word => `${title} ${event}`.toLowerCase().includes(word));

export function Agenda({ app }: { app: App }) {
  const [find, setFind] = useState('');
  const [order, setOrder] = useState<Order>('planned');
  const games = app.games.all().filter(game => isGameFound(game, find));
  const shown = (root: Root) => (root.whole_game === null || !app.games.get(root.whole_game)) && isFound(root, find);
  const found = mapped(app.agenda(), roots => roots.filter(shown));
  const archived = [...found.planned, ...found.others].filter(root => root.archived);
  const needing = [...found.planned, ...found.others].filter(root => app.news.has(root.id) && !root.archived);
  const inPlace = mapped(found, roots => roots.filter(root => !root.archived));
  const compare = ORDERS[order][1];
  const { planned, others } = compare ? { planned: [], others: [...inPlace.planned, ...inPlace.others].sort(compare) } : inPlace;
  const different = differences(app.roots.values());
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const drop = (before: number | null) => {
    if (dragged !== null && dragged !== before) void moveBefore(app, dragged, before);
    setDragged(null);
    setOver(null);
  };
  const box = useCurrentInSight<HTMLElement>(`${app.open?.id} ${app.roots.size}`);
  const left = (event: FocusEvent) => (event.currentTarget as Node).contains(event.relatedTarget as Node | null) || setFocused(null);
  const all = [...planned, ...others, ...archived];
  const wanted = focused ?? app.open?.id;
  const stop = all.some(root => root.id === wanted) ? wanted : all[0]?.id;
  const cards = { app, different, stop, focus: setFocused };
  const dragging = { dragged, over, start: setDragged, enter: setOver, drop };
  return (
    <nav ref={box} class={app.drawer ? 'agenda shown' : 'agenda'} aria-labelledby="agenda-title" onFocusOut={left}>
      <div class="agenda-head">
        <h2 id="agenda-title">Analyses</h2>
        <button type="button" class="with-icon primary" id="new-root" onClick={() => app.set({ dialog: { kind: 'new' } })}>
          <Icon name="plus" /> New
        </button>
        <Menu label="More about all analyses" icon="more" items={() => [{ label: 'Merge another database …', action: () => app.set({ dialog: { kind: 'merge' } }) }]} />
        <IconButton icon="close" label="Close the analyses" class="narrow-only" onClick={() => app.set({ drawer: false })} />
      </div>
      {(app.roots.size >= MANY || find) && (
        <div class="agenda-find">
          <input type="search" value={find} placeholder="Find an analysis" aria-label="Find an analysis" onInput={event => setFind(event.currentTarget.value)} />
          <select aria-label="Order" value={order} onChange={event => setOrder(event.currentTarget.value as Order)}>{Object.entries(ORDERS).map(([key, [label]]) => <option key={key} value={key}>{label}</option>)}</select>
        </div>
      )}
      {app.loaded && app.roots.size > 0 && all.length + games.length === 0 && <p class="whose">Nothing found.</p>}
      {needing.length > 0 && (
        <>
          <h3 id="news-title">New</h3>
          <ul class="news-list" aria-label="New">
            {needing.map(root => <li key={root.id}><a class="link" href={hashOf(root.id)} onClick={plainly(() => app.show(root.id))}><bdi>{nameOf(root)}</bdi></a> <span class="whose">{app.news.get(root.id)}</span></li>)}
          </ul>
        </>
      )}
      {games.length > 0 && (
        <>
          <h3>Games</h3>
          <ol class="cards" aria-label="Games">{games.map(game => <GameCard key={game.id} app={app} game={game} />)}</ol>
        </>
      )}
      {planned.length > 0 && (games.length > 0 || needing.length > 0) && <h3>Positions</h3>}
      {planned.length > 0 && <List {...cards} roots={planned} label="To be grown, in this order" dragging={dragging} />}
      {dragged !== null && <div class="drop-end" onDragOver={event => (event.preventDefault(), setOver(null))} onDrop={() => drop(null)}>to the end</div>}
      {others.length > 0 && (
        <>
          <h3 id="others-title">{compare ? `All, ${ORDERS[order][0]}` : 'Others'}</h3>
          <List {...cards} roots={others} label={compare ? 'All' : 'Others'} dragging={null} />
        </>
      )}
      {archived.length > 0 && (
        <details class="archive" open={archived.some(root => root.id === app.open?.id) || !!find}>
          <summary>Archive ({archived.length})</summary>
          <List {...cards} roots={archived} label="Archive" dragging={null} />
        </details>
      )}
      {app.loaded && app.roots.size === 0 && <p class="whose">Nothing is analysed yet.</p>}
    </nav>
  );
}

export interface Dragging {
  dragged: number | null;
  over: number | null;
  start: (id: number) => void;
  enter: (id: number) => void;
  drop: (before: number | null) => void;
}

interface ListProps {
  app: App;
  roots: Root[];
  different: Differences;
  /** The card that the Tab key comes to. */
  stop: number | undefined;
  focus: (id: number) => void;
  label: string;
  dragging: Dragging | null;
}

const List = ({ app, roots, different, stop, focus, label, dragging }: ListProps) => (
  <ol class="cards" aria-label={label}>
    {roots.map(root => (
      <Card key={root.id} app={app} root={root} different={different.get(root.id)} dragging={dragging} stop={root.id === stop} onFocus={() => focus(root.id)} />
    ))}
  </ol>
);
