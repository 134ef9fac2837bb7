// Collects the findings of a check: one Error for every broken rule, thrown together with a message that lists them.
import { inspect } from 'node:util';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import type { ContextMask } from '../logs/context-mask.ts';
import type { Ending } from './step.ts';

export interface Findings {
  add(what: string, cause?: unknown): void;
  /** @returns the outputs of a success; anything else is a finding */
  outputs(step: string, ending: Ending): JsonObject | undefined;
  /**
   * Expects a success with these outputs; any success when they are not known.
   * @param except names of outputs that may differ
   */
  same(
    step: string,
    ending: Ending,
    outputs: JsonObject | undefined,
    except?: readonly string[],
  ): void;
  /** Expects a result that is not a permanent failure. */
  cancelled(step: string, ending: Ending): void;
  /** Expects a permanent failure with this code. */
  refused(step: string, ending: Ending, code: string): void;
  /** Hides the secret ones among these outputs in findings from now on. */
  learn(outputs: JsonObject): void;
  /** Collects findings of a part, which are reported with those of the whole. */
  below(part: string): Findings;
  /** @throws AggregateError when there are findings */
  throwIfAny(): void;
}

const maxShownLength = 600;

/** @returns what to do about a finding; undefined when nothing is to be added */
type FindingAdvice = (finding: string) => string | undefined;

interface FindingsOptions {
  readonly advice?: FindingAdvice;
  /** Hides secrets in findings, which logs of tests keep. */
  readonly mask?: Pick<ContextMask, 'text' | 'add'>;
}

const noMask = { text: (text: string) => text, add: () => undefined };

/** @param subject the subject of the check, which begins the message */
export function findings(
  subject: string,
  { advice = () => undefined, mask = noMask }: FindingsOptions = {},
): Findings {
  return collectInto({ subject, advice, mask, errors: [] }, '');
}

function collectInto(
  all: Required<FindingsOptions> & { readonly subject: string; readonly errors: Error[] },
  prefix: string,
): Findings {
  const { subject, advice, mask, errors } = all;
  const add = (what: string, cause?: unknown) => {
    const next = advice(what);
    const text = `${prefix}${mask.text(what)}${next === undefined ? '' : `. ${next}`}`;
    errors.push(new Error(text, cause === undefined ? {} : { cause }));
  };
  const outputs = (step: string, ending: Ending) => {
    if (ending.kind === 'succeeded') return ending.outputs;
    add(`${step}: expected success, saw ${endingText(ending)}`, thrownBy(ending));
    return undefined;
  };
  return {
    add,
    outputs,
    same(step, ending, expected, except = []) {
      const seen = outputs(step, ending);
      if (seen === undefined || expected === undefined) return;
      const [left, right] = [seen, expected].map((each) =>
        canonicalJson(withoutOutputs(each, except)),
      );
      if (left === right) return;
      const [before, after] = [expected, seen].map((each) => mask.text(shown(each)));
      const other = before === after ? ', where a secret differs' : '';
      add(`${step}: expected the same outputs ${before}, saw ${after}${other}`);
    },
    cancelled(step, ending) {
      const isForGood = ending.kind === 'failed' && ending.terminal;
      if (!isForGood && ending.kind !== 'unanswered') return;
      add(`${step}: expected an outcome that Fairlead retries, saw ${endingText(ending)}`);
    },
    refused(step, ending, code) {
      if (ending.kind === 'failed' && ending.terminal && ending.code === code) return;
      add(`${step}: expected failure ${code}, saw ${endingText(ending)}`);
    },
    learn: (given) => mask.add({ outputs: given }),
    below: (part) => collectInto(all, `${prefix}${part}: `),
    throwIfAny() {
      if (errors.length === 0) return;
      const list = errors.map(({ message }) => `\n  - ${message}`).join('');
      const promises = errors.length === 1 ? 'a promise' : `${errors.length} promises`;
      throw new AggregateError(errors, `${subject} breaks ${promises}:${list}`);
    },
  };
}

/** @returns the outputs without those of these names */
function withoutOutputs(outputs: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => !names.includes(name)));
}

function thrownBy(ending: Ending): unknown {
  return ending.kind === 'failed' ? ending.thrown : undefined;
}

function endingText(ending: Ending): string {
  switch (ending.kind) {
    case 'succeeded':
      return `success with ${shown(ending.outputs)}`;
    case 'failed': {
      const kind = ending.terminal ? 'a terminal failure' : 'a retryable failure';
      return `${kind}, ${ending.code}: ${ending.message}`;
    }
    case 'unanswered':
      return `no answer within ${ending.afterMs / 1_000} s`;
  }
}

/** @returns a value as one readable line */
export function shown(value: unknown): string {
  const text =
    value instanceof Error ? value.message : inspect(value, { depth: 5, breakLength: Infinity });
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= maxShownLength ? line : `${line.slice(0, maxShownLength)} …`;
}
