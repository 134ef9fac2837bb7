// How long the secrets of events are hidden in what their child prints.
import { expect, it } from 'vitest';
import { createChildSecrets } from '../../../../src/providers/runtime/supervisor/child-secrets.ts';

function watched() {
  const state = { now: 0, isHolding: false };
  const secrets = createChildSecrets(
    () => state.isHolding,
    () => state.now,
  );
  return { state, secrets };
}

it('hides those of each event, and those of the settings for ever', () => {
  const { secrets, state } = watched();
  expect(secrets.hasAny()).toBe(false);
  secrets.add(undefined, ['of-settings']);
  secrets.add(1, ['first-secret']);
  secrets.add(2, ['first-secret', 'first-other']);
  secrets.release(1);
  const text = 'of-settings first-secret first-other';
  expect(secrets.text(text)).toBe('[masked] [masked] [masked]');
  secrets.add(2, ['added']);
  expect(secrets.text('added first-other')).toBe('[masked] [masked]');
  state.now = 3_600_000;
  secrets.release(2);
  expect(secrets.text(text)).toBe('[masked] [masked] [masked]');
  state.now = 7_200_000;
  secrets.text('');
  expect(secrets.text(text)).toBe('[masked] first-secret first-other');
});

it('hides those of an event for a minute after it, and for as long as a line waits for its rest', () => {
  const { secrets, state } = watched();
  secrets.add(1, ['hunter2']);
  secrets.release(1);
  state.now = 60_000;
  secrets.text('');
  expect(secrets.text('hunter2')).toBe('[masked]');
  state.now = 60_001;
  state.isHolding = true;
  secrets.text('');
  expect(secrets.text('hunter2')).toBe('[masked]');
  state.isHolding = false;
  secrets.text('');
  expect(secrets.text('hunter2')).toBe('hunter2');
  expect(secrets.hasAny()).toBe(false);
});

it.each([
  ['events', 600, '0-secret', 100],
  ['characters', 300, `0-${'x'.repeat(2_998)}`, 126],
])('keeps those of so many %s that have ended', (_what, count, first, forgotten) => {
  const { secrets } = watched();
  const all = Array.from({ length: count }, (_each, at) => first.replace('0', `${at}`));
  for (const [id, text] of all.entries()) {
    secrets.add(id, [text]);
    secrets.release(id);
  }
  const shown = all.map((text) => secrets.text(text) === text);
  expect(shown.indexOf(false)).toBe(forgotten);
  expect(shown.lastIndexOf(true)).toBe(forgotten - 1);
});

it('hides those of many events that begin alike, and what is left of one at a cut', () => {
  const { secrets } = watched();
  const quoted = 'a "quoted" one';
  for (let id = 0; id < 5_000; id += 1) secrets.add(id, [`secret ${id}.`, 'of-all', quoted]);
  const text = `secret 1. secret of-all ${JSON.stringify(quoted)} secret 4999. secret 5000.`;
  expect(secrets.text(text)).toBe('[masked] secret [masked] "[masked]" [masked] secret 5000.');
  expect(secrets.text('cut: secret 12…')).toBe('cut: [masked]…');
});

it('hides whole texts with more beginnings of secrets than can be compared, when they are too many', () => {
  const { secrets, state } = watched();
  secrets.add(
    1,
    Array.from({ length: 4_001 }, (_each, at) => `---- secret ${at}`),
  );
  expect(secrets.text('-'.repeat(40))).toBe('-'.repeat(40));
  expect(secrets.text('-'.repeat(60))).toBe('[masked]');
  secrets.release(1);
  state.now = 60_001;
  secrets.text('');
  expect(secrets.text('-'.repeat(60))).toBe('-'.repeat(60));
});
