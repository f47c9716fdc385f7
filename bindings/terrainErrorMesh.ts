// The native half of the Lua module `~terrainSystem.modules.terrainErrorMesh`, and the handle of an error mesh. The work is runtime/errorMesh,
// which is loaded when a script first makes one.
import type { lua_State } from 'fengari';
import { GpuBuffer } from '../runtime/gpu/gpuBuffer.js';
import type { ErrorCamera, ErrorMesh, ErrorMeshOptions } from '../runtime/errorMesh/errorMesh.js';
import { bufferHandle } from './buffer.js';
import { contextOf, waitFor } from './context.js';
import { entityAt } from './entity.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { warnOfTransform } from './terrainMesh.js';
import { given } from './values.js';
import { arg, defineHandle, int, type Options, push, pushInteger, type Bindings } from './vm/index.js';

export const errorMeshHandle = defineHandle<ErrorMesh>('error mesh', {
  module: 'terrainErrorMesh',
  getters: {
    mesh: (self, L) => push(L, self.mesh),
    vertexBuffer: (self, L) => bufferHandle.push(L, self.vertexBuffer),
    indexBuffer: (self, L) => bufferHandle.push(L, self.indexBuffer),
    indexCount: (self, L) => pushInteger(L, self.indexCount),
  },
  describe: ({ mesh, hf }) => `error mesh ${mesh} of ${hf.describe()}`,
  stale: ({ destroyed, mesh, hf }) =>
    destroyed && `this error mesh is destroyed (${mesh} of ${hf.describe()})`,
});

const CAMERA_FIELDS = ['position', 'forward', 'up', 'fovY', 'aspect', 'near', 'height', 'frameMs'];

/** A camera as a script wrote it; its numbers are the view's to check. */
function cameraOf(options: Options): ErrorCamera & { frameMs?: number } {
  options.only(...CAMERA_FIELDS);
  const vector = (name: string) => {
    const [x, y, z] = options.need(name, options.vector(name));
    return { x, y, z };
  };
  const { fovY, aspect, near, height } = options.fields;
  return {
    ...{ position: vector('position'), forward: vector('forward'), up: vector('up') },
    ...(given({ fovY, aspect, near, height, frameMs: options.number('frameMs', { above: 0 }) }) as {
      fovY: number;
      aspect: number;
      near: number;
    }),
  };
}

export const terrainErrorMesh: Bindings = {
  /** create(hf, { quality? | maxError? | maxErrorPx?, targetMs?, shadows?, cull? }?) -> mesh. Waits. */
  create(L: lua_State) {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const options = arg.options(L, 2).fields as ErrorMeshOptions;
    const context = contextOf(L);
    return waitFor(
      L,
      async () => {
        const [{ ErrorMesh }, { errorMeshEngine }] = await Promise.all([
          import('../runtime/errorMesh/errorMesh.js'),
          import('../runtime/errorMesh/errorMeshBinding.js'),
        ]);
        const mesh = ErrorMesh.create(errorMeshEngine(context.runtime), hf, options);
        context.addGuest(mesh);
        return mesh;
      },
      (L, mesh) => (errorMeshHandle.push(L, mesh), 1),
    );
  },

  /** update(mesh, camera?) -> { triangles, casting, drawn, culled, split, maxErrorPercent, threshold, rebuilt, units, ms } */
  update(L: lua_State) {
    const mesh = errorMeshHandle.check(L, 1, 'mesh');
    const options = arg.options(L, 2, 'camera');
    const camera = Object.keys(options.fields).length > 0 ? cameraOf(options) : null;
    const { triangles, casting, drawn, culled, split, rebuilt, units, ...floats } = mesh.update(camera);
    push(L, {
      ...{ triangles: int(triangles), casting: int(casting) },
      ...{ drawn: int(drawn), culled: int(culled), split: int(split) },
      ...{ rebuilt: int(rebuilt), units: int(units), ...floats },
    });
    return 1;
  },

  /** bind(entityId, mesh). Waits. */
  bind(L: lua_State) {
    const entity = entityAt(L, 1, 'terrainErrorMesh.bind', 'entityId');
    const mesh = errorMeshHandle.check(L, 2, 'mesh');
    const context = contextOf(L);
    warnOfTransform(context, entity);
    return waitFor(L, async () => {
      const { ErrorMeshBindings } = await import('../runtime/errorMesh/errorMeshBinding.js');
      ErrorMeshBindings.of(context.runtime).bind(entity, mesh);
    });
  },

  /** destroy(mesh). A second time does nothing. */
  destroy(L: lua_State) {
    const mesh = errorMeshHandle.test(L, 1) ?? errorMeshHandle.check(L, 1, 'mesh');
    mesh.destroy();
    return 0;
  },

  /** simplify(hf, maxErrorMetres) -> { triangles, maxError, indexBuffer, vertexBuffer }. Waits. */
  simplify(L: lua_State) {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const bound = arg.number(L, 2, 'maxErrorMetres');
    const context = contextOf(L);
    const { gpu } = context.runtime;
    return waitFor(
      L,
      async () => {
        const [{ simplify }, { verticesOf }] = await Promise.all([
          import('../runtime/errorMesh/simplify.js'),
          import('../runtime/errorMesh/vertices.js'),
        ]);
        const { lattice, stops, indices, maxError } = simplify(hf, bound);
        const vertexBuffer = GpuBuffer.create(gpu, {
          data: verticesOf(lattice, stops),
          label: 'simplified vertices',
        });
        context.addBuffer(vertexBuffer);
        let indexBuffer;
        try {
          indexBuffer = GpuBuffer.create(gpu, { data: indices, label: 'simplified indices' });
        } catch (error) {
          context.forgetBuffer(vertexBuffer);
          vertexBuffer.destroy();
          throw error;
        }
        context.addBuffer(indexBuffer);
        return { triangles: indices.length / 3, maxError, vertexBuffer, indexBuffer };
      },
      (L, { triangles, ...rest }) => (push(L, { triangles: int(triangles), ...rest }), 1),
    );
  },
};
