// Which entity's scatter is which. Owned by the runtime; what scatter.bind and forEntity answer from, so that a component
// keeps nothing that play would have to put back.
import { MoonscapeError } from '../errors.js';
import type { Scatter } from './scatter.js';

export class ScatterBindings {
  private readonly bound = new Map<number, Scatter>();

  /** Records that `scatter` belongs to entity `id`: it goes with it. Another one that the entity had is destroyed. Refuses one that another entity has. */
  bind(id: number, scatter: Scatter): void {
    scatter.assertAlive('scatter.bind');
    for (const [other, known] of this.bound)
      if (known === scatter && other !== id)
        throw new MoonscapeError(`scatter.bind: the scatter belongs to entity ${other} already`);
    const old = this.bound.get(id);
    this.bound.set(id, scatter);
    if (old && old !== scatter) old.destroy();
  }

  /** The scatter of an entity, or undefined; one whose ground has closed is gone. */
  forEntity(id: number): Scatter | undefined {
    const scatter = this.bound.get(id);
    if (!scatter?.destroyed) return scatter;
    this.bound.delete(id);
    return undefined;
  }

  /** Destroys the scatter of an entity. False where it had none. */
  unbind(id: number): boolean {
    const scatter = this.forEntity(id);
    this.bound.delete(id);
    scatter?.destroy();
    return scatter !== undefined;
  }

  /** Releases what entities that no longer live had. */
  sweep(lives: (id: number) => boolean): void {
    for (const id of [...this.bound.keys()]) if (!lives(id)) this.unbind(id);
  }
}
