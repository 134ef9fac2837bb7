// Defines one API operation as a value: its path, input, responses and handler. Routing, validation, 405 responses and the
// OpenAPI document all derive from it, so they cannot disagree.
import type { Request } from 'express';
import { z } from 'zod';
import type { StagedArtifact } from '../domain/artifact.ts';
import { type ErrorCode, InvalidRequest } from '../domain/errors.ts';
import type { Precondition } from '../store/interfaces.ts';
import { type Caller, callerOf } from './auth/authenticate.ts';
import type { Operation } from './auth/authorize.ts';
import { requestContextOf, type Target } from './request/context.ts';
import { parse } from './request/parse.ts';
import { preconditionIn } from './request/preconditions.ts';
import { preferredWait } from './request/prefer.ts';
import { readQuery } from './request/query.ts';
import type { Answer } from './response/send.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Documentation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The success response; without a schema it has no body, or a non-JSON body (`type`). */
  readonly answer: {
    readonly status: number;
    readonly description: string;
    readonly schema?: z.ZodType;
    readonly type?: string | readonly string[];
    /** Descriptions of its headers. */
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Success responses besides `answer`. */
  readonly otherAnswers?: readonly {
    readonly status: number;
    readonly description: string;
    readonly schema: z.ZodType;
  }[];
  /** Errors of this operation besides those of every operation with its shape. */
  readonly errors?: readonly ErrorCode[];
}

interface Accepts<P, Q, B> {
  readonly path?: P;
  readonly query?: Q;
  /** For the documentation, by their names. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  /** JSON. A missing body parses as undefined, if the schema accepts that. */
  readonly body?: B;
  /** The body contains secrets: no violation repeats a part of it. */
  readonly hasSecrets?: boolean;
}

/** The only part of a multipart form. */
interface FilePart {
  readonly part: string;
  readonly description: string;
}

/** A raw request: unvalidated, with an unread body. */
export interface RawInput {
  readonly path: Readonly<Record<string, string>>;
  /** The text after `?`. */
  readonly search: string;
  readonly body: () => Promise<unknown>;
  /** Receives the uploaded file; the caller commits or discards the result. */
  readonly file: () => Promise<StagedArtifact>;
  /** @returns a signal that is aborted when the response is closed, for whatever reason */
  readonly closed: () => AbortSignal;
  /** Adds ids to those of the path, for the audit line. */
  readonly about: (ids: Target) => void;
}

interface Parsed<P, Q, B> {
  readonly path: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

export interface Endpoint {
  readonly method: Method;
  /** OpenAPI syntax: `/resources/{resource_id}`. */
  readonly path: string;
  /** `public` needs no token; any other value is a key of the role table. */
  readonly access: 'public' | Operation;
  readonly accepts: Accepts<z.ZodObject, z.ZodObject, z.ZodType> & { readonly file?: FilePart };
  readonly documentation: Documentation;
  readonly handle: (req: Request, raw: RawInput) => Promise<Answer>;
}

type Head<P, Q, B> = Pick<Endpoint, 'method' | 'path' | 'documentation'> & {
  readonly accepts?: Accepts<P, Q, B>;
};

/** Declares an operation for callers with a token. */
export function endpoint<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  spec: Head<P, Q, B> & {
    readonly access: Operation;
    readonly handle: (
      input: Parsed<P, Q, B> & {
        caller: Caller;
        /** The header of that name; empty if absent. */
        accept: string;
        /** Reads If-Match and If-None-Match. @throws InvalidRequest */
        precondition: () => Precondition | undefined;
        /** The header `Last-Event-ID`; empty if absent. */
        lastEventId: string;
        /** The preference `wait` of the header `Prefer`, in seconds. */
        wait: number | undefined;
        /** The trace of the request. */
        traceparent: string | undefined;
        closed: RawInput['closed'];
        about: RawInput['about'];
      },
    ) => Answer | Promise<Answer>;
  },
): Endpoint {
  const { accepts = {} } = spec;
  return {
    ...spec,
    accepts,
    handle: async (req, raw) => {
      const caller = callerOf(req);
      const { accept = '', prefer = '' } = req.headers;
      const headers = {
        accept,
        lastEventId: req.get('last-event-id') ?? '',
        wait: preferredWait([prefer].flat().join(',')),
        precondition: () => preconditionIn(req.headers),
        traceparent: requestContextOf(req).traceparent,
      };
      const { closed, about } = raw;
      return spec.handle({ ...(await read(accepts, req, raw)), ...headers, caller, closed, about });
    },
  };
}

