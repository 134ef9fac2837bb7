// Defines the architecture rules of src/README.md, as data and one pure function: allowed imports between folders, the
// importers of each library, and file names, sizes and exports. Messages name the right place.
import { timeProblems } from './time-comparisons.ts';

/**
 * The parts of src that a folder (or file) may import, besides `lib`: folders or files without `.ts`. The longest matching key
 * counts.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  main: ['*'],
  app: ['*'],
  'app/config': ['domain', 'app/logger', 'http/auth/issuer-settings'],
  'app/config/flags': ['app/check', 'app/config'],
  'app/logger': [],
  'app/stop-signal': [],
  'app/check': [],
  permissions: ['*'],
  metrics: ['*'],
  lib: [],
  'tenant-schema': [],
  domain: ['api/errors', 'tenant-schema'],
  api: ['domain'],
  'api/errors': [],
  client: ['api', 'domain', 'tenant-schema'],
  certificates: [],
  credentials: ['domain'],
  crds: ['domain'],
  'http-client': [],
  kube: ['http-client', 'domain/errors'],
  store: ['kube', 'crds', 'api/errors', 'api/operations', 'api/roles', 'domain'],
  explanation: ['store', 'kube', 'crds', 'api/operations', 'api/roles', 'domain'],
  http: ['store', 'explanation', 'api', 'domain', 'tenant-schema'],
  reconcilers: ['store', 'events', 'providers/workloads', 'kube', 'crds', 'credentials', 'domain'],
  events: ['http-client', 'domain'],
  providers: ['crds', 'domain', 'sdk', 'tenant-schema'],
  sdk: [
    'domain/event',
    'domain/schemas/immutable',
    'domain/schemas/declared',
    'domain/schemas/immutable-fields',
    'domain/schemas/sample-config',
    'domain/schemas/deprecated-outputs',
    'domain/observation/interval',
    'domain/objects/identity',
    'domain/process-end/quarantine',
    'domain/progress',
    'domain/schemas/setting-schema',
    'domain/secrets/mask-text',
    'domain/secrets/resource-secrets',
    'domain/secrets/type-schemas',
    'domain/type-options',
    'domain/type-version',
  ],
  'sdk/testing': [
    'sdk',
    'domain/event',
    'domain/schemas/declared',
    'domain/schemas/immutable',
    'domain/schemas/immutable-changes',
    'domain/observation/compare',
    'domain/objects/identity',
    'domain/progress',
    'domain/retry',
    'domain/secrets/marks',
    'domain/secrets/mask-text',
    'domain/type-version',
    'providers/schema-sandbox/rules',
  ],
  tracing: [],
  issuer: ['domain'],
  'cli/commands': [
    'cli/resources',
    'cli/providers',
    'cli/session',
    'cli/terminal',
    'client',
    'api',
    'domain',
  ],
  'cli/resources': ['cli/session', 'cli/terminal', 'client', 'api', 'domain'],
  'cli/providers': ['cli/session', 'cli/terminal', 'client', 'api', 'credentials', 'domain'],
  'cli/session': ['cli/terminal', 'client', 'api', 'domain'],
  'cli/terminal': ['client', 'api', 'domain'],
  console: ['client', 'api', 'domain', 'tenant-schema'],
  dev: [
    'kube',
    'certificates',
    'app/config',
    'app/config/flags',
    'issuer',
    'domain/cross-origin',
    'domain/errors',
  ],
};

/** The modules of Node that these folders may import; others may import any. */
const nodeModules: Readonly<Record<string, readonly string[]>> = {
  domain: ['node:crypto'],
  lib: ['node:async_hooks', 'node:crypto'],
};

