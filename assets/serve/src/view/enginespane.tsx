// What each engine searches, and what has happened.
import { useEffect, useState } from 'preact/hooks';
import { limitWords, type Engines } from '../api/types';
import type { App } from '../state/app';
import { nameOf } from './card';
import { clock, duration, short } from './parts';

/** "Stockfish 17.1 × 2 · 1.2 M nodes/s" */
export function engineWords(engines: Engines, name: string): string {
  const several = engines.up === 1 ? '' : ` \u00d7 ${engines.up}`;
  // How fast they were is no news of engines that rest.
  const speed = engines.engines.some(engine => engine.searching) ? engines.nodes_per_second : 0;
  return `${name}${several}${speed ? ` · ${short(speed)} nodes/s` : ''}`;
}

export function EnginesPane({ app }: { app: App }) {
  const { engines } = app;
  const now = useNow();
  useEffect(() => {
    if (engines) void app.searched.ask(engines, app.open?.id);
  });
  if (!engines) return <p class="empty">The engines are not known yet.</p>;
  return (
    <div class="engines-pane">
      <dl class="numbers">
        <div><dt>up</dt><dd>{engines.up}</dd></div>
        <div><dt>searches</dt><dd>{short(engines.searches)}</dd></div>
        <div><dt>nodes</dt><dd>{short(engines.nodes)}</dd></div>
        <div><dt>nodes/s</dt><dd>{short(engines.nodes_per_second)}</dd></div>
        <div class={engines.faults ? 'bad' : ''}><dt>faults</dt><dd>{engines.faults}</dd></div>
      </dl>
      <ul class="engines">
        {engines.engines.map(({ number, searching }) => {
          const root = searching && app.roots.get(searching.id);
          const found = searching && app.searched.line(searching);
          return (
            <li key={number}>
              <span class="engine-number">{number}</span>
              {searching ? (
                <>
                  <span>{root ? <button type="button" class="link" onClick={() => app.show(root.id, found?.line.map(move => move.uci))}>{nameOf(root)}</button> : null} <span class="searched">{found ? found.words || 'the root' : searching.fen}</span></span>
                  <span class="whose">{searching.limit ? limitWords(searching.limit) : 'closing search'}</span>
                  <span class="whose">{duration(now - searching.since)}</span>
                </>
              ) : <span class="whose">idle</span>}
            </li>
          );
        })}
      </ul>
      {engines.messages.length > 0 && <h3>Faults and messages of engines</h3>}
      <ul class="log">{engines.messages.map((one, i) => <li key={`${one.at} ${i}`}><time>{clock(one.at)}</time> {one.text}</li>)}</ul>
    </div>
  );
}

/** The time, every second while it is shown. */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function LogPane({ app }: { app: App }) {
  if (app.log.length === 0) return <p class="empty">Nothing has happened since this page was opened.</p>;
  return (
    <ul class="log" id="log">
      {app.log.map((one, i) => {
        const root = one.id === null ? undefined : app.roots.get(one.id);
        return <li key={`${one.at} ${i}`} data-kind={one.kind}><time>{clock(one.at)}</time> {root && <b>{nameOf(root)}: </b>}{one.text}</li>;
      })}
    </ul>
  );
}
