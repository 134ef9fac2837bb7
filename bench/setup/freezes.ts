// What one organization may ask again and again to keep the thread that serves all others busy, in each way that once did: its types,
// what its provider answers, and its requests. As data, for the organization and for the process of its provider.
import type { JsonObject } from '../../src/lib/json.ts';
import {
  manyNames,
  nestedForms,
  plainPatterns,
  sameNames,
  wideForm,
} from '../../test/support/worst-inputs/hostile-schemas.ts';
import { members, times, tree } from '../../test/support/worst-inputs/hostile-values.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Freeze {
  /** Bodies of registrations, without the provider. */
  readonly types: readonly (JsonObject & { readonly resource: string })[];
  /** Requests before the first one that counts. */
  readonly prepare?: () => readonly Request[];
  /** Sequences of requests that are repeated beside each other. */
  readonly repeat: () => readonly (readonly Request[])[];
  /** Bodies of the provider's answers, by `<type of request> <resource type>`. */
  readonly answers?: Readonly<Record<string, () => unknown>>;
}

export const provider = 'freeze';
/** Of each provider and resource type: what the provider answers otherwise. */
export const success = { outputs: {} };

const secret = { writeOnly: true };
/** As many as are looked for. */
const secrets = times(4_000, (at) => `secret-${at}`);
const changes = times(50, (at) => `field-${at}`);
const maxAnswerBytes = 450_000;
/** A body has at most 20,000 values. */
const bodyBytes = 155_000;
const listedItems = 1_000;
const largeAdopts = 240;

export const freezes: Readonly<Record<string, Freeze>> = {
  'previews of objects in objects': {
    types: [{ resource: 'nested', schema: sameNames(), observe: true }],
    answers: {
      'OBSERVE nested': () => ({
        ...{ exists: true, outputs: {} },
        config: tree(times(36, (at) => at.toString(36))),
      }),
    },
    repeat: () => [[preview('nested')]],
  },
  'reads and applies of worst values': {
    types: [
      { resource: 'patterns', schema: plainPatterns(secret) },
      { resource: 'names', schema: manyNames(secret) },
      { resource: 'forms', schema: nestedForms(wideForm), outputs_schema: nestedForms(wideForm) },
    ],
    repeat: () => [
      ...Object.entries(worstValues).map(([resource, config]) => [
        apply({ resource, lifecycle_state: 'draft', config: config() }),
        // As a viewer reads them.
        get(`/resources/${provider}/${resource}/one?secrets=hide`),
        get('/resources/?limit=100&secrets=hide'),
      ]),
      // It is refused: none of the outputs exists.
      [apply({ resource: 'forms', lifecycle_state: 'draft', config: missingOutputs() })],
    ],
  },
  'observations of changes beside secrets': {
    types: [{ resource: 'secrets', schema: { properties: { secrets: secret } }, observe: true }],
    answers: {
      'OBSERVE secrets': () => ({
        ...{ exists: true, outputs: {} },
        config: { secrets, ...fields('secret-secret-'.repeat(73)) },
      }),
    },
    prepare: () => [
      apply({
        resource: 'secrets',
        lifecycle_state: 'pending',
        config: { secrets, ...fields('') },
      }),
    ],
    repeat: () => [
      [
        {
          ...{ method: 'POST', path: `/resources/${provider}/secrets/one/observe`, body: {} },
          headers: { prefer: 'wait=20' },
        },
      ],
    ],
  },
  'lists beside imports of large objects': {
    types: [{ resource: 'adopted', observe: true, listable: true }],
    answers: {
      'LIST adopted': () => ({ items: [0, 1].map((at) => ({ adopt: largeAdopt(at) })) }),
    },
    prepare: () =>
      times(largeAdopts, (at) =>
        apply({
          ...{ resource: 'adopted', name: `large-${at}`, lifecycle_state: 'draft', config: {} },
          adopt: largeAdopt(at),
        }),
      ),
    repeat: () => [[get(existing('adopted'))]],
  },
  'lists of many objects': {
    types: [{ resource: 'listed', schema: plainPatterns(secret), observe: true, listable: true }],
    answers: {
      'LIST listed': () => ({
        items: times(listedItems, (at) => ({
          adopt: { id: `${at}` },
          config: members(() => ({}), {
            bytes: maxAnswerBytes / listedItems - 60,
            prefix: `x0-${at.toString(36)}-`,
          }),
        })),
      }),
    },
    repeat: () => [[get(existing('listed'))]],
  },
};

/** Names of members with all plain patterns, and those of a schema with all schemas. */
const worstValues: Readonly<Record<string, () => JsonObject>> = {
  patterns: () => members(() => 1, { prefix: 'x0-', bytes: bodyBytes }),
  names: () =>
    tree(
      times(20, (at) => `0${at.toString(36)}`),
      bodyBytes,
    ),
};

function missingOutputs(): JsonObject {
  return members((name) => `\${${provider}/forms/one.outputs.${name}}`);
}

function fields(value: string): JsonObject {
  return Object.fromEntries(changes.map((name) => [name, value]));
}

function largeAdopt(at: number): JsonObject {
  return { id: `${at}`, parts: times(19_000, (part) => `${part}`) };
}

function get(path: string): Request {
  return { method: 'GET', path };
}

function apply(body: JsonObject): Request {
  return { method: 'POST', path: '/resources/apply', body: { provider, name: 'one', ...body } };
}

function preview(resource: string): Request {
  const body = { provider, resource, name: 'one', adopt: { id: 'one' } };
  return { method: 'POST', path: '/resources/preview-import', body };
}

function existing(resource: string): string {
  return `/resources/types/${provider}/${resource}/existing`;
}
