// Wraps the metrics registry in plain functions. Counters and histograms are updated as things happen; gauges are read on
// scrape. Nothing is global: two services in one process have two registries.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

interface Shape {
  /** With unit, and `_total` for counters. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface Metrics {
  /** @returns a function that adds one, or `by`; 0 creates the series */
  counter(shape: Shape): (labels: Labels, by?: number) => void;
  /** @param buckets upper bounds, ascending @returns a function that observes one value */
  histogram(
    shape: Shape & { readonly buckets: readonly number[] },
  ): (labels: Labels, value: number) => void;
  /** @returns a function that replaces all of its series */
  gauge(shape: Shape): (samples: Iterable<Sample>) => void;
  /** Calls `read` before every scrape, to set gauges. */
  beforeScrape(read: () => void): void;
  scrape(): Promise<string>;
  readonly contentType: string;
}

/** Gauges of the library that are named like counters, with their content by kind: Prometheus warns about the names. */
const misnamed = ['active_resources', 'active_handles', 'active_requests'];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const readers: (() => void)[] = [];
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(`nodejs_${name}_total`);

  function configuration({ name, help, labels }: Shape) {
    return { name, help, labelNames: [...labels], registers: [registry] };
  }

  return {
    counter(shape) {
      const counter = new Counter(configuration(shape));
      return (labels, by = 1) => counter.inc(labels, by);
    },
    histogram(shape) {
      const histogram = new Histogram({ ...configuration(shape), buckets: [...shape.buckets] });
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge(shape) {
      const gauge = new Gauge(configuration(shape));
      return (samples) => {
        gauge.reset();
        for (const { labels, value } of samples) gauge.set(labels, value);
      };
    },
    beforeScrape: (read) => void readers.push(read),
    scrape() {
      for (const read of readers) read();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
