/** Expectations of a window that are not valid: each error names its place in the list. */
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../support/canvases.ts";
import { TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, move, read } = windows;

const GOOD = { change: "added", class_name: "fvBD", dn: `${TENANT}/BD-good` };
const putExpectations = (id: string, expectations: unknown) =>
	windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations });
const listExpectations = async (id: string) =>
	(await windows.ada.api.get(`${WINDOWS}${id}/expectations/`)).body.expectations;

describe("an expectation that is not valid", () => {
	it.each<[string, string, object, string]>([
		["an item that the plan does not have", "item", { item: 1 }, "its items are 0 to 0"],
		["a connection that the window does not have", "connection_ids", { connection_ids: [UNKNOWN] }, UNKNOWN],
		["a regular expression that cannot be read", "dn", { dn: { regex: "uni/(" } }, "missing closing )"],
		["a regular expression with a lookahead", "dn", { dn: { regex: "(?!uni).*" } }, "(?!"],
		["an empty DN", "dn", { dn: "" }, "not be empty"],
		["no DN", "dn", { dn: undefined }, "dn"],
		["an unknown change", "change", { change: "moved" }, "added, deleted, modified, any"],
		["a maximum below the minimum", "count.max", { count: { min: 2, max: 1 } }, "less than min"],
		["a value that is a number", "attributes.descr.to", { attributes: { descr: { to: 1 } } }, "string"],
		["an unknown severity", "severity", { severity: "fatal" }, "critical"],
	])("is refused for %s, under its place", async (_title, field, fields, message) => {
		const { id } = await window();
		const refused = await putExpectations(id, [GOOD, { ...GOOD, ...fields }]);
		expect(refused.status, refused.text).toBe(400);
		expect(refused.body).toEqual({ [`expectations.1.${field}`]: [expect.stringContaining(message)] });
		expect(await listExpectations(id)).toEqual([]);
	});

	it("is refused for an unknown field", async () => {
		const { id } = await window();
		const refused = await putExpectations(id, [{ ...GOOD, klass: "fvBD" }]);
		expect(refused.status).toBe(400);
		expect(Object.keys(refused.body)).toEqual([expect.stringMatching(/^expectations\.0/)]);
	});

	it("is named beside the others that are not valid", async () => {
		const { id } = await window();
		const bad = { ...GOOD, dn: { regex: "(" }, connection_ids: [UNKNOWN] };
		const refused = await putExpectations(id, [bad, GOOD, { ...GOOD, connection_ids: [UNKNOWN] }]);
		expect(Object.keys(refused.body).sort()).toEqual([
			"expectations.0.connection_ids",
			"expectations.0.dn",
			"expectations.2.connection_ids",
		]);
	});

	it("leaves those that stand, and the approval, as they are", async () => {
		const { id } = await window({ requires_approval: true });
		await move(id, "approve", {}, windows.kim.api);
		expect((await putExpectations(id, [{ ...GOOD, item: 9 }])).status).toBe(400);
		expect(await read(id)).toMatchObject({ state: "planned", approved_by: "kim" });
	});

	it("is refused beyond a thousand", async () => {
		const { id } = await window();
		const many = Array.from({ length: 1_001 }, (_, i) => ({ ...GOOD, dn: `${TENANT}/BD-${i}` }));
		expect((await putExpectations(id, many)).body).toEqual({ expectations: [expect.stringContaining("1000")] });
		expect((await putExpectations(id, many.slice(1))).status).toBe(200);
	});
});

it("voids no approval if the expectations are the same", async () => {
	const { id } = await window({ requires_approval: true });
	expect((await putExpectations(id, [GOOD])).status).toBe(200);
	expect((await move(id, "submit")).status).toBe(200);
	await move(id, "approve", {}, windows.kim.api);
	const same = await putExpectations(id, await listExpectations(id));
	expect(same.body.expectations).toMatchObject([GOOD]);
	expect(await read(id)).toMatchObject({ state: "planned", approved_by: "kim" });
});
