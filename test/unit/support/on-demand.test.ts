import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { eventually } from '../../support/runner/eventually.ts';
import { borrow, lend } from '../../support/servers/lent/on-demand.ts';

it('a server starts once, stops after its last borrower, and starts again for the next one', async () => {
  const events: string[] = [];
  const lender = await lend((name) => {
    events.push(`start ${name}`);
    const stop = () => Promise.resolve(events.push(`stop ${name}`)).then(() => undefined);
    return Promise.resolve({ place: { name }, stop });
  });
  const borrower = async () => {
    const asked = get(`${lender.url}/a`, { agent: false });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { end: () => answer.destroy() };
  };
  const [first, second] = [await borrower(), await borrower()];
  first.end();
  expect(await borrow(lender.url, 'b')).toEqual({ name: 'b' });
  expect(events).toEqual(['start a', 'start b']);
  second.end();
  await eventually(() => expect(events).toEqual(['start a', 'start b', 'stop a']));
  await borrower();
  expect(events.slice(3)).toEqual(['start a']);
  await lender[Symbol.asyncDispose]();
  expect(events.slice(4).toSorted()).toEqual(['stop a', 'stop b']);
});

it('says why a server did not start', async () => {
  await using lender = await lend(() => Promise.reject(new Error('the disk is full')));
  await expect(borrow(lender.url, 'a')).rejects.toThrow('the disk is full');
});
