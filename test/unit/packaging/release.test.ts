import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutHere } from '../../../packaging/release/checkout.ts';
import { newFolder } from '../../support/runner/folder.ts';

const at = '2026-01-02T03:04:05Z';

function git(folder: string, ...args: readonly string[]): string {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  return execFileSync('git', [...author, ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
}

function committed(): string {
  const folder = newFolder('checkout-');
  git(folder, 'init', '--quiet');
  writeFileSync(join(folder, 'a.txt'), 'a');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', 'a');
  return folder;
}

describe('the checkout of a release', () => {
  it('is named by its commit and the time of it', async () => {
    const folder = committed();
    expect(await checkoutHere(folder)).toEqual({
      commit: git(folder, 'rev-parse', 'HEAD'),
      committedAt: new Date(at),
    });
  });

  it.each([
    { name: 'a changed file', file: 'a.txt', says: ' a.txt' },
    { name: 'a new file', file: 'b.txt', says: '?? b.txt' },
  ])('is refused with $name', async ({ file, says }) => {
    const folder = committed();
    writeFileSync(join(folder, file), 'b');
    const refused = await checkoutHere(folder);
    expect(refused).toContain('Commit these files, or remove them:');
    expect(refused).toContain(says);
  });

  it('is refused without history', async () => {
    expect(await checkoutHere(newFolder('tarball-'))).toContain('Clone the repository with Git');
  });
});
