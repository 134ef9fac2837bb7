// Drains a request body that was answered without being read, so that the client can read the response. The drain is
// limited: otherwise a rejected upload of any size would be received completely.
import type { RequestHandler } from 'express';

export function boundUnreadBody(lingerMs: number): RequestHandler {
  return (req, res, next) => {
    res.once('finish', () => {
      if (req.complete) return;
      req.resume();
      const timer = setTimeout(() => req.socket.destroy(), lingerMs);
      timer.unref();
      req.once('close', () => clearTimeout(timer));
    });
    next();
  };
}
