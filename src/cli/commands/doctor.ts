// `fairlead doctor`: checks the way from this machine to the API, the issuer and the login, one line for each check.
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clockTime } from '../../client/time.ts';
import type { Api } from '../session/api/client.ts';
import { credentialsPath } from '../session/context/places.ts';
import type { Context } from '../session/context/resolve.ts';
import type { Invocation } from '../session/invocation.ts';
import { discoverClients } from '../session/login/discovery.ts';
import { openIssuer } from '../session/login/issuer.ts';
import { StoredTokens } from '../session/login/stored-tokens.ts';
import { claimFacts } from '../session/login/token-set.ts';
import { givenToken, onlyToken } from '../session/login/tokens.ts';
import { type Environment, variableIn } from '../terminal/environment.ts';
import { ApiError } from '../terminal/errors/api-error.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode, worstOf } from '../terminal/exit-codes.ts';
import { signOf } from '../terminal/style.ts';
import { aligned } from '../terminal/table.ts';
import { type Shell, shells } from './completion/scripts.ts';
import { serverVersion } from './version.ts';

interface Finding {
  readonly check: string;
  /** Also of what is absent and not needed. */
  readonly ok: boolean;
  readonly isAbsent: boolean;
  readonly text: string;
  readonly next: string | null;
  readonly exit: ExitCode;
}

type DoctorCheck = () => Promise<string> | string | Absent;

export async function doctor(invocation: Invocation): Promise<ExitCode> {
  const findings: Finding[] = [];
  const check = async (name: string, look: DoctorCheck) => {
    const finding = await findingOf(name, look);
    findings.push(finding);
    return finding.ok;
  };
  await check('client', () => `fairlead ${invocation.version}, Node.js ${process.version}`);
  await check('logins', () => storeText(invocation));
  await check('completion', () => completionText(invocation.environment));
  let context: Context | undefined;
  const isConfigured = await check('context', async () => {
    context = await invocation.context();
    return `${context.name ?? 'by address'}: ${context.url.origin}`;
  });
  if (isConfigured && context !== undefined) await checkServer(context, invocation, check);
  showFindings(findings, invocation);
  return worstOf(findings.filter(({ ok }) => !ok).map(({ exit }) => exit));
}

async function checkServer(
  { url }: Context,
  invocation: Invocation,
  check: (name: string, look: () => Promise<string>) => Promise<boolean>,
): Promise<void> {
  const api = invocation.apiAt(url, onlyToken(''));
  if (!(await check('server', () => healthText(api)))) return;
  await check('version', async () => (await serverVersion(api)) ?? 'not published');
  await check('clock', () => clockText(api, invocation.environment));
  await check('issuer', () => issuerText(api));
  await check('token', () => tokenText(invocation));
}

async function findingOf(check: string, look: DoctorCheck): Promise<Finding> {
  try {
    const found = await look();
    const isAbsent = typeof found !== 'string';
    const { text, next } = isAbsent ? found : { text: found, next: null };
    return { check, ok: true, isAbsent, text, next, exit: ExitCode.done };
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown;
    const facts = thrown.facts.map((fact) => (typeof fact === 'string' ? fact : fact.join(' ')));
    const text = [thrown.message, ...facts].join(' · ');
    // The command is doctor already.
    const next = thrown.next === 'fairlead doctor' ? null : (thrown.next ?? null);
    return { check, ok: false, isAbsent: false, text, next, exit: thrown.exit };
  }
}

function storeText({ environment }: Invocation): string | Absent {
  const path = credentialsPath(environment);
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return { text: 'none stored', next: 'fairlead login URL' };
  if (environment.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new CliError(`Other users can read ${path}.`, {
      exit: ExitCode.notAllowed,
      next: `chmod 600 ${path}`,
    });
  }
  return `${path}, readable by you alone`;
}

