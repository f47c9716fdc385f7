// The engine's one vertex: 23 words, 92 bytes. Kernels write it, draws read it.

/** Words (4 bytes) of a vertex. */
export const VERTEX_WORDS = 23;
/** Bytes of a vertex. */
export const VERTEX_BYTES = VERTEX_WORDS * 4;

/** Where each attribute starts, in words: position 3, normal 3, tangent 4, uv0 2, uv1 2, colour 4, joint weights 4, joints 1 (4 × u8). */
export const VERTEX_OFFSET = {
  position: 0,
  normal: 3,
  tangent: 6,
  uv0: 10,
  uv1: 12,
  color: 14,
  weights: 18,
  joints: 22,
} as const;

const attribute = (shaderLocation: number, word: number, format: GPUVertexFormat): GPUVertexAttribute => ({
  shaderLocation,
  offset: word * 4,
  format,
});

/** The layout as a pipeline wants it; shader locations 0..7 in the order above. */
export const VERTEX_LAYOUT: GPUVertexBufferLayout = {
  arrayStride: VERTEX_BYTES,
  attributes: [
    attribute(0, VERTEX_OFFSET.position, 'float32x3'),
    attribute(1, VERTEX_OFFSET.normal, 'float32x3'),
    attribute(2, VERTEX_OFFSET.tangent, 'float32x4'),
    attribute(3, VERTEX_OFFSET.uv0, 'float32x2'),
    attribute(4, VERTEX_OFFSET.uv1, 'float32x2'),
    attribute(5, VERTEX_OFFSET.color, 'float32x4'),
    attribute(6, VERTEX_OFFSET.weights, 'float32x4'),
    attribute(7, VERTEX_OFFSET.joints, 'uint8x4'),
  ],
};
