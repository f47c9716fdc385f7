// What solid ground costs: the ground under bodies against Rapier's own bare heightfield of the same cells, an edit, rays against
// heightAt and against Rapier's, a frame of many bodies against Rapier alone. All in one process, in rounds that take turns.
// `node --import ./scripts/register.mjs bench/collider.ts`
import { pathToFileURL } from 'node:url';
import type { World as RapierWorld } from '@dimforge/rapier3d-compat';
import { memoryBytes } from '../spec/support/engineMemory.js';
import { buildGroundTiles } from '../runtime/physics/groundCollider.js';
import { Physics } from '../runtime/physics/physics.js';
import { loadRapier, type Rapier } from '../runtime/physics/rapier.js';
import { castGroundRay } from '../runtime/terrain/groundRay.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { Texture } from '../runtime/texture/texture.js';
import { World } from '../runtime/world/world.js';
import { median, type Row } from './measurement.js';

const SIDE = 1024;
const WIDE = 2048;
const BODIES = 1000;
const TICK = 1 / 60;
const ROUNDS = 5;
/** Bounds, as shares of what each is held against. */
const MOST = { firstStep: 1, ray: 2.5 };

const noMeshes = { has: () => false, get: () => undefined } as never;
const height = (i: number, j: number) =>
  20 * Math.sin(i / 50) * Math.cos(j / 70) + ((i * 7919 + j * 104729) % 97) / 970;

function makeField(side: number, holes = false): Heightfield {
  const texels = new Float32Array(side * side * 4);
  for (let at = 0, j = 0; j < side; j++)
    for (let i = 0; i < side; i++, at += 4) {
      texels[at] = height(i, j);
      texels[at + 3] = 1;
    }
  const mask = (i: number, j: number) => [(i * 31 + j * 17) % 23 === 0 ? 0 : 1];
  return Heightfield.fromTexture(new Texture(side, side, 'rgba32f', texels), {
    size: [side, side],
    holes: holes ? Texture.create({ width: side, height: side, format: 'r8', data: mask }) : undefined,
  });
}

/** Rapier's own heightfield of a field's cells, with a cell past the rim for the two half ones: side + 1 samples a side. */
function bareHeightfield(rapier: Rapier, world: RapierWorld, hf: Heightfield, samples: Float32Array) {
  const { width: side } = hf;
  for (let i = 0, at = 0; i <= side; i++)
    for (let j = 0; j <= side; j++)
      samples[at++] = hf.cpu[(Math.min(j, side - 1) * side + Math.min(i, side - 1)) * 4];
  const scale = { x: side, y: 1, z: side };
  const flags = rapier.HeightFieldFlags.FIX_INTERNAL_EDGES;
  // From texel centre to texel centre: half a texel on.
  const shape = rapier.ColliderDesc.heightfield(side, side, samples, scale, flags).setTranslation(
    0.5,
    0,
    0.5,
  );
  world.createCollider(shape);
}

const milliseconds = (work: () => void): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

/** A world with `bodies` spheres that are about to touch the ground, in play. */
function populated(hf: Heightfield, bodies: number): { world: World; physics: Physics } {
  const world = new World();
  const physics = new Physics(world, noMeshes);
  physics.addGround(world.createEntity('ground').id, hf);
  const side = Math.ceil(Math.sqrt(bodies));
  for (let k = 0; k < bodies; k++) {
    const place = (step: number) => ((step + 0.5) / side - 0.5) * hf.size.width * 0.9;
    const [x, z] = [place(k % side), place(Math.floor(k / side))];
    const entity = world.createEntity('body', { position: [x, hf.heightAt(x, z) + 0.55, z] });
    world.addComponent(entity, 'RigidBody', { canSleep: false });
    world.addComponent(entity, 'Collider', { shape: 'sphere', friction: 0.9 });
  }
  physics.begin();
  return { world, physics };
}

