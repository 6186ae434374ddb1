// A menu at its button: arrows, Home, End, Escape, letters of nothing else.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './parts';

export interface Item {
  label: string;
  action?: () => void;
  /** A file to download. */
  href?: string;
  /** Takes the place of this menu. */
  items?: () => Item[];
  bad?: boolean;
}

interface MenuProps {
  label: string;
  icon: IconName;
  text?: string;
  items: () => (Item | null)[];
  class?: string;
  tab?: number | undefined;
}

export function Menu({ label, icon, text, items, class: kind = '', tab }: MenuProps) {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = (focus: boolean) => {
    setOpen(false);
    if (focus) trigger.current?.focus({ preventScroll: true });
  };
  return (
    <span class={`menu-holder ${kind}`}>
      <button ref={trigger} type="button" tabIndex={tab} class={text ? 'with-icon' : 'icon'} aria-label={text ? undefined : label} title={label} aria-haspopup="menu" aria-expanded={open} onClick={event => (event.stopPropagation(), setOpen(!open))}>
        <Icon name={icon} />
        {text}
      </button>
      {open && <List label={label} items={items().filter((item): item is Item => item !== null)} trigger={trigger.current!} close={close} />}
    </span>
  );
}

interface ListProps {
  label: string;
  items: Item[];
  trigger: HTMLElement;
  close: (focus: boolean) => void;
}

function List({ label, items: first, trigger, close }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [inner, setInner] = useState<Item | null>(null);
  const back: Item = { label: '\u2039 Back', items: () => [] };
  const items = inner ? [back, ...inner.items!()] : first;
  const act = (item: Item) => {
    if (item === back) setInner(null);
    else if (item.items) setInner(item);
    else {
      close(true);
      item.action?.();
    }
  };
  useLayoutEffect(() => {
    place(box.current!, trigger);
    box.current!.querySelectorAll<HTMLElement>('[role=menuitem]')[inner ? 1 : 0]?.focus({ preventScroll: true });
  }, [inner]);
  useEffect(() => {
    const outside = (event: Event) => {
      if (!(event.target instanceof Node) || (!box.current?.contains(event.target) && !trigger.contains(event.target))) close(false);
    };
    const gone = (event: Event) => event.target !== box.current && close(false);
    document.addEventListener('pointerdown', outside);
    addEventListener('resize', gone);
    return () => {
      document.removeEventListener('pointerdown', outside);
      removeEventListener('resize', gone);
    };
  }, []);
  return (
    <div ref={box} class="menu" role="menu" aria-label={label} onKeyDown={event => key(event, box.current!, close)} onClick={event => event.stopPropagation()}>
      {items.map(item =>
        item.href ? (
          <a role="menuitem" tabIndex={-1} key={item.label} href={item.href} download onClick={() => close(true)}>{item.label}</a>
        ) : (
          <button type="button" role="menuitem" tabIndex={-1} key={item.label} class={item.bad ? 'bad' : ''} aria-haspopup={item.items && item !== back ? 'menu' : undefined} onClick={() => act(item)}>{item.label}{item.items && item !== back && <span aria-hidden="true">{' \u203a'}</span>}</button>
        ),
      )}
    </div>
  );
}

/** Below the button where there is room, else above it; never outside of the window. */
function place(box: HTMLElement, trigger: HTMLElement): void {
  const at = trigger.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = at.bottom + 4 + height <= innerHeight;
  box.style.top = `${Math.max(4, below ? at.bottom + 4 : at.top - 4 - height)}px`;
  box.style.left = `${Math.max(4, Math.min(at.right - width, innerWidth - width - 4))}px`;
}

function key(event: KeyboardEvent, box: HTMLElement, close: (focus: boolean) => void): void {
  const items = [...box.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = (i: number) => items[(i + items.length) % items.length]?.focus();
  const keys: Record<string, () => void> = {
    ArrowDown: () => to(at + 1),
    ArrowUp: () => to(at - 1),
    Home: () => to(0),
    End: () => to(-1),
    Escape: () => close(true),
    Tab: () => close(true),
  };
  event.stopPropagation();
  const action = keys[event.key];
  if (!action) return;
  if (event.key !== 'Tab') event.preventDefault();
  action();
}
