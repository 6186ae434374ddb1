// Name, connection, engines, and how the page looks.
import { useEffect } from 'preact/hooks';
import { theme } from '../../../shared/theme';
import type { App, Connection } from '../state/app';
import { engineWords } from './enginespane';
import { IconButton } from './parts';

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
        <label><span>Scores</span> <select id="pov" value={app.pov} onChange={event => app.setPov(event.currentTarget.value === 'mover' ? 'mover' : 'white')}><option value="white">for White</option><option value="mover">for the mover</option></select></label>
        <Theme />
        <IconButton icon="help" label="Help" title="Help (?)" onClick={() => app.set({ dialog: { kind: 'help' } })} />
      </span>
    </header>
  );
}

function Theme() {
  useEffect(() => theme(), []);
  return <label><span>Colours</span> <select id="theme"><option value="auto">system</option><option value="light">light</option><option value="dark">dark</option></select></label>;
}
