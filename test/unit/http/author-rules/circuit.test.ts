// When a provider that does not answer is asked again.
import { expect, it } from 'vitest';
import { createCircuit } from '../../../../src/http/author-rules/circuit.ts';

function started() {
  let now = 0;
  const circuit = createCircuit({ monotonic: () => now });
  return {
    circuit,
    pass(ms: number) {
      now += ms;
    },
    silent(times: number) {
      for (let time = 0; time < times; time += 1) circuit.record('acme/disks', false);
    },
  };
}

it('opens for a minute after three in a row', () => {
  const { circuit, pass, silent } = started();
  silent(2);
  expect(circuit.isClosed('acme/disks')).toBe(true);
  silent(1);
  expect(circuit.isClosed('acme/disks')).toBe(false);
  expect(circuit.isClosed('acme/other'), 'each provider for itself').toBe(true);
  pass(59_999);
  expect(circuit.isClosed('acme/disks')).toBe(false);
  pass(1);
  expect(circuit.isClosed('acme/disks')).toBe(true);
});

it('opens again after one more', () => {
  const { circuit, pass, silent } = started();
  silent(3);
  pass(60_000);
  silent(1);
  expect(circuit.isClosed('acme/disks')).toBe(false);
});

it('forgets with an answer', () => {
  const { circuit, silent } = started();
  silent(2);
  circuit.record('acme/disks', true);
  silent(2);
  expect(circuit.isClosed('acme/disks')).toBe(true);
});

it('knows a bounded number of providers', () => {
  const { circuit, silent } = started();
  silent(3);
  for (let each = 0; each < 10_000; each += 1) circuit.record(`p-${each}`, false);
  expect(circuit.isClosed('acme/disks'), 'forgotten').toBe(true);
});
