// All roots: what is planned in its order, and what else the database has.
import { useState } from 'preact/hooks';
import type { Root } from '../api/types';
import { moveBefore } from '../state/actions';
import type { App } from '../state/app';
import { Card } from './card';
import { differences, type Differences } from './differences';
import { Icon, IconButton, useCurrentInSight } from './parts';

/** From so many on there is a field to find one. */
const MANY = 7;

const mapped = ({ planned, others }: { planned: Root[]; others: Root[] }, each: (roots: Root[]) => Root[]) => ({ planned: each(planned), others: each(others) });

/** By its name, its opening, its moves, or its position. */
const isFound = (root: Root, words: string): boolean => {
  const all = [root.name, root.label, root.root, root.engine.name].join(' ').toLowerCase();
  return words.toLowerCase().split(/\s+/).every(word => all.includes(word));
};

export function Agenda({ app }: { app: App }) {
  const [find, setFind] = useState('');
  const [onlyNews, setOnlyNews] = useState(false);
  const shown = (root: Root) => (!onlyNews || app.news.has(root.id) || root.id === app.open?.id) && isFound(root, find);
  const { planned, others } = mapped(app.agenda(), roots => roots.filter(shown));
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
  const all = [...planned, ...others];
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
        <IconButton icon="close" label="Close the analyses" class="narrow-only" onClick={() => app.set({ drawer: false })} />
      </div>
      {(app.roots.size >= MANY || find || onlyNews) && (
        <div class="agenda-find">
          <input type="search" value={find} placeholder="Find an analysis" aria-label="Find an analysis" onInput={event => setFind(event.currentTarget.value)} />
          {(app.news.size > 0 || onlyNews) && <button type="button" aria-pressed={onlyNews} onClick={() => setOnlyNews(!onlyNews)}>{app.news.size} new</button>}
        </div>
      )}
      {app.loaded && app.roots.size > 0 && all.length === 0 && <p class="whose">None is found.</p>}
      {planned.length > 0 && <List {...cards} roots={planned} label="To be grown, in this order" dragging={dragging} />}
      {dragged !== null && <div class="drop-end" onDragOver={event => (event.preventDefault(), setOver(null))} onDrop={() => drop(null)}>to the end</div>}
      {others.length > 0 && (
        <>
          <h3 id="others-title">Others</h3>
          <List {...cards} roots={others} label="Others" dragging={null} />
        </>
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
  /** Which of them the Tab key comes to. */
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
