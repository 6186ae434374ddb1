// Values that tell when they have changed, at most once a frame; a hidden page has no frames.

/** Between two changes of a hidden page, of which its title is seen, in milliseconds. */
const HIDDEN = 500;

export class Watched {
  private readonly listeners = new Set<() => void>();
  private waiting = false;

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed = (): void => {
    if (this.waiting) return;
    this.waiting = true;
    const tell = () => {
      this.waiting = false;
      for (const listener of this.listeners) listener();
    };
    if (document.hidden) setTimeout(tell, HIDDEN);
    else requestAnimationFrame(tell);
  };
}
