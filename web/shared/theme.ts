// Light, dark, or as the system has it; kept for the next page where the browser lets us.
import { byId } from './dom';
import { keep, kept } from './kept';

const KEY = 'deepanalyze-theme';

export function theme(): void {
  const select = byId<HTMLSelectElement>('theme');
  const apply = (value: string) => {
    if (value === 'light' || value === 'dark') document.documentElement.dataset['theme'] = value;
    else delete document.documentElement.dataset['theme'];
  };
  const before = kept(KEY);
  select.value = before === 'light' || before === 'dark' ? before : 'auto';
  apply(select.value);
  select.addEventListener('change', () => {
    apply(select.value);
    keep(KEY, select.value);
  });
}
