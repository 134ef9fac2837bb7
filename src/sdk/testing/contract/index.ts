// Checks what Fairlead expects of a type: today's promises about one resource, and those that involve a second resource, a second
// process, a second organization and project, late deliveries, secrets and an unreachable service.
import { isUsable, unknownType } from '../case.ts';
import { type Findings, findings } from '../findings.ts';
import { checkLife } from '../life-promises.ts';
import { adviceFor } from './advice.ts';
import { checkEarlierVersions } from './earlier-versions.ts';
import { checkLateDeliveries } from './late-deliveries.ts';
import { checkObservation } from './observation.ts';
import { checkOrganizations, checkProjects } from './owners.ts';
import { checkRepetition } from './repetition.ts';
import { checkReplacement } from './replacement.ts';
import { schemaProblems } from './schemas.ts';
import { checkSecrets } from './secrets.ts';
import {
  type ContractCase,
  type ContractKit,
  type ContractSubject,
  createSubject,
} from './subject.ts';
import { checkTogether } from './together.ts';
import { checkUnreachable } from './unreachable.ts';

export type { ContractCase, ContractKit, ObservedResource } from './subject.ts';

/** The promises of resources that can be created. */
const promises: readonly ((subject: ContractSubject) => Promise<void>)[] = [
  checkRepetition,
  checkReplacement,
  checkLateDeliveries,
  checkTogether,
  checkOrganizations,
  checkProjects,
  checkObservation,
];

/** @throws AggregateError with one Error for each broken promise */
export async function contract(
  kit: ContractKit,
  typeName: string,
  given: ContractCase,
): Promise<void> {
  const { provider } = kit;
  const found = findings(`Type ${typeName} of provider ${provider.name}`, adviceFor);
  await check(kit, typeName, { given, found });
  found.throwIfAny();
}

async function check(
  kit: ContractKit,
  typeName: string,
  { given, found }: { readonly given: ContractCase; readonly found: Findings },
): Promise<void> {
  const type = kit.provider.types.get(typeName);
  if (type === undefined) return found.add(unknownType(kit.provider, typeName));
  if (!isUsable(kit.provider, type, { given, found })) return;
  const subject = createSubject(kit, type, { given, found });
  for (const problem of schemaProblems(kit.provider, typeName)) found.add(problem);
  const created = await checkLife(subject.watchedResource());
  if (created !== undefined) {
    checkSecrets(subject, created);
    for (const promise of promises) await promise(subject);
  }
  await checkEarlierVersions(subject);
  await checkUnreachable(subject);
}
