export interface ProcessEnding {
    readonly exitCode: number;
    /** Written to standard error last: Kubernetes keeps the end of a log as the message of the termination. */
    readonly lastWords: string;
}
/** One server of this process. */
export interface Party {
    /** Resolves when its handlers have ended, or their time is over, and their answers are sent. */
    end(): Promise<void>;
}
/** @returns a function that leaves */
export declare function joinEnding(party: Party): () => void;
export declare function isEnding(): boolean;
export declare function endProcess(crash: ProcessEnding): void;