export async function run(): Promise<Row[]> {
  const rapier = await loadRapier();
  const rows: Row[] = [];
  const none = { bound: '', ok: true };
  const ms = (time: number) => `${time.toFixed(2)} ms`;
  const hf = makeField(SIDE);
  const cut = makeField(SIDE, true);
  const samples = new Float32Array((SIDE + 1) ** 2);

  // First, while the engine's memory still has to grow for it.
  const price = tilePrice(rapier, hf, samples);
  const times = { bare: [] as number[], one: [] as number[], holes: [] as number[], many: [] as number[] };
  const tiles: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const world = new rapier.World({ x: 0, y: -9.81, z: 0 });
    times.bare.push(milliseconds(() => bareHeightfield(rapier, world, hf, samples)));
    world.free();
    for (const [name, field, bodies] of [
      ['one', hf, 1],
      ['holes', cut, 1],
      ['many', hf, BODIES],
    ] as const) {
      const { physics } = populated(field, bodies);
      times[name].push(milliseconds(() => void physics.step(TICK)));
      tiles.push(physics.stats().tiles);
      physics.destroy();
    }
  }
  const bare = median(times.bare);
  const first = median(times.one);
  rows.push(
    { name: `Rapier's bare heightfield of ${SIDE}² cells, samples copied`, value: ms(bare), ...none },
    {
      name: `the first step of a body on ${SIDE}² texels, ground and all (${tiles[0]} tiles)`,
      value: `${ms(first)}, ${(first / bare).toFixed(2)} of it`,
      bound: `at most ${MOST.firstStep}`,
      ok: first / bare <= MOST.firstStep,
    },
    { name: `the same among holes (one cell of 23)`, value: ms(median(times.holes)), ...none },
    {
      name: `the first step of ${BODIES} bodies all over it (${tiles[2]} tiles)`,
      value: ms(median(times.many)),
      ...none,
    },
  );
  rows.push(...price, ...edits(), ...rays(rapier, hf, samples), ...frames(rapier, hf, samples));
  hf.close();
  cut.close();
  return rows;
}

/** Many tiles, for the price of one. */
function tilePrice(rapier: Rapier, hf: Heightfield, samples: Float32Array): Row[] {
  const worlds = [0, 1].map(() => new rapier.World({ x: 0, y: 0, z: 0 }));
  const before = memoryBytes();
  bareHeightfield(rapier, worlds[0], hf, samples);
  const heightfield = memoryBytes() - before;
  let count = 0;
  const part = { minX: -128, minZ: -128, maxX: 128, maxZ: 128 };
  const time = milliseconds(
    () => void (count = buildGroundTiles(rapier, worlds[1], hf, { rect: part }).count),
  );
  const bytes = memoryBytes() - before - heightfield;
  for (const world of worlds) world.free();
  return [
    {
      name: 'a tile of 8 × 8 cells',
      value: `${((1000 * time) / count).toFixed(0)} µs, ${(bytes / count / 1024).toFixed(1)} KiB (${count} of them)`,
      bound: '',
      ok: true,
    },
  ];
}

/** One texel of a wide field, with a body beside it and without physics. */
function edits(): Row[] {
  const [plain, solid] = [makeField(WIDE), makeField(WIDE)];
  const { physics } = populated(solid, 1);
  void physics.step(TICK);
  const times = { plain: [] as number[], solid: [] as number[] };
  // The one body stands in the middle.
  const at = WIDE / 2;
  for (let round = 0; round < 200; round++) {
    const value = [height(at, at) + (round % 2) * 0.01];
    times.plain.push(milliseconds(() => void plain.setHeights(at, at, 1, 1, value)));
    times.solid.push(milliseconds(() => void solid.setHeights(at, at, 1, 1, value)));
  }
  const rebuilt = physics.stats().rebuilt / 200;
  physics.destroy();
  plain.close();
  solid.close();
  const us = (time: number) => `${(1000 * time).toFixed(1)} µs`;
  return [
    {
      name: `setHeights of one texel of ${WIDE}² under a body`,
      value: `${us(median(times.solid))}, without physics ${us(median(times.plain))}; ${rebuilt} tiles built again`,
      bound: 'at most 4 tiles',
      ok: rebuilt <= 4,
    },
  ];
}

