// What a component is: a name, described fields, and the values of one entity. Bindings read the descriptions to list,
// document and check; the world makes and holds the instances.
import { checkNumber, checkOneOf, MoonscapeError, nearest, refuse, show, type Range } from '../errors.js';
import type { Entity } from './entity.js';
import { checkColor, checkVector } from './vector.js';

/** Kinds of a field: `mesh` and `material` are guids that the world's stores know, `vector` and `color` are read as `{ x, y, z }`. */
export type FieldKind = 'number' | 'boolean' | 'string' | 'enum' | 'vector' | 'color' | 'mesh' | 'material';

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
  /** For enums. */
  readonly allowed?: readonly string[];
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
  /** Called after an instance is added, after a field of it changed, and before it is removed. */
  readonly onAdd?: (instance: Component) => void;
  readonly onChange?: (instance: Component, field: string) => void;
  readonly onRemove?: (instance: Component) => void;
}

/** Which guids of a kind exist: the renderer's stores answer this. */
export interface GuidLookup {
  has(guid: string): boolean;
}

/** The values of one component on one entity. A removed one still answers reads, and refuses writes. */
export class Component {
  /** Set when it is taken off its entity, or its entity is destroyed. */
  removed = false;
  private readonly values = new Map<string, unknown>();

  constructor(
    readonly type: ComponentType,
    readonly entity: Entity,
    values: Readonly<Record<string, unknown>>,
    private readonly lookups: Partial<Record<'mesh' | 'material', GuidLookup>>,
  ) {
    const where = `component.add("${type.name}")`;
    for (const name of Object.keys(values)) this.field(where, name);
    for (const field of type.fields) {
      const given = values[field.name] ?? field.default ?? null;
      const checked = this.check(where, field, given);
      if (!type.backing) this.values.set(field.name, checked);
    }
  }

  /** A field's value; numbers, booleans, strings, frozen `{ x, y, z }`, or null for an optional one that is absent. */
  get(name: string): unknown {
    this.field(this.type.name, name);
    const { backing } = this.type;
    return backing ? backing.get(this.entity, name) : this.values.get(name);
  }

  /** Sets a field after checking it; what is refused changes nothing. */
  set(name: string, value: unknown): void {
    if (this.removed)
      throw new MoonscapeError(
        `${this.type.name}.${name}: this component was removed from the entity ${this.entity}`,
      );
    const field = this.field(this.type.name, name);
    const checked = this.check(this.type.name, field, value ?? field.default ?? null);
    if (this.type.backing) this.type.backing.set(this.entity, name, checked);
    else this.values.set(name, checked);
    this.type.onChange?.(this, name);
  }

  number(name: string): number {
    return this.get(name) as number;
  }

  /** All values by name, a fresh record. */
  toRecord(): Record<string, unknown> {
    return Object.fromEntries(this.type.fields.map(({ name }) => [name, this.get(name)]));
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
    const { name, kind, range, optional } = field;
    if (value === null) {
      if (optional) return null;
      refuse(where, name, `given (${field.meaning})`, undefined);
    }
    switch (kind) {
      case 'number':
        return checkNumber(where, name, value, range);
      case 'vector':
        return checkVector(where, name, value);
      case 'color':
        return checkColor(where, name, value, range?.max);
      case 'enum':
        return checkOneOf(where, name, value, field.allowed ?? []);
      case 'boolean':
        return typeof value === 'boolean' ? value : refuse(where, name, 'a boolean', value);
      case 'string':
        return typeof value === 'string' ? value : refuse(where, name, 'a string', value);
      case 'mesh':
      case 'material':
        if (typeof value !== 'string') refuse(where, name, `the guid of a ${kind}`, value);
        if (this.lookups[kind]?.has(value) === false)
          refuse(where, name, `the guid of a ${kind} that exists`, value);
        return value;
    }
  }
}
