// Reads the options of a resource in a document. One that the document leaves out stays as it is.
import { intervalRule } from '../../domain/observation/interval.ts';
import { driftActions, managements } from '../../domain/observation/options.ts';
import {
  type DeletionPolicy,
  deletionPolicies,
  type ResourceOptionsBody,
} from '../../domain/resource-options.ts';
import { withoutUndefined } from '../../lib/json.ts';
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

/** The server validates the time. */
const time: Read = (value) => (value === null || typeof value === 'string' ? value : undefined);

/** A manifest begins with a capital letter, and the others do not. */
const policy: Read = (value) => {
  const found = deletionPolicies.find((each) => each === `${value as string}`.toLowerCase());
  return found satisfies DeletionPolicy | undefined;
};

const manager: Read = (value) =>
  managements.find((each) => each === `${value as string}`.toLowerCase());

/** In a manifest the members are named as in Kubernetes. Their values are for the server to judge. */
const observed: Read = (value) => {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const {
    every,
    ignore,
    on_drift,
    onDrift = on_drift,
    ...others
  } = value as Record<string, unknown>;
  const drift = onDrift === undefined ? undefined : `${onDrift as string}`.toLowerCase();
  const action = driftActions.find((each) => each === drift);
  const areTexts =
    ignore === undefined ||
    (Array.isArray(ignore) && ignore.every((each) => typeof each === 'string'));
  const isKnown = Object.keys(others).length === 0 && areTexts && (drift === undefined || action);
  if (!isKnown || (every != null && typeof every !== 'string')) return undefined;
  return withoutUndefined({ every, ignore, on_drift: action });
};

const rules: Readonly<Record<keyof ResourceOptionsBody, readonly [Read, string]>> = {
  protected: [flag, 'must be true or false'],
  expires_at: [time, 'must be a time such as 2026-02-01T08:00:00Z, or null for never'],
  paused: [flag, 'must be true or false'],
  deletion_policy: [policy, `must be ${deletionPolicies.join(' or ')}`],
  observe: [
    observed,
    `must be null, or have every (never, or ${intervalRule}), ignore (a list of JSON Pointers) and on_drift (${driftActions.join(' or ')})`,
  ],
  management: [manager, `must be ${managements.join(' or ')}`],
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
