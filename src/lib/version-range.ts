// Version ranges as in `engines` of package.json, for versions without a pre-release.

type Parts = readonly [major: number, minor: number, patch: number];
type Comparison = (version: Parts) => boolean;

const comparator = /^([<>]=?|=|\^|~>?)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?$/;

/** @returns undefined for a range that is not understood, such as one with a pre-release */
export function satisfies(version: string, range: string): boolean | undefined {
  const has = version.replace(/^v/, '').split('.').map(Number) as unknown as Parts;
  const alternatives = range.split('||').map((each) => comparisonsIn(each.trim()));
  if (alternatives.some((each) => each === undefined)) return undefined;
  return alternatives.some((each) => each?.every((matches) => matches(has)));
}

function comparisonsIn(text: string): readonly Comparison[] | undefined {
  const [, from, to] = /^(\S+)\s+-\s+(\S+)$/.exec(text) ?? [];
  const words =
    from === undefined
      ? text.replace(/([<>=^~])\s+/g, '$1').split(/\s+/)
      : [`>=${from}`, `<=${to}`];
  const all = words.filter((word) => word !== '').map(comparison);
  return all.every((each) => each !== undefined) ? all : undefined;
}

function comparison(word: string): Comparison | undefined {
  const [match, operator = '', ...texts] = comparator.exec(word) ?? [];
  if (match === undefined) return undefined;
  const given = texts.flatMap((text) => (/^\d+$/.test(text ?? '') ? [Number(text)] : []));
  const [major = 0, minor = 0, patch = 0] = given;
  const least: Parts = [major, minor, patch];
  // The first version beyond what the given parts name: 1.2 is all of 1.2.x.
  const beyond = next(least, given.length - 1);
  switch (operator) {
    case '>=':
      return (version) => order(version, least) >= 0;
    case '<':
      return (version) => order(version, least) < 0;
    case '>':
      return (version) => order(version, beyond) >= 0;
    case '<=':
      return (version) => order(version, beyond) < 0;
    case '^': {
      const first = given.findIndex((part) => part > 0);
      return rangeBetween(least, next(least, first === -1 ? given.length - 1 : first));
    }
    case '~':
    case '~>':
      return rangeBetween(least, next(least, Math.min(given.length - 1, 1)));
    default:
      return rangeBetween(least, beyond);
  }
}

function rangeBetween(least: Parts, beyond: Parts): Comparison {
  return (version) => order(version, least) >= 0 && order(version, beyond) < 0;
}

/** @param index of the part that counts on; -1 for none, as in `*` */
function next([major, minor, patch]: Parts, index: number): Parts {
  if (index < 0) return [Number.POSITIVE_INFINITY, 0, 0];
  if (index === 0) return [major + 1, 0, 0];
  return index === 1 ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

function order(left: Parts, right: Parts): number {
  for (const [index, part] of left.entries()) {
    if (part !== right[index]) return part - (right[index] ?? 0);
  }
  return 0;
}
