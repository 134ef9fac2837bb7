import { afterEach, describe, expect, it } from 'vitest';
import type { Me } from '../../../../../src/api/shapes.ts';
import {
  listCommands,
  type SetTab,
  setCommands,
} from '../../../../../src/console/pages/sets/commands.ts';
import { me } from '../../../../../src/console/session/session.ts';

const which = '--set shop --project web';
const set = { name: 'shop', project: 'web' };
const get = `fairlead get ${which}`;
const reading = [get, `fairlead why ${which}`];

function signIn(role: Me['role']): void {
  me.value = { role, project_id: null } as Me;
}

afterEach(() => {
  me.value = undefined;
});

describe('the commands of the page of a set', () => {
  it.each<[SetTab, Me['role'], readonly string[]]>([
    ['members', 'viewer', reading],
    ['unlisted', 'viewer', [get]],
    [
      'graph',
      'editor',
      [
        ...reading,
        `fairlead diff -f FOLDER ${which}`,
        `fairlead apply -f FOLDER ${which}`,
        `fairlead delete ${which} --resources leave --dry-run`,
      ],
    ],
    [
      'unlisted',
      'editor',
      [
        get,
        `fairlead apply -f FOLDER ${which} --prune leave`,
        `fairlead apply -f FOLDER ${which} --prune delete --dry-run`,
      ],
    ],
  ])('%s, for a role %s', (tab, role, want) => {
    signIn(role);
    expect(setCommands(tab, set)).toEqual(want);
  });

  it('quote names', () => {
    signIn('viewer');
    expect(setCommands('members', { name: 'a', project: "it's" })[0]).toBe(
      `fairlead get --set a --project 'it'\\''s'`,
    );
  });
});

it('the list has the command that makes a set, for who may', () => {
  signIn('viewer');
  expect(listCommands()).toEqual(['fairlead sets']);
  signIn('editor');
  expect(listCommands()).toEqual(['fairlead sets', 'fairlead apply -f FOLDER --set NAME']);
});
