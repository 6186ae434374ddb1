// A repertoire from a file, and a player's games beside it.
import { useState } from 'preact/hooks';
import { numbered, positionOf } from '../../../shared/rules';
import { counted } from '../../../shared/words';
import { sendFile } from '../api/client';
import type { PlaceLeft as Left, ReviewAnswer, Root } from '../../../shared/contract';
import { includeFile, refusalWords } from '../state/actions';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import { nameOf } from './card';
import { Form } from './dialogs';
import { plainly } from './links';
import { Modal } from './parts';

const PGN = 'application/x-chess-pgn';

const FileField = ({ label, onFile }: { label: string; onFile: (file: File | null) => void }) => (
  <label class="file">{label} <input type="file" required accept=".pgn,text/plain" onChange={event => onFile(event.currentTarget.files?.[0] ?? null)} /></label>
);

export function IncludeRepertoire({ app, root }: { app: App; root: Root }) {
  const [file, setFile] = useState<File | null>(null);
  const [notes, setNotes] = useState(true);
  const [all, setAll] = useState(false);
  const [skip, setSkip] = useState(false);
  const send = async () => file !== null && includeFile(app, root.id, file, { notes, all, skip });
  return (
    <Form app={app} title={`A repertoire for ${nameOf(root)}`} action="Include" send={send}>
      <p>Every game and variation of the file that passes through the position is followed, whatever the engine thinks of it. To write it down again: Export, PGN.</p>
      <FileField label="PGN" onFile={setFile} />
      <label class="choice"><input type="checkbox" checked={notes} onChange={event => setNotes(event.currentTarget.checked)} /> Keep its comments as notes</label>
      <label class="choice"><input type="checkbox" checked={skip} onChange={event => setSkip(event.currentTarget.checked)} /> Leave out games that cannot be read</label>
      <label class="choice"><input type="checkbox" checked={all} onChange={event => setAll(event.currentTarget.checked)} /> Take more than 1000 positions</label>
    </Form>
  );
}

const SIDES = [['', 'both'], ['white', 'White'], ['black', 'Black']] as const;

export function ReviewGames({ app, root }: { app: App; root: Root }) {
  const [file, setFile] = useState<File | null>(null);
  const [player, setPlayer] = useState('');
  const [side, setSide] = useState('');
  const [found, setFound] = useState<ReviewAnswer | null>(null);
  const [wrong, setWrong] = useState('');
  const close = () => app.set({ dialog: null });
  const query = (format: string) => new URLSearchParams({ ...(player.trim() ? { player: player.trim() } : {}), ...(side ? { side } : {}), format });
  const ask = async (event: Event) => {
    event.preventDefault();
    if (!file) return;
    setWrong('');
    try {
      setFound(await sendFile<ReviewAnswer>(`analyses/${root.id}/review?${query('json')}`, file, PGN));
    } catch (error) {
      setFound(null);
      setWrong(refusalWords(error));
    }
  };
  return (
    <Modal title={`Games beside ${nameOf(root)}`} onClose={close} wide>
      <form class="form" onSubmit={event => void ask(event)}>
        <p>Where the games left your repertoire, who left it, and what was to be played. Yours are the included moves; where none is included, moves that lose at most 0.30.</p>
        <div class="form-row">
          <FileField label="PGN" onFile={setFile} />
          <label class="grow">Player <input value={player} placeholder="as the file has the name" required={side === ''} onInput={event => setPlayer(event.currentTarget.value)} /></label>
          <label>With <select value={side} onChange={event => setSide(event.currentTarget.value)}>{SIDES.map(([value, label]) => <option key={value} value={value}>{label}</option>)}</select></label>
        </div>
        {wrong && <p class="refused" role="alert">{wrong}</p>}
        {found && <Reviewed app={app} root={root} found={found} close={close} />}
        <p class="form-end"><button type="button" onClick={close}>Close</button><button type="submit" class="primary">Review</button></p>
      </form>
    </Modal>
  );
}

const BY = { player: 'you left it', opponent: 'your opponent left it', end: 'the tree ends' } as const;

function Reviewed({ app, root, found: { review, left_out }, close }: { app: App; root: Root; found: ReviewAnswer; close: () => void }) {
  const { counts } = review;
  const told: [number, string][] = [[counts.player, 'left by you'], [counts.opponent, 'left by the opponent'], [counts.end, 'to the end of the tree'], [counts.stayed, 'inside to the end of the game'], [counts.elsewhere, 'never came to it']];
  return (
    <section aria-label="Review" class="reviewed">
      <p role="status">{counted(counts.games, 'game')}: {told.filter(([games]) => games > 0).map(([games, words]) => `${games} ${words}`).join(', ')}</p>
      {left_out.length > 0 && <p class="wrong">{counted(left_out.length, 'game')} left out: {left_out.slice(0, 3).join('; ')}{left_out.length > 3 && ' …'}</p>}
      <ol class="findings">
        {review.places.map((place, i) => <li key={i}><PlaceLeft app={app} root={root} place={place} close={close} /></li>)}
      </ol>
    </section>
  );
}

function PlaceLeft({ app, root, place, close }: { app: App; root: Root; place: Left; close: () => void }) {
  // The number is that of a game from the initial position: the others are seldom.
  const from = positionOf(`${place.epd} 0 ${1 + Math.floor(place.ply / 2)}`);
  const move = (uci: string) => numbered(from, [uci]).join();
  const cost = place.tree?.cost ?? place.engine?.cost;
  // Behind the root the page can go there; games may begin elsewhere.
  const behind = root.history.every((uci, ply) => place.line[ply] === uci) ? place.line.slice(root.history.length) : null;
  const go = () => {
    close();
    app.show(root.id, behind!);
  };
  return (
    <>
      {behind ? <a class="link" href={hashOf(root.id, behind)} onClick={plainly(go)}>{move(place.played.uci)}</a> : <b>{move(place.played.uci)}</b>}
      <span class="whose"> in {counted(place.games, 'game')}: {BY[place.by]}{cost ? `, it costs ${(cost / 100).toFixed(2)}` : ''}</span>
      {place.right.length > 0 && <span>; {place.by === 'player' ? 'yours' : 'expected'}: <b>{place.right.map(one => one.san).join(', ')}</b></span>}
    </>
  );
}
