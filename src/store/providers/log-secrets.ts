// Hides in the lines of a log, from people who see no secrets, those of the resource that a line names. Only the resource is known here:
// the process of the provider masks the rest before it prints, and nobody else can read its settings.
import type { Resource } from '../../crds/resource.ts';
import { keyOf, type Organization, objectNameOf } from '../../domain/identity.ts';
import {
  createSecretMask,
  inLines,
  maskedValue,
  type SecretMask,
} from '../../domain/secrets/mask-text.ts';
import { secretTexts } from '../../domain/secrets/resource-secrets.ts';
import { type Informer, keyFor } from '../../kube/api.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../../lib/json.ts';
import { inTimeSlices } from '../../lib/turns.ts';
import type { DefinitionStore } from '../interfaces.ts';
import { recordedSecretsOf } from '../resources/recorded-secrets.ts';
import type { PodLine } from './pod-lines.ts';

export interface LogSecretsDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly definitions: Pick<DefinitionStore, 'schemasOf'>;
}

/** Lines are found by these fields, which the SDK writes itself. */
const ownFields = new Set([
  'level',
  'time',
  'event',
  'organization',
  'resource',
  'attempt',
  'sequence',
  'trace_id',
]);

interface KnownMask {
  readonly resource: Resource;
  readonly mask: SecretMask;
}

/** Masks that one reading keeps; more are made again. */
const maxKept = 200;

/** @returns what shows the lines of one reading. Each may name another resource, whose secrets take milliseconds. */
export function lineMasking(
  organization: Organization,
  { resources, definitions }: LogSecretsDeps,
): (lines: readonly PodLine[]) => Promise<readonly PodLine[]> {
  const known = new Map<string, KnownMask>();

  function maskFor(name: unknown): SecretMask | undefined {
    const [provider = '', type = '', resourceName = ''] = String(name).split('/');
    const key = keyOf({ provider, resource: type, name: resourceName });
    const { namespace } = organization;
    const resource = resources.get(keyFor({ namespace, name: objectNameOf(key) }));
    if (resource === undefined || keyOf(resource.spec) !== key) return undefined;
    const before = known.get(key);
    if (before?.resource === resource) return before.mask;
    if (known.size >= maxKept) known.clear();
    const schemas = definitions.schemasOf(organization, resource.spec);
    const contents = {
      config: resource.spec.config as JsonObject,
      outputs: (resource.status?.outputs ?? {}) as JsonObject,
      secrets: recordedSecretsOf(resource),
    };
    const mask = createSecretMask(inLines(secretTexts(contents, schemas)));
    known.set(key, { resource, mask });
    return mask;
  }

  function shownLine(line: PodLine): PodLine {
    const entry = jsonIn(line.bytes.toString());
    if (!isJsonObject(entry)) return line;
    const mask = maskFor(entry['resource']);
    if (mask === undefined) return line;
    const shown = shownEntry(entry, mask);
    return shown === undefined ? line : { ...line, bytes: Buffer.from(`${shown}\n`) };
  }

  return async (lines) => {
    const all: PodLine[] = [];
    await inTimeSlices(lines, (line) => all.push(shownLine(line)));
    return all;
  };
}

/** @returns undefined when nothing is hidden */
function shownEntry(entry: JsonObject, mask: SecretMask): string | undefined {
  try {
    const members = Object.entries(entry).map(([name, value]) =>
      ownFields.has(name) ? [name, value] : [mask.text(name), mask.value(value)],
    );
    const shown = JSON.stringify(Object.fromEntries(members));
    return shown === JSON.stringify(entry) ? undefined : shown;
  } catch {
    // It is nested too deeply.
    return JSON.stringify(maskedValue);
  }
}
