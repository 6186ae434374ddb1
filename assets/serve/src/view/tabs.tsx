// What is shown below the moves, one at a time.
import type { App, Tab } from '../state/app';
import { AuditPane } from './auditpane';
import { isCounted } from './movestable';
import { CoursePane } from './coursepane';
import { DirectivesPane } from './directivespane';
import { EnginesPane, LogPane } from './enginespane';
import { TreePane } from './treepane';

const NAMES: [Tab, string][] = [['tree', 'Tree'], ['course', 'Over time'], ['directives', 'Guidance'], ['audit', 'Repertoire'], ['engines', 'Engines'], ['log', 'Log']];

/** Of these, nothing may have the focus: whoever has no mouse scrolls the panel itself. */
const READ: Tab[] = ['course', 'engines', 'log'];

export function Tabs({ app }: { app: App }) {
  const root = app.root();
  const tabs = NAMES.filter(([tab]) => (tab === 'engines' || tab === 'log' ? true : root && (tab !== 'audit' || root.directives > 0 || isCounted(app.open?.places.place([])))));
  const tab = tabs.some(([one]) => one === app.tab) ? app.tab : tabs[0]![0];
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
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="tabs" aria-label="More of this analysis">
      <div role="tablist" class="tablist" onKeyDown={key}>
        {tabs.map(([one, name]) => (
          <button type="button" role="tab" key={one} id={`tab-${one}`} aria-selected={one === tab} aria-controls="tab-panel" tabIndex={one === tab ? 0 : -1} onClick={() => choose(one)}>
            {name}
            {one === 'directives' && root && root.directives > 0 && <span class="count">{root.directives}</span>}
            {one === 'engines' && (app.engines?.faults ?? 0) > 0 && <span class="count bad" title="faults">{app.engines!.faults}<span class="sr"> faults</span></span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" class="tab-panel" data-tab={tab} aria-labelledby={`tab-${tab}`} tabIndex={READ.includes(tab) ? 0 : undefined}>
        <Panel app={app} tab={tab} />
      </div>
    </section>
  );
}

function Panel({ app, tab }: { app: App; tab: Tab }) {
  const { open } = app;
  if (tab === 'engines') return <EnginesPane app={app} />;
  if (tab === 'log' || !open) return <LogPane app={app} />;
  if (tab === 'course') return <CoursePane app={app} open={open} />;
  if (tab === 'directives') return <DirectivesPane app={app} open={open} />;
  if (tab === 'audit') return <AuditPane app={app} open={open} />;
  return <TreePane app={app} open={open} />;
}
