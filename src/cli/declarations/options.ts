// Reads the options of a resource in a document. One that the document leaves out stays as it is.
import {
  type DeletionPolicy,
  deletionPolicies,
  type ResourceOptionsBody,
} from '../../domain/resource-options.ts';
import type { Path } from './yaml.ts';

export type DeclaredOptions = Partial<ResourceOptionsBody>;

interface Names {
  /** Each field of the body, and its name in the document. */
  readonly names: Readonly<Record<string, string>>;
}

interface Reader {
  problem(path: Path, message: string): undefined;
}

type Read = (value: unknown) => unknown;

const flag: Read = (value) => (typeof value === 'boolean' ? value : undefined);

/** That it is a time, the server says: it knows which ones it takes. */
const time: Read = (value) => (value === null || typeof value === 'string' ? value : undefined);

/** A manifest begins with a capital letter, and the others do not. */
const policy: Read = (value) => {
  const found = deletionPolicies.find((each) => each === `${value as string}`.toLowerCase());
  return found satisfies DeletionPolicy | undefined;
};

const rules: Readonly<Record<keyof ResourceOptionsBody, readonly [Read, string]>> = {
  protected: [flag, 'must be true or false'],
  expires_at: [time, 'must be a time such as 2026-02-01T08:00:00Z, or null for never'],
  paused: [flag, 'must be true or false'],
  deletion_policy: [policy, `must be ${deletionPolicies.join(' or ')}`],
};

export function optionsIn(
  fields: Readonly<Record<string, unknown>>,
  { names }: Names,
  reader: Reader,
): DeclaredOptions {
  const found = Object.entries(rules).flatMap(([field, [read, message]]) => {
    const name = names[field] ?? field;
    const given = fields[name];
    if (given === undefined) return [];
    const value = read(given);
    if (value === undefined) reader.problem([name], message);
    return [[field, value] as const];
  });
  return Object.fromEntries(found);
}
