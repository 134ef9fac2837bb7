// Implements one operation of the API as a value: its documentation and its handler. Path, rights, input and answer come from
// `api/`; routing, validation, 405 responses and the OpenAPI document derive from both.

import type { Request } from 'express';
import { z } from 'zod';
import { type Contract, contract, type Exchange } from '../api/contract.ts';
import type { ErrorCode } from '../api/errors.ts';
import {
  type Method,
  type OperationId,
  operations,
  type ProtectedId,
  requiresToken,
} from '../api/operations.ts';
import { InvalidRequest } from '../domain/errors.ts';
import type { StagedArtifact } from '../domain/providers/artifact.ts';
import { betweenSteps } from '../lib/turns.ts';
import type { Precondition } from '../store/interfaces.ts';
import { type Caller, callerOf } from './auth/authenticate.ts';
import { type PathTarget, requestContextOf } from './request/context.ts';
import { parse } from './request/parse.ts';
import { preconditionIn } from './request/preconditions.ts';
import { preferredWait } from './request/prefer.ts';
import { readQuery } from './request/query.ts';
import type { UnexpectedFailure } from './response/errors.ts';
import type { RouteAnswer } from './response/send.ts';

interface Documentation {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The success response. */
  readonly answer: {
    readonly status: number;
    readonly description: string;
    /** Content types besides JSON. */
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

/** A raw request: unvalidated, with an unread body. */
interface RawInput {
  readonly path: Readonly<Record<string, string>>;
  /** The text after `?`. */
  readonly search: string;
  readonly body: () => Promise<unknown>;
  /** Receives the uploaded file; the caller commits or discards the result. */
  readonly file: () => Promise<StagedArtifact>;
  /** @returns a signal that is aborted when the response is closed, for whatever reason */
  readonly closed: () => AbortSignal;
  /** Adds ids to those of the path, for the audit line. */
  readonly about: (ids: PathTarget) => void;
  /** Logs a failure of which the answer does not say the cause. */
  readonly onUnexpected: (failure: UnexpectedFailure) => void;
}

type EndpointPartOf<Id extends OperationId, Part extends string> = Contract[Id] extends {
  readonly [part in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

interface ParsedRequest<Id extends OperationId> {
  readonly path: EndpointPartOf<Id, 'path'>;
  readonly query: EndpointPartOf<Id, 'query'>;
  readonly body: EndpointPartOf<Id, 'body'>;
}

export interface Endpoint {
  readonly id: OperationId;
  readonly method: Method;
  /** OpenAPI syntax: `/resources/{resource_id}`. */
  readonly path: string;
  /** `public` needs no token. */
  readonly access: 'public' | ProtectedId;
  readonly exchange: Exchange;
  readonly documentation: Documentation;
  readonly handle: (req: Request, raw: RawInput) => Promise<RouteAnswer>;
}

function declareEndpoint(
  id: OperationId,
  documentation: Documentation,
  handle: Endpoint['handle'],
): Endpoint {
  const [method, path] = operations[id];
  const access = requiresToken(id) ? id : 'public';
  return { id, method, path, access, exchange: contract[id], documentation, handle };
}

/** Implements an operation for callers with a token. */
export function endpoint<Id extends ProtectedId>(
  id: Id,
  spec: {
    readonly documentation: Documentation;
    readonly handle: (
      input: ParsedRequest<Id> & {
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
        onUnexpected: RawInput['onUnexpected'];
        /** Leaves an audit line for a read that shows secrets. */
        onSecrets: () => void;
      },
    ) => RouteAnswer | Promise<RouteAnswer>;
  },
): Endpoint {
  return declareEndpoint(id, spec.documentation, async (req, raw) => {
    const caller = callerOf(req);
    const { accept = '', prefer = '' } = req.headers;
    const headers = {
      accept,
      lastEventId: req.get('last-event-id') ?? '',
      wait: preferredWait([prefer].flat().join(',')),
      precondition: () => preconditionIn(req.headers),
      traceparent: requestContextOf(req).traceparent,
    };
    const { closed, about, onUnexpected } = raw;
    const { onSecrets } = requestContextOf(req);
    const given = {
      ...(await parseRequest(id, req, raw)),
      ...headers,
      caller,
      closed,
      about,
      onUnexpected,
      onSecrets,
    };
    await betweenSteps();
    return spec.handle(given);
  });
}

/** Operations whose body is a form with a file. */
type UploadId = {
  [Id in ProtectedId]: Contract[Id] extends { readonly file: object } ? Id : never;
}[ProtectedId];

/** Implements an upload for callers with a token. The handler decides when the file is received. */
export function uploadEndpoint<Id extends UploadId>(
  id: Id,
  spec: {
    readonly documentation: Documentation;
    readonly handle: (
      input: Pick<ParsedRequest<Id>, 'path'> & { caller: Caller } & Pick<
          RawInput,
          'file' | 'about'
        >,
    ) => Promise<RouteAnswer>;
  },
): Endpoint {
  return declareEndpoint(id, spec.documentation, async (req, raw) => {
    const { path } = await parseRequest(id, req, raw);
    const { file, about } = raw;
    return spec.handle({ path, caller: callerOf(req), file, about });
  });
}

/** Implements a public operation. Its only input is its path, and how its content may be sent. */
export function publicEndpoint<Id extends Exclude<OperationId, ProtectedId>>(
  id: Id,
  spec: {
    readonly documentation: Documentation;
    /** Any query is accepted, as it is for the page that is served. */
    readonly ignoresQuery?: boolean;
    readonly handle: (
      input: Pick<ParsedRequest<Id>, 'path'> & {
        /** @returns a header of the request; empty if absent */
        header: (name: string) => string;
      },
    ) => RouteAnswer | Promise<RouteAnswer>;
  },
): Endpoint {
  const { ignoresQuery = false } = spec;
  return declareEndpoint(id, spec.documentation, async (req, raw) => {
    const { path } = await parseRequest(id, req, ignoresQuery ? { ...raw, search: '' } : raw);
    return spec.handle({ path, header: (name) => req.get(name) ?? '' });
  });
}

const noQuery = z.object({});

// The order matters: what the request line alone can reject is rejected before the body is read.
async function parseRequest<Id extends OperationId>(
  id: Id,
  req: Request,
  raw: RawInput,
): Promise<ParsedRequest<Id>> {
  const { path, query, body, hasSecrets }: Exchange = contract[id];
  const parsed = {
    path: path && parse(path, raw.path, 'path'),
    query: parse(query ?? noQuery, readQuery(raw.search, query ?? noQuery), 'query'),
    body: body && (await parseBody(body, hasSecrets, () => bodyFor(body, req, raw))),
  };
  return parsed as ParsedRequest<Id>;
}

async function parseBody<B extends z.ZodType>(
  schema: B,
  hasSecrets: boolean | undefined,
  receive: () => Promise<unknown>,
): Promise<z.output<B>> {
  try {
    return parse(schema, await receive(), 'body');
  } catch (thrown) {
    if (hasSecrets !== true || !(thrown instanceof InvalidRequest)) throw thrown;
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
