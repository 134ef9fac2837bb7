import { beforeEach, expect, it } from 'vitest';
import type { Answer } from '../../../src/events/protocol.ts';
import {
  createReachability,
  type Reachability,
  reachInWords,
} from '../../../src/reconcilers/reachability.ts';

const key = 'fl-acme/notes';
const url = 'http://127.0.0.1:8089/hooks/t0ken';
const done: Answer = { kind: 'succeeded', outputs: {} };
const refused: Answer = { kind: 'failed', terminal: true, code: 'HTTP_422', message: 'no' };
const silence: Answer = {
  kind: 'failed',
  terminal: false,
  unanswered: true,
  code: 'UNREACHABLE',
  message: 'The connection to the provider at http://127.0.0.1:8089 failed: connection refused',
};

let now: number;
let reachability: Reachability;
let changes: number;

beforeEach(() => {
  now = Date.parse('2026-01-01T00:00:00Z');
  changes = 0;
  reachability = createReachability({ clock: { now: () => new Date(now) } });
  reachability.onChange((changed) => {
    expect(changed).toBe(key);
    changes += 1;
  });
});

function deliver(...answers: readonly Answer[]): void {
  for (const answer of answers) {
    reachability.delivered(key, url, answer);
    now += 1_000;
  }
}

function words(): string | undefined {
  const found = reachability.of(key);
  return found === undefined ? undefined : reachInWords(found);
}

it('reports nothing for an unused provider', () => {
  expect(words()).toBeUndefined();
});

it('reports that it responds, once for any number of events', () => {
  deliver(done, refused, done, done);
  expect(words()).toBe('http://127.0.0.1:8089 has been reachable since 2026-01-01T00:00:00Z');
  expect(changes).toBe(1);
});

it('reports since when there is no response, and why, after three deliveries in a row', () => {
  deliver(silence, silence);
  expect(words()).toBeUndefined();
  deliver(silence, silence, silence);
  expect(words()).toBe(
    'Unreachable since 2026-01-01T00:00:00Z: The connection to the provider at http://127.0.0.1:8089 failed: connection refused',
  );
  expect(changes).toBe(1);
});

it('ignores single failed deliveries', () => {
  deliver(done, silence, silence, done, silence, silence, done);
  expect(words()).toMatch(/ has been reachable /);
  expect(changes).toBe(1);
});

it('recovers with the next response', () => {
  deliver(silence, silence, silence, done);
  expect(words()).toBe('http://127.0.0.1:8089 has been reachable since 2026-01-01T00:00:03Z');
  expect(changes).toBe(2);
});

it('changes at most twice in ten seconds', () => {
  const often = Array.from({ length: 100 }, () => [silence, silence, silence, done]).flat();
  for (const answer of often) {
    reachability.delivered(key, url, answer);
    now += 100;
  }
  expect(changes).toBeLessThanOrEqual(2 * 4 + 1);
  now += 10_000;
  deliver(silence, silence, silence);
  expect(words()).toMatch(/^Unreachable/);
});

it('starts over with another endpoint', () => {
  deliver(silence, silence, silence);
  reachability.delivered(key, 'http://127.0.0.1:9000', silence);
  expect(words()).toBeUndefined();
});
