// The on-screen camera under a person's hands: hands events to one of the three controls and writes its pose to the camera. Until a
// person does something the camera is left alone, and where a script moves it, the controls go on from there.
import { checkOneOf } from '../errors.js';
import type { InputEvent } from '../input/events.js';
import { castGroundRay } from '../terrain/groundRay.js';
import type { TerrainMesh } from '../terrain/terrainMesh.js';
import { turnOfAxes } from '../world/rotation.js';
import { vec3, type Bounds, type Matrix, type Vec3 } from '../world/vector.js';
import type { World } from '../world/world.js';
import { FlyControls } from './flyControls.js';
import { Gestures } from './gestures.js';
import { MapControls } from './mapControls.js';
import { OrbitControls } from './orbitControls.js';
import { anglesToward, axesOf, type Controls, type Pose, type Surroundings } from './rig.js';

export const CONTROL_STYLES = ['none', 'orbit', 'fly', 'map'] as const;
export type ControlStyle = (typeof CONTROL_STYLES)[number];

const MAKERS: Record<ControlStyle, () => Controls | null> = {
  none: () => null,
  orbit: () => new OrbitControls(),
  fly: () => new FlyControls(),
  map: () => new MapControls(),
};

/** The key that shows the whole world again. */
const FRAME_KEY = 'f';
/** What a world without a box is thought to hold, metres. */
const EMPTY: Bounds = { min: vec3(-4, 0, -4), max: vec3(4, 2, 4) };

export interface CameraControlsOptions {
  world: World;
  /** The picture, pixels. */
  size: { readonly width: number; readonly height: number };
  /** What is drawn of ground. */
  terrains: Iterable<TerrainMesh>;
}

export class CameraControls {
  /** No gliding: for people who ask their system for less motion. */
  reducedMotion = false;
  /** Called when another style was chosen, by whomever. */
  changed: (() => void) | null = null;
  private chosen: ControlStyle = 'none';
  private controls: Controls | null = null;
  private readonly gestures = new Gestures();
  /** Where the camera stood when the controls wrote it last. */
  private written: Matrix | null = null;
  private gliding = false;
  private readonly keys = new Set<string>();

  constructor(private readonly options: CameraControlsOptions) {}

  get style(): ControlStyle {
    return this.chosen;
  }

  set style(style: ControlStyle) {
    checkOneOf('controls', 'style', style, CONTROL_STYLES);
    if (style === this.chosen) return;
    this.chosen = style;
    this.controls = MAKERS[style]();
    this.written = null;
    this.gliding = false;
    this.keys.clear();
    this.changed?.();
  }

  /**
   * Where a person has the camera: answers what puts it back there (for a scene that is run anew), or null where nobody but scripts
   * has moved it.
   */
  keep(): (() => void) | null {
    if (!this.written || this.elsewhere()) return null;
    const pose = this.pose();
    return () => this.write(pose);
  }

  /** Whether the next frame may move the camera without an event: it glides, or a key is held. */
  get moving(): boolean {
    return this.controls !== null && (this.gliding || this.keys.size > 0);
  }

  /** A frame's events, and `dt` seconds. Answers whether the camera moved. */
  frame(events: readonly InputEvent[], dt: number): boolean {
    const { controls } = this;
    if (!controls) return false;
    if (events.length === 0 && !this.moving) return false;
    const around = this.surroundings();
    let framed = false;
    for (const event of events) framed = this.take(controls, event, around) || framed;
    if (this.written && this.elsewhere()) this.adopt(controls, around);
    const pose = this.written ? controls.update(dt, around, this.reducedMotion) : null;
    this.gliding = pose !== null;
    if (pose) this.write(pose);
    return pose !== null || framed;
  }

  /** Hands one event on. Answers whether it placed the camera at once. */
  private take(controls: Controls, event: InputEvent, around: Surroundings): boolean {
    if (event.type === 'blur') {
      controls.blur();
      this.keys.clear();
    }
    if (event.type === 'keydown' || event.type === 'keyup') {
      // With Ctrl or the system's key it is a shortcut of somebody else.
      const down = event.type === 'keydown' && !(event.meta || (event.ctrl && event.key.length === 1));
      if (down && event.key === FRAME_KEY) return this.frameWorld();
      if (down) this.begin(controls, around);
      if (controls.key(event.key, down) && down) this.keys.add(event.key);
      else this.keys.delete(event.key);
      return false;
    }
    const gesture = this.gestures.read(event);
    if (!gesture) return false;
    this.begin(controls, around);
    controls.gesture(gesture, around);
    return false;
  }

