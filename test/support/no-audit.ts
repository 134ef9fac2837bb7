// Drops the audit lines of an app.
import { systemClock } from '../../src/domain/clock.ts';
import { createAudit } from '../../src/http/audit.ts';

export const noAudit = createAudit({ write: () => undefined, clock: systemClock });
