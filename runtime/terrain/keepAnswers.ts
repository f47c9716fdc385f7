// What a cut's `keep` predicate answered: asked once a node, remembered until the ground is read again.
import { MoonscapeError, show } from '../errors.js';
import { NodeKeys } from './nodeKeys.js';

/**
 * A node as `keep` gets it. Level 0 is a root; ix, iz count nodes of the level from the cut's corner; x, z is its −X, −Z
 * corner in metres of world, size its side in metres.
 */
export interface KeepNode {
  level: number;
  ix: number;
  iz: number;
  x: number;
  z: number;
  size: number;
}

export type Keep = (node: KeepNode) => boolean;

const NO = 0;
const YES = 1;

export class KeepAnswers {
  /** Names the caller in errors. */
  where = 'terrainMesh.create';
  private readonly answers = new NodeKeys(1024);

  constructor(
    private readonly keep: Keep,
    private readonly rootSize: number,
    private readonly cornerX: number,
    private readonly cornerZ: number,
  ) {}

  /** Whether a node is to be drawn. A keep that throws or answers no boolean is an error that names it and the node. */
  keeps(level: number, ix: number, iz: number): boolean {
    const known = this.answers.get(level, ix, iz);
    if (known >= 0) return known === YES;
    const size = this.rootSize / 2 ** level;
    const node = { level, ix, iz, x: this.cornerX + ix * size, z: this.cornerZ + iz * size, size };
    let answer: unknown;
    try {
      answer = this.keep(node);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : show(cause);
      throw new MoonscapeError(`${this.name(node)} failed: ${reason}`, { cause });
    }
    if (typeof answer !== 'boolean')
      throw new MoonscapeError(`${this.name(node)} must answer a boolean, got ${show(answer)}`);
    this.answers.set(level, ix, iz, answer ? YES : NO);
    return answer;
  }

  private name({ level, ix, iz }: KeepNode): string {
    return `${this.where}: keep({ level = ${level}, ix = ${ix}, iz = ${iz} })`;
  }

  forget(): void {
    this.answers.clear();
  }
}
