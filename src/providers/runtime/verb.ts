// Implements provider-runtime: runs a provider from flags. An error that its author can fix is one line on standard error.
import { parseArgs } from 'node:util';
import { StartFailure } from '../../sdk/serve/lifetime.ts';
import { LoadFailure } from './load-failure.ts';
import { runProvider } from './run.ts';

export const runtimeUsage =
  'provider-runtime --code DIR --provider NAME --organization ORGANIZATION --fairlead URL [--host ADDRESS] [--port N] [--secure-port N --certificate FILE --key FILE] [--settings DIR] [--watch-settings] [--notice-ms N] [--grace-ms N]';

/** Exits with 0 after SIGTERM, 1 if the provider cannot run, 2 for invalid flags. */
export async function runtimeVerb(argv: readonly string[]): Promise<never> {
  const flags = flagsFrom(argv);
  if (flags === undefined) {
    process.stderr.write(`Usage: ${runtimeUsage}\n`);
    process.exit(2);
  }
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());
  try {
    await runProvider({ ...flags, stop: stopping.signal });
  } catch (thrown) {
    process.stderr.write(`Provider ${flags.provider} cannot run: ${startSentence(thrown)}\n`);
    process.exit(1);
  }
  // The author's code may keep connections and timers open.
  process.exit(0);
}

function flagsFrom(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        code: text,
        provider: text,
        organization: text,
        fairlead: text,
        host: text,
        port: text,
        settings: text,
        'watch-settings': { type: 'boolean', default: false },
        'secure-port': text,
        certificate: text,
        key: text,
        'notice-ms': text,
        'grace-ms': text,
      },
    });
    const { code: codeFolder, provider, organization, fairlead, host, certificate, key } = values;
    if (codeFolder === undefined || provider === undefined) return undefined;
    if (organization === undefined || fairlead === undefined) return undefined;
    return {
      codeFolder,
      provider,
      organization,
      fairlead,
      ...(host === undefined ? {} : { host }),
      ...(values.settings === undefined
        ? {}
        : { settings: { folder: values.settings, isWatched: values['watch-settings'] } }),
      ...numericFlag('port', values.port),
      ...secureIn(values['secure-port'], certificate, key),
      ...numericFlag('noticeMs', values['notice-ms']),
      ...numericFlag('graceMs', values['grace-ms']),
    };
  } catch {
    return undefined;
  }
}

/** @throws TypeError unless all or none are given: a provider must not serve unencrypted by mistake */
function secureIn(
  portText: string | undefined,
  certificate: string | undefined,
  key: string | undefined,
) {
  if ([portText, certificate, key].every((each) => each === undefined)) return {};
  const { port } = numericFlag('port', portText);
  if (port === undefined || certificate === undefined || key === undefined) {
    throw new TypeError('secure-port, certificate and key belong together');
  }
  return { secure: { port, certificate, key } };
}

function numericFlag<Name extends string>(
  name: Name,
  text: string | undefined,
): { [K in Name]?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,7}$/.test(text)) throw new TypeError(`${name} is not a number`);
  return { [name]: Number(text) } as { [K in Name]?: number };
}

function startSentence(thrown: unknown): string {
  const { message, cause } =
    thrown instanceof Error ? thrown : { message: String(thrown), cause: null };
  // Its author needs the stack only if the code itself failed.
  if (thrown instanceof LoadFailure && thrown.code === 'import_failed' && cause instanceof Error) {
    process.stderr.write(`${cause.stack ?? cause.message}\n`);
  }
  if (thrown instanceof StartFailure && thrown.trace !== '') {
    process.stderr.write(`${thrown.trace}\n`);
  }
  return message.split('\n', 1)[0] ?? '';
}
