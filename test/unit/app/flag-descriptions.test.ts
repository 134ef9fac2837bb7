import { expect, it } from 'vitest';
import { checkFlags } from '../../../src/app/check.ts';
import { programUsage, verbDescriptions, verbParameters } from '../../../src/app/config/flags.ts';
import { serviceFlags } from '../../../src/app/config/index.ts';
import { tokenFlags } from '../../../src/app/config/token-flags.ts';
import { tokenUsage } from '../../../src/dev/token.ts';

it('lists every verb with its flags in the usage', () => {
  const lines = programUsage().split('\n');
  expect(lines[0]).toBe('Usage: fairlead-server VERB [FLAGS]');
  for (const [verb, description] of Object.entries(verbDescriptions)) {
    const at = lines.findIndex((line) => line.startsWith(`  ${verb} `));
    expect(lines[at + 1]?.trim(), verb).toBe(verbParameters(description));
  }
});

it.each([
  ['api', Object.keys(serviceFlags)],
  ['controller', ['kubeconfig', 'data', 'port']],
  ['dev', Object.keys(serviceFlags)],
  ['token', Object.keys(tokenFlags)],
  ['check', Object.keys(checkFlags)],
] as const)('lists the flags that %s uses', (verb, flags) => {
  const names = [...verbParameters(verbDescriptions[verb]).matchAll(/--([a-z-]+) /g)];
  expect(names.map(([, name]) => name)).toEqual(flags);
});

it('marks optional flags with brackets, and lists permitted values', () => {
  expect(tokenUsage).toBe(
    'Usage: npm run --silent token -- --org ORGANIZATION [--role viewer|editor|admin] [--project ID] [--expires TIME]',
  );
});