/** The reason of a folder's restriction, for the message. */
const directions: Readonly<Record<string, string>> = {
  lib: 'lib/ is what any program could use, without any library or I/O; what knows Fairlead belongs to domain/',
  domain: 'domain/ is what is true without any library or I/O; move the caller up instead',
  credentials: 'credentials/ recognises credentials in texts; what follows is decided elsewhere',
  certificates: 'certificates/ makes keys and certificates; who gets them is decided elsewhere',
  crds: 'crds/ only declares what is stored; behaviour belongs to store/ or reconcilers/',
  'http-client': 'http-client/ is one HTTP exchange; it knows nothing of who calls whom',
  kube: 'kube/ knows nothing of the product; let the caller pass in what it needs',
  store:
    'store/ turns records into custom resources and back; HTTP and lifecycle decisions live above it',
  explanation: 'explanation/ reads what the stores keep and writes nothing; http/ answers with it',
  http: 'http/ and reconcilers/ meet only in the custom resource; go through a store',
  reconcilers: 'http/ and reconcilers/ meet only in the custom resource; go through a store',
  events: 'events/ speaks to providers with what it is given; reconcilers/ does the looking up',
  providers: 'providers/ prepares provider code; stores and clients are passed in by main',
  metrics: 'metrics/ reads what the others keep; app/ hands observers to them',
  sdk: 'sdk/ is published to provider authors and carries nothing of ours but the event protocol',
  'sdk/testing':
    'sdk/testing/ is published as well; of ours it carries rules without any library, such as those of schemas',
  tracing: 'tracing/ turns spans into those of a library; others use the interface in domain/',
  'app/check': 'check.ts is a client like any other: it uses the HTTP API',
  issuer:
    'issuer/ is a provider of identities for development and evaluation; it knows nothing of the product',
  api: 'api/ is the contract of server and clients; it implements nothing',
  client:
    'client/ runs in terminals and browsers: it reads and writes values of api/, and uses nothing of either',
  'cli/commands': 'cli/ and console/ stand side by side on client/; what both need belongs there',
  'cli/resources':
    'cli/resources/ and cli/providers/ know nothing of each other; a command of cli/commands/ uses both',
  'cli/providers':
    'cli/resources/ and cli/providers/ know nothing of each other; a command of cli/commands/ uses both',
  'cli/session':
    'cli/session/ is how any command reaches the API; what is done there belongs above it',
  'cli/terminal':
    'cli/terminal/ shows and asks; it knows neither the API of a run nor what commands do',
  console: 'cli/ and console/ stand side by side on client/; what both need belongs there',
  dev: 'dev/ starts processes around the product; app/ puts them together',
  'app/config': 'app/config/ parses the environment; it calls nobody',
};

/** The only importers of a library: folders or files without `.ts`. A file also stands for its siblings `file-*`. */
const doors: Readonly<Record<string, readonly string[]>> = {
  '@preact/signals': ['console'],
  '@opentelemetry/api': ['tracing'],
  '@opentelemetry/exporter-trace-otlp-http': ['tracing'],
  '@opentelemetry/resources': ['tracing'],
  '@opentelemetry/sdk-trace': ['tracing'],
  '@peculiar/x509': ['certificates/issue'],
  '@aws-sdk/client-s3': ['providers/artifacts/s3'],
  '@fastify/busboy': ['http/request/upload'],
  '@kubernetes/client-node': ['kube'],
  '@secretlint/secretlint-rule-preset-recommend': ['credentials/tokens'],
  ajv: ['providers/schema-sandbox'],
  express: ['http'],
  ignore: ['cli/providers/pack'],
  jose: ['http', 'events', 'sdk', 'issuer', 'dev'],
  'lru-cache': ['http', 'store', 'reconcilers', 'providers', 'issuer'],
  'oidc-provider': ['issuer'],
  'openid-client': ['cli/session/login'],
  oauth4webapi: ['console/session'],
  'p-limit': ['store'],
  pino: ['app/logger'],
  preact: ['console'],
  'prom-client': ['metrics/registry'],
  'reflect-metadata': ['certificates/issue'],
  re2js: ['providers/schema-sandbox'],
  'swagger-ui-dist': ['http'],
  tar: ['providers', 'dev', 'cli/providers/pack'],
  undici: ['http-client', 'kube', 'events', 'http'],
  yauzl: ['providers/archive'],
  yaml: [
    'crds/generate',
    'permissions/generate',
    'kube',
    'dev',
    'cli',
    'console/pages/resource/edit/yaml-text',
  ],
  zod: ['crds', 'http', 'api', 'sdk', 'app/config', 'providers', 'dev', 'reconcilers/build/result'],
};

