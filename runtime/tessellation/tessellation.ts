// The component Tessellation as the world sees it: its fields and what they may be. What it does is tessellationSystem.ts.
import type { Component, ComponentType, FieldType } from '../world/component.js';
import { MAX_LEVEL } from './bakeJob.js';

/** What getStatus answers: "" before the first dispatch. */
export type TessellationStatus = '' | 'pending' | 'ok' | 'clamped' | 'too_large' | 'rejected_mode';

/** What the engine says of an instance. Counts are those of the mesh that the last bake installed, 0 before one. */
export interface TessellationReport {
  status: TessellationStatus;
  activeLevel: number;
  outputTriangles: number;
  outputVertices: number;
  /** Edges of the outline that lie on a coarser neighbour's lattice. */
  stitchedEdges: number;
}

const report = (name: keyof TessellationReport, meaning: string): FieldType => ({
  name,
  kind: name === 'status' ? 'string' : 'integer',
  default: name === 'status' ? '' : 0,
  readOnly: true,
  meaning,
});

const FIELDS: readonly FieldType[] = [
  {
    name: 'level',
    kind: 'number',
    default: 1,
    infinite: true,
    meaning: `each triangle becomes 4^level; brought into 0..${MAX_LEVEL}, fractions dropped; of mode "adaptive" the most`,
  },
  {
    name: 'displacementScale',
    kind: 'number',
    default: 0.1,
    meaning: 'metres along the normal a unit of the material’s displacementMap; below 0 inward',
  },
  { name: 'mode', kind: 'string', default: 'static', meaning: '"static" or "adaptive"' },
  {
    name: 'screenError',
    kind: 'number',
    default: 8,
    meaning: 'of mode "adaptive": pixels of a micro-triangle’s edge; 0 or less: level 0',
  },
  {
    name: 'stitch',
    kind: 'boolean',
    default: true,
    meaning: 'its outline follows the coarsest surface that it meets',
  },
  report('status', '"" before the first dispatch, then pending, ok, clamped, too_large or rejected_mode'),
  report('activeLevel', 'the level of the mesh that stands'),
  report('outputTriangles', 'its triangles'),
  report('outputVertices', 'its vertices'),
  report('stitchedEdges', 'edges of its outline on a coarser neighbour’s lattice'),
];

/** What a component's coming and going is told to. */
export interface TessellationFollower {
  added(instance: Component): void;
  changed(instance: Component): void;
  removed(instance: Component): void;
  report(instance: Component): TessellationReport | undefined;
}

/** The component type, for a world. */
export const tessellationComponent = (follower: TessellationFollower): ComponentType => ({
  name: 'Tessellation',
  fields: FIELDS,
  onAdd: (instance) => follower.added(instance),
  onChange: (instance) => follower.changed(instance),
  onRemove: (instance) => follower.removed(instance),
  live: (instance, field) => follower.report(instance)?.[field as keyof TessellationReport],
});

/** A level as it is asked for, and whether it had to be brought into range. */
export function levelOf(asked: number): { level: number; clamped: boolean } {
  const within = Math.min(Math.max(asked, 0), MAX_LEVEL);
  return { level: Math.floor(within), clamped: within !== asked };
}
