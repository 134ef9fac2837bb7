// Checks what a type declares about observing its objects.
import { intervalMs, intervalRule } from '../../domain/observation/interval.ts';

interface DeclaredObserving {
  readonly observe?: unknown;
  readonly observeEvery?: unknown;
  readonly compareDefaults?: unknown;
  readonly adopt?: unknown;
  readonly list?: unknown;
}

/**
 * @throws TypeError when `observe` or `list` is no function, `adopt` no schema, or one of the options stands without `observe`
 * @throws RangeError when `observeEvery` is no interval that Fairlead accepts
 */
export function requireObservation(type: string, declared: DeclaredObserving): void {
  const { observe, observeEvery, compareDefaults, adopt, list } = declared;
  for (const [name, handler] of Object.entries({ observe, list })) {
    if (handler === undefined || typeof handler === 'function') continue;
    throw new TypeError(`Type ${type}: ${name} must be a function; omit it if there is none`);
  }
  const [useless] = Object.entries({ observeEvery, compareDefaults, adopt, list }).filter(
    ([, value]) => value !== undefined,
  );
  if (observe === undefined && useless !== undefined) {
    throw new TypeError(
      `Type ${type}: ${useless[0]} has no effect without the handler observe; add observe, or omit ${useless[0]}`,
    );
  }
  if (adopt !== undefined && (typeof adopt !== 'object' || adopt === null)) {
    throw new TypeError(
      `Type ${type}: adopt must be a schema, such as z.object({ id: z.string() })`,
    );
  }
  if (observeEvery === undefined) return;
  if (typeof observeEvery === 'string' && intervalMs(observeEvery) !== undefined) return;
  throw new RangeError(
    `Type ${type}: observeEvery is ${String(observeEvery)}; it must be ${intervalRule}`,
  );
}
