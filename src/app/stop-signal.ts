// Handles the signals that stop the process.

/** Ctrl-C and SIGTERM start a graceful shutdown; a second signal ends the process at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  return stopping.signal;
}
