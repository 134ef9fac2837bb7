// The permissions of Fairlead's accounts, from a real API server.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { permissionFiles } from '../../../src/permissions/generate.ts';
import { accounts, systemNamespace } from '../../../src/permissions/roles.ts';
import {
  apiRules,
  apiSystemRules,
  controllerRules,
  controllerSystemRules,
  evaluationRules,
  tenantApiRules,
  tenantRules,
} from '../../../src/permissions/rules.ts';
import { tenantApiRole, tenantRole } from '../../../src/reconcilers/organization/guards.ts';
import { systemKeys } from '../../../src/store/system.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ServedApi, serveApi } from '../../support/servers/served-api.ts';
import { kubectlFor } from '../../support/tools/kubectl.ts';

let api: ServedApi;
let tenant: string;

beforeAll(async () => {
  api = await serveApi();
  await (await api.caller('rights')).get('/resources/');
  tenant = organizationOf(api.issuer.url, 'rights').namespace;
});

afterAll(() => api?.close());

const listFile = join(import.meta.dirname, 'can-i.txt');

/** The output of `kubectl auth can-i --list`, without the permissions of all authenticated users. */
async function canI(account: keyof typeof accounts, namespace: string): Promise<string> {
  const as = `system:serviceaccount:${systemNamespace}:${accounts[account]}`;
  const kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  const groups = ['system:serviceaccounts', 'system:authenticated'];
  const flags = [`--as=${as}`, ...groups.map((group) => `--as-group=${group}`)];
  const output = await kubectl('auth', 'can-i', '--list', '--no-headers', ...flags);
  const lines = output
    .split('\n')
    .map((line) => line.trim().replace(/\s{2,}/g, '  '))
    .filter((line) => line !== '' && !/^\[|^self|^componentstatuses/.test(line))
    .sort();
  return lines.join('\n');
}

describe('the permissions', () => {
  it('[K01] equal the checked-in list, in every kind of namespace', async () => {
    const parts: string[] = [];
    for (const account of ['api', 'controller'] as const) {
      parts.push(`# ${accounts[account]} in any namespace`, await canI(account, 'kube-public'));
      parts.push(`# ${accounts[account]} in a tenant's namespace`, await canI(account, tenant));
      parts.push(`# ${accounts[account]} in its own`, await canI(account, systemNamespace));
    }
    const events = (await canI('controller', 'default')).split('\n');
    const anywhere = (await canI('controller', 'kube-public')).split('\n');
    const more = events.filter((line) => !anywhere.includes(line));
    parts.push(`# ${accounts.controller} in default, besides`, ...more);
    const found = `${parts.join('\n')}\n`;
    if (process.env['UPDATE_RIGHTS'] === 'true') await writeFile(listFile, found);
    expect(found).toBe(await readFile(listFile, 'utf8'));
  });

  const never = [
    ...['*', 'escalate', 'impersonate', 'deletecollection'],
    ...['pods/exec', 'pods/attach', 'serviceaccounts/token'],
  ];
  const all = {
    apiRules,
    apiSystemRules,
    controllerRules,
    controllerSystemRules,
    evaluationRules,
    tenantApiRules,
    tenantRules,
  };

  it.each(Object.entries(all))('[K01] exclude what is not needed (%s)', (_name, rules) => {
    for (const { apiGroups, resources, verbs } of rules) {
      const words = [...apiGroups, ...resources, ...verbs];
      expect(words.filter((word) => never.includes(word))).toEqual([]);
    }
    const ofSecrets = rules.filter(({ resources }) => resources.includes('secrets'));
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).not.toContain('list');
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).not.toContain('watch');
    const binding = rules.filter(({ verbs }) => verbs.includes('bind'));
    for (const { resourceNames } of binding) {
      expect(resourceNames).toEqual([tenantRole, tenantApiRole]);
    }
  });

  it('[K01] of the API include no Secret, ConfigMap or pod of the cluster', () => {
    const reached = (rules: typeof apiRules) => rules.flatMap(({ resources }) => resources);
    for (const kind of ['secrets', 'configmaps', 'pods', 'pods/log']) {
      expect(reached(apiRules)).not.toContain(kind);
    }
    const ofSecrets = apiSystemRules.filter(({ resources }) => resources.includes('secrets'));
    expect(ofSecrets).toEqual([
      expect.objectContaining({ verbs: ['get'], resourceNames: [systemKeys.plans] }),
    ]);
  });

  it('[K01] of the API include writing settings of providers, and not getting them', () => {
    const ofSecrets = tenantApiRules.filter(({ resources }) => resources.includes('secrets'));
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).toEqual(['create', 'patch']);
  });

  it('[K01] are equal in the manifests and in the code', async () => {
    for (const [name, content] of permissionFiles()) {
      const path = join(import.meta.dirname, '../../../manifests', name);
      expect(await readFile(path, 'utf8'), name).toBe(content);
    }
  });
});
