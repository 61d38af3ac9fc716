/** Checks of a change window: judged by the objects that violate them on both sides. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output } from "../support/canvases.ts";
import { CHECKS } from "../support/checks.ts";
import { addQuery } from "../support/tasks.ts";
import { TENANT, useWindows } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, listFindings, move, reach } = windows;

const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 8 };
const getDn = (name: string) => `${TENANT}/taboo-${name}`;
let check: string;
const present = new Set<string>();

/** Makes these taboo contracts the only ones. */
async function setTaboos(names: readonly string[]): Promise<void> {
	for (const name of [...present].filter((one) => !names.includes(one))) {
		await windows.remove("vzTaboo", getDn(name));
		present.delete(name);
	}
	for (const name of names.filter((one) => !present.has(one))) {
		await windows.write(getDn(name), { vzTaboo: { attributes: { dn: getDn(name), name } } });
		present.add(name);
	}
}

/** Of the description of each taboo contract; those of this file have none. */
const buildRule = (operator: "eq" | "ne") => ({
	type: "each_row",
	config: { conditions: [{ field: "vzTaboo.descr", operator, value: "allowed" }] },
});

const openCheckedWindow = async (gate: object = { before: "warn" }) => {
	const { id } = await window({}, { items: [{ check, when: ["before", "after"] }], gate, settle: SETTLE });
	await open(id);
	return id;
};

beforeAll(async () => {
	const query = await addQuery(windows.ada.api, {
		flow_data: connectNodes(buildClassNode("vzTaboo"), output),
		enable_time_machine: true,
	});
	const made = await windows.ada.api.post(CHECKS, {
		name: "No taboo contracts",
		saved_query: query,
		...buildRule("eq"),
		controller_connection_ids: [windows.connection],
	});
	expect(made.status, made.text).toBe(201);
	check = made.body.id;
});
afterEach(() => setTaboos([]));

describe("a check of a change window", () => {
	it.each([
		["is new where it held before", [], ["a"], "new", "failed"],
		["is the same where the same objects violate it", ["a"], ["a"], "same", "passed_with_warnings"],
		["is worse where another object violates it, though the number is the same", ["a"], ["b"], "worse", "failed"],
		["is worse where one object more violates it", ["a"], ["a", "b"], "worse", "failed"],
		["is the same where fewer objects violate it", ["a", "b"], ["b"], "same", "passed_with_warnings"],
		["is fixed where it holds after the work", ["a"], [], "fixed", "passed"],
	])("%s", async (_title, before, after, kind, verdict) => {
		await setTaboos(before);
		const id = await openCheckedWindow();
		await setTaboos(after);
		expect(await judge(id)).toMatchObject({ verdict });
		const [finding, ...others] = await listFindings(id);
		expect(others).toEqual([]);
		expect(finding).toMatchObject({ class: kind, item: 0 });
		if (kind !== "fixed") expect(finding.dns.sort()).toEqual(after.map(getDn));
	});

	it("has no finding where it holds on both sides", async () => {
		const id = await openCheckedWindow();
		expect(await judge(id)).toMatchObject({ verdict: "passed" });
		expect(await listFindings(id)).toEqual([]);
	});

	it("blocks the work where it fails before", async () => {
		await setTaboos(["a"]);
		const { id } = await window({}, { items: [{ check, when: ["before", "after"] }], gate: { before: "block" } });
		await move(id, "start");
		const blocked = await reach(id, "blocked");
		expect(blocked.gate.reasons).toMatchObject([{ kind: "check", item: 0, connection_id: windows.connection }]);
	});

	it("says nothing where it was changed between the sides", async () => {
		const id = await openCheckedWindow({ before: "block" });
		await setTaboos(["a"]);
		const changeRule = async (operator: "eq" | "ne") => {
			const answer = await windows.ada.api.patch(`${CHECKS}${check}/`, buildRule(operator));
			expect(answer.status, answer.text).toBe(200);
		};
		await changeRule("ne");
		const judged = await judge(id);
		await changeRule("eq");
		expect(judged).toMatchObject({ verdict: "inconclusive" });
		const [item] = judged.connections[0].items;
		expect(item).toMatchObject({ verdict: "inconclusive" });
		expect(await listFindings(id)).toMatchObject([
			{ class: "inconclusive", item: 0, detail: "The check was changed meanwhile." },
		]);
	});
});
