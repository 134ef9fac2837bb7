export function createFaults(processes) {
    let losesAnswer = false;
    const crashes = new Set();
    return {
        loseAnswer() {
            losesAnswer = true;
        },
        crashAfter(handler) {
            crashes.add(handler);
        },
        async take({ event_type }, succeeded) {
            if (succeeded && crashes.delete(event_type.toLowerCase())) {
                await processes.crash();
                return true;
            }
            const isLost = losesAnswer;
            losesAnswer = false;
            return isLost;
        },
    };
}
