// Imports built code in a separate process and reports its types, so the parent must validate the report. Arguments:
// folder, name of the provider. It writes one report to file descriptor 3 and exits.
import { closeSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { optionalMembers } from '../../domain/schemas/identity-problem.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Provider, registrationsOf, settingsSchemaOf } from '../../sdk/index.ts';
import { defaultProblem } from '../../sdk/migrations/default-changes.ts';
import type { Registration } from '../../sdk/registrations.ts';
import { zodOnlyPlaces } from '../../sdk/zod-only.ts';
import { loadProvider } from '../runtime/load.ts';
import { LoadFailure } from '../runtime/load-failure.ts';

const reportTo = 3;

async function readProvider(codeFolder: string, name: string): Promise<object> {
  const provider = await loadProvider(codeFolder, name);
  const types = [...provider.types.values()].map((type) => describeType(provider, type.name));
  return { types, ...settingsReport(provider), concurrency: provider.concurrency };
}

function settingsReport(provider: Provider): object {
  if (provider.settings === undefined) return {};
  try {
    const schema = settingsSchemaOf(provider);
    warn('The settings', provider.settings);
    return { settings: { schema } };
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return { settings: { problem } };
  }
}

function describeType({ name, types }: Provider, typeName: string): object {
  const type = types.get(typeName);
  if (type === undefined) throw new TypeError(`Type ${typeName} is registered under another name`);
  try {
    const [registration] = registrationsOf({ name, types: new Map([[typeName, type]]) });
    warn(`Type ${typeName}`, type.config);
    if (type.adopt !== undefined) warn(`adopt of type ${typeName}`, type.adopt);
    if (registration === undefined) return {};
    warnOfIdentity(registration);
    const problem = defaultProblem(type, registration);
    return problem === undefined ? registration : { resource: typeName, problem };
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return { resource: typeName, problem };
  }
}

/** Authors who test a handler with what zod accepts learn from the log of the build where people cannot write it. */
function warn(what: string, schema: z.ZodType): void {
  for (const { place, why } of zodOnlyPlaces(schema)) {
    const at = place === '' ? '' : ` at ${place}`;
    process.stderr.write(
      `Warning: ${what}${at}: ${why}, which the API does not do: it checks values as they are written\n`,
    );
  }
}

/** Nothing keeps two resources from one object whose outputs lack the identity. */
function warnOfIdentity(registration: Registration): void {
  const { resource, identity, outputs_schema: outputs } = registration;
  if (identity === undefined || outputs === undefined) return;
  for (const path of optionalMembers(identity, outputs as JsonObject)) {
    process.stderr.write(
      `Warning: Type ${resource}: its outputs may lack ${path}, and objects whose outputs do have no identity: make it required\n`,
    );
  }
}

function writeReport(value: object): void {
  writeFileSync(reportTo, JSON.stringify(value));
  closeSync(reportTo);
  // The code may leave timers and connections open.
  process.exit(0);
}

const [codeFolder = '', name = ''] = process.argv.slice(2);
try {
  writeReport(await readProvider(codeFolder, name));
} catch (thrown) {
  if (!(thrown instanceof LoadFailure)) throw thrown;
  if (thrown.cause instanceof Error) process.stderr.write(`${thrown.cause.stack}\n`);
  writeReport({ code: thrown.code, message: thrown.message });
}
