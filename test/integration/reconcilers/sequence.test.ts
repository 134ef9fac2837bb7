// No two deliveries of a resource have one number: processes that lead one after the other, or believe that they do, over crashes, answers
// of the API server that are lost, and caches that are behind. On a real API server.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../src/crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../src/crds/resource.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { systemClock as clock } from '../../../src/lib/clock.ts';
import { sequenceAfter } from '../../../src/reconcilers/resource/claimed-event.ts';
import { ownNumber } from '../../../src/reconcilers/resource/delivery/own-number.ts';
import * as status from '../../../src/reconcilers/resource/status/status.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { createClaimStore } from '../../../src/store/resources/claims.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { aClaim, aResource } from '../../support/fixtures/builders.ts';

const direct = clientWithCrds();

const steps = ['look', 'claim', 'send', 'fail', 'succeed', 'crash', 'lose an answer'] as const;
type Step = (typeof steps)[number];

/** One that reconciles a resource as its reconciler does: it decides on its cache, and has at most one delivery. */
class Controller {
  readonly #sent: number[];
  #seen: Resource;
  #claims;
  #isDelivering = false;
  #losesAnswer = false;

  /** @param sent receives the numbers of the deliveries */
  constructor(seen: Resource, sent: number[]) {
    this.#seen = seen;
    this.#sent = sent;
    this.#claims = this.#start();
  }

  #start() {
    const client: KubeClient = {
      ...direct,
      replaceStatus: async (...request) => {
        const written = await direct.replaceStatus(...request);
        if (!this.#losesAnswer) return written as never;
        this.#losesAnswer = false;
        throw new Error('The answer is lost');
      },
    };
    const remember = (resource: Resource) => {
      this.#seen = resource;
    };
    return createClaimStore({
      client,
      identities: { of: () => undefined },
      claimants: { note: () => undefined },
      cache: { remember },
    });
  }

  async run(step: Step): Promise<void> {
    // A write that lost to another one, or whose answer was lost, is decided again in a later step.
    await this.#do(step).catch(() => undefined);
  }

  async #do(step: Step): Promise<void> {
    switch (step) {
      case 'look':
        this.#seen = await direct.get<Resource>(kinds.resource, this.#seen.metadata);
        return;
      case 'crash':
        this.#isDelivering = false;
        this.#losesAnswer = false;
        this.#claims = this.#start();
        return;
      case 'lose an answer':
        this.#losesAnswer = true;
        return;
      case 'claim':
        if (this.#event === undefined) await this.#write(this.#claimed());
        return;
      case 'send':
        await this.#send();
        return;
      case 'fail':
      case 'succeed':
        await this.#record(step);
    }
  }

  get #event(): ClaimedEvent | undefined {
    const { state, event } = this.#seen.status ?? {};
    return state === 'processing' ? event : undefined;
  }

  #claimed(): ResourceStatus {
    const event = aClaim({ id: randomUUID(), sequence: sequenceAfter(this.#seen) });
    return status.claimed(this.#seen, event, clock.now());
  }

  async #send(): Promise<void> {
    const event = this.#event;
    if (event === undefined || this.#isDelivering) return;
    if ((await ownNumber(this.#seen, event, { claims: this.#claims, clock })) !== 'own') return;
    this.#claims.sent(this.#seen);
    this.#sent.push(event.sequence);
    this.#isDelivering = true;
  }

  async #record(step: 'fail' | 'succeed'): Promise<void> {
    const event = this.#event;
    if (event === undefined || !this.#isDelivering) return;
    this.#isDelivering = false;
    const now = clock.now();
    const ended = { ...status.claimed(this.#seen, event, now), state: 'ready' } as const;
    await this.#write(
      step === 'succeed'
        ? ended
        : status.retrying(this.#seen, { event, error: 'no', due: now }, now),
    );
  }

  async #write(next: ResourceStatus): Promise<void> {
    await this.#claims.writeStatus(this.#seen, next);
  }
}

it('no number is sent twice, over crashes and changes of the leader', async () => {
  const schedule = fc.array(
    fc.record({ by: fc.nat({ max: 2 }), step: fc.constantFrom(...steps, 'send', 'look') }),
    { minLength: 10, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(schedule, async (moves) => {
      const { spec } = aResource({ spec: { name: randomUUID() } });
      const { name } = aResource({ spec }).metadata;
      const made = await direct.create<Resource>(kinds.resource, {
        ...{ apiVersion, kind: 'Resource', spec },
        metadata: { name, namespace: 'default' },
      });
      const sent: number[] = [];
      const controllers = [0, 1, 2].map(() => new Controller(made, sent));
      for (const { by, step } of moves) await controllers[by]?.run(step);
      expect(new Set(sent).size, sent.join(' ')).toBe(sent.length);
    }),
    { numRuns: 60 },
  );
}, 60_000);
