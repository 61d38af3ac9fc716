/** Tells errors of the automation server from errors of one of its jobs. */
import type { AutomationError } from "../../../../integrations/awx/port.ts";

type Kind = AutomationError["kind"];

/** Kinds of errors that an answer about one job gives while the server works. */
const JOB_KINDS: readonly Kind[] = ["permission", "not_found", "invalid", "conflict", "too_big"];

/** Whether requests for other jobs of the server fail in the same way. */
export const isServerFailure = (kind: Kind): boolean => !JOB_KINDS.includes(kind);
