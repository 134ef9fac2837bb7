// Parses the Prometheus exposition format as strictly as Prometheus: an invalid line throws.

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  readonly series: readonly Series[];
  /** Names that have a type and a help text. */
  readonly described: ReadonlyMap<string, string>;
  /** @returns the value of the one series with these labels, undefined when there is none. @throws when there are more */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const comment = /^# (?:HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const sample =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?\d+)?|[+-]Inf|NaN|Nan)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

export function readExposition(text: string): Exposition {
  const described = new Map<string, string>();
  const series: Series[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, name, rest = ''] = comment.exec(line) ?? [];
    if (name === undefined) series.push(seriesIn(line));
    else if (line.startsWith('# TYPE')) described.set(name, rest);
  }
  return {
    series,
    described,
    value(name, labels = {}) {
      const wanted = Object.entries(labels);
      const found = series.filter(
        (each) => each.name === name && wanted.every(([key, value]) => each.labels[key] === value),
      );
      if (found.length > 1) throw new Error(`${name} has ${found.length} series with these labels`);
      return found[0]?.value;
    },
  };
}

function seriesIn(line: string): Series {
  const [, name, labels = '', value] = sample.exec(line) ?? [];
  if (name === undefined) throw new Error(`Not a line of the exposition format: ${line}`);
  return { name, labels: labelsIn(labels), value: Number(value?.replace('Inf', 'Infinity')) };
}

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name = '', value = ''] = label.exec(text) ?? [];
    if (name === '') throw new Error(`Not labels of the exposition format: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_all, sign: string) => (sign === 'n' ? '\n' : sign));
  }
  return labels;
}
