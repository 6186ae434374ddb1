// Small things that all parts show.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { format, speak, type Value } from '../../../shared/score';
import { grouped } from '../../../shared/words';
import type { App } from '../state/app';

const PATHS = {
  play: 'M7 4.5v15l12.5-7.5z',
  pause: 'M6 5h4v14H6zM14 5h4v14h-4z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  more: 'M12 4.5a2 2 0 110 4 2 2 0 010-4zm0 5.5a2 2 0 110 4 2 2 0 010-4zm0 5.5a2 2 0 110 4 2 2 0 010-4z',
  grip: 'M9 5h2v2H9zm4 0h2v2h-2zM9 11h2v2H9zm4 0h2v2h-2zM9 17h2v2H9zm4 0h2v2h-2z',
  first: 'M5 5h3v14H5zM20 5v14L9 12z',
  back: 'M17 5v14L6 12z',
  forward: 'M7 5v14l11-7z',
  last: 'M16 5h3v14h-3zM4 5v14l11-7z',
  flip: 'M7 4l-4 4h3v9h2V8h3zM17 20l4-4h-3V7h-2v9h-3z',
  undo: 'M12.5 8c-2.6 0-5 1-6.900 2.600L2 7v9h9l-3.600-3.600A7.900 7.900 0 0120 17l2-.7A10 10 0 0012.500 8z',
  list: 'M4 6h16v2H4zm0 5h16v2H4zm0 5h16v2H4z',
  up: 'M12 8l7 7-1.400 1.400L12 10.800l-5.600 5.600L5 15z',
  down: 'M12 16l-7-7 1.400-1.400L12 13.200l5.600-5.600L19 9z',
  phone: 'M8 2h8a2 2 0 012 2v16a2 2 0 01-2 2H8a2 2 0 01-2-2V4a2 2 0 012-2zm0 3v12h8V5zm3 13.500v2h2v-2z',
  bell: 'M12 3a6 6 0 016 6v5l2 3H4l2-3V9a6 6 0 016-6zm-2.500 15h5a2.500 2.500 0 01-5 0z',
  close: 'M6.400 5L5 6.400 10.600 12 5 17.600 6.400 19 12 13.400 17.600 19 19 17.600 13.400 12 19 6.400 17.600 5 12 10.600z',
  download: 'M11 4h2v8.200l3.300-3.300 1.400 1.400L12 16l-5.700-5.700 1.400-1.400L11 12.200zM5 18h14v2H5z',
  info: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 2a7 7 0 110 14 7 7 0 010-14zm-1 2h2v2h-2zm0 4h2v6h-2z',
  copy: 'M8 3h11v13h-2V5H8zM5 7h10v14H5zm2 2v10h6V9z',
  help: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 2a7 7 0 110 14 7 7 0 010-14zm-1 10h2v2h-2zm1-8a3.500 3.500 0 00-3.500 3.500h2a1.500 1.500 0 113 0c0 1.400-2.500 1.500-2.500 3.500h2c0-1.600 2.500-1.800 2.500-3.500A3.500 3.500 0 0012 7z',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: (event: MouseEvent) => void;
  off?: boolean;
  class?: string;
  title?: string;
  tab?: number | undefined;
  id?: string;
}

/** Not `disabled` where it is off: the focus would be lost with it. */
export const IconButton = ({ icon, label, onClick, off, title, class: kind = '', tab, id }: IconButtonProps) => (
  <button type="button" id={id} tabIndex={tab} class={`icon ${kind}`} aria-label={label} title={title ?? label} aria-disabled={off ? 'true' : undefined} onClick={event => off || onClick(event)}>
    <Icon name={icon} />
  </button>
);

/** A score of a table. */
export function ScoreCell({ value, turn, kind }: { value: Value | null; turn: 1 | -1; kind: string }) {
  if (value === null) return <span class={`score none ${kind}`} />;
  return (
    <span class={`score ${kind}`}>
      <span class="number" aria-hidden="true">{format(value, turn)}</span>
      <span class="sr">{speak(value, turn)}</span>
    </span>
  );
}

