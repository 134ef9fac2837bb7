// Alerts in Prometheus's own tools: its parser accepts them, each fires under its condition only, and its linter has no findings
// in the scraped metrics. Needs promtool, or Go to build it.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { scrapedFrom } from '../support/runner/scraped.ts';
import { serveApi } from '../support/servers/served-api.ts';
import { rendered, requireHelm, set } from '../support/tools/chart.ts';
import { findPromtool, type Promtool } from '../support/tools/promtool.ts';

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly {
      readonly alert: string;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

interface Tests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly unknown[];
    }[];
  }[];
}

const cases = join(import.meta.dirname, 'alerts', 'fairlead.test.yaml');

let promtool: Promtool | undefined;
let folder: string;
let rules: Rules;

beforeAll(async () => {
  promtool = await findPromtool();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-alerts-'));
  const { get } = await rendered(
    await requireHelm(),
    ...set('metrics.prometheusRule.enabled', true),
  );
  rules = get('PrometheusRule', 'fairlead').spec as unknown as Rules;
  await writeFile(join(folder, 'whole.yaml'), stringify(rules));
  await writeFile(join(folder, 'rules.yaml'), stringify(withoutRunbooks(rules)));
  await copyFile(cases, join(folder, 'fairlead.test.yaml'));
});

afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** The tests do not check runbooks, and would otherwise have to repeat them. */
function withoutRunbooks({ groups }: Rules): Rules {
  return {
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map(({ annotations: { runbook: _runbook, ...annotations }, ...rule }) => ({
        ...rule,
        annotations,
      })),
    })),
  };
}

it('has a firing test for each alert', async () => {
  const { tests } = parse(await readFile(cases, 'utf8')) as Tests;
  const fired = tests
    .flatMap(({ alert_rule_test: each = [] }) => each)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
    .map(({ alertname }) => alertname);
  const all = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  expect([...new Set(fired)].toSorted()).toEqual(all.toSorted());
});

it('writes alerts that Prometheus accepts', async ({ skip }) => {
  if (promtool === undefined) return skip('neither promtool nor Go is installed');
  const verdict = await promtool(['check', 'rules', '--lint=all', join(folder, 'whole.yaml')]);
  expect(verdict).toMatchObject({ passed: true, output: expect.stringContaining('SUCCESS') });
});

it('fires each alert under its condition only', async ({ skip }) => {
  if (promtool === undefined) return skip('neither promtool nor Go is installed');
  const verdict = await promtool(['test', 'rules', join(folder, 'fairlead.test.yaml')]);
  expect(verdict).toMatchObject({ passed: true, output: expect.stringContaining('SUCCESS') });
});

it('exposes metrics without findings of the Prometheus linter', async ({ skip }) => {
  if (promtool === undefined) return skip('neither promtool nor Go is installed');
  const api = await serveApi();
  try {
    const verdict = await promtool(['check', 'metrics'], await scrapedFrom(api.metricsPort));
    expect(verdict).toEqual({ passed: true, output: '' });
  } finally {
    await api.close();
  }
});
