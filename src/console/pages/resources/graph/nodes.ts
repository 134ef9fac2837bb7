// The nodes of the graph: what each resource uses, declared or by reference. Pure.
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { slashed } from '../../../../domain/identity.ts';
import { dependenciesOf } from '../../../../domain/references/references.ts';
import type { Node } from './layers.ts';

type GraphResource = Pick<
  ResourceRecord,
  'provider' | 'resource' | 'name' | 'project_id' | 'dependencies' | 'config'
>;

/** A resource of another project is not the one that is meant. */
export function nodesOf(resources: readonly GraphResource[]): readonly Node[] {
  const projects = new Map(resources.map((each) => [slashed(each), each.project_id]));
  return resources.map((each) => ({
    id: slashed(each),
    uses: dependenciesOf(each)
      .map(slashed)
      .filter((used) => projects.get(used) === each.project_id),
  }));
}
