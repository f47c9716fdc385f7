// The world as it stood at one moment, and the way back to it: what play begins with and stop ends with. Entities and
// component instances are kept themselves, so that handles and ids hold; what was made since goes.
import { MoonscapeError } from '../errors.js';
import type { Component } from './component.js';
import type { Entity } from './entity.js';
import type { World } from './world.js';

interface EntityRecord {
  entity: Entity;
  restore: () => void;
  /** Components by name, in their order; parts too, which their makers make again where they are gone. */
  components: { instance: Component; values: Record<string, unknown> }[];
}

/** Take it when play begins; from then on destroyed entities keep their slots until `restore` or `drop`. */
export class WorldSnapshot {
  private readonly records: EntityRecord[];

  constructor(private readonly world: World) {
    world.keepSlots();
    this.records = world.entities().map((entity) => ({
      entity,
      restore: entity.remember(),
      components: [...entity.components.values()].map((instance) => ({
        instance,
        values: instance.toRecord(),
      })),
    }));
  }

  /**
   * Puts the world back: entities made since are destroyed, destroyed ones return, then poses, names and parents, then
   * components and their fields. Resolves once every component has followed. What a component's hook throws is handed to
   * `failed`; the rest is put back all the same.
   */
  async restore(failed: (error: unknown) => void): Promise<void> {
    const { world, records } = this;
    const kept = new Set(records.map(({ entity }) => entity));
    const attempt = (work: () => void) => {
      try {
        work();
      } catch (error) {
        failed(error);
      }
    };
    // Out of the way of what goes: what is kept leaves parents that are not.
    for (const { entity } of records) {
      if (!entity.destroyed && entity.parent && !kept.has(entity.parent)) entity.parent = null;
    }
    for (const entity of world.entities())
      if (!kept.has(entity) && !entity.destroyed) attempt(() => world.destroy(entity));
    for (const { entity } of records) world.revive(entity);
    for (const { restore } of records) restore();
    for (const record of records) this.takeOff(record, attempt);
    for (const record of records) await this.putBackParts(record, failed);
    const all = records.flatMap(({ components }) => components);
    const gone = all.filter(
      ({ instance: { maker, type, removed } }) => removed && (maker !== null || type.madeBy !== undefined),
    );
    world.returning = gone.map(({ instance }) => instance);
    try {
      for (const record of records) await this.putBack(record, failed);
    } finally {
      world.returning = [];
    }
    await this.putBackParts({ components: gone }, failed);
    for (const { entity, components } of records)
      entity.orderComponents(components.map(({ instance }) => instance.type.name));
    world.releaseSlots();
  }

  /** Forgets the snapshot: the world stays as it is. */
  drop(): void {
    this.world.releaseSlots();
  }

  private takeOff({ entity, components }: EntityRecord, attempt: (work: () => void) => void): void {
    const before = new Set(components.map(({ instance }) => instance));
    for (const instance of [...entity.components.values()].reverse()) {
      // A part goes with its maker; one of a maker that stays may be newer than the snapshot, and is that maker's affair.
      if (before.has(instance) || instance.removed || instance.maker || instance.type.madeBy) continue;
      if (!instance.type.permanent) attempt(() => this.world.dropComponent(entity, instance.type.name));
    }
  }

  /**
   * The fields of parts that are there. What their kind refuses now (a mesh that is gone) was their maker's doing, who sets
   * it again when its own fields are put back.
   */
  private async putBackParts(
    { components }: Pick<EntityRecord, 'components'>,
    failed: (error: unknown) => void,
  ): Promise<void> {
    for (const { instance, values } of components) {
      if (!instance.maker || instance.removed) continue;
      for (const [name, value] of Object.entries(values)) {
        if (instance.removed || Object.is(instance.get(name), value)) continue;
        let work: Promise<void> | undefined;
        try {
          work = this.world.change(instance, name, value);
        } catch (error) {
          if (!(error instanceof MoonscapeError)) throw error;
        }
        await work?.catch(failed);
      }
    }
  }

  private async putBack({ components }: EntityRecord, failed: (error: unknown) => void): Promise<void> {
    for (const { instance, values } of components) {
      const { type, maker, entity } = instance;
      // Destroyed again: the scene was closed meanwhile, or a hook saw to it.
      if (entity.destroyed) return;
      if (type.permanent || type.madeBy || maker) continue;
      if (!this.world.componentTypes.has(type.name)) continue;
      try {
        if (instance.removed) {
          this.world.restoreComponent(instance, values);
          await this.world.begin(instance);
        } else await this.world.putBack(instance, values, failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}
