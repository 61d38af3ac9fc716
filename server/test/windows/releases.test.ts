/** Releases of the controllers before and after the work, in the window and in its report. */
import { describe, expect, it } from "vitest";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, recheck, move, reach } = windows;
const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 3 };

const listReleases = ({ connections }: { connections: Record<string, unknown>[] }) =>
	connections.map(({ release_before, release_after }) => [release_before, release_after]);

describe("the releases of a change window", () => {
	it("are those before and after an upgrade, and stand in the report", async () => {
		const planned = await window();
		expect(listReleases(planned)).toEqual([[null, null]]);
		expect(listReleases(await open(planned.id))).toEqual([["6.0(9c)", null]]);
		windows.lab.setFaults({ half_upgraded: { version: "6.1(1f)" } });
		expect(listReleases(await judge(planned.id))).toEqual([["6.0(9c)", "6.1(1f)"]]);
		const path = `${WINDOWS}${planned.id}/report/?format=`;
		const { body } = await windows.ada.api.get(`${path}json`);
		expect(listReleases(body)).toEqual([["6.0(9c)", "6.1(1f)"]]);
		for (const format of ["html", "md", "text"])
			expect((await windows.ada.api.get(`${path}${format}`)).text).toMatch(/6\.0\(9c\)[\s\S]*6\.1\(1f\)/);
		windows.lab.clearFaults();
		expect(listReleases(await recheck(planned.id))).toEqual([["6.0(9c)", "6.0(9c)"]]);
	});

	it("are null for a controller that does not answer", async () => {
		const { id } = await window({}, { settle: SETTLE });
		windows.lab.setFaults({ down: true });
		await move(id, "start");
		expect(listReleases(await reach(id, "blocked"))).toEqual([[null, null]]);
		windows.lab.clearFaults();
		expect((await move(id, "retry")).status).toBe(200);
		expect(listReleases(await reach(id, "open"))).toEqual([["6.0(9c)", null]]);
		windows.lab.setFaults({ down: true });
		expect(listReleases(await judge(id))).toEqual([["6.0(9c)", null]]);
	});
});
