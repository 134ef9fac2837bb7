// Whether an object exists of which a failure leaves it open: an annotation, as the objects that record failures are immutable and one
// observation follows them. Pure.
import type { ObjectMeta } from '../../kube/api.ts';
import { annotation } from '../kinds.ts';

/** @returns the annotations of a dead letter or an orphan receipt; none when nothing is known */
export function existsAnnotations(exists: boolean | undefined): Pick<ObjectMeta, 'annotations'> {
  return exists === undefined ? {} : { annotations: { [annotation.exists]: `${exists}` } };
}

/** @returns undefined when nothing is known */
export function existsIn({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean | undefined {
  const text = annotations?.[annotation.exists];
  return text === 'true' ? true : text === 'false' ? false : undefined;
}
