// Represents a watch of resources as server-sent events. A record is serialized once, however many readers receive it.
import { LRUCache } from 'lru-cache';
import { beginSlice, ownTurn } from '../../lib/turns.ts';
import type { ResourceRecord } from '../../store/records.ts';
import type { ResourceEvent, Watch } from '../../store/watches/index.ts';
import { type CallerView, type Masking, viewOfPiece } from './caller-view.ts';
import { quietComment } from './event-stream.ts';
import { presentResource } from './resource.ts';

/** The minimum that is written at once, unless it takes long: a long list is not written record by record. */
const pieceBytes = 16_384;
const cachedBytes = 4_194_304;
const expiredDetail =
  'The token has expired; connect again with a new token, and with the last id as Last-Event-ID';

/** The last event of a watch whose token has expired. */
export const watchExpired = Buffer.from(
  `event: expired\ndata: ${JSON.stringify({ detail: expiredDetail })}\n\n`,
);

// An empty id makes the client forget the position that is void.
const resetText = Buffer.from('id:\nevent: reset\ndata: {}\n\n');
const syncedText = Buffer.from('event: synced\ndata: {}\n\n');

interface ResourceEventStream {
  /** @param view that of the reader */
  pieces(watch: Watch, view: CallerView): AsyncIterable<Uint8Array>;
}

type Upsert = Extract<ResourceEvent, { type: 'upsert' }>;

export function createResourceEventStream(): ResourceEventStream {
  const texts = new LRUCache<object, { readonly text: Buffer; readonly isSecret: boolean }>({
    maxSize: cachedBytes,
    sizeCalculation: ({ text }) => text.length,
  });
  /** For readers from whom the same is hidden: as long as the type has the same schemas. */
  const maskedTexts = new LRUCache<object, { readonly schemas: unknown; readonly text: Buffer }>({
    maxSize: cachedBytes,
    sizeCalculation: ({ text }) => text.length,
  });

  function upsertText({ source, record }: Upsert, view: CallerView): Buffer {
    const { masking } = view;
    if (masking !== undefined) {
      return maskedText({ source, record: record() }, { ...view, masking });
    }
    const known = texts.get(source);
    if (known?.isSecret) view.onSecrets();
    if (known !== undefined) return known.text;
    const whole = record();
    const text = upsertOf(presentResource(whole, view));
    texts.set(source, { text, isSecret: view.mayHaveSecrets(whole) });
    return text;
  }

  function maskedText(
    { source, record }: { source: object; record: ResourceRecord },
    view: CallerView & { readonly masking: Masking },
  ): Buffer {
    const schemas = view.masking.schemasOf(record);
    const known = maskedTexts.get(source);
    if (known !== undefined && known.schemas === schemas) return known.text;
    const text = upsertOf(presentResource(record, view));
    maskedTexts.set(source, { schemas, text });
    return text;
  }

  function eventText(event: ResourceEvent, view: CallerView): Buffer {
    switch (event.type) {
      case 'upsert':
        return upsertText(event, view);
      case 'synced':
        return syncedText;
      case 'reset':
        return resetText;
      case 'deleting':
      case 'deleted':
        return Buffer.from(
          `event: ${event.type}\ndata: ${JSON.stringify({ id: event.resourceId })}\n\n`,
        );
    }
  }

  function* piecesOf(batch: readonly ResourceEvent[], view: CallerView): Iterable<Buffer> {
    let held: Buffer[] = [];
    let bytes = 0;
    let piece = viewOfPiece(view);
    let isOver = beginSlice();
    for (const event of batch) {
      const text = eventText(event, piece);
      held.push(positionOf(event), text);
      bytes += text.length;
      if (bytes < pieceBytes && !isOver()) continue;
      yield Buffer.concat(held);
      held = [];
      bytes = 0;
      piece = viewOfPiece(view);
      isOver = beginSlice();
    }
    if (held.length > 0) yield Buffer.concat(held);
  }

  return {
    async *pieces({ events }, view) {
      for await (const batch of events) {
        for (const piece of piecesOf(batch, view)) {
          yield piece;
          await ownTurn();
        }
      }
    },
  };
}

function upsertOf(body: ReturnType<typeof presentResource>): Buffer {
  return Buffer.from(`event: upsert\ndata: ${JSON.stringify(body)}\n\n`);
}

const noPosition = Buffer.alloc(0);

function positionOf(event: ResourceEvent): Buffer {
  const id = event.type === 'reset' ? undefined : event.id;
  return id === undefined ? noPosition : Buffer.from(`id: ${id}\n`);
}

/** A sign of life. It also moves the position of the client on, past changes that the client does not receive. */
export function quietText({ position }: Watch): Uint8Array {
  return Buffer.from(position === undefined ? quietComment : `id: ${position}\n${quietComment}`);
}