  /** Takes the camera over, if it is not in hand or was moved meanwhile. */
  private begin(controls: Controls, around: Surroundings): void {
    if (!this.written || this.elsewhere()) this.adopt(controls, around);
  }

  private adopt(controls: Controls, around: Surroundings): void {
    controls.adopt(this.pose(), around);
    this.written = this.camera.worldMatrix;
  }

  private get camera() {
    return this.options.world.mainCamera;
  }

  /** Whether somebody else moved the camera since it was written. */
  private elsewhere(): boolean {
    const { written } = this;
    const { worldMatrix } = this.camera;
    return written !== worldMatrix && worldMatrix.some((value, i) => value !== written![i]);
  }

  /** The camera shows the whole world, until somebody moves it. */
  private frameWorld(): boolean {
    this.camera.moved = false;
    this.written = null;
    this.gliding = false;
    return true;
  }

  private pose(): Pose {
    const { worldMatrix: m } = this.camera;
    const back = vec3(m[8], m[9], m[10]);
    const length = Math.hypot(back.x, back.y, back.z);
    const forward = vec3(-back.x / length, -back.y / length, -back.z / length);
    const height = this.camera.components.get('Camera')!.number('height');
    return { position: vec3(m[12], m[13], m[14]), ...anglesToward(forward), height };
  }

  private write(pose: Pose): void {
    const { right, up, forward } = axesOf(pose);
    const { camera } = this;
    camera.setWorldPose(pose.position, turnOfAxes([right, up, vec3(-forward.x, -forward.y, -forward.z)]));
    const settings = camera.components.get('Camera')!;
    if (settings.number('height') !== pose.height) settings.set('height', pose.height);
    this.written = camera.worldMatrix;
  }

  private surroundings(): Surroundings {
    const { world, size, terrains } = this.options;
    const camera = this.camera.components.get('Camera')!;
    const fields = [...new Set(Array.from(terrains, ({ hf }) => hf))].filter((hf) => !hf.closed);
    const near = camera.number('near');
    return {
      width: size.width,
      height: size.height,
      fov: camera.get('orthographic') === true ? null : (camera.number('fov') * Math.PI) / 180,
      near,
      bounds: world.bounds() ?? EMPTY,
      groundAt(x, z) {
        let highest: number | null = null;
        for (const hf of fields)
          if (hf.groundState(x, z) === 'ground') highest = Math.max(highest ?? -Infinity, hf.heightAt(x, z));
        return highest;
      },
      hit: (origin, direction) => {
        let nearest = Infinity;
        for (const hf of fields) {
          const hit = castGroundRay(hf, origin, direction);
          if (hit) nearest = Math.min(nearest, hit.distance);
        }
        for (const box of this.boxes()) nearest = Math.min(nearest, boxDistance(box, origin, direction));
        return nearest < Infinity ? nearest : null;
      },
    };
  }

  /** The boxes of models other than ground. */
  private *boxes(): Iterable<Bounds> {
    const { world } = this.options;
    for (const entity of world.query('MeshInstance')) {
      if (world.worldSpace.has(entity.id) || entity.isWithin(this.camera)) continue;
      const box = world.boundsOf(entity);
      if (box) yield box;
    }
  }
}

/** Metres along a ray (unit direction) to where it enters a box; Infinity where it does not, or starts inside (slabs, Kay and Kajiya 1986). */
function boxDistance({ min, max }: Bounds, origin: Vec3, direction: Vec3): number {
  let [from, to] = [0, Infinity];
  for (const axis of ['x', 'y', 'z'] as const) {
    const [low, high] = [min[axis] - origin[axis], max[axis] - origin[axis]];
    const way = direction[axis];
    if (way === 0) {
      if (low > 0 || high < 0) return Infinity;
      continue;
    }
    from = Math.max(from, Math.min(low / way, high / way));
    to = Math.min(to, Math.max(low / way, high / way));
  }
  return from > 0 && from <= to ? from : Infinity;
}
