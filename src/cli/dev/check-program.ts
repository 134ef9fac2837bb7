// The program that imports a provider and checks its handlers, in a process of its own: the code may do anything, and a changed
// module is only read by a new process. It is text, because the bundle cannot import ES modules of others.

/** Run with `node --input-type=module --eval`. It receives one `CheckInput` by its channel, and sends one `CheckReport`. */
export const checkProgram = `
import { once } from 'node:events';
import { registerHooks } from 'node:module';
const [{ entry, sdk, cases, settings }] = await once(process, 'message');
const name = 'fairlead/provider';
registerHooks({
  resolve(specifier, context, next) {
    const isSdk = specifier === name || specifier === name + '/testing';
    return next(specifier, isSdk ? { ...context, parentURL: sdk } : context);
  },
});
function end(report) {
  process.send(report, () => process.exit(0));
}
async function check() {
  const { default: provider } = await import(entry);
  const { registrationsOf } = await import(name);
  const { checkType } = await import(name + '/testing');
  if (!(provider?.types instanceof Map)) {
    throw new TypeError('The default export must be a provider: export default provider(NAME, TYPES)');
  }
  const types = [];
  for (const { resource, schema } of registrationsOf(provider)) {
    const startedAt = performance.now();
    const given = cases[resource];
    const problems = given === undefined ? null : await checkType(provider, resource, given, { settings }).then(
      () => [],
      (thrown) => (thrown.errors ?? [thrown]).map(({ message }) => message),
    );
    types.push({ resource, schema, problems, ms: performance.now() - startedAt });
  }
  return { provider: provider.name, types, missingSettings: await missing(provider.settings) };
}
async function missing(schema) {
  // A transformation of the schema may throw.
  const parsed = await schema?.safeParseAsync(settings).catch(() => undefined);
  const names = parsed?.error?.issues.map(({ path }) => String(path[0])) ?? [];
  return [...new Set(names)].filter((name) => !Object.hasOwn(settings, name));
}
check().then(end, (thrown) => end({ failure: thrown?.stack ?? String(thrown) }));
`;

export interface CheckInput {
  /** URL of the module of the provider. */
  readonly entry: string;
  /** URL from which the package fairlead is found. */
  readonly sdk: string;
  readonly cases: Readonly<Record<string, TypeCase>>;
  /** The settings that the provider declares. */
  readonly settings: object;
}

export interface TypeCase {
  readonly config: object;
  readonly changed?: object;
}

export interface CheckedType {
  readonly resource: string;
  readonly schema: unknown;
  /** Null without an example. */
  readonly problems: readonly string[] | null;
  readonly ms: number;
}

export type CheckReport =
  | {
      readonly provider: string;
      readonly types: readonly CheckedType[];
      /** Names of settings without a default and a value. */
      readonly missingSettings: readonly string[];
    }
  | { readonly failure: string };
