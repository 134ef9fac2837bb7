// What one child prints: lines without the secrets of its settings and events, whatever pieces they come in.
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createChildSecrets } from '../../../../src/providers/runtime/supervisor/child-secrets.ts';
import { maskedLines } from '../../../../src/providers/runtime/supervisor/masked-lines.ts';

/** @returns what leaves the pod of each chunk */
async function passed(chunks: readonly (string | Buffer)[], texts: readonly string[]) {
  const secrets = createChildSecrets(() => false);
  if (texts.length > 0) secrets.add(1, texts);
  const { stream } = maskedLines(secrets);
  const got: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => got.push(chunk));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await once(stream, 'end');
  return Buffer.concat(got).toString('latin1');
}

const long = 'x'.repeat(262_140);
const cases: Record<string, [(string | Buffer)[], readonly string[], string]> = {
  'bytes, where nothing is secret': [[Buffer.from([0xff, 0x0a, 0xc3])], [], '\xff\n\xc3'],
  'bytes that are no text, beside a secret': [
    [Buffer.from([0xff, 0x0a]), 'a hunter2\n'],
    ['hunter2'],
    '\xff\na [masked]\n',
  ],
  'a secret in two chunks': [['a hun', 'ter2 b\nc'], ['hunter2'], 'a [masked] b\nc'],
  'a secret in its escaped form': [['{"p":"a\\"bcd"}\n'], ['a"bcd'], '{"p":"[masked]"}\n'],
  'a secret of several lines': [['one two\nthree\n'], ['one two\nthree'], '[masked]\n'],
  'the end without a line break': [['of hunter2'], ['hunter2'], 'of [masked]'],
  'a short one, which is part of many words': [['abcabc\n'], ['abc'], 'abcabc\n'],
  'what would be a secret, were it longer': [['hunter\n'], ['hunter2'], 'hunter\n'],
  'a line that is too long, to where it is cut': [
    [long, ' hunter2 rest of hunter2', '\nnext\n'],
    ['hunter2'],
    `${long} [masked] rest of [masked]…\nnext\n`.replace('…', '\xe2\x80\xa6'),
  ],
  'a secret that begins before the cut': [
    [`${long} hunt`, 'er2\n'],
    ['hunter2'],
    `${long} [masked]\xe2\x80\xa6\n`,
  ],
  'nothing but a break, where there is too much to compare': [
    [`${'-'.repeat(60)}\n`],
    Array.from({ length: 4_001 }, (_each, at) => `---- secret ${at}`),
    '[masked]\n',
  ],
};

it.each(Object.entries(cases))('passes on %s', async (_name, [chunks, texts, want]) => {
  expect(await passed(chunks, texts)).toBe(want);
});

it('hides what was told after a chunk had arrived, as long as it was before the next input', async () => {
  const secrets = createChildSecrets(() => false);
  const { stream } = maskedLines(secrets);
  const data = once(stream, 'data');
  stream.write('hunter2\n');
  setImmediate(() => secrets.add(1, ['hunter2']));
  expect(String(await data)).toBe('[masked]\n');
});

it('shows the beginning of a line that is held back without its secrets', async () => {
  const secrets = createChildSecrets(() => false);
  secrets.add(undefined, ['hunter2']);
  const lines = maskedLines(secrets);
  const data = once(lines.stream, 'data');
  lines.stream.write('first\nlast words: hunter2');
  expect(String(await data)).toBe('first\n');
  expect(lines.held()).toBe('last words: [masked]');
});
