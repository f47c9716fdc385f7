// The Lua table `renderer`: meshes and materials by guid, buffers (buffer.ts), what a frame cost, and pictures. The work is
// runtime/renderer.
import type { lua_State } from 'fengari';
import type { CaptureOptions } from '../runtime/renderer/capture.js';
import { loadMapFiles, namesMaps, type NamedMaterialFields } from '../runtime/renderer/materialFiles.js';
import type { MaterialFields } from '../runtime/renderer/materialStore.js';
import type { MeshFields } from '../runtime/renderer/meshStore.js';
import { VIEWS } from '../runtime/renderer/viewPass.js';
import { buffer } from './buffer.js';
import { contextOf, waitFor } from './context.js';
import { arg, int, LuaError, position, push, type Bindings, type LuaRecord } from './vm/index.js';

const MESH_FIELDS = ['vertexBuffer', 'indexBuffer', 'firstIndex', 'indexCount', 'bounds'];

/** The fields of a mesh as a script wrote them; the store checks each. */
const meshFields = (L: lua_State, index: number): LuaRecord =>
  arg.options(L, index, 'fields', true).only(...MESH_FIELDS).fields;

function answerMesh(L: lua_State, guid: string): number {
  contextOf(L).addMesh(guid);
  push(L, guid);
  return 1;
}

const mesh: Bindings = {
  /** create { vertexBuffer, indexBuffer, firstIndex?, indexCount?, bounds? } -> guid. Waits where the bounds are left out. */
  create(L: lua_State) {
    const { meshes } = contextOf(L).runtime.renderer;
    const fields = meshFields(L, 1);
    if (fields.bounds !== undefined) return answerMesh(L, meshes.createBounded(fields as never));
    return waitFor(L, () => meshes.create(fields as unknown as MeshFields), answerMesh);
  },

  /** update(guid, fields) */
  update(L: lua_State) {
    const context = contextOf(L);
    const guid = arg.string(L, 1, 'guid');
    context.refuseTessellated('renderer.mesh.update', guid);
    context.runtime.renderer.meshes.update(guid, meshFields(L, 2) as never);
    return 0;
  },

  /** destroy(guid) */
  destroy(L: lua_State) {
    const context = contextOf(L);
    const guid = arg.string(L, 1, 'guid');
    context.refuseTerrain('renderer.mesh.destroy', guid);
    context.refuseTessellated('renderer.mesh.destroy', guid);
    context.runtime.renderer.meshes.destroy(guid);
    context.forgetMesh(guid);
    return 0;
  },

  /** plane { width?, depth?, columns?, rows? } -> guid */
  plane: (L: lua_State) =>
    answerMesh(L, contextOf(L).runtime.renderer.meshes.plane(arg.options(L, 1).fields)),

  /** box { size? } -> guid */
  box: (L: lua_State) => answerMesh(L, contextOf(L).runtime.renderer.meshes.box(arg.options(L, 1).fields)),

  /** sphere { radius?, segments?, rings? } -> guid */
  sphere: (L: lua_State) =>
    answerMesh(L, contextOf(L).runtime.renderer.meshes.sphere(arg.options(L, 1).fields)),

  /** load(path) -> guid: a .gltf or .glb as one mesh. Waits. */
  load(L: lua_State) {
    const { assets, renderer } = contextOf(L).runtime;
    const path = arg.string(L, 1, 'path');
    return waitFor(L, () => renderer.meshes.load(path, assets), answerMesh);
  },

  /** cylinder { radius?, topRadius?, height?, segments? } -> guid */
  cylinder: (L: lua_State) =>
    answerMesh(L, contextOf(L).runtime.renderer.meshes.cylinder(arg.options(L, 1).fields)),
};

const material: Bindings = {
  /** create { albedo?, roughness?, metallic?, emissive?, albedoMap? and other maps, tile?, contrast? } -> guid. Waits where a map is a file. */
  create(L: lua_State) {
    const context = contextOf(L);
    const { assets, renderer } = context.runtime;
    const fields = arg.options(L, 1).fields as NamedMaterialFields;
    const make = (loaded: MaterialFields) => {
      const guid = renderer.materials.create(loaded);
      context.addMaterial(guid);
      return guid;
    };
    if (!namesMaps(fields)) return (push(L, make(fields as MaterialFields)), 1);
    return waitFor(
      L,
      async () => make(await loadMapFiles(assets, 'renderer.material.create', fields)),
      (L, guid) => (push(L, guid), 1),
    );
  },

  /** update(guid, fields). Waits where a map is a file. */
  update(L: lua_State) {
    const guid = arg.string(L, 1, 'guid');
    const fields = arg.options(L, 2, 'fields', true).fields as NamedMaterialFields;
    const { assets, renderer } = contextOf(L).runtime;
    if (!namesMaps(fields)) return (renderer.materials.update(guid, fields as MaterialFields), 0);
    return waitFor(L, async () =>
      renderer.materials.update(guid, await loadMapFiles(assets, 'renderer.material.update', fields)),
    );
  },

  /** destroy(guid) */
  destroy(L: lua_State) {
    const context = contextOf(L);
    const guid = arg.string(L, 1, 'guid');
    context.runtime.renderer.materials.destroy(guid);
    context.forgetMaterial(guid);
    return 0;
  },
};

export const renderer: Bindings = {
  mesh,
  material,
  buffer,

  /** stats() -> { draws, triangles, passes, dispatches, bytes }, of the last frame */
  stats(L: lua_State) {
    const { draws, triangles, passes, dispatches, bytes } = contextOf(L).runtime.stats();
    const counts = (pass: { draws: number; triangles: number }) => ({
      draws: int(pass.draws),
      triangles: int(pass.triangles),
    });
    const named = Object.entries(passes).map(([name, pass]) => [name, counts(pass)]);
    push(L, {
      ...counts({ draws, triangles }),
      passes: Object.fromEntries(named),
      dispatches: int(dispatches),
      bytes: int(bytes),
    });
    return 1;
  },

  /** setView(name): what frames show from the next one on */
  setView(L: lua_State) {
    contextOf(L).runtime.renderer.setView(arg.oneOf(L, 1, 'view', VIEWS));
    return 0;
  },

  /** getView() -> name */
  getView(L: lua_State) {
    push(L, contextOf(L).runtime.renderer.view);
    return 1;
  },

  /**
   * capture(path, { width?, height?, channel?, bits?, step? }?): the next finished frame is written as a PNG, depth and normals
   * also as a .texture. It answers at once, as that frame comes after the script; a file that cannot be written fails the run,
   * with the line of the call.
   */
  capture(L: lua_State) {
    const context = contextOf(L);
    const path = arg.string(L, 1, 'path');
    const { fields } = arg.options(L, 2);
    const place = position(L, 1);
    context.runtime.capture(path, fields as CaptureOptions, context).catch((cause: unknown) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      context.fail(new LuaError(place + message, { cause }));
    });
    return 0;
  },
};
