// How much of one thread the schemas of a page may take before other requests have their turn.
import { expect, it } from 'vitest';
import type { TypeSchemas } from '../../../../src/domain/secrets/type-schemas.ts';
import { callerView, viewOfPiece } from '../../../../src/http/response/caller-view.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { ResourceRecord } from '../../../../src/store/records.ts';

/** Each of the records has names that match other patterns, so that none is known of the one before. */
function hostileRecords(count: number): readonly ResourceRecord[] {
  return Array.from({ length: count }, (_, record) => {
    const names = Array.from({ length: 290 }, (_each, name) => `${name}-${(name + record) % 290}-`);
    const config: JsonObject = Object.fromEntries(names.map((name) => [name, 1]));
    return { config, outputs: {}, adopt: undefined, secrets: { declared: [], applied: [] } };
  }) as unknown as readonly ResourceRecord[];
}

it('[I7] of a piece shares one budget, and hides the rest', () => {
  const patterns = Array.from({ length: 290 }, (_, index) => [`${index}-`, { writeOnly: false }]);
  const patternProperties = { ...Object.fromEntries(patterns), '^x$': { writeOnly: true } };
  const schemas: TypeSchemas = { config: [{ patternProperties }], outputs: [], adopt: [] };
  const view = callerView(
    {
      caller: { role: 'viewer', organization: { issuer: 'i', id: 'acme', namespace: 'org-acme' } },
      onSecrets: () => undefined,
    },
    { definitions: { schemasOf: () => schemas }, projectNames: { nameOf: (_, id) => id } },
  );
  const piece = viewOfPiece(view);
  const shown = hostileRecords(8).map((record) => piece.masking?.mask(record).masked.length);
  expect(shown.slice(0, 3)).toEqual([0, 0, 0]);
  expect(shown.at(-1)).toBeGreaterThan(0);
  const [next] = hostileRecords(9).slice(-1);
  expect(next && viewOfPiece(view).masking?.mask(next).masked).toEqual([]);
});
