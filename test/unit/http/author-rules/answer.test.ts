// The reading of answers to a PLAN, in which a provider may write anything.
import { expect, it } from 'vitest';
import { answersIn, stepsTo } from '../../../../src/http/author-rules/answer.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';

const rules = (more: object = {}) => ({
  ...{ kind: 'rules', refusals: [], replaces: [], outputs: undefined },
  ...more,
});
const refusal = (path: string, message: string) => rules({ refusals: [{ path, message }] });
const failed = (message: unknown) => ({ kind: 'failed', message });
const unusable = (message: unknown) => ({ kind: 'failed', message, isOwn: true });
const noReason = 'The provider gives no reason';

const members: Record<string, readonly [JsonValue, unknown]> = {
  'an empty object accepts': [{}, rules()],
  'members that nobody knows are ignored': [{ color: 'red' }, rules()],
  'a refusal': [{ refuse: [{ path: '/a/0', message: 'No' }] }, refusal('/a/0', 'No')],
  'a refusal without a place is about the whole': [
    { refuse: [{ message: 'No' }] },
    refusal('', 'No'),
  ],
  'a refusal with what is no place': [
    { refuse: [{ path: 'a', message: 'No' }] },
    refusal('', 'No'),
  ],
  'a place that is too deep': [
    { refuse: [{ path: '/a'.repeat(65), message: 'No' }] },
    refusal('', 'No'),
  ],
  'a refusal that is no object is one all the same': [{ refuse: [7] }, refusal('', noReason)],
  'a refusal without words': [{ refuse: [{ path: '/a' }] }, refusal('/a', noReason)],
  'control characters and line ends': [
    { refuse: [{ path: '', message: 'a\u001b[31mb\nc' }] },
    refusal('', 'ab c'),
  ],
  'a long sentence': [
    { refuse: [{ path: '', message: 'x'.repeat(9_000) }] },
    refusal('', `${'x'.repeat(497)}…`),
  ],
  'replacements, each once': [{ replace: ['/a', '/a', '/b'] }, rules({ replaces: ['/a', '/b'] })],
  'too many replacements': [
    { replace: Array(21).fill('/a') },
    unusable(expect.stringContaining('20')),
  ],
  'refuse that is no list': [{ refuse: 'no' }, unusable(expect.stringContaining('must be lists'))],
  outputs: [{ outputs: { a: 1 } }, rules({ outputs: { a: 1 } })],
  'outputs that are no object are not shown': [{ outputs: [1] }, rules()],
  'large outputs are not shown': [{ outputs: { a: 'x'.repeat(16_384) } }, rules()],
  'an error': [{ error: 'Boom', refuse: [{ message: 'No' }] }, failed('Boom')],
  'an error that is no text': [{ error: { a: 1 } }, failed(noReason)],
  'what is no object': [null, unusable('its answer is no object')],
};

it.each(Object.entries(members))('%s', (_name, [member, want]) => {
  expect(answersIn({ members: [member] }, 1)).toEqual([want]);
});

const bodies: Record<string, JsonObject> = {
  'no members': {},
  'members that are no list': { members: {} },
  'too few': { members: [{}] },
  'too many': { members: [{}, {}, {}] },
};

it.each(Object.entries(bodies))('is no answer about two: %s', (_name, body) => {
  expect(answersIn(body, 2)).toBeUndefined();
});

it('shows a hundred refusals', () => {
  const refuse = Array(60).fill({ path: '/a', message: 'No' });
  const answers = answersIn({ members: [{ refuse }, { refuse }] }, 2) ?? [];
  const counts = answers.map((each) => each.kind === 'rules' && each.refusals.length);
  expect(counts).toEqual([60, 40]);
});

it('shows twenty errors', () => {
  const answers = answersIn({ members: Array(22).fill({ error: 'Boom' }) }, 22) ?? [];
  expect(answers.slice(19)).toEqual([
    failed('Boom'),
    unusable('its rules failed'),
    unusable('its rules failed'),
  ]);
});

it('counts items of lists, and nothing else', () => {
  const config = { rules: [{ port: 1 }], '0': { a: 1 } };
  expect(stepsTo('/rules/0/port', config)).toEqual(['rules', 0, 'port']);
  expect(stepsTo('/rules/x', config)).toEqual(['rules', 'x']);
  expect(stepsTo('/0/a', config)).toEqual(['0', 'a']);
  expect(stepsTo('/absent/1', config)).toEqual(['absent', '1']);
  expect(stepsTo('', config)).toEqual([]);
});
