// CPU time of the dispatcher per delivery, with and without TLS, over connections that stay open.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { issueCertificate, makeAuthority } from '../src/certificates/issue.ts';
import { serverNameOf } from '../src/domain/providers/serving-certificate.ts';
import { createDispatcher, type ProviderEndpoint } from '../src/events/dispatch.ts';
import type { OutgoingEvent } from '../src/events/protocol.ts';
import { createSigner, generateEventKey } from '../src/events/sign.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { inParallel } from './measure.ts';

const width = 32;

export interface Deliveries {
  /** Delivers so many events. @returns milliseconds of CPU per event, of the sender alone */
  deliver(over: 'http' | 'https', count: number): Promise<number>;
  /** One delivery over a new connection each. @returns milliseconds of CPU per event */
  deliverAnew(over: 'http' | 'https', count: number): Promise<number>;
  close(): Promise<void>;
}

export async function startDeliveries(): Promise<Deliveries> {
  const now = new Date();
  const authority = await makeAuthority(now);
  const serverName = serverNameOf('fl-acme-0123456789ab', 'noop');
  const wanted = { name: serverName, expiresAt: new Date(now.getTime() + 86_400_000) };
  const certified = await issueCertificate(authority, wanted, now);
  const file = join(import.meta.dirname, 'delivery-receiver.ts');
  const receiver = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  receiver.stdin.end(JSON.stringify(certified));
  const [line] = (await once(receiver.stdout, 'data')) as [Buffer];
  const [plain, secure] = JSON.parse(line.toString()) as [number, number];
  const endpoints: Record<'http' | 'https', ProviderEndpoint> = {
    http: { url: `http://127.0.0.1:${plain}/` },
    https: { url: `https://127.0.0.1:${secure}/`, serverName },
  };
  const signer = createSigner(await generateEventKey(), systemClock);
  const trusted = [authority.certificate];
  const newDispatcher = () =>
    createDispatcher({
      ...{ signer, clock: systemClock, log: silentLog, loopback: true },
      authorities: () => trusted,
    });
  const dispatcher = newDispatcher();

  async function measured(count: number, atATime: number, send: (index: number) => Promise<void>) {
    const before = process.cpuUsage();
    await inParallel(count, atATime, send);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / count;
  }

  return {
    deliver: (over, count) =>
      measured(count, width, (index) => delivered(dispatcher, endpoints[over], index)),
    deliverAnew: (over, count) =>
      measured(count, 1, async (index) => {
        const once = newDispatcher();
        await delivered(once, endpoints[over], index);
        await once.close();
      }),
    async close() {
      await dispatcher.close();
      receiver.kill();
    },
  };
}

async function delivered(
  { dispatch }: ReturnType<typeof createDispatcher>,
  endpoint: ProviderEndpoint,
  index: number,
): Promise<void> {
  const { kind } = await dispatch(eventOf(index), endpoint, new AbortController().signal);
  if (kind !== 'succeeded') throw new Error('a delivery failed');
}

function eventOf(index: number): OutgoingEvent {
  return {
    id: `evt-${index}`,
    type: 'CREATE',
    organizationId: 'acme',
    projectId: 'default',
    provider: 'noop',
    resource: 'thing',
    name: `thing-${index}`,
    config: { name: `thing-${index}`, note: 'x'.repeat(1_024) },
    schemaVersion: 1,
    previousConfig: null,
    previousSchemaVersion: null,
    outputs: {},
    outputsSchemaVersion: 1,
    attempt: 1,
    sequence: index,
    generation: 1,
    context: null,
  };
}
