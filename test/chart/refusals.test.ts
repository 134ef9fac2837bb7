// The chart rejects unknown keys, unsafe values and values that lose data.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFolder, type Helm } from '../../packaging/helm.ts';
import { forUse, rendered, requireHelm, set, withBucket } from '../support/tools/chart.ts';

type Schema = {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly definitions?: Readonly<Record<string, Schema>>;
};

let helm: Helm;
let schema: Schema;
let values: unknown;

beforeAll(async () => {
  helm = await requireHelm();
  schema = JSON.parse(await readFile(join(chartFolder, 'values.schema.json'), 'utf8')) as Schema;
  values = parse(await readFile(join(chartFolder, 'values.yaml'), 'utf8'));
});

const refusals: readonly { readonly flags: readonly string[]; readonly says: RegExp }[] = [
  { flags: set('service.type', 'LoadBalancer'), says: /evaluation mode.*service\.type/ },
  { flags: set('service.type', 'NodePort'), says: /evaluation mode.*service\.type/ },
  {
    flags: [...set('ingress.enabled', true), ...set('ingress.hosts[0]', 'a.example')],
    says: /evaluation mode.*ingress\.enabled/,
  },
  { flags: set('api.replicas', 2), says: /same artifacts/ },
  { flags: forUse, says: /persistent storage: set artifacts\.s3\.bucket/ },
  {
    flags: [...withBucket, ...set('artifacts.volume.enabled', true)],
    says: /either artifacts\.s3\.bucket or artifacts\.volume\.enabled/,
  },
  {
    flags: [...withBucket, ...set('auth.existingConfigMap', 'mine')],
    says: /either auth\.issuers or auth\.existingConfigMap/,
  },
  {
    flags: [...forUse, ...set('artifacts.volume.enabled', true), ...set('api.replicas', 2)],
    says: /same artifacts.*ReadWriteMany/,
  },
  { flags: [...withBucket, ...set('ingress.enabled', true)], says: /requires ingress\.hosts/ },
  { flags: set('tenancy.npmRegistryCidrs[0]', '10.0.0.0/8'), says: /set tenancy\.npmRegistry/ },
  { flags: ['--kube-version', '1.29.9'], says: /requires Kubernetes 1\.30 or newer/ },
  { flags: set('api.resources.limits.memory', '500000m'), says: /memory limit 500000m/ },
];

describe('rejects, with one sentence,', () => {
  it.each(refusals)('$flags', async ({ flags, says }) => {
    await expect(rendered(helm, ...flags)).rejects.toThrow(says);
  });

  it('every value with a failure message in a template', async () => {
    const sentences: string[] = [];
    for await (const file of glob('templates/*.{yaml,tpl}', { cwd: chartFolder })) {
      const text = await readFile(join(chartFolder, file), 'utf8');
      for (const [, sentence = ''] of text.matchAll(/fail \(?(?:printf )?"([^"]+)"/g)) {
        sentences.push(sentence.replace('%s', '500000m'));
      }
    }
    expect(sentences.length).toBeGreaterThan(5);
    const unseen = sentences.filter((each) => !refusals.some(({ says }) => says.test(each)));
    expect(unseen).toEqual([]);
  });

  it('no safe value: two replicas on a shared volume, an Ingress with issuers', async () => {
    const shared = [
      ...set('artifacts.volume.enabled', true),
      ...set('artifacts.volume.accessMode', 'ReadWriteMany'),
    ];
    const outside = [...set('ingress.enabled', true), ...set('ingress.hosts[0]', 'a.example')];
    const { get } = await rendered(helm, ...forUse, ...shared, ...outside);
    expect(get('Deployment', 'fairlead-api').spec?.replicas).toBe(2);
    expect(get('Ingress', 'fairlead').spec).toMatchObject({ rules: [{ host: 'a.example' }] });
  });
});

describe('rejects a value that', () => {
  it.each([
    { flags: set('replicas', 2), says: /replicas/ },
    { flags: set('api.replica', 2), says: /replica/ },
    { flags: set('auth.issuers[0].isuer', 'x'), says: /isuer/ },
    { flags: set('auth.issuers[0].issuer', 'http://a.example'), says: /pattern/ },
    { flags: set('image.digest', 'latest'), says: /digest/ },
    { flags: set('auth.issuers[0].cli.parameters.state', 'x'), says: /state|parameters/ },
    { flags: set('auth.issuers[0].console.scope', 'openid'), says: /clientId/ },
    { flags: set('api.publicUrl', 'http://a.example'), says: /publicUrl/ },
    { flags: set('api.publicUrl', 'https://a.example/path'), says: /publicUrl/ },
    { flags: set('api.rateBurst', 0), says: /rateBurst/ },
    { flags: set('controller.pdb.maxUnavailable', 0), says: /maxUnavailable/ },
    { flags: set('tenancy.limits.memory', '2GB'), says: /memory/ },
    { flags: set('tenancy.limits.resources', 0), says: /resources/ },
    { flags: set('logLevel', 'loud'), says: /logLevel/ },
  ])('is unknown or invalid: $flags', async ({ flags, says }) => {
    await expect(rendered(helm, ...flags)).rejects.toThrow(says);
  });
});

it('declares additionalProperties for every object of the schema', () => {
  const open: string[] = [];
  walk(schema, '', (path, each) => {
    const free = each.properties === undefined;
    if (each.type === 'object' && !free && each.additionalProperties !== false) open.push(path);
  });
  expect(open).toEqual([]);
});

it('has the same keys in the schema and in values.yaml', () => {
  const declared: string[] = [];
  walk(schema, '', (path, each) => {
    if (path !== '' && !path.startsWith('/definitions') && each.properties === undefined) {
      declared.push(path);
    }
  });
  const missing = declared.filter((path) => valueAt(path) === undefined);
  expect(missing).toEqual([]);
});

function walk(node: Schema, path: string, see: (path: string, node: Schema) => void): void {
  see(path, node);
  for (const [key, each] of Object.entries(node.properties ?? {}))
    walk(each, `${path}/${key}`, see);
  for (const [key, each] of Object.entries(node.definitions ?? {})) {
    walk(each, `/definitions/${key}`, see);
  }
}

function valueAt(path: string): unknown {
  let found: unknown = values;
  for (const key of path.split('/').slice(1)) {
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  return found;
}
