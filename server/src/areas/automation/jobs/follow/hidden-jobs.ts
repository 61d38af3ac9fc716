/** Jobs that the automation server does not let the token's user read. */
import { AutomationError } from "../../../../integrations/awx/port.ts";
import { isServerFailure } from "../rules/poll-errors.ts";

/** Whether an error concerns one job, while the server answers for others. */
export const isJobError = (error: unknown): error is AutomationError =>
	error instanceof AutomationError && !isServerFailure(error.kind);

/** Returns null if the server refuses the answer. */
export async function readIfShown<T>(work: Promise<T>): Promise<T | null> {
	return work.catch((error: unknown) => {
		if (isJobError(error)) return null;
		throw error;
	});
}
