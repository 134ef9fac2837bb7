// Removes `fairlead` from package.json and the lock file. The SDK is already present, and npm must not look it up in a
// registry, which lacks it or has somebody else's. Everything else stays unchanged.

import { indentedJson, isJsonObject } from '../../lib/json.ts';

type Json = Record<string, unknown>;

const sdk = 'fairlead';
const kinds = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'peerDependenciesMeta',
];

/** @returns undefined when there is nothing to leave out, or when npm could not read the file */
export function withoutSdk(text: string): string | undefined {
  const manifest = objectInText(text);
  if (manifest === undefined || !forget(manifest)) return undefined;
  return indentedJson(manifest);
}

/** @returns package.json without its development dependencies, undefined when npm could not read the file */
export function withoutDevelopment(text: string): string | undefined {
  const manifest = objectInText(text);
  if (manifest === undefined) return undefined;
  const { devDependencies: _, ...kept } = manifest;
  return indentedJson(kept);
}

/** @returns undefined when there is nothing to leave out, or when npm could not read the file */
export function lockWithoutSdk(text: string): string | undefined {
  const lock = objectInText(text);
  if (lock === undefined) return undefined;
  // `dependencies` at the top level: lock files of version 1 and 2.
  let isChanged = forget(lock);
  const { packages } = lock;
  if (isObject(packages)) isChanged = forgetPackages(packages) || isChanged;
  return isChanged ? indentedJson(lock) : undefined;
}

function forget(manifest: Json): boolean {
  let isChanged = false;
  for (const kind of kinds) {
    const named = manifest[kind];
    if (!isObject(named) || !(sdk in named)) continue;
    delete named[sdk];
    isChanged = true;
  }
  return isChanged;
}

/** Removes the package, its nested packages, and the folder to which it links. */
function forgetPackages(packages: Json): boolean {
  const own = packages[''];
  let isChanged = isObject(own) && forget(own);
  const places = [`node_modules/${sdk}`];
  const installed = packages[`node_modules/${sdk}`];
  if (
    isObject(installed) &&
    typeof installed['resolved'] === 'string' &&
    installed['link'] === true
  ) {
    places.push(installed['resolved']);
  }
  for (const path of Object.keys(packages)) {
    if (!places.some((place) => path === place || path.startsWith(`${place}/`))) continue;
    delete packages[path];
    isChanged = true;
  }
  return isChanged;
}

function objectInText(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Unlike `isJsonObject`, for objects that are mutated here. */
function isObject(value: unknown): value is Json {
  return isJsonObject(value);
}
