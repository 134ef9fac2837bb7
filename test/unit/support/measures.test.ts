import { expect, it } from 'vitest';
import { declarationsOf } from '../../support/tools/measures/declarations.ts';
import { roomsOf } from '../../support/tools/measures/rooms.ts';

it('counts types everywhere, and functions of modules', () => {
  const { types, functions } = declarationsOf(
    new Map([
      ['/a.ts', 'export interface A {}\nfunction f() { type B = string; function inner() {} }'],
      ['/b.tsx', 'interface A { m(): void }\nexport const f = () => <b />;\nconst x = 1;'],
    ]),
  );
  expect([...types]).toEqual([
    ['A', ['/a.ts', '/b.tsx']],
    ['B', ['/a.ts']],
  ]);
  expect([...functions]).toEqual([['f', ['/a.ts', '/b.tsx']]]);
});

const rooms: Record<string, { files: Record<string, string>; want: object }> = {
  'counts folders, and modules beside them': {
    files: {
      'main.ts': "import '../lib/clock.ts';\nimport { a } from './a/a.ts';",
      'a/a.ts': "const load = () => import('../b/deep/b.ts');",
      'a/other.ts': "import './a.ts';",
      'b/deep/b.ts': '',
    },
    want: { rooms: 3, floors: 3 },
  },
  'counts the rooms of a circle one by one': {
    files: {
      'a.ts': "import './b/b.ts';",
      'b/b.ts': "import '../c/c.ts';",
      'c/c.ts': "import type { B } from '../b/other.ts';",
      'b/other.ts': "import '../d.ts';",
      'd.ts': 'const text = `import "./a.ts";`',
    },
    want: { rooms: 4, floors: 4 },
  },
};

it.each(Object.entries(rooms))('%s', (_name, { files, want }) => {
  expect(roomsOf(new Map(Object.entries(files)))).toEqual(want);
});
