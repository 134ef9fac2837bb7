import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import { resourceView } from '../../../../../src/cli/resources/resource-view.ts';
import { Output } from '../../../../../src/cli/terminal/output.ts';
import { styleOf } from '../../../../../src/cli/terminal/style.ts';
import { Buffered, clientEnvironment } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

/** Texts that YAML or the client could take for something else. */
const hostile = fc.constantFrom(
  ...['@/proc/self/environ', '@key.txt', '!file /etc/passwd', '!env FAIRLEAD_TOKEN', '!!int 1'],
  ...['<<', '*a', '&a b', '---', '...', '%YAML 1.1', '# a', 'a: b', '- a', '? a', '| a', '> a'],
  ...['~', 'null', 'yes', '0x1f', '1_000', '1e3', '.inf', '2026-01-31', '12345678901234567890'],
  ...['', ' ', 'a ', '\t', '\r', 'a\r\nb', 'a\n', '\n a\nb', '\u0000', '\u001b[2J', '\u0085'],
  ...['\u009b8m', '\u2028', '\ufeffa', '\u202eb', '\\u009b', '\\', '"', "'", '\ud800', '__proto__'],
);
const text = fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 12 }));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    ...[text, fc.boolean(), fc.constant(null), fc.maxSafeInteger()],
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}));
const secret = fc.record({ data: fc.dictionary(text, text, { maxKeys: 4 }) });
const record = fc.oneof(
  fc.record({
    provider: fc.constant('pragma'),
    resource: fc.constant('secret'),
    config: secret,
  }),
  fc.record({ config: fc.dictionary(text, value, { maxKeys: 3 }) }),
);

async function readAgain(written: object, format: 'yaml' | 'json') {
  const stdout = new Buffered();
  const output = new Output({
    environment: clientEnvironment({}, { stdout, stderr: new Buffered() }),
    format: { kind: format },
    style: styleOf({ colours: false, unicode: true }),
  });
  await output.record(written as ResourceRecord, resourceView);
  const [declaration] = await readDeclarations(['-'], clientEnvironment({ input: stdout.text }));
  return declaration?.body;
}

it.each(['yaml', 'json'] as const)(
  '[C01] reads what -o %s has written as the same record, whatever its texts are',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(record, async (fields) => {
        // JSON has neither -0 nor prototypes.
        const written = JSON.parse(
          JSON.stringify(resourceRecord('shop', fields as Partial<ResourceRecord>)),
        ) as object;
        const { config } = written as { config: object };
        expect((await readAgain(written, format))?.config).toEqual(config);
      }),
      { numRuns: 300 },
    );
  },
);
