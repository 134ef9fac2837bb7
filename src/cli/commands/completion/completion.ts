// `fairlead completion SHELL` prints the script of a shell, and `fairlead __complete`, which the script calls, the candidates.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeLine } from '../../../client/width.ts';
import { shellWord } from '../../../client/words/shell-word.ts';
import { isTuple, providerPattern, sha256Hex, typePattern } from '../../../domain/identity.ts';
import type { Api } from '../../session/api/client.ts';
import { readConfig } from '../../session/context/config-file.ts';
import { cacheFolder } from '../../session/context/places.ts';
import type { Invocation } from '../../session/invocation.ts';
import { apiKey, findLogin, readLogins } from '../../session/login/credentials.ts';
import { secondsLeft } from '../../session/login/token-set.ts';
import { givenTokenFor, onlyToken } from '../../session/login/tokens.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { commands } from '../table/index.ts';
import { type Candidates, candidatesFor } from './candidates.ts';
import { completionScripts, type Shell, shells } from './scripts.ts';

export function completion({ args, output }: Invocation): Promise<void> {
  const shell = shells.find((each) => each === args[0]);
  if (shell === undefined) throw usageError(`The shell must be one of ${shells.join(', ')}.`);
  output.text(completionScripts[shell satisfies Shell]);
  return Promise.resolve();
}

export async function complete(invocation: Invocation): Promise<void> {
  const { args, output } = invocation;
  const { candidates, kind, typed } = candidatesFor(args, commands);
  for (const { value, about } of candidates)
    output.text(`${safeLine(value)}\t${safeLine(about)}\n`);
  if (kind === 'file') output.line(':files');
  else if (kind !== undefined) {
    for (const name of await completionNames(kind, invocation)) {
      if (name.startsWith(typed)) output.text(`${safeLine(name)}\t\n`);
    }
  }
}

// Looks up names for completion: from a cache of ten seconds, or from the API within 300 ms. It never refreshes a token, never
// asks, and finds nothing when anything fails.

type CandidateKind = Exclude<Candidates['kind'], 'file' | undefined>;

const limitMs = 300;
const cacheMs = 10_000;
const maxOffered = 200;

/** @returns names, empty when there are none or they cannot be found quickly */
async function completionNames(
  kind: CandidateKind,
  invocation: Invocation,
): Promise<readonly string[]> {
  try {
    if (kind === 'context') {
      return [...(await readConfig(invocation.environment)).contexts.keys()];
    }
    return await cached(kind, invocation);
  } catch {
    return [];
  }
}

async function cached(
  kind: Exclude<CandidateKind, 'context'>,
  invocation: Invocation,
): Promise<readonly string[]> {
  const { environment } = invocation;
  const context = await invocation.context();
  const { url, name, project } = context;
  const given = await givenTokenFor(context, invocation);
  const login = findLogin(readLogins(environment), { url, name });
  const isValid = login !== undefined && secondsLeft(login, environment.now()) > 0;
  const token = given?.token ?? (isValid ? login.access_token : undefined);
  if (token === undefined) return [];
  // The subject is part of the key: names of one organization are not shown to another.
  const who = given?.token ?? login?.subject;
  const key = sha256Hex(JSON.stringify([kind, apiKey(url), project, who, login?.organization]));
  const file = join(cacheFolder(environment), `names-${key.slice(0, 24)}.json`);
  const fresh = readFresh(file, environment.now());
  if (fresh !== undefined) return fresh;
  const found = await lookUp(kind, invocation.apiAt(url, onlyToken(token)), project);
  const names = found.filter(isOffered);
  mkdirSync(cacheFolder(environment), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(names), { mode: 0o600 });
  return names;
}

/** Shells insert a candidate as it is: one that is no plain word would be run, or read as an option. */
function isOffered(name: string): boolean {
  return shellWord(name) === name && !name.startsWith('-');
}

function readFresh(file: string, now: Date): readonly string[] | undefined {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (written === undefined || now.getTime() - written > cacheMs) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
}

async function lookUp(
  kind: Exclude<CandidateKind, 'context'>,
  api: Api,
  project: string | undefined,
): Promise<readonly string[]> {
  const options = {
    answerTimeoutMs: limitMs,
    signal: AbortSignal.timeout(limitMs),
    isRepeatable: false,
  };
  switch (kind) {
    case 'resource': {
      const query = { limit: maxOffered, project_id: project };
      const records = await api.call('listResources', { query, ...options });
      return records
        .filter(isTuple)
        .map(({ provider, resource, name }) => `${provider}/${resource}/${name}`);
    }
    case 'provider':
      return (await api.call('listProviders', options))
        .map(({ provider }) => provider)
        .filter((provider) => providerPattern.test(provider));
    case 'type': {
      const types = await api.call('listTypes', options);
      return types
        .filter((type) => providerPattern.test(type.provider) && typePattern.test(type.resource))
        .map(({ provider, resource }) => `${provider}/${resource}`);
    }
    case 'set': {
      const query = { project_id: project };
      return (await api.call('listSets', { query, ...options })).map(({ set }) => set);
    }
    case 'project':
      return (await api.call('listProjects', options)).map(
        // Other names need quotes in a shell, and their ids were made for people.
        ({ project_id, name, managed_by }) => (managed_by === 'platform' ? name : project_id),
      );
  }
}
