// The user's directives for this root's positions.
import type { Directive } from '../../../shared/contract';
import { worthWords } from '../api/words';
import { direct, undo } from '../state/actions';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { plainly } from './links';
import { Icon, IconButton, clock } from './parts';

const WORDS = { exclude: 'excluded', include: 'followed', value: 'value', stop: 'stopped', note: 'note' } as const;

export function DirectivesPane({ app, open }: { app: App; open: OpenRoot }) {
  const { value, error } = open.directives;
  if (!value) return <p class="empty">{error ?? ''}</p>;
  return (
    <div class="directives-pane">
      <div class="section-head">
        <p class="whose">What you say holds for a position, whatever line leads there.</p>
        <button type="button" class="with-icon" aria-disabled={value.undo ? undefined : 'true'} title={value.undo ? `Takes back: ${value.undo} (Ctrl+Z)` : 'Nothing to take back'} onClick={() => value.undo && void undo(app)}>
          <Icon name="undo" /> Undo
        </button>
      </div>
      {value.directives.length === 0 && <p class="empty">Nothing is said yet. Play a move that the tree does not have and follow it, or use the menu of a move.</p>}
      <ul class="directives">
        {value.directives.map((one, i) => <Row key={`${one.kind} ${one.words} ${i}`} app={app} open={open} one={one} />)}
      </ul>
    </div>
  );
}

function Row({ app, open, one }: { app: App; open: OpenRoot; one: Directive }) {
  const line = one.line && (one.uci ? [...one.line, one.uci] : one.line);
  return (
    <li>
      <span class="kind" data-kind={one.kind}>{WORDS[one.kind]}</span>
      <span class="directive-words">
        {line ? <a class="link" href={hashOf(open.id, open.legal(line))} onClick={plainly(() => open.walk.leap(open.legal(line)))}>{line.length ? open.walk.words(line) : 'the root'}</a> : <span>{one.words}</span>}
        {one.value !== undefined && one.value !== null && <b> {worthWords(one.value)}</b>}
        {one.text && <span class="users-note">{one.text}</span>}
      </span>
      <span class="whose">{clock(one.at)}</span>
      {line && <IconButton icon="close" label={`Take back: ${WORDS[one.kind]} ${one.words}`} title="Take back" class="small" onClick={() => void direct(app, line, 'undo')} />}
    </li>
  );
}
