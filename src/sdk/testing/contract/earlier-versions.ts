// The migrations of a type accept configs of its earlier versions.
import { asJson } from '../../as-json.ts';
import type { ContractSubject } from './subject.ts';

export async function checkEarlierVersions(subject: ContractSubject): Promise<void> {
  const { earlier = {} } = subject.given;
  for (const [version, configs] of Object.entries(earlier)) {
    for (const config of [configs].flat()) await checkVersion(subject, Number(version), config);
  }
}

async function checkVersion({ found, resource }: ContractSubject, version: number, config: object) {
  const given = { config: asJson(config), schema_version: version };
  const life = resource();
  const ending = await life.send(given);
  const outputs = found.outputs(`create with a config of version ${version}`, ending);
  if (outputs !== undefined) await life.send({ ...given, event_type: 'DELETE', outputs });
}
