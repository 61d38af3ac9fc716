import { describe, expect, test } from "vitest";
import { readResult } from "./document.ts";
import {
	computeAllowedBytes,
	decideOutcome,
	getControllerErrorReason,
	type OutcomeInput,
	toMegabytes,
} from "./outcome.ts";

function getReason(text: string): string | null {
	const document = readResult(Buffer.from(text), { maxBytes: 1 << 20 });
	return document === null ? null : getControllerErrorReason(document.signals);
}

describe("controller errors", () => {
	test.each([
		[
			'{"imdata":[{"error":{"attributes":{"code":"122","text":"class faultIns not found"}}}]}',
			"error 122: class faultIns not found",
		],
		['{"imdata":[{"fvBD":{}},{"error":{}}],"totalCount":"2"}', "answered with error."],
		['{"imdata":[{"error":"busy"}]}', "error: busy"],
		['[{"error":{"attributes":{"code":400}}}]', "error 400."],
		['{"error":{"attributes":{"text":"no"}}}', "error: no"],
		[
			'{"messages":[{"severity":"info"},{"severity":"Warning","text":"partial"}],"imdata":[{"fvBD":{}}]}',
			"a warning: partial",
		],
		['{"imdata":[],"messages":{"severity":"error"}}', "sent an error."],
		['{"totalCount":"5","imdata":[]}', "counted 5 objects but sent none"],
		['{"imdata":[],"totalCount":5}', "counted 5 objects but sent none"],
	])("%s", (text, reason) => {
		expect(getReason(text)).toContain(reason);
	});

	test.each([
		'{"totalCount":"0","imdata":[]}',
		'{"imdata":[]}',
		'{"totalCount":"5","imdata":[{"fvBD":{}}]}',
		'{"totalCount":"","imdata":[]}',
		'{"totalCount":null,"imdata":[]}',
		'{"messages":[],"imdata":[]}',
		'{"messages":[{"severity":"info"},7,"error"],"imdata":[]}',
		'{"messages":"error","imdata":[]}',
		'{"imdata":[{"dn":"uni/x","error":"0"}]}',
		'{"imdata":[{"x":{"error":{}}}]}',
		'{"totalCount":"5","rows":[]}',
		'{"totalCount":"5","imdata":[],"imdata":[1]}',
	])("%s is none", (text) => {
		expect(getReason(text)).toBeNull();
	});
});

describe("outcome", () => {
	const fine: OutcomeInput = {
		access: "allowed",
		signals: { message: null, error: null, totalCount: 1, rowCount: 1, isEnvelope: true },
		sizeBytes: 1000,
		limitMb: 10,
		hash: "h2",
		previous: { id: "p", hash: "h1" },
		storeDuplicates: false,
	};
	const same = { id: "p", hash: "h2" };
	const broken = { ...fine.signals, rowCount: 0 };

	test.each<[string, Partial<OutcomeInput>, object]>([
		["changed", {}, { kind: "store", isDuplicate: false, hasChanges: true }],
		["first", { previous: null }, { kind: "store", isDuplicate: false, hasChanges: false }],
		["duplicate", { previous: same }, { kind: "duplicate", previousId: "p" }],
		[
			"duplicate that is kept",
			{ previous: same, storeDuplicates: true },
			{ kind: "store", isDuplicate: true, hasChanges: false },
		],
		[
			"too large",
			{ sizeBytes: computeAllowedBytes(10) + 1, hash: null, previous: same },
			{ kind: "too_large", limitMb: 10 },
		],
		["just not too large", { sizeBytes: computeAllowedBytes(10) }, { kind: "store" }],
		["error before size", { signals: broken, sizeBytes: 1e9 }, { kind: "controller_error" }],
		["permission before error", { access: "forbidden", signals: broken }, { kind: "forbidden" }],
		["visibility", { access: "hidden", signals: broken }, { kind: "hidden" }],
	])("%s", (_, input, outcome) => {
		expect(decideOutcome({ ...fine, ...input })).toMatchObject(outcome);
	});

	test("a size beyond the limit is shown as beyond the limit", () => {
		expect(toMegabytes(computeAllowedBytes(10) + 1)).toBeGreaterThan(10);
		expect(toMegabytes(1)).toBeGreaterThan(0);
	});
});
