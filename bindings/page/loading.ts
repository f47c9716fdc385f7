// How far the downloads of a scene are, all together: what progress bars show.
import type { Download } from '../../runtime/host/httpFiles.js';
import type { Progress } from './events.js';

export class Loading {
  readonly #downloads = new Map<string, Download>();
  readonly #changed: (progress: Progress) => void;

  constructor(changed: (progress: Progress) => void) {
    this.#changed = changed;
  }

  /** Takes note of one download's state. */
  note(download: Download): void {
    this.#downloads.set(download.path, { ...download });
    this.#changed(this.progress);
  }

  /** Forgets all: another scene begins. */
  reset(): void {
    this.#downloads.clear();
  }

  get progress(): Progress {
    const sum: Progress = { files: this.#downloads.size, done: 0, loaded: 0, total: 0 };
    for (const { loaded, total, done } of this.#downloads.values()) {
      if (done) sum.done++;
      sum.loaded += loaded;
      sum.total += done ? loaded : Math.max(total ?? 0, loaded);
    }
    return sum;
  }
}
