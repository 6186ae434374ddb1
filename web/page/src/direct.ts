// The command that says something of the position on the board, or of the move that led there, to copy.
import { byId, h } from '../../shared/dom';
import { Flag } from './data';
import { format } from '../../shared/score';
import type { View } from './view';

/** In POSIX shells nothing has a meaning between single quotes but the quote itself. */
const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;

/** What can be said, what is typed for it, and whether it is said of a move: the root has none. */
const ACTIONS = [
  { name: 'exclude', label: 'exclude the move', ofMove: true, text: '' },
  { name: 'include', label: 'include the line: follow it', ofMove: true, text: '' },
  { name: 'value', label: 'what the position is worth', ofMove: true, text: '+0.00' },
  { name: 'stop', label: 'stop here', ofMove: true, text: '' },
  { name: 'note', label: 'a note', ofMove: false, text: 'text' },
  { name: 'undo', label: 'take back what was said', ofMove: false, text: '' },
] as const;

export class Direct {
  private readonly action = byId<HTMLSelectElement>('direct-action');
  private readonly text = byId<HTMLInputElement>('direct-text');

  constructor(private readonly view: View) {
    this.action.addEventListener('change', () => this.chosen());
    this.text.addEventListener('input', () => this.command());
    byId('direct-copy').addEventListener('click', () => void this.copy());
    this.draw();
  }

  /** The line on the board has changed. */
  draw(): void {
    const { data } = this.view.tree;
    const isRoot = this.line() === '';
    const { walk } = this.view;
    const steps = walk.played();
    byId('direct-where').textContent = steps.length ? this.view.numbered(steps) : data.line || 'The root';
    const before = this.action.value;
    const options = ACTIONS.filter(action => !isRoot || !action.ofMove);
    this.action.replaceChildren(...options.map(action => h('option', { value: action.name }, action.label)));
    const excluded = (walk.last()?.move?.flags ?? 0) & Flag.Excluded;
    this.action.value = options.some(action => action.name === before) ? before : excluded ? 'undo' : options[0]!.name;
    this.chosen();
  }

  private line(): string {
    return [this.view.tree.data.command_line, ...this.view.walk.line()].filter(Boolean).join(' ');
  }

  private chosen(): void {
    const text = ACTIONS.find(action => action.name === this.action.value)?.text ?? '';
    byId('direct-text-label').hidden = text === '';
    this.text.placeholder = text === '+0.00' ? `${format(50)}, draw, white or black` : 'what you want to remember';
    this.command();
  }

  private command(): void {
    const action = ACTIONS.find(one => one.name === this.action.value)!;
    const typed = action.text ? [quoted(this.text.value || action.text)] : [];
    // A value may begin with a minus: no option begins behind `--`.
    const words = [this.view.tree.data.command, action.name, ...(action.text ? ['--'] : []), quoted(this.line()), ...typed];
    byId<HTMLInputElement>('direct-command').value = words.join(' ');
    byId('direct-copied').textContent = '';
  }

  private async copy(): Promise<void> {
    const field = byId<HTMLInputElement>('direct-command');
    field.select();
    let copied = false;
    try {
      await navigator.clipboard.writeText(field.value);
      copied = true;
    } catch {
      copied = document.execCommand('copy');
    }
    byId('direct-copied').textContent = copied ? 'Copied.' : 'Copy it with Ctrl+C.';
  }
}
