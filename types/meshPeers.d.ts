// What bench/errorMesh.ts uses of packages that come without declarations.
declare module '@mapbox/martini' {
  export interface MartiniTile {
    getMesh(maxError?: number): { vertices: Uint16Array; triangles: Uint32Array };
  }
  export default class Martini {
    constructor(gridSize?: number);
    createTile(terrain: ArrayLike<number>): MartiniTile;
  }
}

declare module 'delatin' {
  export default class Delatin {
    constructor(data: ArrayLike<number>, width: number, height?: number);
    run(maxError?: number): void;
    coords: number[];
    triangles: number[];
  }
}
