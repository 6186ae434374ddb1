// The line on the board in the page's address: it can be kept, sent, and gone back to.
import type { OpenFile } from './openfile';

export function followAddress(open: OpenFile): void {
  const { walk } = open;
  let shown = '';
  const write = (): void => {
    shown = open.line().join(',');
    try {
      const address = shown ? `#${shown}` : location.pathname + location.search;
      if (walk.leapt) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    } catch {
      // Some viewers allow no addresses; the page works without.
    }
  };
  const go = (): void => {
    const line = open.legal(decoded(location.hash.slice(1)).split(','));
    if (line.join(',') !== shown) walk.go(line);
  };
  addEventListener('hashchange', go);
  walk.onChange(write);
  go();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
