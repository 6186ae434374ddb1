// Questions: each a form over the page.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fenOf, numbered } from '../../../shared/rules';
import { format } from '../../../shared/score';
import { counted } from '../../../shared/words';
import type { GivenValue, Root, WholeGame } from '../../../shared/contract';
import { add, change, direct, next, otherDraw, remove, removeGame } from '../state/actions';
import type { App, Dialog } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { Closing, Recheck } from './atonce';
import { nameOf, targetOf } from './card';
import { Help } from './help';
import { MergeDatabase } from './merging';
import { NewRootDialog } from './newroot';
import { DrawField, Modal, NumberField, Refused, centipawns } from './parts';
import { Phone } from './phone';
import { IncludeRepertoire, ReviewGames } from './repertoire';
import { UntilFields, untilChanged, untilOf } from './until';

export function Dialogs({ app }: { app: App }) {
  const { dialog } = app;
  return dialog && <One key={keyOf(dialog)} app={app} dialog={dialog} />;
}

/** A file that is dropped makes the form of a new analysis another one. */
const keyOf = (dialog: Dialog): string => (dialog.kind === 'new' ? `new ${dialog.number ?? ''}` : dialog.kind);

function One({ app, dialog }: { app: App; dialog: Dialog }) {
  const { open } = app;
  if (dialog.kind === 'help') return <Help app={app} />;
  // Its fields begin with what the server was started with.
  if (dialog.kind === 'new') return app.server && <NewRootDialog app={app} dropped={dialog.file ?? null} />;
  if (dialog.kind === 'merge') return <MergeDatabase app={app} dropped={dialog.file ?? null} />;
  if (dialog.kind === 'draw') {
    const root = app.root(dialog.id);
    return root ? <OtherDraw app={app} root={root} /> : null;
  }
  if (dialog.kind === 'phone') return <Phone app={app} />;
  if (dialog.kind === 'delete-game') {
    const game = app.games.get(dialog.id);
    return game ? <DeleteGame app={app} game={game} /> : null;
  }
  if (dialog.kind === 'settings' || dialog.kind === 'delete' || dialog.kind === 'closing' || dialog.kind === 'recheck' || dialog.kind === 'repertoire' || dialog.kind === 'review') {
    const root = app.root(dialog.id);
    if (!root) return null;
    if (dialog.kind === 'closing') return <Closing app={app} root={root} />;
    if (dialog.kind === 'recheck') return <Recheck app={app} root={root} />;
    if (dialog.kind === 'repertoire') return <IncludeRepertoire app={app} root={root} />;
    if (dialog.kind === 'review') return <ReviewGames app={app} root={root} />;
    return dialog.kind === 'settings' ? <Settings app={app} root={root} /> : <Delete app={app} root={root} />;
  }
  if (!open) return null;
  if (dialog.kind === 'note') return <NoteForm app={app} open={open} line={dialog.line} text={dialog.text} />;
  if (dialog.kind === 'value') return <ValueForm app={app} open={open} line={dialog.line} value={dialog.value} />;
  if (dialog.kind === 'branch') return <Branch app={app} open={open} at={dialog.at} line={dialog.line} />;
  return <Next app={app} open={open} line={dialog.line} />;
}

interface FormProps {
  app: App;
  title: string;
  action: string;
  bad?: boolean;
  /** Resolves to true if it was done. */
  send: () => Promise<boolean>;
  children: ComponentChildren;
}

/** Closes when it was done; what was refused is said, and the form stays. */
export function Form({ app, title, action, bad, send, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const close = () => app.set({ dialog: null });
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const done = await send();
    setBusy(false);
    if (done) close();
  };
  return (
    <Modal title={title} onClose={close}>
      <form class="form" onSubmit={event => void submit(event)}>
        {children}
        <Refused app={app} />
        <p class="form-end">
          <button type="button" onClick={close}>Cancel</button>
          <button type="submit" class={bad ? 'danger' : 'primary'} aria-disabled={busy ? 'true' : undefined}>{action}</button>
        </p>
      </form>
    </Modal>
  );
}

function Settings({ app, root }: { app: App; root: Root }) {
  const [name, setName] = useState(root.name ?? '');
  const [depth, setDepth] = useState(targetOf(root));
  const [weight, setWeight] = useState(root.run.weight);
  const before = untilOf(root);
  const [until, setUntil] = useState(before);
  const onAgenda = root.run.place !== null;
  const send = async () => {
    const asked = untilChanged(before, until);
    return asked !== null && change(app, root.id, {
      ...asked,
      ...(name.trim() === (root.name ?? '') ? {} : { name: name.trim() || null }),
      ...(depth === targetOf(root) ? {} : { depth }),
      ...(weight === root.run.weight ? {} : { weight }),
    });
  };
  return (
    <Form app={app} title={nameOf(root)} action="Save" send={send}>
      <label>Name <input value={name} autofocus placeholder={root.label} maxLength={200} onInput={event => setName(event.currentTarget.value)} /></label>
      <NumberField label="Tree depth" max={200} value={depth} onValue={setDepth} />
      <NumberField label="Share of the engines, against the others’" max={100} value={weight} onValue={setWeight} />
      {onAgenda && <UntilFields value={until} stages={root.run.stages} onValue={setUntil} />}
    </Form>
  );
}

