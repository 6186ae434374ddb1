// The page on another device of the network: its address, for a camera and for fingers.
import { useEffect, useState } from 'preact/hooks';
import type { Address, Addresses } from '../../../shared/contract';
import { get } from '../api/client';
import { refusalWords } from '../state/actions';
import type { App } from '../state/app';
import { copy } from '../state/copy';
import { Modal } from './parts';

export function Phone({ app }: { app: App }) {
  const [found, setFound] = useState<Address[] | null>(null);
  const [wrong, setWrong] = useState('');
  useEffect(() => {
    get<Addresses>('addresses').then(({ addresses }) => setFound(addresses), error => setWrong(refusalWords(error)));
  }, []);
  return (
    <Modal title="On your phone" onClose={() => app.set({ dialog: null })}>
      <div class="phone">
        {wrong && <p class="wrong" role="alert">{wrong}</p>}
        {found?.length === 0 && <p>This server listens to this computer alone. Start it as <code>deepanalyze serve --listen 0.0.0.0</code>, and other devices of your network reach it, by an address that only you know.</p>}
        {found?.map(address => (
          <figure key={address.url}>
            <Code rows={address.code} />
            <figcaption><a href={address.url}>{address.url.replace(/token=.*/, 'token=\u2026')}</a> <button type="button" onClick={() => void copy(app, 'address', address.url)}>Copy</button></figcaption>
          </figure>
        ))}
        {found && found.length > 0 && <p class="whose">Anyone with the address can use the page; nothing is encrypted. In the browser’s menu, “Add to the home screen” gives it an icon.</p>}
      </div>
    </Modal>
  );
}

function Code({ rows }: { rows: string[] }) {
  const side = rows.length;
  const path = rows.flatMap((row, y) => [...row].flatMap((bit, x) => (bit === '1' ? `M${x} ${y}h1v1h-1z` : []))).join('');
  // White around it, whatever the page's colours: cameras look for that.
  return <svg class="code" viewBox={`-4 -4 ${side + 8} ${side + 8}`} role="img" aria-label="The address as a QR code"><rect x="-4" y="-4" width={side + 8} height={side + 8} fill="#fff" /><path d={path} fill="#000" /></svg>;
}
