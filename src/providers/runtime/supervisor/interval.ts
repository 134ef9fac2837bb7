// An interval that exists only while it is needed.

/** @returns a function that begins or ends it */
export function intervalWhile(everyMs: number, work: () => void): (isNeeded: boolean) => void {
  let timer: NodeJS.Timeout | undefined;
  return (isNeeded) => {
    if (isNeeded) timer ??= setInterval(work, everyMs);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
