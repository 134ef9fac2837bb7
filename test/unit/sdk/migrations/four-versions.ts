// A type with four versions, whose handlers record what they receive.
import type { EventBody } from '../../../../src/domain/event.ts';
import { eventBody, type OutgoingEvent } from '../../../../src/events/protocol.ts';
import { from, type Provider, provider, z } from '../../../../src/sdk/index.ts';
import { runEvent } from '../../../../src/sdk/serve/run.ts';
import { anEvent } from '../../../support/servers/signing-fairlead.ts';

const Config1 = z.strictObject({ size: z.int().min(1).default(1) });
const Outputs1 = z.strictObject({ url: z.string() });
const Config2 = z.strictObject({ sizeGb: z.int().min(1), label: z.string().default('none') });
const Outputs2 = z.strictObject({ url: z.string(), region: z.enum(['eu', 'us']) });
const Config3 = z.strictObject({ disk: z.strictObject({ gb: z.int() }), label: z.string().min(1) });
const Config4 = z.strictObject({
  disk: z.strictObject({ gb: z.int().max(500), kind: z.enum(['ssd', 'hdd']).default('ssd') }),
  labels: z.array(z.string()).min(1),
});
const Outputs4 = z.strictObject({ address: z.string().min(3), region: z.enum(['eu', 'us']) });

export const configs = [Config1, Config2, Config3, Config4] as const;
export const outputs = [Outputs1, Outputs2, Outputs2, Outputs4] as const;

const migrations = [
  from(1, { config: Config1, outputs: Outputs1 }).to(
    ({ size = 1 }) => ({ sizeGb: size }),
    (given) => ({ ...given, region: 'eu' }),
  ),
  from(2, { config: Config2, outputs: Outputs2 }).to(
    ({ sizeGb, label = 'none' }) => {
      if (label === 'unmovable') throw new Error('An unmovable disk stays');
      return { disk: { gb: sizeGb }, label };
    },
    (given) => given,
  ),
  from(3, { config: Config3, outputs: Outputs2 }).to(
    ({ disk, label }) => ({ disk, labels: [label] }),
    ({ url, region }) => ({ address: url, region }),
  ),
] as const;

export interface Received {
  readonly config: unknown;
  readonly previousConfig?: unknown;
  readonly outputs?: unknown;
}

interface Recording {
  readonly provider: Provider;
  readonly calls: Received[];
}

/** A provider with the versions of the type from `oldest` to the fourth. */
export function fourVersions(oldest = 1): Recording {
  const calls: Received[] = [];
  const shop = provider('shop');
  const made = { address: 'disk://1', region: 'us' } as const;
  const record = (call: Received) => {
    calls.push(call);
    return made;
  };
  const shared = { description: 'A disk', create: record, update: record };
  const cart = shop.resource('cart', {
    ...shared,
    version: 4,
    config: Config4,
    outputs: Outputs4,
    // One step less than the type wants of the compiler, when `oldest` is later.
    migrations: migrations.slice(oldest - 1) as unknown as typeof migrations,
    delete: (call) => void record(call),
    cancel: (call) => void record(call),
  });
  return { provider: shop.types(cart), calls };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export async function deliver({ provider: to, calls }: Recording, event: Partial<OutgoingEvent>) {
  const body: EventBody = eventBody(anEvent({ resource: 'cart', ...event }));
  const { signal } = new AbortController();
  const { status, body: answer } = await runEvent(to, body, { signal, log: quiet });
  return { status, body: answer, call: calls[0] };
}
