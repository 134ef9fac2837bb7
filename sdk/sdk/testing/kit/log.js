/** @returns a log that passes lines on, after it has shown them to `onLine` */
export function recordingLog(log, onLine) {
    const write = (level) => (message, fields = {}) => {
        onLine({ level, message, fields });
        log[level](message, fields);
    };
    return {
        debug: write('debug'),
        info: write('info'),
        warn: write('warn'),
        error: write('error'),
    };
}
