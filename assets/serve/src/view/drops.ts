// Files and texts that are dropped anywhere on the page begin a new analysis.
import type { App } from '../state/app';

/** Cards are dragged within the page: they bring no files. */
const brings = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

export function takeDrops(app: App): void {
  document.addEventListener('dragover', event => {
    if (!brings(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = 'copy';
  });
  document.addEventListener('drop', event => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    app.set({ dialog: { kind: 'new', file } });
  });
}
