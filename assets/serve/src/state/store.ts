// Values that tell when they have changed, at most once a frame; a hidden page has no frames.

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
    requestAnimationFrame(() => {
      this.waiting = false;
      for (const listener of this.listeners) listener();
    });
  };
}
