// The components that physics reads: RigidBody, what moves, and Collider, what it is made of. Registered by physics.ts, which
// hears of every change.
import { checkNumber, MoonscapeError } from '../errors.js';
import type { Component, ComponentType, FieldType } from '../world/component.js';
import type { Vec3 } from '../world/vector.js';

export const BODY_KINDS = ['dynamic', 'fixed', 'kinematic'] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

export const SHAPES = ['box', 'sphere', 'capsule', 'cylinder', 'mesh'] as const;
export type ShapeName = (typeof SHAPES)[number];

/** The fields that give each shape its measures. */
const MEASURES: Record<ShapeName, readonly string[]> = {
  box: ['size'],
  sphere: ['radius'],
  capsule: ['radius', 'height'],
  cylinder: ['radius', 'height'],
  mesh: ['mesh'],
};
const ALL_MEASURES = ['size', 'radius', 'height', 'mesh'];

/** Measures where none are given, metres: those of the renderer's own meshes; a capsule is as tall as a person. */
const DEFAULT_RADIUS = 0.5;
const DEFAULT_HEIGHT = { capsule: 2, cylinder: 1 };

/** A collider's shape as its component says it, metres, before the entity's scale. */
export type ShapeSpec =
  | { shape: 'box'; size: Vec3 }
  | { shape: 'sphere'; radius: number }
  | { shape: 'capsule' | 'cylinder'; radius: number; height: number }
  /** Without a mesh of its own it is the Model's. */
  | { shape: 'mesh'; mesh: string | null };

/** What hears of changes, and knows velocities while bodies move. */
export interface ComponentFollower {
  added(instance: Component): void;
  changed(instance: Component, field: string): void;
  removed(instance: Component): void;
  live(instance: Component, field: string): unknown;
}

const number = (name: string, fallback: number, range: FieldType['range'], meaning: string): FieldType => ({
  name,
  kind: 'number',
  default: fallback,
  range,
  meaning,
});

const flag = (name: string, fallback: boolean, meaning: string): FieldType => ({
  name,
  kind: 'boolean',
  default: fallback,
  meaning,
});

const BODY_FIELDS: readonly FieldType[] = [
  {
    name: 'kind',
    kind: 'enum',
    allowed: BODY_KINDS,
    default: 'dynamic',
    meaning:
      'a dynamic body falls and is pushed; a fixed one stays; a kinematic one goes where scripts put it and pushes others',
  },
  {
    name: 'mass',
    kind: 'number',
    optional: true,
    range: { above: 0 },
    meaning: 'kilograms; left out: its colliders’ volume as water, or 1 where they have none',
  },
  number('gravityScale', 1, {}, 'how many times 9.81 m/s² pull it down'),
  number('linearDamping', 0, { min: 0 }, 'share of the velocity that is lost a second, as of slow water'),
  number('angularDamping', 0, { min: 0 }, 'share of the turning that is lost a second'),
  {
    name: 'velocity',
    kind: 'vector',
    default: [0, 0, 0],
    meaning: 'metres a second; live while it plays. Of a dynamic body it can be set',
  },
  {
    name: 'angularVelocity',
    kind: 'vector',
    default: [0, 0, 0],
    meaning: 'radians a second about the world’s axes; live while it plays. Of a dynamic body it can be set',
  },
  flag('lockRotation', false, 'true: it never turns'),
  flag(
    'ccd',
    false,
    'true: swept from place to place, so that it passes through nothing thin however fast it is',
  ),
  flag('canSleep', true, 'false: it is simulated also where it has come to rest'),
];