function showFindings(findings: readonly Finding[], { output }: Invocation): void {
  if (!output.isForPeople) {
    output.json(findings.map(({ check, ok, text, next }) => ({ check, ok, text, next })));
    return;
  }
  const stateOf = ({ ok, isAbsent }: Finding) => (isAbsent ? 'draft' : ok ? 'ready' : 'failed');
  const rows = findings.map((finding) => {
    const { check, text, next } = finding;
    return [
      `${signOf(stateOf(finding), output.style)} ${check}`,
      next === null ? text : `${text}  ${next}`,
    ];
  });
  for (const line of aligned(rows, output.width)) output.line(line);
}

// The check of `fairlead doctor` for completion in the shell of the person.

const startFiles: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['.bashrc', '.bash_profile', '.local/share/bash-completion/completions/fairlead'],
  zsh: ['.zshrc', '.zprofile'],
  fish: ['.config/fish/config.fish', '.config/fish/completions/fairlead.fish'],
  powershell: ['.config/powershell/profile.ps1'],
};

/** A file that is not there, and need not be. */
interface Absent {
  readonly text: string;
  readonly next: string | null;
}

/** Completion is a convenience: without it, nothing has failed. */
function completionText(environment: Environment): string | Absent {
  const name = basename(variableIn(environment, 'SHELL') ?? '');
  const shell = shells.find((each) => each === name);
  const next = 'fairlead completion --help';
  if (shell === undefined) return { text: 'unknown shell', next };
  const isThere = startFiles[shell].some((file) => mentions(join(environment.home, file)));
  return isThere ? `installed for ${shell}` : { text: 'not installed', next };
}

function mentions(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('fairlead');
  } catch {
    return false;
  }
}

// Checks of `fairlead doctor` that ask the API and the issuer.

const maxSkewSeconds = 30;

/** @returns how quickly the API answers. @throws CliError */
async function healthText(api: Api): Promise<string> {
  const startedAt = performance.now();
  await api.send({ method: 'GET', path: '/health', isPublic: true });
  const ms = Math.round(performance.now() - startedAt);
  return `${api.url.origin} answers in ${ms} ms`;
}

/** Tokens are compared with clocks, so a wrong one makes good tokens invalid. @throws CliError */
async function clockText(api: Api, { now }: Environment): Promise<string> {
  const { headers } = await api.send({ method: 'GET', path: '/health', isPublic: true });
  const { date } = headers;
  if (date === undefined) return 'the server sends no time';
  const seconds = Math.round((now().getTime() - Date.parse(date)) / 1_000);
  if (Math.abs(seconds) <= maxSkewSeconds) return 'agrees with that of the server';
  const difference = `${Math.abs(seconds)}s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  throw new CliError(`The clock of this machine is ${difference} that of the server.`, {
    exit: ExitCode.failed,
    next: 'Set the clock, for example with NTP.',
  });
}

/** @returns the issuers that answer. @throws CliError for the first that does not */
async function issuerText(api: Api): Promise<string> {
  const clients = await discoverClients(api);
  for (const client of clients) await openIssuer(client);
  return clients.map(({ issuer, clientId }) => `${issuer} (client ${clientId})`).join(', ');
}

// The check of `fairlead doctor` for the token: whether the API accepts it, and what it makes of its claims.

/** @throws CliError with the claims of a token that the API refuses */
async function tokenText(invocation: Invocation): Promise<string> {
  const { environment, context } = invocation;
  const given = await givenToken(invocation);
  const login =
    given === undefined
      ? await new StoredTokens(await context(), { environment }).login()
      : undefined;
  try {
    const me = await (await invocation.api()).call('getMe', {});
    const end =
      login === undefined
        ? `token of ${given?.source}`
        : `until ${clockTime(new Date(login.expires_at * 1_000), environment.now())}`;
    return `${me.organization_id} as ${me.display ?? me.subject} (${me.role}), ${end}`;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    throw thrown.with({ facts: claimFacts(given?.token ?? login?.access_token ?? '') });
  }
}
