// What the user has chosen for this browser.
import type { Pov } from '../../../shared/score';

const POV = 'deepanalyze-pov';

export function keptPov(): Pov {
  return read(POV) === 'mover' ? 'mover' : 'white';
}

export function keepPov(pov: Pov): void {
  write(POV, pov);
}

const NOTIFYING = 'deepanalyze-notifications';

export const keptNotifying = (): boolean => read(NOTIFYING) === 'on';

export const keepNotifying = (on: boolean): void => write(NOTIFYING, on ? 'on' : 'off');

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is kept then.
  }
}
