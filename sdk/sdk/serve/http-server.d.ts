import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ReplyTo } from './reply.js';
import type { ServeTls } from './serve-options.js';
export interface Bound {
    readonly server: Server;
    readonly port: number;
}
/** @returns the servers to listen; the first is the one for events */
export declare function serversFor({ port, tls }: {
    readonly port?: number;
    readonly tls?: ServeTls;
}, handle: (req: IncomingMessage, res: ServerResponse) => void): readonly Bound[];
/** @returns the port of the first. @throws the error of `listen`; none listens then */
export declare function allListening(servers: readonly Bound[], host: string): Promise<number>;
export declare function closeAll(servers: readonly Bound[]): Promise<void>;
export declare function answer(req: IncomingMessage, res: ServerResponse, run: () => Promise<ReplyTo<object>>): Promise<void>;
export declare function isProbe({ method, url }: IncomingMessage, path: string): boolean;
export declare function writeJson(res: ServerResponse, status: number, body: unknown): void;
export declare function readBody(req: IncomingMessage): Promise<Buffer>;
