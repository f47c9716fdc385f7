// Which entity's geometry is which heightfield, drawn through which pool. Owned by the runtime; what terrainMesh.bind
// and followCamera answer from.
import { MoonscapeError } from '../errors.js';
import type { Heightfield } from './heightfield.js';
import type { CutUpdate, Point, TerrainMesh } from './terrainMesh.js';

export interface TerrainBinding {
  hf: Heightfield;
  mesh: TerrainMesh;
}

export class TerrainBindings {
  private readonly bound = new Map<number, TerrainBinding>();

  /** `worldSpace` is kept as the ids of the entities whose meshes stand in the world, not in the entity's own space. */
  constructor(private readonly worldSpace = new Set<number>()) {}

  /**
   * Records that the geometry of entity `id` is `hf` drawn through `mesh`. For an entity that is bound to `hf` already the
   * mesh takes the old one's place, which is destroyed. Refuses a mesh of another heightfield, an entity that is bound to
   * another and a mesh that another entity has.
   */
  bind(id: number, hf: Heightfield, mesh: TerrainMesh): void {
    const where = 'terrainMesh.bind';
    mesh.assertAlive(where);
    if (mesh.hf !== hf)
      throw new MoonscapeError(
        `${where}: the terrain mesh was made of another heightfield than the one given`,
      );
    const old = this.bound.get(id);
    if (old && old.hf !== hf)
      throw new MoonscapeError(`${where}: entity ${id} is bound to other ground already; unbind it first`);
    for (const [other, binding] of this.bound)
      if (binding.mesh === mesh && other !== id)
        throw new MoonscapeError(`${where}: the terrain mesh is bound to entity ${other} already`);
    this.bound.set(id, { hf, mesh });
    this.worldSpace.add(id);
    if (old && old.mesh !== mesh) old.mesh.destroy();
  }

  /** The entity that a heightfield is bound to, or null. */
  entityOf(hf: Heightfield): number | null {
    for (const [id, binding] of this.bound) if (binding.hf === hf) return id;
    return null;
  }

  /** What an entity is bound to, or undefined. */
  forEntity(id: number): TerrainBinding | undefined {
    return this.bound.get(id);
  }

  isBound(id: number): boolean {
    return this.bound.has(id);
  }

  /** Releases the mesh, its pool and the heightfield's pixels together. False where nothing was bound. */
  unbind(id: number): boolean {
    const binding = this.bound.get(id);
    if (!binding) return false;
    this.bound.delete(id);
    this.worldSpace.delete(id);
    binding.mesh.destroy();
    binding.hf.close();
    return true;
  }

  /** Takes the cut of an entity's terrain from `camera` (world metres). */
  follow(id: number, camera: Point): CutUpdate {
    const where = 'terrainMesh.followCamera';
    const binding = this.bound.get(id);
    if (!binding) throw new MoonscapeError(`${where}: entity ${id} is not bound to a terrain`);
    return binding.mesh.updateCut(camera, where);
  }

  /** Releases what entities that no longer live were bound to. */
  sweep(lives: (id: number) => boolean): void {
    for (const id of [...this.bound.keys()]) if (!lives(id)) this.unbind(id);
  }

  /** Releases all. */
  clear(): void {
    for (const id of [...this.bound.keys()]) this.unbind(id);
  }
}
