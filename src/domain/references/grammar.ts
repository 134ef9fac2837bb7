// How a config spells a reference: `${provider/resource/name.outputs.path}`. A path consists of names and indexes after dots, and
// of names with other characters in quotes and brackets: `outputs["tls.crt"].0`. Only names with quotes, backslashes, braces or
// dollar signs cannot be spelled. Pure and linear.
import { isTuple, slashed } from '../identity.ts';
import type { Dependency } from '../lifecycle.ts';

export interface ReferenceTarget {
  readonly to: Dependency;
  readonly path: readonly string[];
}

/** No `$`, `{` or `}` inside, so that a failed match ends where the next one begins. */
export const candidate = /\$?\$\{([^${}]*)\}/g;
/** The first `.outputs` of a path ends the name, which may have dots. */
const target = /^([^/]*)\/([^/]*)\/(.*?)\.outputs(?=[.[])(.*)$/s;
const step = /\.([\w-]+)|\["([^"\\]*)"\]/gy;
const plainName = /^[\w-]+$/;

/** @param body what is between `${` and `}` */
export function referenceTarget(body: string): ReferenceTarget | undefined {
  const [, provider = '', resource = '', name = '', steps = ''] = target.exec(body) ?? [];
  const to = { provider, resource, name };
  const path = isTuple(to) ? parsePath(steps) : undefined;
  return path && { to, path };
}

function parsePath(steps: string): readonly string[] | undefined {
  const path: string[] = [];
  let end = 0;
  for (const [whole, name, quoted = ''] of steps.matchAll(step)) {
    path.push(name ?? quoted);
    end += whole.length;
  }
  return end === steps.length ? path : undefined;
}

/** Whether text between `${` and `}` begins with a resource. Where it is no reference, it most likely should be one. */
export function beginsLikeReference(body: string): boolean {
  return /^\s*[a-z\d-]+\/[a-z][a-z\d_-]*\/\w/.test(body);
}

/** @example referenceText({ to, path: ['tls.crt', '0'] }) // ${net/cert/main.outputs["tls.crt"].0} */
export function referenceText({ to, path }: ReferenceTarget): string {
  return `\${${slashed(to)}.${outputsAt(path)}}`;
}

/**
 * Writes a path as the command line takes it, too.
 * @example outputName(['hosts', '0']) // hosts.0
 * @example outputName(['tls.crt']) // outputs["tls.crt"]
 */
export function outputName(path: readonly string[]): string {
  return outputsAt(path).replace(/^outputs\./, '');
}

/** Quotes for a name in a sentence, which one in brackets has already. */
export function quotedName(name: string): string {
  return name.includes('"') ? name : `"${name}"`;
}

function outputsAt(path: readonly string[]): string {
  const steps = path.map((name) => (plainName.test(name) ? `.${name}` : `["${name}"]`));
  return `outputs${steps.join('')}`;
}
