// Which entity's geometry is which error-driven mesh. What errorMesh.bind answers from; made with the first mesh, and the runtime's guest from
// then on. A bound mesh follows the on-screen camera in each frame in which nobody updated it.
import { MoonscapeError } from '../errors.js';
import { viewOf } from '../renderer/view.js';
import type { Runtime } from '../runtime.js';
import type { Entity } from '../world/entity.js';
import type { ErrorMesh, ErrorMeshEngine } from './errorMesh.js';

interface Bound {
  mesh: ErrorMesh;
  /** Its count of updates at the end of the last frame. */
  updates: number;
}

/** A runtime as error meshes are made on. */
export const errorMeshEngine = (runtime: Runtime): ErrorMeshEngine => ({
  gpu: runtime.gpu,
  renderer: runtime.renderer,
  guests: runtime.guests,
  now: () => runtime.host.now(),
  screen() {
    const { width, height } = runtime.size;
    return { view: viewOf(runtime.world.mainCamera, width / height, null), height };
  },
});

const bindings = new WeakMap<Runtime, ErrorMeshBindings>();

export class ErrorMeshBindings {
  private readonly bound = new Map<number, Bound>();

  /** The bindings of a runtime; they begin with the first call. */
  static of(runtime: Runtime): ErrorMeshBindings {
    let found = bindings.get(runtime);
    if (!found) bindings.set(runtime, (found = new ErrorMeshBindings(runtime)));
    return found;
  }

  private constructor(private readonly runtime: Runtime) {
    runtime.onUpdate(() => this.follow(), 'follow');
  }

  /**
   * Has `entity` drawn as `mesh`, in the world's own space, by its Model, which it gets if it has none. Another one that it had is destroyed,
   * and this one goes with it. Refuses an entity that is drawn as a terrain mesh and a mesh that another entity has.
   */
  bind(entity: Entity, mesh: ErrorMesh): void {
    const where = 'terrainErrorMesh.bind';
    const { world, bindings: terrains } = this.runtime;
    const { id } = entity;
    mesh.assertAlive(where);
    if (terrains.isBound(id))
      throw new MoonscapeError(
        `${where}: the entity ${entity} is drawn as a terrain mesh already; unbind that first`,
      );
    for (const [other, known] of this.bound)
      if (known.mesh === mesh && other !== id)
        throw new MoonscapeError(`${where}: the error mesh is bound to entity ${other} already`);
    const model = entity.components.get('Model');
    if (model) model.set('mesh', mesh.mesh);
    else world.addComponent(entity, 'Model', { mesh: mesh.mesh });
    const old = this.bound.get(id)?.mesh;
    if (old === mesh) return;
    old?.destroy();
    this.bound.set(id, { mesh, updates: mesh.updates });
    world.worldSpace.add(id);
    mesh.whenDestroyed.add(() => {
      this.bound.delete(id);
      world.worldSpace.delete(id);
    });
  }

  /** Destroys the meshes of entities that no longer live, and updates the others where nobody has. */
  private follow(): void {
    for (const [id, bound] of [...this.bound]) {
      const { mesh } = bound;
      if (!this.runtime.world.has(id)) {
        mesh.destroy();
        continue;
      }
      if (mesh.updates === bound.updates && !mesh.hf.closed) mesh.update();
      bound.updates = mesh.updates;
    }
  }
}
