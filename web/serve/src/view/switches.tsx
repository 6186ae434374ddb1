// How a page looks: for whom scores are shown, and its colours.
import { useLayoutEffect } from 'preact/hooks';
import type { Pov } from '../../../shared/score';
import { theme } from '../../../shared/theme';

export function Switches({ pov, onPov }: { pov: Pov; onPov: (pov: Pov) => void }) {
  useLayoutEffect(() => theme(), []);
  return (
    <div class="switches">
      <label><span>Scores</span> <select id="pov" value={pov} onChange={event => onPov(event.currentTarget.value === 'mover' ? 'mover' : 'white')}><option value="white">for White</option><option value="mover">for the mover</option></select></label>
      <label><span>Colours</span> <select id="theme"><option value="auto">system</option><option value="light">light</option><option value="dark">dark</option></select></label>
    </div>
  );
}
