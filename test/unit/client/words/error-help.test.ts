import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ErrorCode, errors } from '../../../../src/api/errors.ts';
import { adviceFor } from '../../../../src/cli/terminal/errors/advice.ts';
import { errorHelp } from '../../../../src/client/words/error-help.ts';

/** Words that mean something only to those who write HTTP requests. */
const ofHttp =
  /`[a-z_]+[=:]|`(?:Retry-After|WWW-Authenticate|loc|strict|draft|previous|Allow)`|\b(?:POST|GET|PUT|DELETE)\b|ETag|header|\/readyz|\/docs|\bpath\b/;

it.each(Object.entries(errors))('speaks to people about %s', (code, { action, status }) => {
  const advice = errorHelp(code, action);
  expect(advice).not.toMatch(ofHttp);
  const subject = { provider: 'crates', resource: 'crates/crate/first', project: 'sales' };
  const { next } = adviceFor({ code: code as ErrorCode, status, help: action }, subject);
  expect(next).not.toMatch(ofHttp);
  // A command is complete.
  expect(next).not.toMatch(/fairlead .*\b[A-Z]{4,}\b/);
});

it('leaves HTTP to the advice: no message of the API names it', () => {
  const folder = join(import.meta.dirname, '../../../../src');
  const named = ['store', 'http', 'reconcilers']
    .flatMap((name) => globSync(`${name}/**/*.ts`, { cwd: folder }))
    .flatMap((path) => readFileSync(join(folder, path), 'utf8').split('\n'))
    .filter((line) =>
      /\b(?:message|detail)\b.*(?:\?\w+=|\w=true|(?:POST|DELETE|PUT) \/)/.test(line),
    );
  expect(named).toEqual([]);
});

it('passes on the advice of a server that is newer', () => {
  expect(errorHelp('brand_new', 'Do this.')).toBe('Do this.');
  expect(errorHelp('constructor', 'Do this.')).toBe('Do this.');
  expect(errorHelp(undefined, undefined)).toBeUndefined();
});

it('names no command without what the command needs', () => {
  const { next } = adviceFor({ code: 'not_deployed', status: 404 }, {});
  expect(next).toBeUndefined();
});
