// The components that the runtime itself reads: Transform, Model (and the MeshInstance it makes), Camera, Light, Sky and Fog.
import { EXPOSURES, TONE_MAPPERS } from '../renderer/exposure.js';
import type { ComponentType, FieldType } from './component.js';
import type { Vec3 } from './vector.js';

const MESH: FieldType = { name: 'mesh', kind: 'mesh', meaning: 'guid of a mesh' };
const MATERIAL: FieldType = {
  name: 'material',
  kind: 'material',
  optional: true,
  meaning: 'guid of a material; without one the mesh wears its ground material, or light grey',
};

const transform: ComponentType = {
  name: 'Transform',
  permanent: true,
  fields: [
    { name: 'position', kind: 'vector', default: [0, 0, 0], meaning: 'metres, in the parent’s space' },
    { name: 'rotation', kind: 'vector', default: [0, 0, 0], meaning: 'degrees about X, Y and Z (order XYZ)' },
    { name: 'scale', kind: 'vector', default: [1, 1, 1], meaning: 'factors along its own axes' },
  ],
  backing: {
    get: (entity, field) => entity[field as 'position' | 'rotation' | 'scale'],
    set: (entity, field, value) => {
      entity[field as 'position' | 'rotation' | 'scale'] = value as Vec3;
    },
  },
};

const model: ComponentType = {
  name: 'Model',
  fields: [MESH, MATERIAL],
  onAdd: (instance) => {
    instance.entity.world.makeComponent(instance.entity, 'MeshInstance', instance.toRecord());
  },
  onChange: (instance, field) => {
    instance.entity.components.get('MeshInstance')?.set(field, instance.get(field));
  },
  onRemove: ({ entity }) => entity.world.dropComponent(entity, 'MeshInstance'),
};

const meshInstance: ComponentType = { name: 'MeshInstance', madeBy: 'Model', fields: [MESH, MATERIAL] };

const camera: ComponentType = {
  name: 'Camera',
  fields: [
    {
      name: 'fov',
      kind: 'number',
      default: 60,
      range: { min: 1, max: 170 },
      meaning: 'vertical field of view, degrees',
    },
    {
      name: 'near',
      kind: 'number',
      default: 0.1,
      range: { above: 0 },
      meaning: 'distance of the nearest thing drawn, metres',
    },
    {
      name: 'orthographic',
      kind: 'boolean',
      default: false,
      meaning: 'parallel rays, `height` metres from the lower to the upper edge',
    },
    {
      name: 'height',
      kind: 'number',
      default: 10,
      range: { above: 0 },
      meaning: 'what an orthographic camera sees from the lower to the upper edge, metres',
    },
    {
      name: 'exposure',
      kind: 'enum',
      allowed: EXPOSURES,
      default: 'sky',
      meaning: 'measured by where the sun stands, by the picture itself, or fixed as for a clear day',
    },
    {
      name: 'ev',
      kind: 'number',
      default: 0,
      range: { min: -20, max: 20 },
      meaning: 'stops brighter than that: each doubles the light',
    },
    {
      name: 'toneMapper',
      kind: 'enum',
      allowed: TONE_MAPPERS,
      default: 'neutral',
      meaning: 'curve from light to colour: Khronos PBR Neutral, or AgX',
    },
  ],
};

const light: ComponentType = {
  name: 'Light',
  fields: [
    {
      name: 'kind',
      kind: 'enum',
      allowed: ['sun', 'point', 'spot'],
      default: 'sun',
      meaning: 'a sun shines along its own −Z from everywhere; a spot along its own −Z from its place',
    },
    { name: 'color', kind: 'color', default: [1, 1, 1], meaning: 'linear colour, multiplies the light' },
    {
      name: 'intensity',
      kind: 'number',
      default: 1,
      range: { min: 0 },
      meaning: 'sun: 1 is a clear midday; point and spot: 1 lights a wall 1 m away as that sun does',
    },
    {
      name: 'range',
      kind: 'number',
      default: 50,
      range: { above: 0 },
      meaning: 'where a point or spot light has faded to nothing, metres',
    },
    {
      name: 'angle',
      kind: 'number',
      default: 40,
      range: { above: 0, max: 170 },
      meaning: 'full opening of a spot’s cone, degrees',
    },
    {
      name: 'softness',
      kind: 'number',
      default: 0.2,
      range: { min: 0, max: 1 },
      meaning: 'part of a spot’s cone over which its edge fades',
    },
    {
      name: 'shadows',
      kind: 'boolean',
      default: true,
      meaning: 'a sun casts shadows; points and spots cast none',
    },
  ],
};

const sky: ComponentType = {
  name: 'Sky',
  fields: [
    {
      name: 'turbidity',
      kind: 'number',
      default: 2.5,
      range: { min: 1.8, max: 10 },
      meaning: 'how hazy the air is: 1.8 on mountains, 2.5 on a clear day, 4 in summer, 10 in mist',
    },
    {
      name: 'groundAlbedo',
      kind: 'color',
      default: [0.22, 0.2, 0.16],
      range: { max: 1 },
      meaning: 'what the ground around returns of the light that falls on it: linear, 0..1',
    },
    {
      name: 'intensity',
      kind: 'number',
      default: 1,
      range: { min: 0, max: 100 },
      meaning: 'multiplies the light of the sky, not that of its sun',
    },
    {
      name: 'night',
      kind: 'number',
      default: 1,
      range: { min: 0, max: 100 },
      meaning: 'multiplies the glow that is left of the sky at night',
    },
  ],
};

const fog: ComponentType = {
  name: 'Fog',
  fields: [
    {
      name: 'density',
      kind: 'number',
      optional: true,
      range: { min: 0, max: 1000 },
      meaning:
        'part of the light that is lost a metre, at `height`; without one the size of the world says it',
    },
    {
      name: 'height',
      kind: 'number',
      default: 0,
      meaning: 'metres: where the fog is as dense as `density` says',
    },
    {
      name: 'falloff',
      kind: 'number',
      optional: true,
      range: { above: 0 },
      meaning: 'metres up over which it thins out to 1/e; without one it is as dense at any height',
    },
    {
      name: 'color',
      kind: 'color',
      default: [1, 1, 1],
      meaning: 'linear colour, multiplies the light of the horizon that the fog takes on',
    },
  ],
};

/** The native types, in the order in which they are registered. */
export const NATIVE_COMPONENTS: readonly ComponentType[] = [
  transform,
  model,
  meshInstance,
  camera,
  light,
  sky,
  fog,
];
