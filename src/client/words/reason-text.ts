// Puts a reason and its explanation into words for people: the sentence first, the codes after it. Pure.
import type { Explanation, ExplanationLink } from '../../api/shapes.ts';
import { failureReasons } from '../../domain/explanation.ts';
import { failureIn } from '../../domain/failures/failure-text.ts';

export interface ReasonParts {
  readonly sentence: string;
  /** For those who look them up, such as `ProviderFailed` and the code of the provider. */
  readonly codes: readonly string[];
}

const failures: ReadonlySet<string | null> = new Set(failureReasons);

/** @example reasonParts('UnknownOutput', 'UNKNOWN_OUTPUT: first has no output url') // first has no output url; UnknownOutput */
export function reasonParts(reason: string | null, message: string | null): ReasonParts {
  const text = withClockTimes(message ?? '');
  if (text === '') return { sentence: reason ?? '', codes: [] };
  const codes = reason === null ? [] : [reason];
  if (!failures.has(reason)) return { sentence: text, codes };
  const [, half = '', failed = ''] =
    /^(Replacement, [^:]+: )?(?:Attempt \d+ failed: )?(.*)$/s.exec(text) ?? [];
  const cause = errorParts(failed);
  const further = cause.codes.filter((code) => plainWord(code) !== plainWord(reason ?? ''));
  return { sentence: `${half}${cause.sentence}`, codes: [...codes, ...further] };
}

/** @param error `CODE: message`, or a text without a code */
export function errorParts(error: string): ReasonParts {
  const failure = failureIn(error);
  return failure === undefined
    ? { sentence: error, codes: [] }
    : { sentence: failure.message, codes: [failure.code] };
}

/** @returns the codes after a sentence, such as ` [ProviderFailed, nobody]`; empty without codes */
export function codesText(codes: readonly string[]): string {
  return codes.length === 0 ? '' : ` [${codes.join(', ')}]`;
}

/** @returns the sentence for a reason, null for one without an explanation */
export function messageBeside(reason: string | null, message: string | null): string | null {
  return message === null ? null : reasonParts(reason, message).sentence;
}

/** The time of what follows is that of a clock here; other times are facts. */
function withClockTimes(text: string): string {
  return text.replace(/\b(follows at|waiting until) (\d{4}-\S+?Z)/g, (_, words, time) => {
    const date = new Date(time);
    const figures = [date.getHours(), date.getMinutes(), date.getSeconds()];
    return `${words} ${figures.map((each) => String(each).padStart(2, '0')).join(':')}`;
  });
}

function plainWord(word: string): string {
  return word.toLowerCase().replaceAll('_', '');
}

/** @returns the links of a chain, without what the summary or an earlier link has already */
export function saidOnce({
  summary,
  chain,
}: Pick<Explanation, 'summary' | 'chain'>): readonly ExplanationLink[] {
  const said = new Set<string | null>();
  return chain.map((link) => {
    const { reason, message } = link;
    const isInSummary = message !== null && summary.toLowerCase().includes(message.toLowerCase());
    const isKnown = said.has(reason) || chain.length === 1;
    said.add(reason);
    if (isInSummary) return { ...link, message: null, reason: null };
    return message === null && isKnown ? { ...link, reason: null } : link;
  });
}
