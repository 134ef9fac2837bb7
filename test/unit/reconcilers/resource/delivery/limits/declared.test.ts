import { expect, it } from 'vitest';
import { createDeclaredLimit } from '../../../../../../src/reconcilers/resource/delivery/limits/declared.ts';
import { aDelivery } from '../../../../../support/fixtures/a-delivery.ts';

/** @param types limits of types @param limit of the provider */
function turnsOf(types: Record<string, number>, limit?: number) {
  const freed: string[] = [];
  const declared = createDeclaredLimit({
    onFree: (key) => freed.push(key),
    providerLimit: () => limit,
  });
  /** Of keys named after their type: `a1` is of type `a`. */
  const enter = (key: string, isForced = false) => {
    const type = key.slice(0, 1);
    const request = { ...aDelivery('acme/box', key), type, limit: types[type], isForced };
    return declared.enter(request).enter === 'go';
  };
  const turns = {
    ...declared,
    leave: (key: string) => declared.leave(aDelivery('acme/box', key), 'nothing'),
  };
  return { turns, freed, enter, types };
}

it('gives each type as many turns as it declares', () => {
  const { turns, freed, enter } = turnsOf({ a: 2 });
  expect(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3'].map((key) => enter(key))).toEqual([
    ...[true, true, false, false],
    ...[true, true, true],
  ]);
  expect(turns.waiting('acme/box')).toBe(2);
  turns.leave('a1');
  expect(freed).toEqual(['a3']);
  expect([enter('a5'), enter('a3')], 'the turn is kept for the key').toEqual([false, true]);
});

it('gives all types together as many turns as the provider declares, in rotation', () => {
  const { turns, freed, enter } = turnsOf({}, 2);
  for (const key of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1']) enter(key);
  for (const key of ['a1', 'a2', 'a3', 'b1']) turns.leave(key);
  expect(freed).toEqual(['a3', 'b1', 'c1', 'a4']);
});

it('holds up no type by another that has reached its limit', () => {
  const { turns, freed, enter } = turnsOf({ a: 1 }, 2);
  expect(['a1', 'b1', 'a2', 'a3', 'b2'].map((key) => enter(key))).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
  turns.leave('b1');
  expect(freed).toEqual(['b2']);
});

it('gives the turn to the next when a key does not want it any more', () => {
  const { turns, freed, enter } = turnsOf({ a: 1 });
  for (const key of ['a1', 'a2', 'a3', 'a4']) enter(key);
  turns.leave('a2');
  turns.leave('a1');
  turns.leave('a3');
  expect(freed, 'a2 left the queue, a3 its turn').toEqual(['a3', 'a4']);
});

it('lets a key in that has its turn, however often it comes', () => {
  const { turns, enter } = turnsOf({ a: 1 });
  expect([enter('a1'), enter('a1')]).toEqual([true, true]);
  turns.leave('a1');
  turns.leave('a1');
  expect([enter('a2'), enter('a3')]).toEqual([true, false]);
});

it('lets a forced deletion in at once, and counts it', () => {
  const { turns, freed, enter } = turnsOf({ a: 1 });
  enter('a1');
  enter('a2');
  expect(enter('a3', true)).toBe(true);
  turns.leave('a1');
  expect(freed).toEqual([]);
  turns.leave('a3');
  expect(freed).toEqual(['a2']);
});

it('follows a limit that another version declares', () => {
  const limits: Record<string, number> = { a: 1 };
  const { turns, freed, enter } = turnsOf(limits);
  for (const key of ['a1', 'a2', 'a3', 'a4']) enter(key);
  limits['a'] = 3;
  expect(enter('a2')).toBe(true);
  turns.leave('a1');
  expect(freed).toEqual(['a3', 'a4']);
});

/** Of an observation: it takes a turn only when nobody needs it. */
function enterIfFree({ turns, types }: ReturnType<typeof turnsOf>, key: string) {
  const type = key.slice(0, 1);
  const limit = types[type];
  return turns.beside.enter({ ...aDelivery('acme/box', key), type, limit }).enter === 'go';
}

it('gives an observation a free turn, which then counts', () => {
  const made = turnsOf({ a: 2 }, 2);
  made.enter('a1');
  expect([enterIfFree(made, 'b1'), enterIfFree(made, 'b2')]).toEqual([true, false]);
  expect(made.enter('a2'), 'an event waits for it').toBe(false);
  made.turns.beside.leave(aDelivery('acme/box', 'b1'), 'nothing');
  expect(made.freed).toEqual(['a2']);
});

it('gives an observation no turn beyond the limit of its type', () => {
  const made = turnsOf({ a: 1 });
  made.enter('a1');
  expect([enterIfFree(made, 'a2'), enterIfFree(made, 'b1')]).toEqual([false, true]);
});

it('gives observations no more turns than their type declares, before any event of it', () => {
  const { turns } = turnsOf({});
  const enter = (key: string, limit: number) =>
    turns.beside.enter({ ...aDelivery('acme/box', key), type: 'a', limit }).enter === 'go';
  expect([enter('a1', 1), enter('a2', 1)]).toEqual([true, false]);
  expect(enter('a2', 2), 'another version declares more').toBe(true);
});

it('gives an observation no turn while any event of the provider waits', () => {
  const made = turnsOf({ a: 1 });
  for (const key of ['a1', 'a2']) made.enter(key);
  expect(enterIfFree(made, 'b1')).toBe(false);
  made.turns.leave('a2');
  expect(enterIfFree(made, 'b1')).toBe(true);
});

it('lets an observation without a turn wait in no queue', () => {
  const made = turnsOf({}, 1);
  made.enter('a1');
  enterIfFree(made, 'b1');
  expect(made.turns.waiting('acme/box')).toBe(0);
  made.turns.beside.leave(aDelivery('acme/box', 'b1'), 'nothing');
  made.turns.leave('a1');
  expect(made.freed).toEqual([]);
  expect(enterIfFree(made, 'b1')).toBe(true);
});
