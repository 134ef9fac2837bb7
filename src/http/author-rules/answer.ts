// Reads the answer to a PLAN: a provider may answer anything. Pure.
import {
  maxPlanOutputsBytes,
  maxPlanRefusals,
  maxPlanReplacements,
  maxPlanSentence,
  type RefusalBody,
} from '../../domain/event.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonBytes,
  ownMember,
  pointerNames,
} from '../../lib/json.ts';
import { clean, oneLine } from '../../lib/text.ts';

/** The answer about one content. `failed`: the rules could not be applied. */
export type MemberAnswer =
  | {
      readonly kind: 'rules';
      readonly refusals: readonly RefusalBody[];
      readonly replaces: readonly string[];
      readonly outputs: JsonObject | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The words are ours, so they have no secret. */
      readonly isOwn?: true;
    };

const maxPathLength = 1_024;
const maxPathNames = 64;

/** @returns the answers about `count` contents; undefined when the body is no such answer */
export function answersIn(body: JsonObject, count: number): readonly MemberAnswer[] | undefined {
  const { members } = body;
  if (!isJsonArray(members) || members.length !== count) return undefined;
  let refusalsLeft = maxPlanRefusals;
  let errorsLeft = maxErrors;
  return members.map((member) => {
    const answer = memberAnswer(member, refusalsLeft);
    if (answer.kind === 'rules') {
      refusalsLeft -= answer.refusals.length;
      return answer;
    }
    errorsLeft -= 1;
    return errorsLeft < 0 ? ownFailure('its rules failed') : answer;
  });
}

/** Errors of one answer that are shown: in each, the secrets of its resource are looked for. */
const maxErrors = 20;

function ownFailure(message: string): MemberAnswer {
  return { kind: 'failed', message, isOwn: true };
}

/** More refusals than are shown refuse the apply no less: it is refused as a whole by the first one. */
function memberAnswer(member: JsonValue, refusalsLeft: number): MemberAnswer {
  if (!isJsonObject(member)) return ownFailure('its answer is no object');
  const { refuse = [], replace = [], outputs, error } = member;
  if (error !== undefined) return { kind: 'failed', message: sentenceIn(error) };
  if (!isJsonArray(refuse) || !isJsonArray(replace) || replace.length > maxPlanReplacements) {
    return ownFailure(
      `refuse and replace must be lists, replace of at most ${maxPlanReplacements} items`,
    );
  }
  return {
    kind: 'rules',
    refusals: refuse.slice(0, refusalsLeft).map(readRefusal),
    replaces: [...new Set(replace.map(pathIn))],
    outputs: outputsIn(outputs),
  };
}

/** A refusal that cannot be read is one all the same. */
function readRefusal(refusal: JsonValue): RefusalBody {
  return {
    path: pathIn(ownMember(refusal, 'path')),
    message: sentenceIn(ownMember(refusal, 'message')),
  };
}

function sentenceIn(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value.slice(0, 4 * maxPlanSentence) : '';
  return clean(oneLine(text), maxPlanSentence) || 'The provider gives no reason';
}

/** A value that is no place stands for the whole config. */
function pathIn(value: JsonValue | undefined): string {
  if (typeof value !== 'string' || !value.startsWith('/') || value.length > maxPathLength)
    return '';
  return pointerNames(value).length > maxPathNames ? '' : clean(value, maxPathLength);
}

/** They are only shown. */
function outputsIn(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) && jsonBytes(value) <= maxPlanOutputsBytes ? value : undefined;
}

/** @returns the steps to a place in a config, those into lists as numbers */
export function stepsTo(path: string, config: JsonObject): readonly (string | number)[] {
  let value: JsonValue | undefined = config;
  return pointerNames(path).map((name) => {
    const list = isJsonArray(value) ? value : undefined;
    const isIndex = list !== undefined && /^\d{1,9}$/.test(name);
    value = isIndex ? list[Number(name)] : ownMember(value, name);
    return isIndex ? Number(name) : name;
  });
}
