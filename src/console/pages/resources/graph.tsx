// The resources and what they depend on, in layers. At most so many that one can still see something.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { shownState } from '../../../client/shown-state.ts';
import { slashed } from '../../../domain/identity.ts';
import { lookOf } from '../../components/look.ts';
import { hrefTo } from '../../router/route.ts';
import { numberText, text } from '../../text.ts';
import { layoutOf, nodeSize, type Placed } from './graph-layout.ts';

const maxNodes = 500;
/** Characters that fit into a node. */
const maxNameLength = 27;

export function Graph({ resources }: { readonly resources: readonly ResourceRecord[] }) {
  if (resources.length > maxNodes) {
    return (
      <p class="empty">{text('resources.graph-too-large', { count: numberText(maxNodes) })}</p>
    );
  }
  const byName = new Map(resources.map((each) => [slashed(each), each]));
  const { nodes, edges, width, height } = layoutOf(
    resources.map((each) => ({
      id: slashed(each),
      uses: each.dependencies.map(slashed),
    })),
  );
  return (
    <section class="graph" aria-label={text('resources.graph')} tabIndex={0}>
      <svg width={width} height={height} role="group" aria-label={text('resources.graph')}>
        {edges.map(({ from, to }) => (
          <line
            key={`${from.id} ${to.id}`}
            x1={from.x + nodeSize.width / 2}
            y1={from.y + nodeSize.height}
            x2={to.x + nodeSize.width / 2}
            y2={to.y}
          />
        ))}
        {nodes.map((node) => {
          const resource = byName.get(node.id);
          return resource && <GraphNode key={node.id} node={node} resource={resource} />;
        })}
      </svg>
    </section>
  );
}

function GraphNode({
  node,
  resource,
}: {
  readonly node: Placed;
  readonly resource: ResourceRecord;
}) {
  const state = shownState(resource);
  const { sign, tone } = lookOf(state);
  const label = `${resource.resource}/${resource.name}`;
  const shown = label.length > maxNameLength ? `${label.slice(0, maxNameLength - 1)}…` : label;
  return (
    <a
      href={hrefTo('resource', [resource.provider, resource.resource, resource.name])}
      aria-label={`${node.id}: ${state}`}
      class={`node ${tone}`}
      data-row
    >
      <title>{node.id}</title>
      <rect x={node.x} y={node.y} width={nodeSize.width} height={nodeSize.height} rx={6} />
      <text x={node.x + 10} y={node.y + 22}>
        {sign} {shown}
      </text>
    </a>
  );
}
