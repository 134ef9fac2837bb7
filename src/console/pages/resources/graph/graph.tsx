// The resources and what they use, in layers. At most so many that one can still see something.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { stateWord } from '../../../../client/drift.ts';
import { slashed, typeName } from '../../../../domain/identity.ts';
import { lookOf } from '../../../components/look.ts';
import { hrefTo } from '../../../router/route.ts';
import { numberText } from '../../../text.ts';
import { text } from '../text.ts';
import { type Edge, type Leg, type PlacedNode, size } from './group.ts';
import { layoutOf } from './layout.ts';
import { nodesOf } from './nodes.ts';

const maxNodes = 500;

export function Graph({ resources }: { readonly resources: readonly ResourceRecord[] }) {
  const box = useRef<HTMLElement>(null);
  const width = useSignal(0);
  const isTooLarge = resources.length > maxNodes;
  useLayoutEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isTooLarge]);
  if (isTooLarge) {
    return (
      <p class="empty">{text('resources.graph-too-large', { count: numberText(maxNodes) })}</p>
    );
  }
  return (
    <>
      <p class="quiet">{text('resources.graph-arrows')}</p>
      <section class="graph" aria-label={text('resources.graph')} tabIndex={0} ref={box}>
        {width.value > 0 && <Drawing resources={resources} width={width.value} />}
      </section>
    </>
  );
}

interface DrawingProps {
  readonly resources: readonly ResourceRecord[];
  readonly width: number;
}

function Drawing({ resources, width: available }: DrawingProps) {
  const { nodes, edges, width, height } = useMemo(
    () => layoutOf(nodesOf(resources), available),
    [resources, available],
  );
  const byName = new Map(resources.map((each) => [slashed(each), each]));
  const from = Map.groupBy(edges, ({ used }) => used);
  return (
    <svg width={width} height={height} role="group" aria-label={text('resources.graph')}>
      {nodes.map((node) => {
        const resource = byName.get(node.id);
        return (
          resource && (
            <Box key={node.id} node={node} resource={resource} edges={from.get(node.id) ?? []} />
          )
        );
      })}
    </svg>
  );
}

interface BoxProps {
  readonly node: PlacedNode;
  readonly resource: ResourceRecord;
  /** To those that use it: they are emphasized with the box. */
  readonly edges: readonly Edge[];
}

function Box({ node: { id, x, y }, resource, edges }: BoxProps) {
  const state = stateWord(resource);
  const { tone, sign } = lookOf(state);
  return (
    <a
      href={hrefTo('resource', [resource.provider, resource.resource, resource.name])}
      class={`node ${tone}`}
      data-row
    >
      <title>{`${id}: ${state}`}</title>
      <path class="line" d={edgePath(new Set(edges.flatMap(({ legs }) => legs)))} />
      <path class="head" d={edges.map(arrowhead).join('')} />
      <rect x={x} y={y} width={size.width} height={size.height} rx={6} />
      <text x={x + 10} y={y + 19}>
        {sign} {shortName(resource.name, 24)}
      </text>
      <text class="kind" x={x + 10} y={y + 36}>
        {shortName(typeName(resource), 29)}
      </text>
    </a>
  );
}

/** Straight down a lane, and curved where there are no boxes. */
function edgePath(legs: Iterable<Leg>): string {
  return Array.from(legs, ({ from, to }) => {
    const half = (from.y + to.y) / 2;
    const way = from.x === to.x ? `V${to.y}` : `C${from.x} ${half} ${to.x} ${half} ${to.x} ${to.y}`;
    return `M${from.x} ${from.y}${way}`;
  }).join('');
}

function arrowhead({ head: { x, y }, isUp }: Edge): string {
  return `M${x} ${y}l-4 ${isUp ? 8 : -8}h8z`;
}

/** Names that differ often differ at the end. */
function shortName(name: string, length: number): string {
  if (name.length <= length) return name;
  const end = Math.floor((length - 1) / 2);
  return `${name.slice(0, length - 1 - end)}…${name.slice(-end)}`;
}
