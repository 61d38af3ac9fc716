/** `weft calendar`. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createHeldController } from "../../server/test/support/held-controller.ts";
import { setRights } from "../../server/test/support/rights.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli({ driver: createHeldController().driver });
const runCalendar = (...args: string[]) => cli.weft("calendar", ...args);
beforeAll(() => setRights(cli.t, cli.ada, { groups: ["Operator"], permissions: ["override_freeze"] }));

describe("weft calendar", () => {
	it("adds, lists and deletes an entry", async () => {
		const times = ["--from", "2020-01-01T00:00Z", "--to", "2020-01-01T02:00Z", "--rrule", "FREQ=DAILY"];
		const made = await runCalendar(
			...["add", "Night work", "--kind", "maintenance", "--connection", "fab-1", ...times, "--format", "json"],
		);
		expect(made, made.stderr).toMatchObject({ code: 0 });
		expect(JSON.parse(made.stdout)).toMatchObject({
			title: "Night work",
			kind: "maintenance",
			controller_connection_ids: [cli.connection],
			rrule: "FREQ=DAILY",
			time_zone: "UTC",
		});
		const list = await runCalendar("list", "--kind", "maintenance", "--connection", "fab-1");
		expect(list.stdout).toMatch(/^title[\s\S]*\nNight work +maintenance/);
		const occurrences = await runCalendar("occurrences", "--format", "json");
		expect(JSON.parse(occurrences.stdout).length).toBeGreaterThanOrEqual(29);
		expect(await runCalendar("delete", "night work")).toMatchObject({ code: 0 });
		expect(JSON.parse((await runCalendar("list", "--format", "json")).stdout)).toEqual([]);
	});

	it("ends an entry that is on, and refuses to end another one", async () => {
		const times = ["--from", "1 hour ago", "--to", "in 1 hour"];
		await runCalendar("add", "Freeze", "--kind", "freeze", "--connection", "fab-1", ...times);
		const ended = await runCalendar("end", "Freeze", "--format", "json");
		expect(ended, ended.stderr).toMatchObject({ code: 0 });
		expect(JSON.parse(ended.stdout)).toMatchObject({ current: null });
		expect(await runCalendar("end", "Freeze")).toMatchObject({ code: 2, stderr: expect.stringContaining("not on") });
	});

	it("ends the current occurrence of an entry that recurs, and leaves the others", async () => {
		const times = ["--from", "1 hour ago", "--to", "in 1 hour", "--rrule", "FREQ=DAILY"];
		const made = await runCalendar("add", "Daily", "--kind", "freeze", "--connection", "fab-1", ...times);
		expect(made.code, made.stderr).toBe(0);
		const ended = await runCalendar("end", "Daily", "--format", "json");
		expect(ended, ended.stderr).toMatchObject({ code: 0 });
		const entry = JSON.parse(ended.stdout);
		expect(entry).toMatchObject({ current: null, exdates: [entry.starts_at], rrule: "FREQ=DAILY" });
		expect(Date.parse(entry.next.starts_at)).toBeGreaterThan(Date.parse(entry.starts_at));
	});

	it("imports a file, and names the events that it leaves out", async () => {
		const file = join(await mkdtemp(join(tmpdir(), "weft-calendar-")), "a.ics");
		const event = ["BEGIN:VEVENT", "UID:a", "SUMMARY:From a file", "DTSTART:20300101T000000Z", "DURATION:PT1H"];
		const bad = ["BEGIN:VEVENT", "UID:b", "SUMMARY:Bad", "DTSTART:20300101T000000Z", "END:VEVENT"];
		await writeFile(file, ["BEGIN:VCALENDAR", ...event, "END:VEVENT", ...bad, "END:VCALENDAR"].join("\r\n"));
		const imported = await runCalendar("import", file, "--kind", "maintenance", "--connection", "fab-1");
		expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining('Left out "Bad": It has no end.') });
		expect((await runCalendar("list")).stdout).toContain("From a file");
		expect(await runCalendar("import", file, "--kind", "maintenance")).toMatchObject({ code: 2 });
		expect(await runCalendar("import", "nowhere.ics", "--kind", "freeze", "--all")).toMatchObject({ code: 2 });
	});
});
