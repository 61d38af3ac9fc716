/** Expectations from the findings of an earlier change window on another fabric. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UNKNOWN } from "../support/canvases.ts";
import type { Api } from "../support/harness.ts";
import { TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, listFindings, writeDomain } = windows;

let lab: RunningController;
let second: string;
/** A window of the first fabric, judged, with an expected and an undeclared domain. */
let earlier: string;

const buildDomain = (name: string, attributes: object = {}) => ({
	fvBD: { attributes: { dn: `${TENANT}/BD-${name}`, name, ...attributes } },
});
const importFindings = (id: string, from: string | undefined, api: Api = windows.ada.api) =>
	api.post(`${WINDOWS}${id}/expectations/import/`, { format: "comparison", ...(from && { window: from }) });

beforeAll(async () => {
	lab = await startController({ size: "small", seed: 2, now: () => windows.t.clock.now() });
	lab.load({ imdata: [{ fvTenant: { attributes: { dn: TENANT, name: "window-test" } } }, buildDomain("old")] });
	second = await windows.addFabric(lab, "Second fabric");
	await writeDomain("old");
	({ id: earlier } = await window({ title: "First fabric" }));
	const expectations = [{ change: "added", class_name: "fvBD", dn: `${TENANT}/BD-declared` }];
	expect((await windows.ada.api.put(`${WINDOWS}${earlier}/expectations/`, { expectations })).status).toBe(200);
	await open(earlier);
	await writeDomain("declared");
	await writeDomain("stray");
	await writeDomain("old", { arpFlood: "yes" });
	expect(await judge(earlier)).toMatchObject({ verdict: "failed", verdict_reasons: ["undeclared:2"] });
});
afterAll(() => lab.close());

const createSecond = (fields: object = {}) => window({ connection_ids: [second], ...fields });

describe("an import of an earlier window", () => {
	it("expects its differences on another fabric, declared or not, and the same work passes there", async () => {
		const { id } = await createSecond();
		expect(await importFindings(id, earlier)).toMatchObject({ status: 200, body: { added: 3, not_understood: [] } });
		const { body } = await windows.ada.api.get(`${WINDOWS}${id}/expectations/`);
		const common = { class_name: "fvBD", item: null, note: 'As in "First fabric"', source: "comparison", late: false };
		const declared = body.expectations.toSorted((a: { dn: string }, b: { dn: string }) => (a.dn < b.dn ? -1 : 1));
		expect(declared).toMatchObject([
			{ ...common, change: "added", dn: `${TENANT}/BD-declared`, attributes: null },
			{ ...common, change: "modified", dn: `${TENANT}/BD-old`, attributes: { arpFlood: { to: "yes" } } },
			{ ...common, change: "added", dn: `${TENANT}/BD-stray`, attributes: null },
		]);
		await open(id);
		lab.load({ imdata: [buildDomain("declared"), buildDomain("stray"), buildDomain("old", { arpFlood: "yes" })] });
		expect(await judge(id)).toMatchObject({ verdict: "passed" });
		expect((await listFindings(id)).map((finding) => finding.class)).toEqual(["expected", "expected", "expected"]);
	});

	it("is refused under the window that it names, and adds nothing", async () => {
		const { id } = await createSecond();
		const [unjudged, same] = [(await window()).id, (await window()).id];
		const refusals: [target: string, from: string | undefined, message: string][] = [
			[id, undefined, "Is required"],
			[id, id, "cannot expect its own findings"],
			[id, UNKNOWN, "no such change window"],
			[id, unjudged, "has not been judged"],
			[same, earlier, "Must be of other connections"],
			[earlier, earlier, "cannot expect its own findings"],
		];
		for (const [target, from, message] of refusals)
			expect(await importFindings(target, from)).toMatchObject({
				status: 400,
				body: { window: [expect.stringContaining(message)] },
			});
		for (const target of [id, same])
			expect((await windows.ada.api.get(`${WINDOWS}${target}/expectations/`)).body.expectations).toEqual([]);
	});

	it("is refused if one of its connections is also one of the window", async () => {
		const { id } = await createSecond({ connection_ids: [second, windows.connection] });
		expect((await importFindings(id, earlier)).body).toHaveProperty("window");
	});

	it("shows no findings of a window that the user does not see", async () => {
		const { id } = await createSecond();
		const connection = `/api/controller/connections/${windows.connection}/`;
		await windows.ada.api.patch(connection, { is_public: false });
		const bob = await windows.t.user("bob-of-imports", ["Operator"]);
		const refused = await importFindings(id, earlier, bob.api);
		await windows.ada.api.patch(connection, { is_public: true });
		expect(refused).toMatchObject({ status: 400, body: { window: [expect.stringContaining("no such")] } });
	});

	it("adds late expectations to a window that has opened, and none to one that is over", async () => {
		const { id } = await createSecond();
		await open(id);
		expect((await importFindings(id, earlier)).body).toMatchObject({ added: 3 });
		const { expectations } = (await windows.ada.api.get(`${WINDOWS}${id}/expectations/`)).body;
		expect(expectations.map(({ late }: { late: boolean }) => late)).toEqual([true, true, true]);
		await move(id, "cancel");
		expect(await importFindings(id, earlier)).toMatchObject({ status: 409, body: { state: "cancelled" } });
	});
});
