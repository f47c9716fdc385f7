// What a component is: a name, described fields, and the values of one entity. Bindings read the descriptions to list,
// document and check; the world makes and holds the instances.
import {
  checkInteger,
  checkNumber,
  checkOneOf,
  MoonscapeError,
  nearest,
  refuse,
  show,
  type Range,
} from '../errors.js';
import { Texture } from '../texture/texture.js';
import type { Entity } from './entity.js';
import { checkColor, checkVector } from './vector.js';

/**
 * Kinds of a field: `mesh` and `material` are guids that the world's stores know, `vector` and `color` are read as
 * `{ x, y, z }`, a `pair` as two numbers, a `texture` as one in hand or the path or guid of one; `table` is plain data,
 * `function` what a script gave.
 */
export const FIELD_KINDS = [
  ...(['number', 'integer', 'boolean', 'string', 'enum', 'vector', 'pair', 'color'] as const),
  ...(['mesh', 'material', 'texture', 'entity', 'table', 'function', 'any'] as const),
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/**
 * Under this symbol a record in a `table` or `any` field has the set of its keys that are numbers to whoever gave it, where there are
 * some: a record's own keys are strings.
 */
export const NUMBER_KEYS = Symbol('keys that are numbers');

export interface FieldType {
  readonly name: string;
  readonly kind: FieldKind;
  /** What it is, in which unit. */
  readonly meaning: string;
  /** The value where none is given; left out: the field must be given, unless it is optional. */
  readonly default?: unknown;
  /** May be absent (`null`). */
  readonly optional?: boolean;
  /** For numbers. */
  readonly range?: Range;
  /** A number may also be infinite. */
  readonly infinite?: boolean;
  /** What the engine says of the instance: it cannot be set, is not saved and not put back. */
  readonly readOnly?: boolean;
  /** For enums. */
  readonly allowed?: readonly string[];
  /** For pairs: what the two numbers are also called, { x, z } if left out. `ordered`: the first is at most the second. */
  readonly names?: readonly [string, string];
  readonly ordered?: boolean;
}

export interface ComponentType {
  readonly name: string;
  readonly fields: readonly FieldType[];
  /** Every entity has it, always (Transform). */
  readonly permanent?: boolean;
  /** Only this other component makes and removes it. */
  readonly madeBy?: string;
  /** Where the values live, if not in the instance (Transform's are the entity's own pose). Values handed to set are checked. */
  readonly backing?: {
    get(entity: Entity, field: string): unknown;
    set(entity: Entity, field: string, value: unknown): void;
  };
  /**
   * A rule over several fields, asked with all values once each is right by itself: at adding (`changed` null) and before
   * a field is set. Throws what it refuses.
   */
  readonly validate?: (
    where: string,
    values: Readonly<Record<string, unknown>>,
    changed: string | null,
  ) => void;
  /** The value of a field that moves by itself; undefined: the one that was set. */
  readonly live?: (instance: Component, field: string) => unknown;
  /** Called after an instance is added, after a field of it changed, and before it is removed. */
  readonly onAdd?: (instance: Component) => void;
  readonly onChange?: (instance: Component, field: string) => void;
  readonly onRemove?: (instance: Component) => void;
  /**
   * The parts of adding and of a change that may wait. `World.begin` and `World.change` call them: a rejection takes the
   * component off again, or puts the field back.
   */
  readonly begin?: (instance: Component) => Promise<void> | undefined;
  readonly changed?: (instance: Component, field: string) => Promise<void> | undefined;
  /** Whether scene files leave its instances out (they are made anew by what made them). */
  readonly transient?: boolean;
}

/** Which guids of a kind exist: the renderer's stores answer this. */
export interface GuidLookup {
  has(guid: string): boolean;
}

/** The values of one component on one entity. A removed one still answers reads, and refuses writes. */
export class Component {
  /** Set when it is taken off its entity, or its entity is destroyed. */
  removed = false;
  /** True while its `onRemove` runs. */
  leaving = false;
  /** False while its `begin` waits; until it is true nothing else of it is called. */
  ready = false;
  /** What made it, on the same entity, and takes it along. */
  maker: Component | null = null;
  /** Counts the values that were set. */
  version = 0;
  private readonly values = new Map<string, unknown>();

  constructor(
    readonly type: ComponentType,
    readonly entity: Entity,
    values: Readonly<Record<string, unknown>>,
    private readonly lookups: Partial<Record<'mesh' | 'material', GuidLookup>>,
  ) {
    const where = `component.add("${type.name}")`;
    for (const name of Object.keys(values)) refuseReadOnly(where, this.field(where, name));
    for (const field of type.fields) {
      // Its own alone: a field may have a name that every object of JavaScript has.
      const given = (Object.hasOwn(values, field.name) ? values[field.name] : null) ?? field.default ?? null;
      const checked = this.check(where, field, given);
      if (!type.backing) this.values.set(field.name, checked);
    }
    type.validate?.(where, Object.fromEntries(this.values), null);
  }

  /** A field's value; numbers, booleans, strings, frozen `{ x, y, z }`, or null for an optional one that is absent. */
  get(name: string): unknown {
    this.field(this.type.name, name);
    const { backing, live } = this.type;
    if (backing) return backing.get(this.entity, name);
    return live?.(this, name) ?? this.values.get(name);
  }

  /** A field's value as it was set, also where it moves by itself. */
  stored(name: string): unknown {
    return this.values.get(name) ?? null;
  }

  /** Sets a field after checking it; what is refused changes nothing. */
  set(name: string, value: unknown): void {
    if (this.removed)
      throw new MoonscapeError(
        `${this.type.name}.${name}: this component was removed from the entity ${this.entity}`,
      );
    const field = this.field(this.type.name, name);
    refuseReadOnly(this.type.name, field);
    const checked = this.check(this.type.name, field, value ?? field.default ?? null);
    this.type.validate?.(this.type.name, { ...Object.fromEntries(this.values), [name]: checked }, name);
    if (this.type.backing) this.type.backing.set(this.entity, name, checked);
    else this.values.set(name, checked);
    this.version++;
    this.type.onChange?.(this, name);
  }

  /** Puts all values back without telling anyone: for one that is off its entity. */
  fill(values: Readonly<Record<string, unknown>>): void {
    if (this.type.backing) return;
    for (const [name, value] of Object.entries(values)) this.values.set(name, value);
    this.version++;
  }

  number(name: string): number {
    return this.get(name) as number;
  }

  /** All values that can be set by name, a fresh record. */
  toRecord(): Record<string, unknown> {
    const settable = this.type.fields.filter(({ readOnly }) => !readOnly);
    return Object.fromEntries(settable.map(({ name }) => [name, this.get(name)]));
  }

  private field(where: string, name: string): FieldType {
    const { fields } = this.type;
    const found = fields.find((field) => field.name === name);
    if (found) return found;
    const names = fields.map((field) => field.name);
    const near = nearest(name, names);
    throw new MoonscapeError(
      `${where}: there is no field ${show(name)}${near ? ` (did you mean "${near}"?)` : ''}; the fields are ${names.join(', ')}`,
    );
  }

  private check(where: string, field: FieldType, value: unknown): unknown {
    return checkValue(where, field, value, { world: this.entity.world, lookups: this.lookups });
  }
}

/** What values are checked against. */
interface ValueContext {
  world?: Entity['world'];
  lookups?: Partial<Record<'mesh' | 'material', GuidLookup>>;
}

/**
 * A value as a field holds it; refuses, naming the field, what its description does not allow. Entities have to be of `world`; guids
 * are looked up where there are `lookups`.
 */
export function checkValue(
  where: string,
  field: FieldType,
  value: unknown,
  { world, lookups = {} }: ValueContext = {},
): unknown {
  const { name, kind, range, optional } = field;
  if (value === null) {
    if (optional) return null;
    refuse(where, name, `given (${field.meaning})`, undefined);
  }
  switch (kind) {
    case 'number':
      if (field.infinite && typeof value === 'number' && Math.abs(value) === Infinity) return value;
      return checkNumber(where, name, value, range);
    case 'vector':
      return checkVector(where, name, value);
    case 'color':
      return checkColor(where, name, value, range?.max);
    case 'enum':
      return checkOneOf(where, name, value, field.allowed ?? []);
    case 'integer':
      return checkInteger(where, name, value, range);
    case 'pair':
      return checkPair(where, field, value);
    case 'texture':
      if (value instanceof Texture) {
        if (!value.destroyed) return value;
        throw new MoonscapeError(`${where}: the texture given as ${name} is destroyed`);
      }
      if (typeof value === 'string' && value !== '') return value;
      return refuse(where, name, 'a texture, or the path or guid of one', value);
    case 'entity':
      if (!isEntity(value) || value.world !== world) refuse(where, name, 'an entity of this world', value);
      value.checkAlive(`${where}: ${name}`);
      return value;
    case 'table':
      return typeof value === 'object' && !isCallable(value) ? value : refuse(where, name, 'a table', value);
    case 'function':
      return isCallable(value) ? value : refuse(where, name, 'a function', value);
    case 'any':
      return value;
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse(where, name, 'a boolean', value);
    case 'string':
      return typeof value === 'string' ? value : refuse(where, name, 'a string', value);
    case 'mesh':
    case 'material':
      if (typeof value !== 'string') refuse(where, name, `the guid of a ${kind}`, value);
      if (lookups[kind]?.has(value) === false)
        refuse(where, name, `the guid of a ${kind} that exists`, value);
      return value;
  }
}

function refuseReadOnly(where: string, { name, readOnly }: FieldType): void {
  if (readOnly) throw new MoonscapeError(`${where}: ${name} can only be read; the engine sets it`);
}

/** Two finite numbers: a list of two, or the fields that the pair's numbers are called by. */
function checkPair(where: string, field: FieldType, value: unknown): readonly [number, number] {
  const { name, range, names = PLANE, ordered } = field;
  const { [names[0]]: first, [names[1]]: second } = value as Record<string, unknown>;
  const [a, b]: unknown[] = Array.isArray(value) && value.length === 2 ? value : [first, second];
  const rule = `{ ${names.join(', ')} } of finite numbers`;
  if (typeof a !== 'number' || typeof b !== 'number') refuse(where, name, rule, value);
  checkNumber(where, `${name}[1]`, a, range);
  checkNumber(where, `${name}[2]`, b, range);
  if (ordered && a > b) refuse(where, name, `${rule}, the first at most the second`, value);
  return Object.freeze([a, b] as const);
}

const PLANE = ['x', 'z'] as const;

/** By its shape, for the class itself imports this module. */
const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && 'world' in value && 'checkAlive' in value;

/** A function of a script, as the bindings hold it, or of the host. */
export const isCallable = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && typeof (value as { call?: unknown }).call === 'function');