/** Declares an upload operation for callers with a token. The handler decides when the file is received. */
export function uploadEndpoint<P extends z.ZodObject>(
  spec: Omit<Head<P, never, never>, 'accepts'> & {
    readonly access: Operation;
    readonly accepts: { readonly path: P; readonly file: FilePart };
    readonly handle: (
      input: { path: z.output<P>; caller: Caller } & Pick<RawInput, 'file' | 'about'>,
    ) => Promise<Answer>;
  },
): Endpoint {
  const { path } = spec.accepts;
  return {
    ...spec,
    handle: async (req, raw) => {
      const parsed = await read({ path }, req, raw);
      const { file, about } = raw;
      return spec.handle({ path: parsed.path, caller: callerOf(req), file, about });
    },
  };
}

/** Declares a public operation. Its only input is its path, and how its content may be sent. */
export function publicEndpoint<P extends z.ZodObject>(
  spec: Omit<Head<P, never, never>, 'accepts'> & {
    readonly accepts?: { readonly path: P };
    /** Any query is accepted, as it is for the page that is served. */
    readonly ignoresQuery?: boolean;
    readonly handle: (
      input: { path: z.output<P> } & {
        /** @returns a header of the request; empty if absent */
        header: (name: string) => string;
      },
    ) => Answer | Promise<Answer>;
  },
): Endpoint {
  const { accepts = {}, ignoresQuery = false } = spec;
  return {
    ...spec,
    accepts,
    access: 'public',
    handle: async (req, raw) => {
      const parsed = await read<P, never, never>(
        accepts,
        req,
        ignoresQuery ? { ...raw, search: '' } : raw,
      );
      return spec.handle({ path: parsed.path, header: (name) => req.get(name) ?? '' });
    },
  };
}

const noQuery = z.object({});

// The order matters: what the request line alone can reject is rejected before the body is read.
async function read<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  { path, query, body, hasSecrets = false }: Accepts<P, Q, B>,
  req: Request,
  raw: RawInput,
): Promise<Parsed<P, Q, B>> {
  const parsed = {
    path: path && parse(path, raw.path, 'path'),
    query: parse(query ?? noQuery, readQuery(raw.search, query ?? noQuery), 'query'),
    body: body && (await readBody(body, hasSecrets, () => bodyFor(body, req, raw))),
  };
  // A missing schema gives a missing part, which no handler uses: its type parameter is never inferred.
  return parsed as Parsed<P, Q, B>;
}

async function readBody<B extends z.ZodType>(
  schema: B,
  hasSecrets: boolean,
  receive: () => Promise<unknown>,
): Promise<z.output<B>> {
  try {
    return parse(schema, await receive(), 'body');
  } catch (thrown) {
    if (!hasSecrets || !(thrown instanceof InvalidRequest)) throw thrown;
    throw new InvalidRequest(thrown.violations.map(({ loc, msg, type }) => ({ loc, msg, type })));
  }
}

function bodyFor(schema: z.ZodType, { headers }: Request, raw: RawInput): Promise<unknown> {
  const empty = Number(headers['content-length'] ?? 0) === 0 && !headers['transfer-encoding'];
  return empty && mayBeAbsent(schema) ? Promise.resolve(undefined) : raw.body();
}

export function mayBeAbsent(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success;
}
