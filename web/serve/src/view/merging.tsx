// Another database: its answers and analyses are merged.
import { useEffect, useState } from 'preact/hooks';
import { get, send, sendFile } from '../api/client';
import type { Merge, Merges } from '../../../shared/contract';
import { refusalWords } from '../state/actions';
import type { App } from '../state/app';
import { Modal } from './parts';

const SQLITE = 'application/vnd.sqlite3';
/** Between two looks at one that is under way, in milliseconds. */
const REST = 1000;

/** True if a file begins like a database; a folder, which cannot be read, is none. */
export const isDatabase = (file: Blob): Promise<boolean> => file.slice(0, 15).text().then(text => text === 'SQLite format 3', () => false);

export function MergeDatabase({ app, dropped }: { app: App; dropped: File | null }) {
  const [file, setFile] = useState<File | null>(dropped);
  const [trust, setTrust] = useState(false);
  const [merge, setMerge] = useState<Merge | null>(null);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState('');
  const close = () => app.set({ dialog: null });
  const take = async (answer: Promise<{ merges: Merge[] }>) => {
    try {
      setMerge((await answer).merges[0] ?? null);
      setWrong('');
    } catch (error) {
      setWrong(refusalWords(error));
    }
  };
  const begin = async (event: Event) => {
    event.preventDefault();
    if (!file || busy) return;
    setBusy(true);
    await take(sendFile(`merges?${new URLSearchParams({ name: file.name, trust: String(trust) })}`, file, SQLITE));
    setBusy(false);
  };
  const running = merge?.state === 'running';
  // One that goes on since this was open last is shown again.
  useEffect(() => {
    void get<Merges>('merges').then(({ merges: [last] }) => last?.state === 'running' && setMerge(last), () => {});
  }, []);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => void take(get('merges')), REST);
    return () => clearInterval(timer);
  }, [running]);
  const told = busy ? 'The file is being sent \u2026' : running ? `${merge.name} is being read, checked and merged. That may take minutes, and goes on without this window; its end is told.` : '';
  return (
    <Modal title="Merge another database" onClose={close}>
      <form class="form" onSubmit={event => void begin(event)}>
        <p>Its answers and analyses come beside your own, of which nothing is changed. Some of its answers are searched again here before any is added.</p>
        {dropped ? <p><bdi>{dropped.name}</bdi></p> : <label class="file">Database <input type="file" required accept=".db,application/vnd.sqlite3" onChange={event => setFile(event.currentTarget.files?.[0] ?? null)} /></label>}
        <label class="choice"><input type="checkbox" checked={trust} onChange={event => setTrust(event.currentTarget.checked)} /> I trust it: search nothing again, and take what cannot be searched again, too</label>
        <p role="status">{told}</p>
        {merge?.state === 'done' && <ul class="merged" aria-label="What has come of it">{merge.lines.map(line => <li key={line}>{line}</li>)}</ul>}
        {merge?.state === 'failed' && <p class="refused" role="alert">{merge.error}{merge.hint && ` (${merge.hint})`}</p>}
        {wrong && <p class="refused" role="alert">{wrong}</p>}
        <p class="form-end">
          {running && <button type="button" onClick={() => void take(send('DELETE', `merges/${merge.id}`))}>Stop the merge</button>}
          <button type="button" onClick={close}>{merge ? 'Close' : 'Cancel'}</button>
          <button type="submit" class="primary" aria-disabled={busy || running ? 'true' : undefined}>Merge</button>
        </p>
      </form>
    </Modal>
  );
}
