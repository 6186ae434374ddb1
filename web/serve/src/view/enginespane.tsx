// The engines with their searches, and the log.
import { useEffect, useState } from 'preact/hooks';
import { format } from '../../../shared/score';
import type { EngineStates, Score } from '../../../shared/contract';
import { limitWords, valueOf, type Message } from '../api/words';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import { nameOf, turnOf } from './card';
import { plainly } from './links';
import { clock, duration, short } from './parts';

/** "Stockfish 17.1 × 2 · 1.2 M nodes/s" */
export function engineWords(engines: EngineStates, name: string): string {
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
  const messages = engines.messages ?? [];
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
                  <span>{root ? <a class="link" href={hashOf(root.id, found?.line.map(move => move.uci))} onClick={plainly(() => app.show(root.id, found?.line.map(move => move.uci)))}>{nameOf(root)}</a> : null} <span class="searched">{found ? found.words || 'the root' : searching.fen}</span></span>
                  <span class="whose">{searching.limit ? limitWords(searching.limit) : 'closing search'}</span>
                  <span class="whose">{duration(now - searching.since)}</span>
                </>
              ) : <span class="whose">idle</span>}
            </li>
          );
        })}
      </ul>
      {messages.length > 0 && <h3>Faults and messages of engines</h3>}
      <ul class="log">{messages.map((one, i) => <li key={`${one.at} ${i}`}><time>{clock(one.at)}</time> {one.text}</li>)}</ul>
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

/** Events of the shown analysis from the database: each depth that was complete, and each change of the verdict. */
function remembered(app: App): Message[] {
  const { open } = app;
  const course = open?.course.value;
  if (!open || !course) return [];
  const turn = app.sign(turnOf(app.root(open.id)!));
  const score = ({ san, value }: { san: string; value: Score }) => `${san} ${format(valueOf(value), turn)}`;
  const several = course.stages.length > 1;
  const settled = course.stages.flatMap(stage => stage.settled.map(({ depth, at }) => ({ at, kind: 'settled' as const, text: `depth ${depth} is complete${several ? ` at ${limitWords(stage.limit)}` : ''}` })));
  const changes = course.changes.map(({ at, from, to, because }) => ({ at, kind: 'verdict' as const, text: `${from ? `${score(from)} \u2192 ` : ''}${score(to)}${because ? `: ${because}` : ''}` }));
  return [...settled, ...changes].map(one => ({ ...one, id: open.id }));
}

export function LogPane({ app }: { app: App }) {
  const old = remembered(app);
  const isOld = ({ id, kind }: Message) => old.length > 0 && id === app.open?.id && (kind === 'settled' || kind === 'verdict');
  const all = [...app.log.filter(one => !isOld(one)), ...old].sort((a, b) => b.at - a.at);
  if (all.length === 0) return <p class="empty">Nothing has happened yet.</p>;
  return (
    <ul class="log" id="log">
      {all.map((one, i) => {
        const root = one.id === null ? undefined : app.roots.get(one.id);
        return <li key={`${one.at} ${i}`} data-kind={one.kind}><time>{clock(one.at)}</time> {root && <b>{nameOf(root)}: </b>}{one.text}</li>;
      })}
    </ul>
  );
}
