// Actions on a tree at once, in place of growing it: a closing search, a recheck.
import { useState } from 'preact/hooks';
import type { Root } from '../../../shared/contract';
import { close, recheck } from '../state/actions';
import type { App } from '../state/app';
import { limitOf } from './card';
import { Form } from './dialogs';
import { NumberField } from './parts';
import { readTime } from './until';

/** Two plies deeper is the least that says something new. */
const DEEPER = 2;
const USUAL_DEPTH = 20;

export function Closing({ app, root }: { app: App; root: Root }) {
  const [time, setTime] = useState('5 min');
  const read = readTime(time);
  return (
    <Form app={app} title="Closing search" action="Search now" send={async () => read !== null && close(app, root.id, read)}>
      <p>The engines search the position once more for so long. Then the tree goes on, or rests, as before.</p>
      <TimeField label="Time" value={time} onValue={setTime} />
    </Form>
  );
}

export function Recheck({ app, root }: { app: App; root: Root }) {
  const [time, setTime] = useState('10 min');
  const limit = limitOf(root);
  const before = limit && 'depth' in limit ? limit.depth : undefined;
  const [depth, setDepth] = useState(before === undefined ? USUAL_DEPTH : before + (root.own_engine ? DEEPER : 0));
  const read = readTime(time);
  const who = root.own_engine ? 'The engines search deeper' : `The engines of this server, not ${root.engine.name}, search`;
  return (
    <Form app={app} title="Does the best move stay?" action="Recheck" send={async () => read !== null && recheck(app, root.id, read, depth)}>
      <p>{who} at the ends of the tree, those first that could most easily make another move the best. The tree stays as it is; what has come of it stands under <i>Over time</i>. Take a changed best move seriously; one that stays says little.</p>
      <div class="form-row">
        <NumberField label="Engine depth" max={255} value={depth} onValue={setDepth} />
        <TimeField label="Time, at most" value={time} onValue={setTime} />
      </div>
    </Form>
  );
}

function TimeField({ label, value, onValue }: { label: string; value: string; onValue: (value: string) => void }) {
  const isWrong = readTime(value) === null;
  return (
    <>
      <label>{label} <input value={value} autofocus aria-invalid={isWrong ? 'true' : undefined} onInput={event => onValue(event.currentTarget.value)} /></label>
      {isWrong && <p class="wrong">A time is written like 1 h, 90 min or 1 h 30 min.</p>}
    </>
  );
}
