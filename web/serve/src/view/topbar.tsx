// Name, connection, engines, and how the page looks.
import { useState } from 'preact/hooks';
import type { App, Connection } from '../state/app';
import { canNotify, notifies, setNotifying } from '../state/notifying';
import { engineWords } from './enginespane';
import { Icon, IconButton } from './parts';
import { Switches } from './switches';

const WORDS: Record<Connection, string> = { connecting: 'connecting …', live: 'live', lost: 'connection lost, trying again', asleep: 'asleep', locked: 'locked' };

export function TopBar({ app }: { app: App }) {
  const engines = () => {
    app.set({ tab: 'engines' });
    document.getElementById('tab-engines')?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <header class="topbar">
      <IconButton icon="list" label="Analyses" class="narrow-only" onClick={() => app.set({ drawer: !app.drawer })} />
      <span class="brand">deep<b>analyze</b></span>
      <span class={`connection ${app.connection}`} role="status"><i class="dot" aria-hidden="true" /><span>{WORDS[app.connection]}</span></span>
      {app.engines && <button type="button" class="quiet engines-words" onClick={engines}>{engineWords(app.engines, app.server?.engine.name ?? 'engine')}</button>}
      <span class="switches">
        <Switches pov={app.pov} onPov={pov => app.setPov(pov)} />
        <Bell app={app} />
        <IconButton icon="phone" label="On your phone" class="wide-only" onClick={() => app.set({ dialog: { kind: 'phone' } })} />
        <IconButton icon="help" label="Help" title="Help (?)" onClick={() => app.set({ dialog: { kind: 'help' } })} />
      </span>
    </header>
  );
}

/** Turns notifications on and off; not there where the browser has none. */
function Bell({ app }: { app: App }) {
  const [on, setOn] = useState(notifies());
  if (!canNotify()) return null;
  const turn = async () => {
    const now = await setNotifying(!on);
    setOn(now);
    if (!now && !on) app.say('The browser does not allow notifications of this page', { bad: true });
  };
  const label = 'Tell me when something changes';
  return (
    <button type="button" class={on ? 'icon bell on' : 'icon bell'} aria-label={label} aria-pressed={on} title={`${label}: as a notification, while the page is out of sight`} onClick={() => void turn()}>
      <Icon name="bell" />
    </button>
  );
}
