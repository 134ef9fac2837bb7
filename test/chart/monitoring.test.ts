// Alerts and the dashboard use existing metrics: names and labels are compared with the metrics of a running service.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chartFolder, type Helm } from '../../packaging/helm.ts';
import { readExposition } from '../support/runner/exposition.ts';
import { scrapedFrom } from '../support/runner/scraped.ts';
import { type ServedApi, serveApi } from '../support/servers/served-api.ts';
import { rendered, requireHelm, set } from '../support/tools/chart.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
}

const everything = ['serviceMonitor', 'prometheusRule', 'dashboard'].flatMap((each) =>
  set(`metrics.${each}.enabled`, true),
);
const kinds = ['ServiceMonitor', 'PrometheusRule'];

let helm: Helm;
let api: ServedApi;
let measured: ReadonlySet<string>;

beforeAll(async () => {
  helm = await requireHelm();
  api = await serveApi();
  const { described } = readExposition(await scrapedFrom(api.metricsPort));
  measured = new Set(
    [...described].flatMap(([name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
});

afterAll(() => api?.close());

/** Names that are followed by a selector, a range or the end of an argument, and are no functions or labels. */
function metricsIn(expression: string): string[] {
  return expression.match(/\b(?:fairlead|nodejs|process)_[a-z0-9_]+/g) ?? [];
}

async function rules(): Promise<readonly Rule[]> {
  const { get } = await rendered(helm, ...everything);
  const { groups = [] } = (get('PrometheusRule', 'fairlead').spec ?? {}) as {
    groups?: readonly { readonly rules: readonly Rule[] }[];
  };
  return groups.flatMap((group) => group.rules);
}

async function panels(): Promise<readonly Panel[]> {
  const file = join(chartFolder, 'dashboards', 'fairlead.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { panels: readonly Panel[] }).panels;
}

it('monitors nothing by default', async () => {
  const { objects } = await rendered(helm);
  expect(objects.filter(({ kind }) => kinds.includes(kind))).toEqual([]);
});

it('alerts only on existing metrics, with a runbook each', async () => {
  const all = await rules();
  expect(all.map(({ alert }) => alert)).toEqual(
    expect.arrayContaining([
      'FairleadDeadLettersWaiting',
      'FairleadStuckProcessing',
      'FairleadProviderUnavailable',
      'FairleadCertificateExpires',
      'FairleadClockSkew',
      'FairleadNoLeader',
      'FairleadWatchStale',
      'FairleadConservationDrift',
    ]),
  );
  for (const { alert, expr, labels, annotations } of all) {
    const asked = metricsIn(expr);
    expect(asked, alert).not.toEqual([]);
    expect(
      asked.filter((name) => !measured.has(name)),
      alert,
    ).toEqual([]);
    expect(labels.severity, alert).toMatch(/^(warning|critical)$/);
    expect(annotations, alert).toMatchObject({
      summary: expect.any(String),
      description: expect.any(String),
      runbook: expect.stringMatching(/.{40}/),
    });
  }
});

it('links alerts to the configured runbook page', async () => {
  const url = set('metrics.prometheusRule.runbookUrl', 'https://wiki.example/fairlead/');
  const { text: manifests } = await rendered(helm, ...everything, ...url);
  expect(manifests).toContain('runbook_url: https://wiki.example/fairlead#fairleadnoleader');
});

it('draws only existing metrics, with panels that do not overlap', async () => {
  const all = await panels();
  const drawn = all.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
  expect(drawn.length).toBeGreaterThan(15);
  expect(drawn.filter((name) => !measured.has(name))).toEqual([]);
  const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

it('passes the dashboard to Grafana unchanged', async () => {
  const { get } = await rendered(helm, ...everything);
  const { data, metadata } = get('ConfigMap', 'fairlead-dashboard');
  const file = await readFile(join(chartFolder, 'dashboards', 'fairlead.json'), 'utf8');
  expect(data?.['fairlead.json']).toBe(file);
  expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' });
});
