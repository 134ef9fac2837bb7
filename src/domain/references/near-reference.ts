// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Reads what begins like a reference and is none: which type it names, and which reference is most likely meant. Pure.
import { createBudget } from '../../lib/budget.ts';
import { nearest } from '../../lib/nearest.ts';
import { isTuple, providerPattern, type ResourceTuple, typePattern } from '../identity.ts';
import { type ReferenceTarget, referenceText } from './grammar.ts';

interface NearTarget {
  readonly type: Pick<ResourceTuple, 'provider' | 'resource'>;
  /** The reference that is meant; undefined when none is near. Its path is empty when no output is named. */
  readonly meant: ReferenceTarget | undefined;
}

const parts = /^([^\s/]+)\/([^\s/]+)\/(.*)$/s;
/** A word, an index or a name in brackets. */
const step = /\.?([\w-]+)|\[(\d+)\]|\[(?:'([^'\\]*)'|"([^"\\]*)")\]/gy;

/** @param body what is between `${` and `}` @returns undefined when it names no type */
export function nearTarget(body: string, budget = createBudget()): NearTarget | undefined {
  const [, provider = '', resource = '', rest = ''] = parts.exec(body.trim()) ?? [];
  if (!(providerPattern.test(provider) && typePattern.test(resource))) return undefined;
  const steps = stepsIn(rest);
  const divider = steps.findIndex((each, index) => index > 0 && nearest(each, ['outputs'], budget));
  // Without a misspelt `outputs`, a name without dots is the more likely one.
  const name = steps.slice(0, Math.max(divider, 1)).join('.');
  const path = steps.slice(divider < 0 ? 1 : divider + 1);
  const to = { provider, resource, name };
  return { type: { provider, resource }, meant: isTuple(to) ? { to, path } : undefined };
}

/** The form of a reference, where none is near enough to be offered. */
const form = '${provider/type/name.outputs.NAME}';

/** @param isPossible whether the outputs and the field permit it */
export function nearSentence(
  text: string,
  meant: ReferenceTarget | undefined,
  isPossible: (target: ReferenceTarget) => boolean,
): string {
  const isOffered = meant !== undefined && meant.path.length > 0 && isPossible(meant);
  const right = isOffered ? meant : meant && { ...meant, path: ['NAME'] };
  return `${text} is not a reference; write ${right ? referenceText(right) : form}, or $${text} for the text as it is`;
}

/** @returns none when something is no step */
function stepsIn(text: string): readonly string[] {
  const found = [...text.matchAll(step)];
  if (found.map(([whole]) => whole).join('') !== text) return [];
  return found.map(([, word, index, single, double]) => word ?? index ?? single ?? double ?? '');
}
