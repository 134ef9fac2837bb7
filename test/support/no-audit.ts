// Drops the audit lines of an app.

import { createAudit } from '../../src/http/audit.ts';
import { systemClock } from '../../src/lib/clock.ts';

export const noAudit = createAudit({ write: () => undefined, clock: systemClock });
