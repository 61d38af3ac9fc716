/** A change window on a fabric that one of its viewers does not see. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import type { TestUser } from "../support/harness.ts";
import { TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, reach, read, writeDomain } = windows;
const SECRET = "Fabric of the bank";

let second: RunningController;
let hidden: string;
let bob: TestUser;
beforeAll(async () => {
	second = await startController({ size: "small", seed: 2, now: () => windows.t.clock.now() });
	hidden = await addConnection(windows.ada.api, second, { name: SECRET });
	bob = await windows.t.user("bob", ["Operator"]);
});
afterAll(() => second.close());

const readReport = (id: string, format: string, user = bob) => user.api.get(`${WINDOWS}${id}/report/?format=${format}`);
const openBoth = async () => {
	const { id } = await window({ connection_ids: [windows.connection, hidden] });
	const expectations = [
		{ dn: `${TENANT}/BD-shown`, required: false },
		{ dn: "uni/tn-bank/BD-vault", connection_ids: [hidden], required: false },
	];
	expect((await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations })).status).toBe(200);
	return id;
};

describe("a viewer who does not see one of the fabrics", () => {
	it("learns the reasons of the gate on the other ones only", async () => {
		const id = await openBoth();
		second.setFaults({ down: true });
		await move(id, "start");
		expect((await reach(id, "blocked")).gate.reasons).toMatchObject([{ connection_id: hidden }]);
		const seen = await read(id, bob.api);
		expect(seen).toMatchObject({ hidden_count: 1, gate: { passed: false, reasons: [] } });
		expect((await readReport(id, "json")).text).not.toContain(hidden);
		second.clearFaults();
		await move(id, "retry");
		await reach(id, "open");
	});

	it("reads the expectations on the other ones only, and not the windows that only the hidden one has", async () => {
		const id = await openBoth();
		const alone = await window({ connection_ids: [hidden] });
		const { expectations } = (await bob.api.get(`${WINDOWS}${id}/expectations/`)).body;
		expect(expectations).toMatchObject([{ dn: `${TENANT}/BD-shown` }]);
		expect((await read(id)).overlaps).toContain(alone.id);
		expect((await read(id, bob.api)).overlaps).not.toContain(alone.id);
	});

	it("gets the signed report without it, which stays the same", async () => {
		const id = await openBoth();
		await open(id);
		await writeDomain("stray");
		expect(await judge(id)).toMatchObject({ verdict: "failed" });
		expect((await move(id, "sign", { comment: "Agreed" })).status).toBe(200);
		const whole = (await readReport(id, "json", windows.ada)).body;
		const first = await readReport(id, "json");
		expect(whole.connections).toHaveLength(2);
		expect(first.body).toMatchObject({
			verdict: "failed",
			window: { hidden_connections: 1, sign_comment: "Agreed", started_by: "ada" },
			connections: [{ connection_id: windows.connection }],
			findings: [{ class: "undeclared", dn: `${TENANT}/BD-stray` }],
		});
		for (const format of ["json", "html", "md", "text", "csv", "junit"])
			expect((await readReport(id, format)).text).not.toContain(SECRET);
		const query = `/api/queries/saved-queries/${windows.query}/`;
		expect((await windows.ada.api.patch(query, { name: "Renamed since" })).status).toBe(200);
		const later = await readReport(id, "json");
		expect(later.text).toBe(first.text);
		expect(later.headers.etag).toBe(first.headers.etag);
		expect(first.headers.etag).not.toBe(`"${(await read(id)).report_sha256}"`);
	});
});
