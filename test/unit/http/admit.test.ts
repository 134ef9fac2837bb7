import { describe, expect, it } from 'vitest';
import type { ProtectedId } from '../../../src/api/operations.ts';
import { type Role, roles } from '../../../src/api/roles.ts';
import { FairleadError } from '../../../src/domain/errors.ts';
import { authorize } from '../../../src/http/admit.ts';

/** [minimum role, whether a project token may call it], from the product page, not from the code. */
const promised: Record<ProtectedId, readonly [Role, boolean]> = {
  getMe: ['viewer', false],
  listProjects: ['viewer', false],
  getProject: ['viewer', true],
  createProject: ['admin', false],
  updateProject: ['admin', false],
  deleteProject: ['admin', false],
  listResources: ['viewer', true],
  getResource: ['viewer', true],
  getResourceByName: ['viewer', true],
  explainResource: ['viewer', true],
  explainResourceByName: ['viewer', true],
  listExplanations: ['viewer', true],
  listResourceEvents: ['viewer', true],
  listResourceEventsByName: ['viewer', true],
  listResourceHistory: ['viewer', true],
  listResourceHistoryByName: ['viewer', true],
  getResourceRevision: ['viewer', true],
  applyResource: ['editor', true],
  applyResources: ['editor', true],
  listSets: ['viewer', true],
  getSet: ['viewer', true],
  applySet: ['editor', true],
  deleteSet: ['editor', true],
  updateResource: ['editor', true],
  updateResourceByName: ['editor', true],
  deleteResource: ['editor', true],
  deleteResourceByName: ['editor', true],
  observeResource: ['editor', true],
  observeResourceByName: ['editor', true],
  correctResource: ['editor', true],
  correctResourceByName: ['editor', true],
  previewImport: ['editor', true],
  listExistingObjects: ['editor', true],
  releaseCorrections: ['admin', false],
  listTypes: ['viewer', false],
  migrateConfig: ['editor', true],
  registerType: ['admin', false],
  unregisterType: ['admin', false],
  listProviders: ['viewer', false],
  listBuilds: ['viewer', false],
  getBuild: ['viewer', false],
  getBuildLogs: ['viewer', false],
  getProviderLogs: ['viewer', false],
  getDeployment: ['viewer', false],
  pushCode: ['admin', false],
  deployProvider: ['admin', false],
  rollbackProvider: ['admin', false],
  deleteProvider: ['admin', false],
  getProviderSettings: ['viewer', false],
  replaceProviderSettings: ['admin', false],
  updateProviderSettings: ['admin', false],
  deleteProviderSetting: ['admin', false],
  listRegistries: ['viewer', false],
  setRegistry: ['admin', false],
  deleteRegistry: ['admin', false],
  listDeadLetters: ['viewer', false],
  getDeadLetter: ['viewer', false],
  retryDeadLetter: ['editor', false],
  retryAllDeadLetters: ['editor', false],
  getRedrive: ['viewer', false],
  deleteDeadLetter: ['editor', false],
  deleteDeadLetters: ['editor', false],
  listOrphanReceipts: ['viewer', false],
  deleteOrphanReceipt: ['editor', false],
};

const rank: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 };

const cases = Object.entries(promised).flatMap(([operation, [least, platform]]) =>
  roles.flatMap((role) =>
    [undefined, 'shop'].map((project) => {
      const confined = project !== undefined && !platform;
      const refused = rank[role] < rank[least] ? 'insufficient_role' : 'nothing';
      const code = confined ? 'outside_project' : refused;
      return { operation: operation as ProtectedId, role, project, code };
    }),
  ),
);

describe('authorization', () => {
  it.each(cases)(
    '$operation by $role with project $project meets $code',
    ({ operation, role, project, code }) => {
      expect(refusalOf(() => authorize({ role, project }, operation))).toBe(code);
    },
  );
});

it('names the required role and the granted one', () => {
  const act = () => authorize({ role: 'viewer', project: undefined }, 'registerType');
  expect(act).toThrow('The operation requires the role admin; the token grants viewer');
});

function refusalOf(act: () => void): string {
  try {
    act();
    return 'nothing';
  } catch (thrown) {
    if (thrown instanceof FairleadError) return thrown.code;
    throw thrown;
  }
}
