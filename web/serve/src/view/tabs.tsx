// One tall box: the tree, the moves of the position on the board, and what else is told, one at a time.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { App, Tab } from '../state/app';
import { AuditPane } from './auditpane';
import { MovesPane } from './movespane';
import { countedBy } from './movestable';
import { CoursePane } from './coursepane';
import { DirectivesPane } from './directivespane';
import { EnginesPane, LogPane } from './enginespane';
import { Menu } from './menu';
import { TreePane } from './treepane';
import { WhyPane } from './whypane';

const NAMES: [Tab, string][] = [['tree', 'Tree'], ['moves', 'Moves'], ['course', 'Over time'], ['directives', 'Guidance'], ['audit', 'Repertoire'], ['engines', 'Engines'], ['log', 'Log']];

/** Panels that may have nothing to focus: the keyboard scrolls the panel itself. */
const READ: Tab[] = ['course', 'engines', 'log'];

export function Tabs({ app }: { app: App }) {
  const root = app.root();
  const tabs = NAMES.filter(([tab]) => (tab === 'engines' || tab === 'log' ? true : root && (tab !== 'audit' || root.directives > 0 || countedBy(app.open?.places.place([])) !== null)));
  const tab = tabs.some(([one]) => one === app.tab) ? app.tab : tabs[0]![0];
  const faults = app.engines?.faults ?? 0;
  const choose = (next: Tab) => {
    app.set({ tab: next });
    app.open?.ask();
  };
  const key = (event: KeyboardEvent) => {
    const at = tabs.findIndex(([one]) => one === tab);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(to + tabs.length) % tabs.length]![0];
    choose(next);
    // It may have come out of the menu.
    requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
  };
  const bar = useFitting(`${tabs.map(([one]) => one)} ${tab} ${root?.directives} ${faults}`);
  return (
    <section class="tabs" aria-labelledby="tabs-title">
      <h2 id="tabs-title" class="sr">Tree, moves and more</h2>
      <div class="tabbar" ref={bar}>
        {/* A click on a tab leaves the arrow keys to the line. */}
        <div role="tablist" class="tablist" onKeyDown={key}>
          {tabs.map(([one, name]) => (
            <button type="button" role="tab" key={one} id={`tab-${one}`} aria-selected={one === tab} aria-controls="tab-panel" tabIndex={one === tab ? 0 : -1} onMouseDown={event => event.preventDefault()} onClick={() => choose(one)}>
              {name}
              {one === 'directives' && root && root.directives > 0 && <span class="count">{root.directives}</span>}
              {one === 'engines' && faults > 0 && <span class="count bad" title="faults">{faults}<span class="sr"> faults</span></span>}
            </button>
          ))}
        </div>
        <Menu label="More tabs" icon="down" class="more-tabs" items={() => tabs.map(([one, name]) => (document.getElementById(`tab-${one}`)?.hidden ? { label: name, action: () => choose(one) } : null))} />
      </div>
      {app.open && <WhyPane app={app} open={app.open} />}
      <div role="tabpanel" id="tab-panel" class="tab-panel" data-tab={tab} aria-labelledby={`tab-${tab}`} tabIndex={READ.includes(tab) ? 0 : undefined}>
        <Panel app={app} tab={tab} />
      </div>
    </section>
  );
}

/** A bar of tabs of which those that have no room are hidden, never the selected one; then its menu, which has them, is seen. */
function useFitting(what: string) {
  const bar = useRef<HTMLDivElement>(null);
  const fit = () => {
    const more = bar.current!.querySelector<HTMLElement>('.more-tabs')!;
    const tabs = [...bar.current!.querySelectorAll<HTMLElement>('[role=tab]')];
    for (const tab of tabs) tab.hidden = false;
    more.hidden = false;
    const widths = tabs.map(tab => tab.getBoundingClientRect().width);
    const room = bar.current!.clientWidth;
    more.hidden = widths.reduce((sum, width) => sum + width, 0) <= room;
    if (more.hidden) return;
    let left = room - more.getBoundingClientRect().width - widths[tabs.findIndex(tab => tab.ariaSelected === 'true')]!;
    let full = false;
    tabs.forEach((tab, i) => {
      if (tab.ariaSelected === 'true') return;
      left -= widths[i]!;
      full ||= left < 0;
      tab.hidden = full;
    });
  };
  useLayoutEffect(fit, [what]);
  useLayoutEffect(() => {
    const sized = new ResizeObserver(fit);
    sized.observe(bar.current!);
    return () => sized.disconnect();
  }, []);
  return bar;
}

function Panel({ app, tab }: { app: App; tab: Tab }) {
  const { open } = app;
  if (tab === 'engines') return <EnginesPane app={app} />;
  if (tab === 'log' || !open) return <LogPane app={app} />;
  if (tab === 'moves') return <MovesPane app={app} open={open} />;
  if (tab === 'course') return <CoursePane app={app} open={open} />;
  if (tab === 'directives') return <DirectivesPane app={app} open={open} />;
  if (tab === 'audit') return <AuditPane app={app} open={open} />;
  return <TreePane key={open.id} pov={app.pov} open={open} />;
}
