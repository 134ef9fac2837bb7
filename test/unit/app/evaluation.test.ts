// How many organizations the issuers of this project may bring in: on the machine of a developer there are no strangers.
import { expect, it } from 'vitest';
import { developmentIssuerSettings, localIssuerSettings } from '../../../src/app/evaluation.ts';
import type { Organization } from '../../../src/domain/identity.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { IssuerSettings } from '../../../src/http/auth/issuer-settings.ts';
import { requireProvisioning } from '../../../src/store/organizations/provisioning.ts';

const issuer = 'http://localhost:8001';
const now = new Date('2026-01-01T12:00:00Z');

/** Asks for one more in an hour that has had some already. */
function ask(settings: IssuerSettings, had: number): () => void {
  const underWay: readonly Organization[] = Array.from({ length: had }, (_, n) =>
    organizationOf(issuer, `${n}`),
  );
  const newcomer = organizationOf(issuer, 'newcomer');
  return () => requireProvisioning(newcomer, () => settings, { stored: [], underWay, now });
}

it('limits the issuer of an evaluation as that of strangers', () => {
  expect(ask(localIssuerSettings(issuer), 199)).not.toThrow();
  expect(ask(localIssuerSettings(issuer), 200)).toThrow(/the limit is 200 an hour/);
});

it('does not limit the issuer of development', () => {
  expect(ask(developmentIssuerSettings(issuer), 20_000)).not.toThrow();
});
