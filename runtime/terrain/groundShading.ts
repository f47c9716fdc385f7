// What the ground material needs of a heightfield, whatever mesh of it is drawn.
import type { GroundShading } from '../renderer/meshStore.js';
import { FieldLayers } from './fieldLayers.js';
import { FieldTexels } from './fieldTexels.js';
import type { Heightfield } from './heightfield.js';

/** As the heightfield is now: after a refresh, or an edit that widens its range, it is another one. `where` names the caller in errors. */
export function groundShadingOf(hf: Heightfield, where: string): GroundShading {
  return {
    texels: FieldTexels.of(hf, where).texels.buffer,
    width: hf.width,
    height: hf.height,
    minX: hf.minX,
    minZ: hf.minZ,
    sizeX: hf.size.width,
    sizeZ: hf.size.depth,
    low: hf.heightRange.low,
    high: hf.heightRange.high,
    heightAt: (x: number, z: number) => hf.heightAt(x, z),
    layers: () => FieldLayers.of(hf)?.resources ?? null,
    look: () => hf.look,
  };
}
