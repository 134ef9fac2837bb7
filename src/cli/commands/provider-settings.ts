// `fairlead provider settings …`: what a provider needs besides configs. A sensitive value is never an argument: arguments are in
// the history of the shell and in the list of processes.
import type { ProviderSettings } from '../../api/shapes.ts';
import { counted } from '../../client/time.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { defaultProvider } from '../providers/default-provider.ts';
import { findProvider } from '../providers/rollout.ts';
import { settingView } from '../providers/settings-view.ts';
import { secretInput } from '../secret-input.ts';

type Setting = ProviderSettings['settings'][number];

export async function settingsGet(invocation: Invocation): Promise<undefined> {
  const { api, args, output, talk } = invocation;
  const provider = args[0] ?? (await defaultProvider(invocation));
  const body = await (await api()).call('getProviderSettings', { path: { provider } });
  await output.list(body.settings, settingView);
  if (!output.isForPeople) return undefined;
  if (body.secret !== null)
    talk.note(`The values are in Secret ${body.secret}, which others keep.`);
  if (body.settings.length === 0) talk.note(`${provider} declares no settings.`);
  if (body.missing.length > 0) {
    const names = [...args, ...body.missing].join(' ');
    talk.note(
      `Not set: ${body.missing.join(' ')}.  Set them: fairlead provider settings set ${names}`,
    );
  }
  return undefined;
}

export async function settingsSet(invocation: Invocation): Promise<undefined> {
  const { provider, args } = await subjectIn(invocation);
  const client = await invocation.api();
  const { settings } = await client.call('getProviderSettings', { path: { provider } });
  const wanted = args.map((arg) => requestOf(arg, { provider, settings }));
  const asked = wanted.filter(({ text }) => text === undefined);
  if (asked.length > 1 && !invocation.questions.canAsk) {
    throw usageError(
      'Standard input has one value. Set one setting at a time.',
      `fairlead provider settings set ${asked[0]?.setting.name} < FILE`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const { setting, text } of wanted) {
    values[setting.name] = valueFrom(setting, text ?? (await askedFor(invocation, setting)));
  }
  const query = invocation.flags.on('dry-run') ? { dry_run: true } : {};
  const input = { path: { provider }, query, body: { values }, isRepeatable: true };
  const body = await client.call('updateProviderSettings', input);
  await report(invocation, body, `${counted(wanted.length, 'setting')} of ${provider}`);
  return undefined;
}

export async function settingsUnset(invocation: Invocation): Promise<undefined> {
  const { flags } = invocation;
  const { provider, args } = await subjectIn(invocation);
  const client = await invocation.api();
  const query = flags.on('dry-run') ? { dry_run: true } : {};
  let body: ProviderSettings | undefined;
  for (const setting of args) {
    body = await client.call('deleteProviderSetting', { path: { provider, setting }, query });
  }
  if (body !== undefined) await report(invocation, body, args.join(', '));
  return undefined;
}

async function report(
  { flags, output, talk }: Invocation,
  body: ProviderSettings,
  what: string,
): Promise<void> {
  if (!output.isForPeople) await output.list(body.settings, settingView);
  if (flags.on('dry-run')) return talk.note(`${what} would change. Nothing was changed.`);
  talk.note(`${what} changed.  Watch: fairlead provider get ${body.provider}`);
  if (body.missing.length > 0) talk.note(`Still not set: ${body.missing.join(' ')}.`);
}

interface Subject {
  readonly provider: string;
  /** The settings. */
  readonly args: readonly string[];
}

/** Without --provider the first argument may be the provider, as it is for `get`. */
async function subjectIn(invocation: Invocation): Promise<Subject> {
  const { args, flags } = invocation;
  const given = flags.text('provider');
  if (given !== undefined) return { provider: given, args };
  const [first = '', ...rest] = args;
  const mayBeProvider = rest.length > 0 && !first.includes('=');
  if (mayBeProvider && (await isProvider(invocation, first)))
    return { provider: first, args: rest };
  return { provider: await defaultProvider(invocation), args };
}

/** The provider of fairlead.yaml may have a setting that is called as another provider is. */
async function isProvider(invocation: Invocation, name: string): Promise<boolean> {
  const api = await invocation.api();
  if ((await findProvider(api, name)) === undefined) return false;
  const { provider } = await invocation.context();
  if (provider === undefined) return true;
  const { settings } = await api.call('getProviderSettings', { path: { provider } });
  return !settings.some((each) => each.name === name);
}

interface Wanted {
  readonly setting: Setting;
  /** Undefined when it is to be asked for. */
  readonly text: string | undefined;
}

interface Known {
  readonly provider: string;
  readonly settings: readonly Setting[];
}

/** @throws CliError for an unknown setting, and for a sensitive value */
function requestOf(arg: string, { provider, settings }: Known): Wanted {
  const at = arg.indexOf('=');
  const name = at < 0 ? arg : arg.slice(0, at);
  const setting = settings.find((each) => each.name === name && each.schema !== null);
  if (setting === undefined) {
    const known = settings.map((each) => each.name).join(', ');
    throw new CliError(
      known === '' ? `${provider} declares no settings.` : `${provider} has no setting "${name}".`,
      {
        exit: ExitCode.usage,
        ...(known === '' ? {} : { facts: [`Its settings: ${known}`] }),
        next: `fairlead provider settings get ${provider}`,
      },
    );
  }
  if (at < 0) return { setting, text: undefined };
  if (!setting.sensitive) return { setting, text: arg.slice(at + 1) };
  throw usageError(
    `${name} is sensitive: as an argument its value would be in the history of the shell.`,
    `fairlead provider settings set ${name} < FILE`,
  );
}

async function askedFor(invocation: Invocation, { name, sensitive }: Setting): Promise<string> {
  const instead = `fairlead provider settings set ${name} < FILE`;
  return await secretInput(invocation, { name, instead, isPlain: !sensitive });
}

/** Text is sent as it is where the schema wants text, and as JSON otherwise. */
function valueFrom({ name, schema }: Setting, text: string): unknown {
  if (schema?.['type'] === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (schema?.['type'] === undefined) return text;
    throw usageError(`${name} must be JSON of type ${String(schema['type'])}.`);
  }
}