function rays(rapier: Rapier, hf: Heightfield, samples: Float32Array): Row[] {
  const world = new rapier.World({ x: 0, y: 0, z: 0 });
  bareHeightfield(rapier, world, hf, samples);
  world.step();
  const count = 4096;
  const random = Math.sin;
  const list = Array.from({ length: count }, (_, k) => {
    const [x, z] = [400 * random(12.9898 * k), 400 * random(78.233 * k)];
    const [dx, dz] = [random(3.1 * k), random(5.7 * k)];
    const length = Math.hypot(dx, 1, dz);
    return { origin: { x, y: 40, z }, direction: { x: dx / length, y: -1 / length, z: dz / length } };
  });
  const level = list.map(({ origin, direction: { x, z } }) => ({
    origin,
    direction: {
      x: x / Math.hypot(x, 0.05, z),
      y: -0.05 / Math.hypot(x, 0.05, z),
      z: z / Math.hypot(x, 0.05, z),
    },
  }));
  const down = { x: 0, y: -1, z: 0 };
  const physicsWorld = new World();
  const physics = new Physics(physicsWorld, noMeshes);
  for (let k = 0; k < BODIES; k++) {
    const position = [400 * random(k), 30, 400 * random(2.1 * k)];
    physicsWorld.addComponent(physicsWorld.createEntity('box', { position }), 'Collider', {});
  }
  let sum = 0;
  const works: Record<string, () => void> = {
    heightAt: () => list.forEach(({ origin: { x, z } }) => (sum += hf.heightAt(x, z))),
    upright: () => list.forEach(({ origin }) => (sum += castGroundRay(hf, origin, down)?.distance ?? 0)),
    steep: () =>
      list.forEach(({ origin, direction }) => (sum += castGroundRay(hf, origin, direction)?.distance ?? 0)),
    level: () =>
      level.forEach(({ origin, direction }) => (sum += castGroundRay(hf, origin, direction)?.distance ?? 0)),
    theirs: () =>
      list.forEach(({ origin, direction }) => {
        sum += world.castRay(new rapier.Ray(origin, direction), 1e4, true)?.timeOfImpact ?? 0;
      }),
    theirsLevel: () =>
      level.forEach(({ origin, direction }) => {
        sum += world.castRay(new rapier.Ray(origin, direction), 1e4, true)?.timeOfImpact ?? 0;
      }),
    boxes: () =>
      list.forEach(({ origin, direction }) => (sum += physics.raycast({ origin, direction })?.distance ?? 0)),
  };
  const ns: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS + 4; round++)
    for (const [name, work] of Object.entries(works)) {
      const time = (1e6 * milliseconds(work)) / count;
      if (round >= 4) (ns[name] ??= []).push(time);
    }
  if (!Number.isFinite(sum)) throw new Error('bench/collider: a ray answered no number');
  world.free();
  physics.destroy();
  const of = Object.fromEntries(Object.entries(ns).map(([name, times]) => [name, median(times)]));
  const against = (own: number, other: number) => ({
    value: `${own.toFixed(0)} ns, ${(own / other).toFixed(2)} of Rapier's ${other.toFixed(0)} ns`,
    bound: `at most ${MOST.ray}`,
    ok: own / other <= MOST.ray,
  });
  return [
    {
      name: 'a ray straight down, against heightAt',
      value: `${of.upright.toFixed(0)} ns, heightAt ${of.heightAt.toFixed(0)} ns`,
      bound: '',
      ok: true,
    },
    { name: 'a steep ray at ground', ...against(of.steep, of.theirs) },
    { name: 'a ray at ground that comes down 1 in 20', ...against(of.level, of.theirsLevel) },
    {
      name: `a ray through ${BODIES} boxes`,
      value: `${(of.boxes / 1000).toFixed(1)} µs`,
      bound: '',
      ok: true,
    },
  ];
}

/** A frame of bodies that roll on the ground, against Rapier alone on its own heightfield. */
function frames(rapier: Rapier, hf: Heightfield, samples: Float32Array): Row[] {
  const { world, physics } = populated(hf, BODIES);
  void physics.step(TICK);
  const bare = new rapier.World({ x: 0, y: -9.81, z: 0 });
  bareHeightfield(rapier, bare, hf, samples);
  for (const entity of world.query('RigidBody')) {
    const { x, y, z } = entity.position;
    const body = rapier.RigidBodyDesc.dynamic().setTranslation(x, y, z).setCanSleep(false);
    bare.createCollider(rapier.ColliderDesc.ball(0.5).setFriction(0.9), bare.createRigidBody(body));
  }
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let frame = 0; frame < 120; frame++) {
    times.bare.push(milliseconds(() => bare.step()));
    times.ours.push(milliseconds(() => void physics.step(TICK)));
  }
  const [ours, theirs] = [median(times.ours), median(times.bare)];
  bare.free();
  physics.destroy();
  return [
    {
      name: `a frame of ${BODIES} rolling spheres and their entities, against Rapier alone`,
      value: `${ours.toFixed(2)} ms, ${(ours / theirs).toFixed(2)} of ${theirs.toFixed(2)} ms`,
      bound: '',
      ok: true,
    },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
