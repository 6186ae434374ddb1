// Light, dark, or as the system has it; kept for the next page where the browser lets us.
import { byId } from './dom';

const KEY = 'deepanalyze-theme';

export function theme(): void {
  const select = byId<HTMLSelectElement>('theme');
  const apply = (value: string) => {
    if (value === 'light' || value === 'dark') document.documentElement.dataset['theme'] = value;
    else delete document.documentElement.dataset['theme'];
  };
  select.value = kept() ?? 'auto';
  apply(select.value);
  select.addEventListener('change', () => {
    apply(select.value);
    try {
      localStorage.setItem(KEY, select.value);
    } catch {
      // Nothing is kept then.
    }
  });
}

function kept(): string | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}
