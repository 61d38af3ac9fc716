/** Compares answers with their contracts. Tests switch it on; production does not. */
import { Readable } from "node:stream";
import { isRaw, type RouteContract } from "@weft/contracts";
import type { Origin } from "../caller.ts";
import { declaresStatus } from "./common-answers.ts";
import type { Sent } from "./sender.ts";

/** Reports an undeclared status, a body of another shape, and a change that left no audit entry. */
export function checkAnswer(
	contract: RouteContract,
	{ status, body, sendAsIs }: Sent,
	origin: Origin,
	report: (violation: string) => void,
): void {
	if ("category" in contract.audit && status < 300 && !origin.trail?.settled) {
		report(`${contract.id} answered ${status} without an audit entry`);
	}
	const declared = contract.answers[status];
	if (declared === undefined) report(`${contract.id} answered ${status}, which it does not declare`);
	if (declared === undefined || isRaw(declared) || body instanceof Readable) return;
	const isEncoded = Buffer.isBuffer(body) || (sendAsIs === true && typeof body === "string");
	const parsed = declared.safeParse(JSON.parse(isEncoded ? String(body) : JSON.stringify(body)));
	if (!parsed.success) report(`${contract.id} answered ${status} with a wrong body: ${parsed.error.message}`);
}

/** Reports an error whose status neither the contract nor the common answers declare. */
export function checkError(contract: RouteContract, status: number, report: (violation: string) => void): void {
	if (!declaresStatus(contract, status)) report(`${contract.id} answered ${status}, which it does not declare`);
}