/** The only importers of a module of ours that answers a question together with others of its folder. */
const asked: Readonly<Record<string, readonly string[]>> = {
  // The secrets of a stored resource come from domain/secrets/resource-secrets.
  'domain/secrets/marks': [
    'domain/secrets',
    'store/resources/history/keeper',
    'reconcilers/resource/failures/failure-record',
    'client/differences',
    'console/pages/resource-types',
    'sdk/testing/compared',
    'sdk/testing/contract',
  ],
};

interface Exclusive {
  readonly pattern: RegExp;
  /** The files that it is about. */
  readonly folder: string;
  /** The only ones of them that may do it. */
  readonly files: readonly string[];
  readonly says: string;
}

/** What only some files may do, recognised by its text. */
const exclusives: readonly Exclusive[] = [
  {
    pattern: /\bprocess\.env\b/,
    folder: 'src/',
    // Config, a standalone program that runs in tenant pods, and the client.
    files: [
      'src/app/config/index.ts',
      'src/providers/build-step/main.ts',
      'src/cli/terminal/environment.ts',
    ],
    says: 'reads process.env. Only src/app/config/index.ts does; take the value from Config, which main passes on',
  },
  {
    pattern: /\b(?:spawn|exec)\w*\(\s*['"`]git\b/,
    folder: 'src/cli/',
    files: ['src/cli/providers/pack/git.ts'],
    says: 'runs git, which runs commands that a repository names. Only src/cli/providers/pack/git.ts does',
  },
  {
    pattern:
      /\b(?:process|environment)\.(?:stdout|stderr)\b|\bstd(?:out|err)\.write\(|\bconsole\.(?:log|error|warn)\(/,
    folder: 'src/cli/',
    files: [
      'src/cli/terminal/environment.ts',
      'src/cli/terminal/printer.ts',
      // Before anything is read of others: the version, and a pipe that is closed.
      'src/cli/commands/main.ts',
      // readline shows what is typed.
      'src/cli/terminal/questions.ts',
    ],
    says: 'uses a stream of the process. Only src/cli/terminal/printer.ts prints, which cleans texts of others; take output or talk',
  },
];

const lineLimit = 500;
const drawers = /(?:^|\/)(?:utils?|helpers?|common|types|misc|shared)(?:\.tsx?$|\/)/;

/**
 * @param path of a TypeScript file, relative to the project, with `/`
 * @returns what is wrong with the file, one sentence each
 */
export function architectureProblems(path: string, text: string): string[] {
  const problems = [...shapeProblems(path, text)];
  if (path.startsWith('src/')) {
    problems.push(...exclusiveProblems(path, text), ...timeProblems(path, text));
    for (const specifier of importsOf(text)) problems.push(...importProblems(path, specifier));
  } else if (path.startsWith('examples/')) {
    problems.push(...exampleProblems(path, text));
  }
  return problems;
}

function* shapeProblems(path: string, text: string): Iterable<string> {
  const lines = text.split('\n').length - 1;
  if (lines > lineLimit) {
    yield `${path} has ${lines} lines; ${lineLimit} is the limit. Which two purposes does it serve? Split it there.`;
  }
  if (drawers.test(path)) {
    yield `${path}: a drawer, not a purpose. Name the file after what it does, or put the code where it is used.`;
  }
  if (path.startsWith('src/') && /^export default\b/m.test(withoutTemplates(text))) {
    yield `${path} has a default export. Export by name: one thing has one name everywhere.`;
  }
}

function* exclusiveProblems(path: string, text: string): Iterable<string> {
  for (const { pattern, folder, files, says } of exclusives) {
    if (!path.startsWith(folder) || files.includes(path) || !pattern.test(text)) continue;
    yield `${path} ${says}.`;
  }
}

function* exampleProblems(path: string, text: string): Iterable<string> {
  for (const specifier of importsOf(text)) {
    if (!/^\.\.?\/(?:\.\.\/)*src\//.test(specifier)) continue;
    yield `${path} imports ${specifier}. Examples are outsiders: they import fairlead/provider and the HTTP API.`;
  }
}

function* importProblems(path: string, specifier: string): Iterable<string> {
  const from = path.slice('src/'.length).replace(/\.tsx?$/, '');
  if (specifier.startsWith('.')) {
    yield* neighbourProblems(path, from, specifier);
  } else if (specifier.startsWith('node:')) {
    const folder = folderOf(from);
    if (nodeModules[folder]?.includes(specifier) === false) {
      yield `${path} imports ${specifier}. ${directions[folder]}.`;
    }
  } else {
    yield* libraryProblems(path, from, specifier);
  }
}

function* neighbourProblems(path: string, from: string, specifier: string): Iterable<string> {
  const target = resolve(from, specifier);
  const own = ruleOf(from);
  const askers = asked[target];
  if (askers !== undefined && !askers.some((place) => within(from, place))) {
    yield `${path} imports ${target}. Only ${askers.join(', ')} do; ask another module of its folder.`;
  }
  if (ruleOf(target) === own) return;
  const allowed = mayImport[own];
  if (allowed === undefined) {
    yield `${path}: src/${own} is not on the map. Add it to src/README.md and test/support/runner/architecture.ts, or move the file.`;
    return;
  }
  if (within(target, 'lib')) return;
  if (allowed.some((place) => place === '*' || within(target, place))) return;
  const list = allowed.length === 0 ? 'nothing of ours' : `only ${allowed.join(', ')}`;
  yield `${path} imports ${target}. ${own} may import ${list}: ${directions[own] ?? ''}.`;
}

function* libraryProblems(path: string, from: string, specifier: string): Iterable<string> {
  const library = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const places = doors[library];
  if (places === undefined) {
    yield `${path} imports ${library}, which has no door. Choose the one place that may use it, in test/support/runner/architecture.ts.`;
  } else if (from !== 'main' && !places.some((place) => within(from, place))) {
    yield `${path} imports ${library}. Its door is ${places.map((place) => `src/${place}`).join(', ')}: go through that.`;
  }
}

/** @returns every module specifier of a file, of type imports and dynamic imports too */
export function importsOf(text: string): string[] {
  const pattern =
    /^\s*(?:import|export)\s(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map(([, fixed, dynamic]) => fixed ?? dynamic ?? '');
}

/** Templates may contain code of others, such as a provider's. */
export function withoutTemplates(text: string): string {
  return text.replace(/`(?:\\.|[^`\\])*`/g, '``');
}

function folderOf(place: string): string {
  return place.split('/', 1)[0] ?? place;
}

/** @returns the longest part of a path that has a rule of its own, or else its top folder */
function ruleOf(place: string): string {
  const parts = place.split('/');
  const paths = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
  return paths.find((path) => path in mayImport) ?? folderOf(place);
}

function within(place: string, allowed: string): boolean {
  return place === allowed || place.startsWith(`${allowed}/`) || place.startsWith(`${allowed}-`);
}

function resolve(from: string, specifier: string): string {
  const { pathname } = new URL(specifier, `file:///src/${from}.ts`);
  return pathname.replace(/^\/(?:src\/)?/, '').replace(/\.tsx?$/, '');
}