const Delete = ({ app, root }: { app: App; root: Root }) => (
  <Form app={app} title={`Delete ${nameOf(root)}?`} action="Delete" bad send={() => remove(app, root.id)}>
    <p>Its tree of {counted(root.positions, 'position')} is deleted. The engines’ answers stay in the database: to grow it again costs little.</p>
  </Form>
);

const DeleteGame = ({ app, game }: { app: App; game: WholeGame }) => (
  <Form app={app} title={`Delete ${game.title}?`} action="Delete" bad send={() => removeGame(app, game)}>
    <p>The trees of its {counted(game.analyses.length, 'position')} are deleted, but for those that another game has, too. The engines’ answers stay in the database: to grow them again costs little.</p>
  </Form>
);

function NoteForm({ app, open, line, text }: { app: App; open: OpenRoot; line: string[]; text: string }) {
  const [written, setWritten] = useState(text);
  const send = () => direct(app, line, 'note', { text: written.trim() });
  return (
    <Form app={app} title={`Note at ${open.walk.words(line) || 'the root'}`} action="Save" send={send}>
      <label>Note <textarea rows={4} value={written} required autofocus onInput={event => setWritten(event.currentTarget.value)} /></label>
    </Form>
  );
}

const VALUES = [['white', 'White wins'], ['draw', 'Draw'], ['black', 'Black wins'], ['pawns', 'Pawns for White']] as const;

function ValueForm({ app, open, line, value }: { app: App; open: OpenRoot; line: string[]; value: GivenValue | null }) {
  const [kind, setKind] = useState<string>(value === 'draw' ? 'draw' : 'pawns');
  const [pawns, setPawns] = useState(typeof value !== 'number' ? '+0.50' : `${value < 0 ? '-' : '+'}${Math.abs(value / 100).toFixed(2)}`);
  const send = () => direct(app, line, 'value', { score: kind === 'pawns' ? signed(pawns) : kind });
  return (
    <Form app={app} title={`Value of the position after ${open.walk.words(line)}`} action="Save" send={send}>
      <fieldset>
        <legend>It counts like the result of a game; nothing is searched there.</legend>
        {VALUES.map(([name, label]) => (
          <label key={name} class="choice"><input type="radio" name="value" value={name} checked={kind === name} onChange={() => setKind(name)} /> {label}</label>
        ))}
      </fieldset>
      {kind === 'pawns' && <label>Pawns, for White <input value={pawns} inputMode="text" pattern="[+\-−]?\d+([.,]\d{1,2})?" required onInput={event => setPawns(event.currentTarget.value)} /></label>}
    </Form>
  );
}

function OtherDraw({ app, root }: { app: App; root: Root }) {
  const [pauseThis, setPause] = useState(true);
  const [worth, setWorth] = useState(format(root.draw_value ?? 0));
  const send = () => otherDraw(app, root.id, centipawns(worth) ?? 0, pauseThis);
  return (
    <Form app={app} title="What a draw is worth" action="Analyse so" send={send}>
      <p>Another analysis of this position begins, in which a draw is worth that much. All that is known is used.</p>
      <DrawField value={worth} onValue={setWorth} />
      <label class="choice"><input type="checkbox" checked={pauseThis} onChange={event => setPause(event.currentTarget.checked)} /> Pause the present analysis</label>
    </Form>
  );
}

const signed = (text: string): string => {
  const plain = text.trim().replace('\u2212', '-').replace(',', '.');
  return /^[+-]/.test(plain) ? plain : `+${plain}`;
};

function Next({ app, open, line }: { app: App; open: OpenRoot; line: string[] }) {
  const [pauseThis, setPause] = useState(true);
  const words = open.walk.words(line);
  return (
    <Form app={app} title="The game goes on" action="Analyse from there" send={() => next(app, open.id, line, pauseThis)}>
      <p>The position after <b>{words}</b> becomes the next analysis of this game. All that is known of it is used, and what you have guided comes along.</p>
      <label class="choice"><input type="checkbox" checked={pauseThis} onChange={event => setPause(event.currentTarget.checked)} /> Pause the present analysis</label>
    </Form>
  );
}

/** Moves that were played on the board in the game before the root. */
function Branch({ app, open, at, line }: { app: App; open: OpenRoot; at: number; line: string[] }) {
  const { walk } = open;
  const before = walk.before.slice(0, walk.before.length + at).map(move => move.uci);
  const send = () => add(app, { fen: fenOf(walk.position(-walk.before.length)), moves: [...before, ...line].join(' ') });
  return (
    <Form app={app} title="Another move in the game" action="Analyse it" send={send}>
      <p><b>{numbered(walk.position(at), line).join(' ')}</b> would have been played before the analysed position. It can be analysed by itself; the present analysis stays as it is.</p>
    </Form>
  );
}
