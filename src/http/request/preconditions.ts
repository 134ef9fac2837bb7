// Parses conditional requests (RFC 9110, section 13): If-Match and If-None-Match become a predicate on a version.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { IfMatch, IfNoneMatch } from '../../api/schemas/headers.ts';
import type { Precondition } from '../../store/interfaces.ts';
import { etagOf } from '../response/etag.ts';
import { parse } from './parse.ts';

const opaque = /"[^"]*"/g;

const Conditions = z.object({ 'If-Match': IfMatch, 'If-None-Match': IfNoneMatch });

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
