// Addresses of the cluster, to which only pods of tenants are sent events.
import { afterAll, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/events/dispatch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { anEvent, newSigner } from '../../support/servers/signing-fairlead.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

it('[Q16] is sent to an address of the cluster only if a tenant pod has it', async () => {
  const signer = await newSigner();
  const common = { signer, clock: systemClock, log: silentLog, timeoutMs: 300 };
  const made = createDispatcher({ ...common, clusterCidrs: ['203.0.113.0/24', '127.0.0.0/8'] });
  stack.defer(() => made.close());
  const to = (url: string, isPod?: boolean) =>
    made.dispatch(anEvent(), { url, isPod: () => isPod === true }, AbortSignal.timeout(10_000));
  const forbidden = expect.objectContaining({ code: 'FORBIDDEN_ADDRESS' });
  expect(await to('http://203.0.113.7:8080/')).toEqual(forbidden);
  expect(await to('http://[::ffff:203.0.113.7]:8080/')).toEqual(forbidden);
  expect(await to('http://203.0.113.7:8080/', true)).not.toEqual(forbidden);
  expect(await to('http://127.0.0.1:8080/', true), 'not in development').toEqual(forbidden);
  expect(await to('http://169.254.169.254/', true), 'whoever has it').toEqual(forbidden);
});
