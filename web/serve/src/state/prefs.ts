// Settings of the user for this browser.
import { keep, kept } from '../../../shared/kept';
import type { Pov } from '../../../shared/score';

const POV = 'deepanalyze-pov';

export function keptPov(): Pov {
  return kept(POV) === 'mover' ? 'mover' : 'white';
}

export function keepPov(pov: Pov): void {
  keep(POV, pov);
}

const NOTIFYING = 'deepanalyze-notifications';

export const keptNotifying = (): boolean => kept(NOTIFYING) === 'on';

export const keepNotifying = (on: boolean): void => keep(NOTIFYING, on ? 'on' : 'off');
