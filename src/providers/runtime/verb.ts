// Implements provider-runtime: supervises a provider from flags. An error that its author can fix is one line on standard error.
import { parseArgs } from 'node:util';
import { supervise } from './supervise.ts';

export const runtimeUsage =
  'provider-runtime --code DIR --provider NAME --organization ORGANIZATION --fairlead URL [--host ADDRESS] [--port N] [--secure-port N --certificate FILE --key FILE] [--settings DIR] [--watch-settings] [--memory-mi N] [--early-ms N] [--notice-ms N] [--grace-ms N]';

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
    process.exit(await supervise({ ...flags, stop: stopping.signal }));
  } catch (thrown) {
    const { message } = thrown instanceof Error ? thrown : { message: String(thrown) };
    process.stderr.write(`Provider ${flags.provider} cannot run: ${message}\n`);
    process.exit(1);
  }
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
        'memory-mi': text,
        'early-ms': text,
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
      ...numericFlag('memoryMi', values['memory-mi']),
      ...numericFlag('earlyMs', values['early-ms']),
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
