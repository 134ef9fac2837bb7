// Parses Kubernetes quantities (`500m`, `1Gi`, `1e3`) as numbers, for the downward API. Pure.

const powers: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** @returns undefined if the text is not a quantity */
export function quantity(text: string): number | undefined {
  const [, figure, unit = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const power = powers[unit];
  return figure === undefined || power === undefined ? undefined : Number(figure) * power;
}
