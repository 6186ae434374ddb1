// The line on the board in the page's address: it can be kept, sent, and gone back to.
import type { Walk } from './walk';
import { play, readMove } from '../../shared/rules';

export function followAddress(walk: Walk): void {
  const read = (): string[] => {
    const line: string[] = [];
    let position = walk.position(0);
    for (const word of decodeURIComponent(location.hash.slice(1)).split(',')) {
      const uci = word && readMove(position, word);
      if (!uci) break;
      line.push(uci);
      position = play(position, uci);
    }
    return line;
  };
  let shown = '';
  const write = (): void => {
    shown = walk.line().join(',');
    try {
      const address = shown ? `#${shown}` : location.pathname + location.search;
      if (walk.leapt) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    } catch {
      // Some viewers allow no addresses; the page works without.
    }
  };
  const go = (): void => {
    const line = safely(read);
    if (line.join(',') !== shown) walk.go(line);
  };
  addEventListener('hashchange', go);
  walk.onChange(write);
  if (location.hash.length > 1) walk.go(safely(read));
}

function safely(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
