/**
 * Whether one answer holds all that it announces: a busy controller sends an empty or short list
 * although it has the objects.
 */

import { type Answer, buildFailure, type Failure } from "./answer.ts";
import { ControllerError } from "./port-error.ts";

export interface PageOf {
	readonly index: number;
	readonly size: number;
}

/** For a single request, whose meaning is the caller's: only "none of many" is certainly wrong. */
export function assertNotEmptied(answer: Answer): Failure | null {
	const { objects, totalCount, status } = answer;
	return objects?.count === 0 && totalCount ? buildBusyFailure(totalCount, 0, totalCount, status) : null;
}

/**
 * `page` undefined: the whole answer was asked for. `sparse`: the controller drops objects after it
 * cut the page, so a short page proves nothing, and an empty one only arouses suspicion: it is
 * asked for a second time and then believed.
 */
export function createCompletenessCheck(page: PageOf | undefined, sparse: boolean): (answer: Answer) => Failure | null {
	let suspected = false;
	return ({ objects, totalCount, status }) => {
		if (!objects) {
			const message = "The answer holds no list of objects (imdata).";
			return buildFailure(new ControllerError("bad_answer", message, { status, retryable: true }), "yes");
		}
		if (totalCount === null) return null;
		const expected = page ? Math.min(page.size, Math.max(0, totalCount - page.index * page.size)) : totalCount;
		if (objects.count >= expected) return null;
		if (sparse) {
			if (objects.count > 0 || suspected) return null;
			suspected = true;
		}
		return buildBusyFailure(totalCount, objects.count, expected, status);
	};
}

function buildBusyFailure(total: number, sent: number, expected: number, status: number): Failure {
	const listedNone = sent === 0;
	const message = listedNone
		? `The controller counts ${total} objects, but lists none of them. It may be busy: try again later. ` +
			"If it never lists this class, as fabricNodePEp without vPC, allow the class to be empty " +
			"(allowEmpty)."
		: `The controller is busy: it has ${total} objects, but sent ${sent} of the ${expected} asked for. ` +
			"Nothing was taken over. Try again later.";
	return buildFailure(new ControllerError("busy", message, { status, retryable: true, listedNone }), "yes");
}
