// `fairlead provider settings …`: what a provider needs besides configs. A sensitive value is never an argument: arguments are in
// the history of the shell and in the list of processes.
import type { Deployment, ProviderSettings } from '../../../api/shapes.ts';
import { plainText } from '../../../client/plain-text.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { withSteps } from '../../providers/following.ts';
import { defaultProvider, findProvider } from '../../providers/provider.ts';
import { untilServing } from '../../providers/rollout.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';

/** The provider may take half a minute to check the values. */
const checkedMs = 60_000;

type ListedSetting = ProviderSettings['settings'][number];

export async function settingsGet(invocation: Invocation): Promise<void> {
  const { api, args, output, talk } = invocation;
  const provider = args[0] ?? (await defaultProvider(invocation));
  const body = await (await api()).call('getProviderSettings', { path: { provider } });
  await output.list(body.settings, settingView);
  if (!output.isForPeople) return;
  if (body.secret !== null)
    talk.note(`The values are in Secret ${body.secret}, which others keep.`);
  if (body.settings.length === 0) talk.note(`${provider} declares no settings.`);
  if (body.missing.length > 0) {
    const names = [...args, ...body.missing];
    talk.note(shell`Not set: ${body.missing}.  Set them: fairlead provider settings set ${names}`);
  }
}

export async function settingsSet(invocation: Invocation): Promise<void> {
  const { provider, args } = await settingsSubject(invocation);
  const client = await invocation.api();
  const { settings } = await client.call('getProviderSettings', { path: { provider } });
  const wanted = args.map((arg) => settingValueOf(arg, { provider, settings }));
  const asked = wanted.filter(({ text }) => text === undefined);
  if (asked.length > 1 && !invocation.questions.canAsk) {
    throw usageError(
      'Standard input has one value. Set one setting at a time.',
      shell`fairlead provider settings set ${asked[0]?.setting.name} < FILE`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const { setting, text } of wanted) {
    values[setting.name] = valueFrom(setting, text ?? (await askedFor(invocation, setting)));
  }
  const query = invocation.flags.on('dry-run') ? { dry_run: true } : {};
  const request = { path: { provider }, query, body: { values }, isRepeatable: true };
  const input = { ...request, answerTimeoutMs: checkedMs };
  const body = await client.call('updateProviderSettings', input);
  const version = await awaitedVersion(invocation, body);
  const what = `${counted(wanted.length, 'setting')} of ${provider}`;
  await reportSettings(invocation, body, { what, isAwaited: version !== undefined });
  const names = wanted.map(({ setting }) => setting.name);
  if (version !== undefined) await untilUsed(invocation, { provider, version, names });
}

/** @returns undefined when there is nothing to wait for: the first deploy, or the one after the last value, gets the values */
async function awaitedVersion(
  { flags, api }: Invocation,
  { provider, missing }: ProviderSettings,
): Promise<string | undefined> {
  if (flags.on('dry-run') || flags.choice('wait') === false || missing.length > 0) return undefined;
  return (await findProvider(await api(), provider))?.version ?? undefined;
}

/** Waits until pods with the new values serve. @throws CliError with the words of the deployment when they do not run */
async function untilUsed(
  invocation: Invocation,
  { provider, version, names }: { provider: string; version: string; names: readonly string[] },
): Promise<void> {
  const failure = ({ message }: Deployment) =>
    new CliError(`${provider} does not run with the new values.`, {
      facts: [message],
      next: shell`Logs: fairlead logs ${provider}.  Correct them: fairlead provider settings set --provider ${provider} ${names}`,
    });
  const awaited = { provider, version, label: 'Settings', failure };
  await withSteps(invocation, (following) => untilServing(following, awaited));
  invocation.talk.note(`${provider} ${version} serves with the new values.`);
}

export async function settingsUnset(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const { provider, args } = await settingsSubject(invocation);
  const client = await invocation.api();
  const query = flags.on('dry-run') ? { dry_run: true } : {};
  let body: ProviderSettings | undefined;
  for (const setting of args) {
    body = await client.call('deleteProviderSetting', { path: { provider, setting }, query });
  }
  if (body !== undefined) {
    await reportSettings(invocation, body, { what: args.join(', '), isAwaited: false });
  }
}

async function reportSettings(
  { flags, output, talk }: Invocation,
  body: ProviderSettings,
  { what, isAwaited }: { what: string; isAwaited: boolean },
): Promise<void> {
  if (!output.isForPeople) await output.list(body.settings, settingView);
  if (flags.on('dry-run')) return talk.note(`${what} would change. Nothing was changed.`);
  const watch = isAwaited ? '' : shell`  Watch: fairlead provider get ${body.provider}`;
  talk.note(`${what} changed.${watch}`);
  if (body.missing.length > 0) talk.note(`Still not set: ${body.missing.join(' ')}.`);
}

interface SettingsSubject {
  readonly provider: string;
  /** The settings. */
  readonly args: readonly string[];
}

/** Without --provider the first argument may be the provider, as it is for `get`. */
async function settingsSubject(invocation: Invocation): Promise<SettingsSubject> {
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

interface SettingValue {
  readonly setting: ListedSetting;
  /** Undefined when a question follows. */
  readonly text: string | undefined;
}

/** @throws CliError for an unknown setting, and for a sensitive value */
function settingValueOf(
  arg: string,
  { provider, settings }: { provider: string; settings: readonly ListedSetting[] },
): SettingValue {
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
        next: shell`fairlead provider settings get ${provider}`,
      },
    );
  }
  if (at < 0) return { setting, text: undefined };
  if (!setting.sensitive) return { setting, text: arg.slice(at + 1) };
  throw usageError(
    `${name} is sensitive: as an argument its value would be in the history of the shell.`,
    shell`fairlead provider settings set ${name} < FILE`,
  );
}

async function askedFor(
  { questions }: Invocation,
  { name, sensitive }: ListedSetting,
): Promise<string> {
  const instead = shell`fairlead provider settings set ${name} < FILE`;
  return await questions.value(name, instead, !sensitive);
}

/** Text is sent as it is where the schema wants text, and as JSON otherwise. */
function valueFrom({ name, schema }: ListedSetting, text: string): unknown {
  if (schema?.['type'] === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (schema?.['type'] === undefined) return text;
    throw usageError(`${name} must be JSON of type ${String(schema['type'])}.`);
  }
}

const settingView: View<ListedSetting> = {
  columns: [
    { title: 'SETTING', cell: ({ name }) => name },
    { title: 'VALUE', cell: shownSetting },
    { title: 'REQUIRED', cell: ({ required }) => (required ? 'yes' : '') },
    timeColumn('SET', ({ set_at }) => set_at),
    { title: 'BY', cell: ({ set_by, set_by_name }) => set_by_name ?? set_by ?? '' },
    { title: 'ABOUT', cell: ({ description }) => description },
  ],
  nameOf: ({ name }) => name,
};

function shownSetting({ is_set, sensitive, schema, value }: ListedSetting): string {
  if (is_set === null) return '?';
  if (!is_set) {
    const standard = schema?.['default'];
    return standard === undefined ? 'not set' : `${plainText(standard)} (default)`;
  }
  return sensitive ? '(sensitive)' : plainText(value);
}
