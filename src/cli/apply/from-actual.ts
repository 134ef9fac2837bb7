// Makes of a resource that has drifted what declares its object as it is, so that the declaration follows and not the object.

import type { Drift } from '../../client/drift.ts';
import { isInDeletion } from '../../client/shown-state.ts';
import { slashed } from '../../domain/identity.ts';
import { literal } from '../../domain/literal.ts';
import { type Reference, referencesIn } from '../../domain/references.ts';
import {
  atPointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../lib/json.ts';
import type { Api } from '../api/client.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { CliError, type Fact, usageError } from '../errors/cli-error.ts';
import { olderServer } from '../errors/older-server.ts';
import { ExitCode } from '../exit-codes.ts';
import { requireUnmasked } from '../resources/masked.ts';
import { oneResource } from '../resources/selector.ts';
import { readVersion, type Version } from '../resources/versions.ts';

/** @returns undefined for a resource that has not drifted. @throws CliError when what is there cannot be declared */
export async function actualDeclared(
  api: Api,
  args: readonly string[],
): Promise<Declaration | undefined> {
  const [name] = args;
  if (name === undefined || args.length > 1) {
    throw usageError('--from-actual takes one resource: PROVIDER/TYPE/NAME, and no file.');
  }
  const version = await readVersion(api, oneResource(name).id);
  const { drift } = version.record;
  if (drift === undefined) throw olderServer('--from-actual');
  return drift === null ? undefined : declarationOf(version, drift);
}

function declarationOf({ record, etag }: Version, drift: Drift): Declaration {
  const ref = slashed(record);
  const { provider, resource, name, project_id, type_version } = record;
  if (isInDeletion(record)) throw conflict(`${ref} is being deleted.`, `fairlead why ${ref}`);
  if (drift.kind === 'gone') throw isGone(ref);
  if (record.lifecycle_state !== 'ready') {
    const sentence = `${ref} is not ready, so its config is not the one that was compared.`;
    throw conflict(sentence, `First: fairlead wait ${ref}`);
  }
  requireUnmasked(record);
  requireDeclarable(ref, record.config, drift);
  const config = drift.changes.reduce<JsonValue>(
    (value, { path, actual }) => withValueAt(value, namesIn(path), literal(actual as JsonValue)),
    record.config,
  ) as JsonObject;
  const place = `what is there of ${ref}`;
  return {
    ref,
    place,
    placeOf: () => place,
    again: `${ref} --from-actual`,
    ...(etag === undefined ? {} : { ifMatch: etag }),
    body: {
      ...{ provider, resource, name, project_id, config, lifecycle_state: 'pending' },
      ...(type_version == null ? {} : { type_version }),
    },
  };
}

function conflict(sentence: string, next: string, facts: readonly Fact[] = []): CliError {
  return new CliError(sentence, { exit: ExitCode.conflict, facts, next });
}

function isGone(ref: string): CliError {
  return conflict(
    `The object of ${ref} does not exist any more, so there is nothing to declare.`,
    `Have it created again: fairlead correct ${ref}, or delete the resource: fairlead delete ${ref}`,
  );
}

/** @throws CliError that names the values which stand in the way */
function requireDeclarable(ref: string, config: JsonObject, { changes, total }: Drift): void {
  const hidden = changes.filter(({ omitted }) => omitted === true);
  if (hidden.length > 0) {
    const facts = hidden.map(({ path }) => [path, 'secret, or too long to be recorded']);
    throw conflict(`${ref} differs in values that are not recorded.`, byHand(ref), facts);
  }
  if (total > changes.length) {
    const sentence = `${ref} differs in ${total} values, of which only ${changes.length} are recorded.`;
    throw conflict(sentence, byHand(ref));
  }
  const references = referencesIn(config);
  const referring = changes.flatMap(({ path }) => {
    const found = references.find(({ at }) => touches(path, at));
    return found === undefined ? [] : [[path, `declared by ${found.text}`]];
  });
  if (referring.length > 0) {
    throw conflict(
      `${ref} differs in values that references declare, and the outputs of other resources stay as they are.`,
      `Write the values in place of the references: fairlead edit ${ref}, or make it as declared: fairlead correct ${ref}`,
      referring,
    );
  }
  const lost = changes.filter(({ path }) => atPointer(config, path) === undefined);
  if (lost.length > 0) {
    const facts = lost.map(({ path }) => [path, 'not in the config']);
    throw conflict(`${ref} differs in values that its config lacks.`, byHand(ref), facts);
  }
}

function byHand(ref: string): string {
  return `Declare them yourself: fairlead edit ${ref}, or make it as declared: fairlead correct ${ref}`;
}

/** Returns whether a reference is at a value, in it, or around it. */
function touches(path: string, at: Reference['at']): boolean {
  const place = at.reduce<string>((whole, name) => pointer(whole, `${name}`), '');
  return place === path || place.startsWith(`${path}/`) || path.startsWith(`${place}/`);
}

function namesIn(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** @returns a copy of a value in which another one is at a path that exists */
function withValueAt(
  value: JsonValue,
  [name, ...rest]: readonly string[],
  wanted: JsonValue,
): JsonValue {
  if (name === undefined) return wanted;
  if (isJsonArray(value)) {
    return value.with(Number(name), withValueAt(value[Number(name)] ?? null, rest, wanted));
  }
  if (!isJsonObject(value)) return wanted;
  return { ...value, [name]: withValueAt(value[name] ?? null, rest, wanted) };
}
