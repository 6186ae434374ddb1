// The ways along a line or a game.
import type { ComponentChildren } from 'preact';
import { IconButton } from './parts';

interface ControlsProps {
  label: string;
  /** Disabled at the start, to the start, one step; then the same forward. */
  back: [boolean, () => void, () => void];
  forward: [boolean, () => void, () => void];
  flip: () => void;
  children?: ComponentChildren;
}

export const Controls = ({ label, back: [atStart, start, back], forward: [atEnd, forward, end], flip, children }: ControlsProps) => (
  <div class="controls" role="group" aria-label={label}>
    <IconButton icon="first" id="first" label="To the start" title="Start (Home)" off={atStart} onClick={start} />
    <IconButton icon="back" id="back" label="Back" title="Back (←, wheel)" off={atStart} onClick={back} />
    <IconButton icon="forward" id="forward" label="Forward" title="Forward (→, wheel)" off={atEnd} onClick={forward} />
    <IconButton icon="last" id="last" label="To the end" title="End (End)" off={atEnd} onClick={end} />
    <IconButton icon="flip" id="flip" label="Turn the board" title="Turn the board (f)" onClick={flip} />
    {children}
  </div>
);
