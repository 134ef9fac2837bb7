// Parses conditional requests (RFC 9110, section 13): If-Match and If-None-Match become a predicate on a version.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Precondition } from '../../store/interfaces.ts';
import { etagOf } from '../response/etag.ts';
import { parse } from './parse.ts';

// A proxy that compresses makes a tag weak; it still names the same version.
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e]*"`;
const tags = new RegExp(String.raw`^(?:\*|${tag}(?:[ \t]*,[ \t]*${tag})*)$`);
const opaque = /"[^"]*"/g;

/** The condition of a change or a deletion; its description appears in the OpenAPI document. */
export const ifMatch = {
  'If-Match': z
    .string()
    .regex(tags, 'must be * or entity tags such as "xyzzy"')
    .optional()
    .describe(
      'ETags of the resource, with commas between them. Another version is not changed (412). `*` requires that the resource exists.',
    ),
};

/** The condition of an apply that only creates. */
export const ifNoneMatch = {
  'If-None-Match': z
    .literal('*')
    .optional()
    .describe('With `*`, an existing resource is not changed (412).'),
};

const Conditions = z.object({ ...ifMatch, ...ifNoneMatch });

/**
 * @returns undefined for an unconditional request
 * @throws InvalidRequest for a header that is not a condition
 */
export function preconditionIn(headers: IncomingHttpHeaders): Precondition | undefined {
  const given = {
    'If-Match': headers['if-match'],
    'If-None-Match': headers['if-none-match'],
  };
  const { 'If-Match': match, 'If-None-Match': noneMatch } = parse(Conditions, given, 'header');
  if (match === undefined && noneMatch === undefined) return undefined;
  const wanted = match === undefined || match === '*' ? match : match.match(opaque);
  return (revision) =>
    (noneMatch === undefined || revision === undefined) &&
    (wanted === undefined || isAmong(wanted, revision));
}

function isAmong(wanted: readonly string[] | '*' | null, revision: string | undefined): boolean {
  if (revision === undefined) return false;
  return wanted === '*' || wanted?.includes(etagOf(revision)) === true;
}
