// Whether the pages show the present: the state of the connection to the API.
import { computed, signal } from '@preact/signals';

/** Connections that are lost now, by the name of what is read. */
const lost = signal<ReadonlySet<string>>(new Set());

export const isConnected = computed(() => lost.value.size === 0);

export function connectionLost(name: string): void {
  if (lost.value.has(name)) return;
  lost.value = new Set([...lost.value, name]);
}

export function connectionWorks(name: string): void {
  if (!lost.value.has(name)) return;
  lost.value = new Set([...lost.value].filter((each) => each !== name));
}
