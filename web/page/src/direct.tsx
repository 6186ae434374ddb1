// The command that says something of the position on the board, or of the move that led there, to copy.
import { useRef, useState } from 'preact/hooks';
import { format } from '../../shared/score';
import { isCopied } from '../../serve/src/state/copy';
import type { OpenFile } from './openfile';

/** In POSIX shells nothing has a meaning between single quotes but the quote itself. */
const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;

/** Directives, with their arguments as typed; those with `ofMove` do not apply to the root. */
const ACTIONS = [
  { name: 'exclude', label: 'exclude the move', ofMove: true, text: '' },
  { name: 'include', label: 'include the line: follow it', ofMove: true, text: '' },
  { name: 'value', label: 'what the position is worth', ofMove: true, text: '+0.00' },
  { name: 'stop', label: 'stop here', ofMove: true, text: '' },
  { name: 'note', label: 'a note', ofMove: false, text: 'text' },
  { name: 'undo', label: 'take back what was said', ofMove: false, text: '' },
] as const;

export function Direct({ open }: { open: OpenFile }) {
  const [chosen, choose] = useState('');
  const [text, setText] = useState('');
  const [copied, setCopied] = useState({ command: '', words: '' });
  const field = useRef<HTMLInputElement>(null);
  const { data, walk } = open;
  const line = [data.command_line, ...open.line()].filter(Boolean).join(' ');
  const options = ACTIONS.filter(action => line !== '' || !action.ofMove);
  const action = options.find(({ name }) => name === chosen) ?? options.find(({ name }) => name === 'undo' && open.lastMove()?.excluded) ?? options[0]!;
  const typed = action.text ? [quoted(text || action.text)] : [];
  // A value may begin with a minus: no option begins behind `--`.
  const command = [data.command, action.name, ...(action.text ? ['--'] : []), quoted(line), ...typed].join(' ');
  const copy = async () => {
    field.current!.select();
    const isDone = await isCopied(command) || document.execCommand('copy');
    setCopied({ command, words: isDone ? 'Copied.' : 'Copy it with Ctrl+C.' });
  };
  return (
    <details id="direct">
      <summary>Direct the analysis here</summary>
      <p>{walk.numbered(walk.played()) || data.line || 'The root'}</p>
      <label>Say <select id="direct-action" value={action.name} onChange={event => choose(event.currentTarget.value)}>{options.map(({ name, label }) => <option key={name} value={name}>{label}</option>)}</select></label>
      {action.text && <label>Text <input id="direct-text" autocomplete="off" value={text} placeholder={action.name === 'value' ? `${format(50)}, draw, white or black` : 'what you want to remember'} onInput={event => setText(event.currentTarget.value)} /></label>}
      <span class="typed"><input ref={field} id="direct-command" readonly aria-label="Command" value={command} /><button type="button" id="direct-copy" onClick={() => void copy()}>Copy</button></span>
      <span id="direct-copied" role="status">{copied.command === command ? copied.words : ''}</span>
      <p class="whose">For a shell such as bash; with --db FILE where the database is not in its usual place. The next grow takes it over.</p>
    </details>
  );
}
