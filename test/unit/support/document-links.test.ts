import { describe, expect, it } from 'vitest';
import { anchorsIn, linkProblems, linksIn } from '../../support/tools/document-links.ts';

describe('anchors equal those of GitHub', () => {
  it.each([
    ['# Two words', ['two-words']],
    ['## A `code.ts`: what, and (how)?', ['a-codets-what-and-how']],
    ['### Ends with marks ###', ['ends-with-marks']],
    ['# [Linked](other.md) and *loud*', ['linked-and-loud']],
    ['# FAIRLEAD_S3_ENDPOINT', ['fairlead_s3_endpoint']],
    ['# _leaning_ text', ['leaning-text']],
    ['# Größe – klein', ['größe--klein']],
    ['# Same\n# Same\n# Same', ['same', 'same-1', 'same-2']],
    ['Underlined\n===', ['underlined']],
    ['<a id="here"></a>', ['here']],
    ['```\n# no heading\n```\n# Heading', ['heading']],
    ['~~~md\n```\n# no heading\n~~~\n# Heading', ['heading']],
    ['<!--\n# hidden\n-->\n#hash without space', []],
  ])('%j', (text, anchors) => {
    expect([...anchorsIn(text)]).toEqual(anchors);
  });
});

describe('links of a document', () => {
  it.each([
    ['[a](b.md) and [c](d.md#e)', ['b.md', 'd.md#e']],
    ['![shown](docs/a.png "title")', ['docs/a.png']],
    ['[![shown](a.png)](b.md)', ['a.png', 'b.md']],
    ['[a](<b.md>)', ['b.md']],
    ['[a](b_(c).md)', ['b_(c).md']],
    ['[a]: b.md', ['b.md']],
    ['<img src="a.png">', ['a.png']],
    ['[a](https://example.org) <mailto:a@example.org> [b](mailto:a@example.org)', []],
    ['`[a](b.md)` and ``[a](`b`.md)``', []],
    ['```\n[a](b.md)\n```', []],
    ['- ```\n  [a](b.md)\n  ```', []],
  ])('%j', (text, targets) => {
    expect(linksIn(text).map(({ target }) => target)).toEqual(targets);
  });
});

describe('targets of links', () => {
  const files: Record<string, string> = {
    'README.md': '# Top\n\n## Part',
    'docs/a.md': '# A page',
    'docs/b%.md': '',
    'src/x.ts': 'x',
  };
  const problemsOf = (text: string) => {
    const all: Record<string, string> = { ...files, 'docs/it.md': text };
    return linkProblems('docs/it.md', {
      exists: (path) => path in all || Object.keys(all).some((each) => each.startsWith(`${path}/`)),
      read: (path) => all[path] ?? '',
    });
  };

  it.each([
    '[a](a.md)',
    '[a](./a.md#a-page)',
    '[a](../README.md#part)',
    '[a](/README.md#top)',
    '# Here\n[a](#here)',
    '[a](../src/)',
    '[a](../src/x.ts#L1)',
    '[a](b%25.md)',
  ])('%j exists', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['x\n[a](c.md)', 'docs/it.md:2: c.md leads to no file'],
    ['[a](README.md)', 'docs/it.md:1: README.md leads to no file'],
    ['[a](a.md#b)', 'docs/it.md:1: a.md#b leads to no heading'],
    ['[a](#A-Page)\n# A page', 'docs/it.md:1: #A-Page leads to no heading'],
    ['[a](../../b.md)', 'docs/it.md:1: ../../b.md leads out of the repository'],
    ['x\n`test/x.ts` of `src/index.ts`', 'docs/it.md:2: test/x.ts is no file'],
  ])('%j does not exist', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });
});