const COLLIDER_FIELDS: readonly FieldType[] = [
  {
    name: 'shape',
    kind: 'enum',
    allowed: SHAPES,
    default: 'box',
    meaning:
      'capsule and cylinder stand along Y; a mesh is its triangles, or on a dynamic body their convex hull',
  },
  {
    name: 'size',
    kind: 'vector',
    optional: true,
    meaning: 'of a box: metres along X, Y and Z; default 1, 1, 1',
  },
  {
    name: 'radius',
    kind: 'number',
    optional: true,
    range: { above: 0 },
    meaning: 'of a sphere, capsule or cylinder: metres; default 0.5',
  },
  {
    name: 'height',
    kind: 'number',
    optional: true,
    range: { above: 0 },
    meaning: 'of a capsule (its ends included) or cylinder: metres; default 2 and 1',
  },
  {
    name: 'mesh',
    kind: 'mesh',
    optional: true,
    meaning: 'of a mesh: its guid; default: the one that is drawn',
  },
  {
    name: 'offset',
    kind: 'vector',
    default: [0, 0, 0],
    meaning: 'metres from the entity’s place, in its own space',
  },
  number('friction', 0.5, { min: 0 }, 'of two that touch the mean counts'),
  number(
    'restitution',
    0,
    { min: 0, max: 1 },
    'how much of its speed it keeps when it bounces; of two the mean counts',
  ),
  flag('sensor', false, 'true: bodies pass through it; rays meet it all the same'),
];

/** The two types, telling `follower` what happens to them. */
export function physicsComponents(follower: ComponentFollower): ComponentType[] {
  const hooks = {
    onAdd: (instance: Component) => follower.added(instance),
    onRemove: (instance: Component) => follower.removed(instance),
  };
  return [
    {
      name: 'RigidBody',
      fields: BODY_FIELDS,
      validate: validateBody,
      live: (instance, field) => follower.live(instance, field),
      ...hooks,
      onChange: (instance, field) => follower.changed(instance, field),
    },
    {
      name: 'Collider',
      fields: COLLIDER_FIELDS,
      validate: validateCollider,
      ...hooks,
      onChange: (instance, field) => {
        // The measures of the shape that it was are no measures of the one that it is.
        if (field === 'shape')
          instance.fill(Object.fromEntries(othersThan(shapeOf(instance)).map((name) => [name, null])));
        follower.changed(instance, field);
      },
    },
  ];
}

/** The shape that a Collider describes, defaults filled in. */
export function specOf(collider: Component): ShapeSpec {
  const shape = shapeOf(collider);
  const measure = (name: string) => collider.get(name) as number | null;
  const radius = measure('radius') ?? DEFAULT_RADIUS;
  switch (shape) {
    case 'box':
      return { shape, size: (collider.get('size') as Vec3 | null) ?? { x: 1, y: 1, z: 1 } };
    case 'sphere':
      return { shape, radius };
    case 'mesh':
      return { shape, mesh: collider.get('mesh') as string | null };
    default:
      return { shape, radius, height: measure('height') ?? DEFAULT_HEIGHT[shape] };
  }
}

const shapeOf = (collider: Component) => collider.get('shape') as ShapeName;

const othersThan = (shape: ShapeName) => ALL_MEASURES.filter((name) => !MEASURES[shape].includes(name));

function validateBody(
  where: string,
  values: Readonly<Record<string, unknown>>,
  changed: string | null,
): void {
  if (values.kind === 'dynamic') return;
  for (const name of changed === null ? ['velocity', 'angularVelocity'] : [changed]) {
    if (name !== 'velocity' && name !== 'angularVelocity') continue;
    const { x, y, z } = values[name] as Vec3;
    if (x !== 0 || y !== 0 || z !== 0)
      throw new MoonscapeError(
        `${where}: ${name} cannot be set of a ${String(values.kind)} body, ` +
          (values.kind === 'fixed' ? 'which stays where it is' : 'which moves as its entity is moved'),
      );
  }
}

function validateCollider(
  where: string,
  values: Readonly<Record<string, unknown>>,
  changed: string | null,
): void {
  const shape = values.shape as ShapeName;
  for (const name of changed === null ? ALL_MEASURES : [changed]) {
    if (!ALL_MEASURES.includes(name) || values[name] === null || MEASURES[shape].includes(name)) continue;
    throw new MoonscapeError(
      `${where}: a ${shape} has no ${name}; ${shape === 'mesh' ? 'it takes' : 'its measures are'} ${MEASURES[shape].join(' and ')}`,
    );
  }
  const size = values.size as Vec3 | null;
  if (size)
    for (const axis of ['x', 'y', 'z'] as const) checkNumber(where, `size.${axis}`, size[axis], { above: 0 });
}
