// `fairlead doctor`: checks the way from this machine to the API, the issuer and the login, one line for each check.
import { statSync } from 'node:fs';
import { credentialsPath } from '../../session/context/places.ts';
import type { Context } from '../../session/context/resolve.ts';
import type { Invocation } from '../../session/invocation.ts';
import { onlyToken } from '../../session/login/tokens.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode, worstOf } from '../../terminal/exit-codes.ts';
import { signOf } from '../../terminal/style.ts';
import { aligned } from '../../terminal/table.ts';
import { serverVersion } from '../version.ts';
import { type Absent, completionText } from './completion.ts';
import { clockText, healthText, issuerText } from './server.ts';
import { tokenText } from './token.ts';

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
