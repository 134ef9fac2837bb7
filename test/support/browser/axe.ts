// Checks a page for accessibility with axe-core.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Result {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly html: string }[];
}

/** Fails with each violation of the rules of WCAG 2.2 A and AA and of best practice, and its element. */
export async function expectAccessible(page: Page): Promise<void> {
  // Through the debugger, which the policy of the page does not bind.
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: readonly Result[] }> };
    };
    return (await axe.run()).violations;
  });
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help}: ${target.join(' ')}: ${html.slice(0, 200)}`),
  );
  expect(found).toEqual([]);
}
