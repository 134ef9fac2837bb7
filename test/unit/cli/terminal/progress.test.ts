import { afterEach, expect, it, vi } from 'vitest';
import { Progress } from '../../../../src/cli/terminal/progress.ts';
import { styleOf } from '../../../../src/cli/terminal/style.ts';
import { Talk } from '../../../../src/cli/terminal/talk.ts';
import { Buffered, clientEnvironment } from '../../../support/clients/client.ts';

afterEach(() => vi.useRealTimers());

function fixture(columns?: number, variables: Record<string, string> = {}) {
  const stderr = new Buffered(columns);
  let time = Date.parse('2026-01-31T12:00:00Z');
  const now = () => new Date(time);
  const environment = clientEnvironment({ variables, now }, { stdout: new Buffered(), stderr });
  const style = styleOf({ colours: false, unicode: true });
  const talk = new Talk({ environment, style, quiet: false, verbose: false });
  const progress = new Progress(environment, talk).start();
  return { stderr, talk, progress, later: (ms: number) => (time += ms) };
}

it('prints a line for each change of state where nothing is redrawn', () => {
  const { stderr, progress, later } = fixture();
  progress.set('a', { state: 'pending', label: 'p/t/a', isDone: false });
  progress.set('a', { state: 'pending', label: 'p/t/a', detail: 'x', isDone: false });
  later(1_200);
  progress.set('a', { state: 'ready', label: 'p/t/a', isDone: true });
  progress.stop();
  expect(stderr.text).toBe('12:00:00 ○ p/t/a  pending  0.0s\n12:00:01 ✓ p/t/a  ready  1.2s\n');
});

it.each([{ CI: 'true' }, { TERM: 'dumb' }])('redraws nothing with %j', (variables) => {
  const { stderr, progress } = fixture(80, variables);
  progress.set('a', { state: 'ready', label: 'a', isDone: true });
  progress.stop();
  expect(stderr.text).not.toContain('\u001b[');
});

it('shows failures first, then what is under way, then what is done', () => {
  const { progress } = fixture(80);
  progress.set('a', { state: 'ready', label: 'a', isDone: true });
  progress.set('b', { state: 'processing', label: 'b', detail: 'attempt 2', isDone: false });
  progress.set('c', { state: 'failed', label: 'c', isDone: true });
  expect(progress.lines()).toEqual([
    '  ✗ c  failed      0.0s',
    '  ● b  processing  0.0s  attempt 2',
    '  ✓ a  ready       0.0s',
  ]);
  expect(progress.lines(2)).toEqual(['  ✗ c  failed  0.0s', '  and 2 more']);
  progress.stop();
});

it('prints above the lines that it redraws', () => {
  const { stderr, talk, progress } = fixture(80);
  progress.set('a', { state: 'ready', label: 'a', isDone: true });
  talk.note('first');
  talk.note('second');
  progress.stop();
  expect(stderr.text).toBe(
    'first\n  ✓ a  ready  0.0s\n\u001b[1A\u001b[0Jsecond\n  ✓ a  ready  0.0s\n\u001b[1A\u001b[0J  ✓ a  ready  0.0s\n',
  );
});

it('shows how much is done as a bar that is redrawn', () => {
  const { progress } = fixture(80);
  const detail = '2 of 8 (25 %): Copying';
  progress.set('a', { state: 'processing', label: 'a', percent: 25, detail, isDone: false });
  progress.set('b', { state: 'ready', label: 'b', percent: 25, isDone: true });
  expect(progress.lines()).toEqual([
    '  ● a  processing  0.0s  ██░░░░░░░░ 2 of 8 (25 %): Copying',
    '  ✓ b  ready       0.0s',
  ]);
  progress.stop();
});

it('says how far each thing is while it takes long, where nothing is redrawn', () => {
  vi.useFakeTimers();
  const { stderr, progress, later } = fixture();
  progress.set('a', { state: 'processing', label: 'a', isDone: false });
  const detail = '2 of 8 (25 %): Copying';
  progress.set('a', { state: 'processing', label: 'a', percent: 25, detail, isDone: false });
  later(30_000);
  vi.advanceTimersByTime(30_000);
  progress.stop();
  expect(stderr.text.split('\n')[1]).toBe(
    '12:00:30   a  still processing (30s): 2 of 8 (25 %): Copying',
  );
});
