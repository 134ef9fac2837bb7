// `npm run example:postgres -- --push`, in front of the Fairlead and the PostgreSQL of a test.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Fairlead } from '../servers/fairlead.ts';
import type { ClientShell } from './client-in-shell.ts';

const run = promisify(execFile);
const start = resolve(import.meta.dirname, '../../../examples/postgres/start.ts');

interface Example {
  readonly fairlead: Fairlead;
  /** Signed in: the provider is pushed with its login. */
  readonly shell: Pick<ClientShell, 'variables'>;
  /** URL of the administrator. */
  readonly databaseUrl: string;
}

/** @returns what the command prints, once the provider is available. @throws when it fails */
export async function pushExample({ fairlead, shell, databaseUrl }: Example): Promise<string> {
  const { FAIRLEAD_DATA = '' } = fairlead.environment;
  const env = { ...shell.variables, FAIRLEAD_DATA, DATABASE_URL: databaseUrl };
  const { stdout, stderr } = await run(process.execPath, [start, '--push'], { env });
  return `${stdout}\n${stderr}`;
}
