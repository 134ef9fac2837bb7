// What becomes of a body that was answered without being read: node goes on receiving it, so that the sender can read the
// answer. That is a courtesy with an end, or a refused upload of any size would still be received whole.
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
