// Until when an analysis is to grow: a time from now, a moment, or as soon as its best move is likely enough to stay.
import { useState } from 'preact/hooks';
import type { Root } from '../../../shared/contract';
import type { Until } from '../state/actions';
import { clock } from './parts';

export const HOUR = 3_600_000;

/** Values of the form. */
export interface UntilChosen {
  kind: 'open' | 'for' | 'at';
  /** "1 h", "90 min", "1:30". */
  time: string;
  /** "07:00". */
  at: string;
  stable: boolean;
  chance: number;
}

const two = (number: number): string => String(number).padStart(2, '0');

export const untilOf = (root: Root | undefined): UntilChosen => {
  const at = root?.run.pause_at ?? null;
  const date = new Date(at ?? 0);
  const chance = root?.run.until_stable ?? null;
  return { kind: at === null ? 'open' : 'at', time: '1 h', at: at === null ? '07:00' : `${two(date.getHours())}:${two(date.getMinutes())}`, stable: chance !== null, chance: chance ?? 80 };
};

/** "1 h 30 min", "90 min", "1:30", "2h", in milliseconds; null where it is no time. */
export function readTime(text: string): number | null {
  const plain = text.trim().toLowerCase().replace(',', '.');
  const colon = /^(\d+):([0-5]\d)$/.exec(plain);
  if (colon) return Number(colon[1]) * HOUR + Number(colon[2]) * 60_000;
  const units: Record<string, number> = { d: 24 * HOUR, h: HOUR, m: 60_000, s: 1000 };
  const parts = [...plain.matchAll(/(\d+(?:\.\d+)?)\s*(d|h|m|s)[a-z]*\s*/g)];
  if (!parts.length || parts.map(part => part[0]).join('').trim() !== plain) return null;
  const time = parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit!]!, 0);
  return time >= 1000 ? time : null;
}

/** The next time that the clock says so. */
function nextAt(text: string): number {
  const [hours, minutes] = text.split(':').map(Number) as [number, number];
  const date = new Date();
  date.setHours(hours, minutes, 0, 0);
  if (date.getTime() <= Date.now()) date.setDate(date.getDate() + 1);
  return date.getTime();
}

/** As the server has it, of what is not as it was before; null where a field makes no sense. */
export function untilChanged(before: UntilChosen, now: UntilChosen): Until | null {
  const asked = untilAsked(now);
  if (!asked) return null;
  const isMoment = before.kind !== now.kind || before.time !== now.time || before.at !== now.at;
  const isChance = before.stable !== now.stable || before.chance !== now.chance;
  return { ...(isMoment ? { pause_at: asked.pause_at! } : {}), ...(isChance ? { until_stable: asked.until_stable! } : {}) };
}

/** As the server has it; null where a field makes no sense. */
export function untilAsked(chosen: UntilChosen): Until | null {
  const time = chosen.kind === 'for' ? readTime(chosen.time) : 0;
  if (time === null || (chosen.stable && !(chosen.chance >= 1 && chosen.chance <= 96))) return null;
  const pause_at = chosen.kind === 'open' ? null : chosen.kind === 'for' ? Date.now() + time : nextAt(chosen.at);
  return { pause_at, until_stable: chosen.stable ? chosen.chance : null };
}

interface UntilProps {
  value: UntilChosen;
  /** True if its chance to stay is known: only in trees that grow in stages. */
  stages: boolean;
  onValue: (value: UntilChosen) => void;
}

export function UntilFields({ value, stages, onValue }: UntilProps) {
  const [kinds] = useState<[UntilChosen['kind'], string][]>([['open', 'no time limit'], ['for', 'for'], ['at', 'until']]);
  const set = (part: Partial<UntilChosen>) => onValue({ ...value, ...part });
  const wrong = value.kind === 'for' && readTime(value.time) === null;
  return (
    <fieldset class="until">
      <legend>Time</legend>
      <div class="form-row">
        {kinds.map(([kind, label]) => <label key={kind} class="choice"><input type="radio" name="until" value={kind} checked={value.kind === kind} onChange={() => set({ kind })} /> {label}</label>)}
        {value.kind === 'for' && <label>How long <input value={value.time} size={8} aria-invalid={wrong ? 'true' : undefined} title="1 h, 90 min, 1 h 30 min" onInput={event => set({ time: event.currentTarget.value })} /></label>}
        {value.kind === 'at' && <label>Time of day <input type="time" required value={value.at} onInput={event => set({ at: event.currentTarget.value })} /></label>}
      </div>
      {wrong && <p class="wrong">A time is written like 1 h, 90 min or 1 h 30 min.</p>}
      {stages && (
        <div class="form-row">
          <label class="choice"><input type="checkbox" checked={value.stable} onChange={event => set({ stable: event.currentTarget.checked })} /> Ends when the best move is likely to stay</label>
          {value.stable && <label>Likely, in per cent <input type="number" min={1} max={96} required value={value.chance} onInput={event => set({ chance: event.currentTarget.valueAsNumber })} /></label>}
        </div>
      )}
    </fieldset>
  );
}

/** "until 07:00, 80 % likely"; nothing where it grows without an end. */
export function untilWords({ run: { pause_at, until_stable } }: Root): string {
  const stable = until_stable === null ? '' : `until ${until_stable} % likely to stay`;
  return [pause_at === null ? '' : `until ${clock(pause_at)}`, stable].filter(Boolean).join(', ');
}
