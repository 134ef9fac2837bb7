// The program that imports a provider and checks its handlers, in a process of its own: the code may do anything, and a changed
// module is only read by a new process. It is text, because the bundle cannot import ES modules of others.

/** Run with `node --input-type=module --eval`. It receives one `CheckInput` by its channel, and sends one `CheckReport`. */
export const checkProgram = `
import { once } from 'node:events';
import { registerHooks } from 'node:module';
const [{ entry, sdk, cases, skipped, settings }] = await once(process, 'message');
const name = 'fairlead/provider';
// Which files of the provider import which others.
const imports = new Map();
const isOwn = (url) => url?.startsWith('file:') && !url.includes('/node_modules/');
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === name || specifier.startsWith(name + '/')) return next(specifier, { ...context, parentURL: sdk });
    const found = next(specifier, context);
    if (isOwn(context.parentURL) && isOwn(found.url)) {
      imports.set(context.parentURL, (imports.get(context.parentURL) ?? new Set()).add(found.url));
    }
    return found;
  },
});
function filesFrom(url, found = new Set()) {
  if (found.has(url)) return found;
  found.add(url);
  for (const each of imports.get(url) ?? []) filesFrom(each, found);
  return found;
}
/** Files of the module that exports the type, and of its imports; of several, the fewest. */
async function filesOf(type) {
  let files = filesFrom(entry);
  for (const url of filesFrom(entry)) {
    const fewer = filesFrom(url);
    if (fewer.size >= files.size) continue;
    const members = await import(url).catch(() => ({}));
    if (Object.values(members).includes(type)) files = fewer;
  }
  return [...files];
}
function end(report) {
  process.send(report, () => process.exit(0));
}
const messages = (thrown) => (thrown.errors ?? [thrown]).map(({ message }) => message);
/** @returns how a type is checked, and how the provider is stopped; an older package has no kit */
async function checker(provider) {
  const close = () => undefined;
  const { testKit, checkType } = await import(name + '/testing');
  if (testKit === undefined) {
    return { check: (type, given) => checkType(provider, type, given, { settings }), close };
  }
  try {
    const kit = await testKit(provider, { settings });
    return {
      check: (type, given) => kit.contract(type, { ...given, fenced: false }),
      close: () => kit.close(),
    };
  } catch (thrown) {
    const what = thrown?.name === 'InvalidSettings'
      ? 'settings: expected values that fit the schema, saw that '
      : 'start: expected success, saw ';
    return { check: () => Promise.reject(new Error(what + (thrown?.message ?? thrown))), close };
  }
}
async function problemsOf(provider, type, check) {
  const { schemaProblems = () => [] } = await import(name + '/testing');
  const given = cases[type];
  if (given !== undefined) return check(type, given).then(() => [], messages);
  const problems = schemaProblems(provider, type);
  return problems.length === 0 ? null : problems;
}
async function check() {
  const { default: provider } = await import(entry);
  const { registrationsOf } = await import(name);
  const registrationOf = (type) => {
    try {
      return registrationsOf({ ...provider, types: new Map([[type.name, type]]) })[0];
    } catch (thrown) {
      // The message of a build. The stack would show nothing of the author.
      throw 'Type ' + type.name + ': ' + (thrown?.message ?? thrown);
    }
  };
  if (!(provider?.types instanceof Map)) {
    throw new TypeError('The default export must be a provider: export default provider(NAME, TYPES)');
  }
  const registrations = [...provider.types.values()].map(registrationOf);
  const isIdle = registrations.every(({ resource }) => skipped.includes(resource));
  const { check, close } = isIdle ? {} : await checker(provider);
  const types = [];
  for (const { resource, schema } of registrations) {
    const startedAt = performance.now();
    const isSkipped = skipped.includes(resource);
    const problems = isSkipped ? null : await problemsOf(provider, resource, check);
    const files = await filesOf(provider.types.get(resource));
    types.push({ resource, schema, problems, isSkipped, files, ms: performance.now() - startedAt });
  }
  try {
    await close?.();
  } catch (thrown) {
    const problem = 'stop: expected success, saw ' + (thrown?.message ?? thrown);
    for (const { isSkipped, problems } of types) if (!isSkipped) problems?.push(problem);
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
  readonly cases: Readonly<Record<string, CheckedTypeCase>>;
  /** Types that are not checked, because nothing of theirs changed since they were. */
  readonly skipped: readonly string[];
  /** The settings that the provider declares. */
  readonly settings: object;
}

export interface CheckedTypeCase {
  readonly config: object;
  readonly changed?: object;
  /** Configs of earlier versions of the type, by the number of the version. */
  readonly earlier?: Readonly<Record<number, readonly object[]>>;
}

export interface CheckedType {
  readonly resource: string;
  readonly schema: unknown;
  /** Null without an example. */
  readonly problems: readonly string[] | null;
  /** True: these are the problems of an earlier check, because nothing of the type changed since. */
  readonly isSkipped: boolean;
  /** URLs of the files that define the type. */
  readonly files: readonly string[];
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
