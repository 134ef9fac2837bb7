// Draws a plot as SVG: medians as markers on a line, bars from the least to the largest value, a legend. An image in a page
// of GitHub cannot see the theme of the page, so the plot has a background of its own, and follows the theme of the system.
import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale';
import { median } from '../measure.ts';
import { type Axis, type Plot, type Series, shown } from './figures.ts';

const width = 760;
const height = 380;
const area = { left: 76, right: 722, top: 80, bottom: 324 };
const charWidth = 6.6;
const legendGap = 30;
const markerSize = 4.5;
const ticks = 6;

type Scale = ScaleContinuousNumeric<number, number>;

interface Scales {
  readonly x: Scale;
  readonly y: Scale;
}

export function drawPlot(plot: Plot): string {
  const { title, x, y, series, limit } = plot;
  const points = series.flatMap((each) => each.points);
  const values = points.flatMap((point) => point.values);
  const limits = limit === undefined ? [] : [limit.value];
  const xs = points.map((point) => point.x);
  const scales = {
    x: scaleOf(x, xs, [area.left, area.right]),
    y: scaleOf(y, [...values, ...limits], [area.bottom, area.top]),
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    style,
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    text(title, { x: area.left, y: 26, kind: 'title' }),
    legend(series),
    ...xAxis(x, scales, xs),
    ...yAxis(y, scales),
    ...(limit === undefined ? [] : limitLine(limit, scales)),
    ...series.map((each, index) => drawSeries(each, index, scales)),
    '</svg>',
    '',
  ].join('\n');
}

const style = `<style>
  text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #59636e }
  .title { font-size: 14px; font-weight: 600; fill: #1f2328 }
  .card { fill: #ffffff; stroke: #d1d9e0 }
  .grid { stroke: #e5e8eb } .axis { stroke: #818b98 } .limit { stroke: #59636e; stroke-dasharray: 6 4 }
  .line { fill: none; stroke-width: 2 } .bar { stroke-width: 1.25; opacity: .6 }
  .s0 { --ink: #0969da } .s1 { --ink: #bc4c00 } .s2 { --ink: #1a7f37 } .s3 { --ink: #8250df } .s4 { --ink: #57606a }
  .line, .bar { stroke: var(--ink) } .dot { fill: var(--ink) }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .title { fill: #f0f6fc } .card { fill: #0d1117; stroke: #3d444d }
    .grid { stroke: #21262d } .axis { stroke: #656c76 } .limit { stroke: #9198a1 }
    .s0 { --ink: #4493f8 } .s1 { --ink: #db6d28 } .s2 { --ink: #3fb950 } .s3 { --ink: #ab7df8 } .s4 { --ink: #9198a1 }
  }
</style>`;

/** Linear axes start with 0: a plot of cost must not exaggerate. */
function scaleOf(axis: Axis, values: readonly number[], range: readonly [number, number]): Scale {
  const most = Math.max(...values);
  if (axis.scale === 'log') {
    return scaleLog()
      .domain([Math.min(...values), most])
      .range(range);
  }
  return scaleLinear()
    .domain([Math.min(0, ...values), most === 0 ? 1 : most])
    .nice(ticks)
    .range(range);
}

function xAxis(axis: Axis, { x }: Scales, values: readonly number[]): string[] {
  const { label, scale } = axis;
  // Few sizes are measured, at round numbers: they are the best ticks of a logarithmic axis.
  const at = axis.ticks ?? (scale === 'log' ? [...new Set(values)] : x.ticks(ticks));
  return [
    `<line class="axis" x1="${area.left}" y1="${area.bottom}" x2="${area.right}" y2="${area.bottom}"/>`,
    ...at.map((value) =>
      text(shown(value), { x: x(value), y: area.bottom + 18, anchor: 'middle' }),
    ),
    text(label, { x: (area.left + area.right) / 2, y: area.bottom + 40, anchor: 'middle' }),
  ];
}

function yAxis({ label, scale }: Axis, { y }: Scales): string[] {
  const at = scale === 'log' ? decades(y) : y.ticks(ticks);
  const lines = at.flatMap((value) => [
    `<line class="grid" x1="${area.left}" y1="${round(y(value))}" x2="${area.right}" y2="${round(y(value))}"/>`,
    text(tick(value), { x: area.left - 8, y: y(value) + 4, anchor: 'end' }),
  ]);
  return [...lines, text(label, { x: area.left, y: area.top - 12 })];
}

/** 1, 2 and 5 of each decade. */
function decades(y: Scale): readonly number[] {
  return y.ticks().filter((value) => /^[125]/.test(value.toExponential()));
}

/** Ticks are round: no digits are added. */
function tick(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 });
}

function limitLine({ value, label }: { value: number; label: string }, { y }: Scales): string[] {
  const at = round(y(value));
  return [
    `<line class="limit" x1="${area.left}" y1="${at}" x2="${area.right}" y2="${at}"/>`,
    text(label, { x: area.right - 2, y: at - 6, anchor: 'end' }),
  ];
}

function legend(series: readonly Series[]): string {
  let x = area.left;
  const entries = series.map(({ name }, index) => {
    const at = x;
    x += name.length * charWidth + legendGap;
    return `<g class="s${index}">${marker(index, at + 5, 42)}</g>${text(name, { x: at + 15, y: 46 })}`;
  });
  return entries.join('');
}

function drawSeries({ points }: Series, index: number, { x, y }: Scales): string {
  const at = points.map(({ x: size, values }) => ({
    x: round(x(size)),
    y: round(y(median(values))),
    from: round(y(Math.min(...values))),
    to: round(y(Math.max(...values))),
  }));
  const line = at.map((point) => `${point.x},${point.y}`).join(' ');
  const bars = at
    .filter(({ from, to }) => from !== to)
    .map((point) => `<path class="bar" d="M${point.x} ${point.from}V${point.to}"/>`);
  // Of a long series the line alone is readable.
  const markers = at.length > 30 ? [] : at.map((point) => marker(index, point.x, point.y));
  return `<g class="s${index}"><polyline class="line" points="${line}"/>${bars.join('')}${markers.join('')}</g>`;
}

/** Series differ in shape too, not only in colour. */
function marker(index: number, x: number, y: number): string {
  const s = markerSize;
  const shapes = [
    `M${x - s} ${y}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0z`,
    `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    `M${x} ${y - s - 1}l${s + 1} ${2 * s + 1}h${-2 * s - 2}z`,
    `M${x} ${y - s - 1}l${s + 1} ${s + 1}l${-s - 1} ${s + 1}l${-s - 1} ${-s - 1}z`,
  ];
  return `<path class="dot" d="${shapes[index % shapes.length]}"/>`;
}

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly anchor?: 'middle' | 'end';
  readonly kind?: string;
}

function text(content: string, { x, y, anchor, kind }: Placed): string {
  const attributes = [
    `x="${round(x)}" y="${round(y)}"`,
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
    ...(kind === undefined ? [] : [`class="${kind}"`]),
  ];
  return `<text ${attributes.join(' ')}>${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
