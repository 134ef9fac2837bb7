// Commands that are copied from a narrow terminal, and run by a shell.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandLines } from '../../../../src/cli/terminal/prose.ts';
import { widthOf } from '../../../../src/client/width.ts';

const commands = [
  'fairlead wait postgres/database/shop',
  'fairlead dead-letters retry --cause 0123456789abcdef',
  `fairlead dead-letters get ${'e'.repeat(50)}`,
  `fairlead logs postgres/database/${'n'.repeat(20)} --since 2026-01-01T00:00:00.000Z --previous`,
];

it.each(commands)('fits the terminal, and a shell reads it as one: %s', (command) => {
  for (const width of [60, 80, 100, undefined]) {
    const lines = commandLines(command, 9, width);
    if (width !== undefined) {
      expect(Math.max(...lines.map(widthOf)), lines.join('\n')).toBeLessThanOrEqual(width);
    }
    const script = lines.join('\n').replace(/^\s*fairlead/, 'echo fairlead');
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${command}\n`);
  }
});

it('has the indent where it fits', () => {
  expect(commandLines('fairlead wait a/b/c', 9, 60)).toEqual(['         fairlead wait a/b/c']);
});
