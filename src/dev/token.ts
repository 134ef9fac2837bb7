// Implements `fairlead-server token`: signs a token of the development issuer with the key in the data folder, without a server.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { importJWK, SignJWT } from 'jose';
import { verbDescriptions, verbParameters } from '../app/config/flags.ts';
import type { Config } from '../app/config/index.ts';
import { tokenFlags } from '../app/config/token-flags.ts';
import { StartError } from '../domain/errors.ts';
import {
  audience,
  clientId,
  type DevIdentity,
  identityClaims,
  identityFrom,
  issuerUrl,
  subjectClaim,
} from '../issuer/identity.ts';
import { algorithm, readSigningKey } from '../issuer/keys.ts';
import { runningIssuerPort } from './data-folder.ts';

const description = verbDescriptions.token;
export const tokenUsage = `Usage: ${description.script} ${verbParameters(description)}`;

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const maxSeconds = 86_400;

/** @returns a token. @throws StartError with a readable message */
export async function printableToken(
  argv: readonly string[],
  { dataFolder, issuerPort, givenPorts }: Pick<Config, 'dataFolder' | 'issuerPort' | 'givenPorts'>,
): Promise<string> {
  const { identity, seconds } = wantedToken(argv);
  const key = readSigningKey(dataFolder);
  if (key === undefined) {
    throw new StartError(`There is no issuer in ${dataFolder} yet. Start Fairlead once: npm start`);
  }
  const running = givenPorts.includes('issuerPort') ? undefined : runningIssuerPort(dataFolder);
  return new SignJWT({ ...identityClaims(identity), client_id: clientId, jti: randomUUID() })
    .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(issuerUrl(running ?? issuerPort))
    .setAudience(audience)
    .setSubject(subjectClaim(identity))
    .setIssuedAt()
    .setExpirationTime(`${seconds} s`)
    .sign(await importJWK(key, algorithm));
}

function wantedToken(argv: readonly string[]): { identity: DevIdentity; seconds: number } {
  const { org, role, project, expires } = flagsIn(argv);
  if (org === undefined) throw new StartError(`--org is missing. ${tokenUsage}`);
  const identity = identityFrom({ organization: org, role, project });
  if ('field' in identity) throw new StartError(`${identity.message} ${tokenUsage}`);
  return { identity, seconds: secondsIn(expires) };
}

function flagsIn(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: tokenFlags,
    }).values;
  } catch (thrown) {
    throw new StartError(`${thrown instanceof Error ? thrown.message : ''} ${tokenUsage}`);
  }
}

function secondsIn(text: string): number {
  const [, figure = '', unit = ''] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const seconds = Number(figure) * (units[unit] ?? 0);
  if (seconds > 0 && seconds <= maxSeconds) return seconds;
  throw new StartError(`--expires must be a time such as 30m or 8h, 24h at most. ${tokenUsage}`);
}