interface ModalProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

/** A dialog over the page: Escape closes it, and the focus goes back. */
export function Modal({ title, onClose, wide, children }: ModalProps) {
  const box = useRef<HTMLDialogElement>(null);
  // Open as soon as it is there: keys that come before the next frame are its own.
  useLayoutEffect(() => {
    const dialog = box.current!;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog ref={box} class={wide ? 'modal wide-modal' : 'modal'} aria-labelledby="modal-title" onCancel={event => (event.preventDefault(), onClose())} onClick={event => event.target === box.current && onClose()}>
      <div class="modal-box">
        <header>
          <h2 id="modal-title">{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface NumberFieldProps {
  label: string;
  /** Not a number while the field is empty: the form is not sent then. */
  value: number;
  max: number;
  onValue: (value: number) => void;
}

/** A whole number from 1 on. The one that was there is right, too, wherever it came from: it must not keep the form. */
export function NumberField({ label, value, max, onValue }: NumberFieldProps) {
  const [before] = useState(value);
  return (
    <label>{label} <input type="number" required min={Math.min(1, before)} max={Math.max(max, before)} value={Number.isNaN(value) ? '' : value} onInput={event => onValue(event.currentTarget.valueAsNumber)} /></label>
  );
}

/** The worth of a draw, in pawns for White. */
export function DrawField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  return (
    <label>A draw is worth <input value={value} size={6} required pattern="[+\-−]?\d{1,2}([.,]\d{1,2})?" title="In pawns for White, from -10 to 10: with -0.25, White would rather be a quarter of a pawn worse" onInput={event => onValue(event.currentTarget.value)} /></label>
  );
}

/** Pawns as centipawns; null where that is no number. */
export function centipawns(text: string): number | null {
  const value = Math.round(Number(text.trim().replace('\u2212', '-').replace(',', '.')) * 100);
  return Number.isFinite(value) ? value : null;
}

/** A box in which the current thing is always in sight; `where` says when it has moved, `what` when it is another one. */
export function useCurrentInSight<E extends HTMLElement = HTMLDivElement>(where: string, what?: unknown): RefObject<E | null> {
  const box = useRef<E>(null);
  useLayoutEffect(() => {
    const current = box.current?.querySelector('[aria-current]') ?? box.current?.querySelector('a, button');
    if (!box.current || !current) return;
    const sideways = current.getBoundingClientRect();
    const frame = box.current.getBoundingClientRect();
    if (sideways.left < frame.left || sideways.right > frame.right) box.current.scrollLeft += sideways.left - frame.left - frame.width / 3;
    const [around, it] = [box.current, current.closest('.card') ?? current].map(one => one.getBoundingClientRect()) as [DOMRect, DOMRect];
    if (it.top < around.top) box.current.scrollTop -= around.top - it.top;
    else if (it.bottom > around.bottom) box.current.scrollTop += it.bottom - around.bottom;
  }, [where, what]);
  return box;
}

/** The server's refusal, in the form that it answers. */
export function Refused({ app }: { app: App }) {
  const box = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [app.refusal]);
  return app.refusal === null ? null : <p class="refused" role="alert" ref={box}>{app.refusal}</p>;
}

const UNITS: [number, string][] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

/** "3 min", "2 h 5 min". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const at = UNITS.findIndex(([size]) => seconds >= size);
  if (at < 0) return '0 s';
  const [size, unit] = UNITS[at]!;
  const smaller = UNITS[at + 1];
  const rest = smaller && at < 2 ? Math.floor((seconds % size) / smaller[0]) : 0;
  return `${Math.floor(seconds / size)} ${unit}${rest ? ` ${rest} ${smaller![1]}` : ''}`;
}

/** "1.2 M", "310 k". */
export function short(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)} G`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  return count >= 1e4 ? `${Math.round(count / 1e3)} k` : grouped(Math.round(count));
}

const TIME = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short' });

/** The time of day, with the date where it was not today. */
export function clock(at: number): string {
  const date = new Date(at);
  const time = TIME.format(date);
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${DAY.format(date)}, ${time}`;
}
