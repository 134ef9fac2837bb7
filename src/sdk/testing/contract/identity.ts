// The identity of a type tells its objects apart: it is in the outputs, no two objects have it, and `observe` and `list` agree with it.
import { type IdentityPointers, identityAt } from '../../../domain/objects/identity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asJson } from '../../as-json.ts';
import { shown } from '../findings.ts';
import { same } from '../kit/late.ts';
import { type Life, newKey } from '../life.ts';
import { listedPage, observationOf } from '../observation.ts';
import type { ContractSubject } from './subject.ts';

export async function checkIdentity(subject: ContractSubject): Promise<void> {
  const { found, resource, given, type } = subject;
  const pointers = type.identity?.pointers;
  if (pointers === undefined) return;
  const own = resource();
  const outputs = await created(own);
  if (outputs === undefined) return;
  const identity = identityAt(pointers.outputs, outputs);
  if (identity === undefined) {
    const members = Object.keys(pointers.outputs).join(', ');
    found.add(
      `identity of the outputs of create: expected ${members}, each a text, number or boolean, saw ${shown(outputs)}`,
    );
  } else {
    await expectAnother(
      resource({ config: asJson(given.other ?? given.config) }),
      subject,
      identity,
    );
    await expectObserved(own, subject, { outputs, identity });
    await expectListed(subject, identity);
  }
  await own.send({ event_type: 'DELETE', outputs });
}

async function expectAnother(
  second: Life,
  { found, type }: ContractSubject,
  identity: JsonObject,
): Promise<void> {
  const outputs = await created(second);
  if (outputs === undefined) return;
  if (same(identityAt(pointersOf(type).outputs, outputs), identity)) {
    found.add(
      `identity of a second resource: expected another one, saw that of the first, ${shown(identity)}`,
    );
  }
  await second.send({ event_type: 'DELETE', outputs });
}

async function expectObserved(
  own: Life,
  { found, type }: ContractSubject,
  { outputs, identity }: { readonly outputs: JsonObject; readonly identity: JsonObject },
): Promise<void> {
  if (type.observe === undefined) return;
  const seen = await own.send(observationOf({ config: own.config, outputs }), { once: true });
  if (seen.kind !== 'succeeded' || seen.observed?.exists !== true) return;
  const observed = identityAt(pointersOf(type).outputs, seen.observed.outputs);
  if (observed === undefined || same(observed, identity)) return;
  found.add(
    `identity of the outputs of observe: expected that of create, ${shown(identity)}, saw ${shown(observed)}`,
  );
}

const maxPages = 100;

/** As far as the pages of a service go that has many objects. */
async function expectListed(subject: ContractSubject, identity: JsonObject): Promise<void> {
  const { type, found, kit } = subject;
  if (type.list === undefined) return;
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const listed = await listedPage(kit, type, cursor);
    const isThere = listed.items.some(({ adopt }) =>
      same(identityAt(pointersOf(type).adopt, adopt), identity),
    );
    if (isThere) return;
    if (listed.cursor === undefined) {
      const what = `${type.name} in organization ${kit.organization}`;
      found.add(
        `identity in list: expected an item with that of what create made, ${shown(identity)}, saw no such ${what}`,
      );
      return;
    }
    cursor = listed.cursor;
  }
}

function pointersOf({ identity }: ContractSubject['type']): {
  readonly outputs: IdentityPointers;
  readonly adopt: IdentityPointers;
} {
  return identity?.pointers ?? { outputs: {}, adopt: {} };
}

async function created(life: Life): Promise<JsonObject | undefined> {
  const ending = await life.send({ event_id: newKey() });
  return ending.kind === 'succeeded' ? ending.outputs : undefined;
}
