// Who follows the edits of a heightfield: the GPU's copy, standing meshes. Owned by heightfield.ts.
import type { TexelArea } from './gradient.js';
import type { Rect } from './surfaceRange.js';

/** What an edit changed. */
export interface FieldEdit {
  /** The texels whose heights were set. */
  readonly area: TexelArea;
  /** Metres of world: outside it no query answers otherwise than before. */
  readonly rect: Rect;
}

/** Whoever has to follow edits. */
export interface EditFollower {
  /** Throws where an edit cannot be followed now; asked before anything in `area` changes. `where` names the caller in errors. */
  ready?(where: string, area: TexelArea): void;
  /** Called once the texels have changed. */
  edited(edit: FieldEdit, where: string): void;
}

export class EditFollowers {
  private readonly followers = new Set<EditFollower>();

  /** Returns what takes the follower off again. */
  add(follower: EditFollower): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** Throws where one of them cannot follow an edit now. */
  ready(where: string, area: TexelArea): void {
    for (const follower of this.followers) follower.ready?.(where, area);
  }

  /** Tells each, in the order in which they came; the first error is thrown once all know. One that an earlier one has taken off is left out. */
  tell(edit: FieldEdit, where: string): void {
    const errors: unknown[] = [];
    for (const follower of [...this.followers]) {
      if (!this.followers.has(follower)) continue;
      try {
        follower.edited(edit, where);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  clear(): void {
    this.followers.clear();
  }
}

/**
 * Calls every listener at once, in the order in which they came, then waits for all: none hears late because another one waits,
 * and none is left out because another one fails. Throws the first error.
 */
export async function tellAll(listeners: Iterable<() => void | Promise<void>>): Promise<void> {
  const calls = [...listeners].map(async (listener) => listener());
  for (const outcome of await Promise.allSettled(calls))
    if (outcome.status === 'rejected') throw outcome.reason;
}
