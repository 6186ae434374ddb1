// A file that is dropped anywhere on the page: games begin a new analysis, a database is merged.
import type { App } from '../state/app';
import { isDatabase } from './merging';

/** Cards are dragged within the page: they bring no files. */
const brings = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

export function takeDrops(app: App): void {
  let number = 0;
  document.addEventListener('dragover', event => {
    if (!brings(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = 'copy';
  });
  document.addEventListener('drop', event => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    // A form that is open begins anew with it.
    void isDatabase(file).then(is => app.set({ dialog: is ? { kind: 'merge', file } : { kind: 'new', file, number: ++number } }));
  });
}
