/** Change plans and calendar entries as files: export, plan, apply, and refusals. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp, TestUser } from "../support/harness.ts";
import {
	addConnection,
	applyFiles,
	applyForChanges,
	applyForErrors,
	buildQueryFile,
	exportFiles,
	type File,
	useQueryFiles,
	VALIDATE,
} from "../support/query-files.ts";

const PLANS = "/api/change-plans/";
const ENTRIES = "/api/calendar/entries/";

const queryFiles = useQueryFiles();
let t: TestApp;
let ada: TestUser;
let fabric: string;
beforeAll(() => {
	({ t } = queryFiles);
});
beforeEach(async () => {
	ada = await queryFiles.addUser(["Operator"]);
	fabric = await addConnection(ada);
});

const SNAPSHOTS = "enable_time_machine: true\n";
const buildCheckFile = (name: string, saved_query: string): File => ({
	path: `checks/${name.toLowerCase()}.yaml`,
	content: `kind: check\nname: ${name}\nsaved_query: ${saved_query}\ntype: row_count\nconfig: { operator: ge, value: 0 }\n`,
});
const buildPlanFile = (items: string, more = ""): File => ({
	path: "plans/domains.yaml",
	content: `kind: change_plan\nname: Domains\nitems:\n${items}${more}`,
});
const buildEntryFile = (more = ""): File => ({
	path: "calendar/night.yaml",
	content: `kind: calendar_entry
entry_kind: maintenance
title: Night
controller_connections: [Fabric of ${ada.username}]
starts_at: 2026-03-14T22:00:00+01:00
ends_at: 2026-03-15T03:00:00Z
${more}`,
});

const ITEMS = `  - query: Bridges
    compare: no_loss
    severity: critical
  - query: Ends
    compare: tolerance
    group_by: [fvCEp.epgDn]
    tolerance: { count: { max_loss_percent: 5 } }
    unsettled_when: { match: any, conditions: [{ field: fvCEp.lcC, operator: contains, value: learned }] }
  - check: Few
    when: [after]
`;
const listPlanFiles = (): File[] => [
	buildQueryFile("Bridges", SNAPSHOTS, "fvBD"),
	buildQueryFile("Ends", SNAPSHOTS, "fvCEp"),
	buildCheckFile("Few", "Bridges"),
	buildPlanFile(
		ITEMS,
		`settle: { delay_s: 5 }
gate: { before: warn, quiet_baseline: true }
after_failure: request_rollback
expectations:
  - { change: added, class_name: fvBD, dn: "uni/tn-a/BD-*", count: { max: 2 }, item: 0 }
  - { dn: { regex: "uni/tn-b/.*" }, controller_connections: [Fabric of ${ada.username}], required: false }
`,
	),
];

describe("the file of a change plan", () => {
	it("makes a plan with queries and checks of the same files, and its export changes nothing", async () => {
		const files = listPlanFiles();
		expect(await applyForChanges(ada, files, { dry_run: true })).toContain("created change_plan Domains");
		expect((await ada.api.get(PLANS)).body.count).toBe(0);
		expect(await applyForChanges(ada, files)).toEqual([
			"created query Bridges",
			"created query Ends",
			"created check Few",
			"created change_plan Domains",
		]);
		const [plan] = (await ada.api.get(PLANS)).body.results;
		expect(plan).toMatchObject({
			name: "Domains",
			revision: 1,
			items: [
				{ name: "Bridges", compare: "no_loss", severity: "critical" },
				{ name: "Ends", tolerance: { count: { max_loss_percent: 5 } } },
				{ name: "Few", when: ["after"] },
			],
			settle: { delay_s: 5, interval_s: 60 },
			gate: { before: "warn", fail_on: "warning", quiet_baseline: true },
			expectations: [
				{ dn: "uni/tn-a/BD-*", connection_ids: null, item: 0 },
				{ dn: { regex: "uni/tn-b/.*" }, connection_ids: [fabric] },
			],
		});
		expect(await applyForChanges(ada, files)).toContain("unchanged change_plan Domains");
		const exported = await exportFiles(ada);
		const own = exported.find(({ path }) => path === "plans/domains.yaml");
		expect(own?.content).toContain("  - check: Few\n    when:\n      - after\n");
		expect(own?.content).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|null|group_by: \[\]/);
		expect(new Set(await applyForChanges(ada, exported))).toEqual(
			new Set([
				"unchanged query Bridges",
				"unchanged query Ends",
				"unchanged check Few",
				"unchanged change_plan Domains",
			]),
		);
		// Another user with a connection of the same name gets the same files.
		const eve = await queryFiles.addUser(["Operator"]);
		await addConnection(eve, `Fabric of ${ada.username}`);
		await applyForChanges(eve, exported);
		expect(await exportFiles(eve)).toEqual(exported);
	});

	it("changes the plan with a new revision, and prune keeps plans without a file", async () => {
		const files = listPlanFiles();
		await applyForChanges(ada, files);
		const [changed] = files.slice(-1).map(({ path, content }) => ({ path, content: `${content}description: New\n` }));
		const rest = files.slice(0, -1);
		expect(await applyForChanges(ada, [...rest, changed as File])).toContain("updated change_plan Domains");
		const [plan] = (await ada.api.get(PLANS)).body.results;
		expect([plan.description, plan.revision]).toEqual(["New", 2]);
		expect(await applyForChanges(ada, rest, { prune: true })).toEqual([
			"unchanged query Bridges",
			"unchanged query Ends",
			"unchanged check Few",
		]);
		expect((await ada.api.get(PLANS)).body.count).toBe(1);
	});

	it("names the item of a plan file whose query, check or connection is unknown", async () => {
		const items = "  - query: Bridges\n  - query: No such\n  - check: None\n  - query: Plain\n";
		const more = 'expectations:\n  - dn: "uni/a"\n  - dn: "uni/b"\n    controller_connections: [Nowhere]\n';
		const files = [buildQueryFile("Bridges", SNAPSHOTS), buildQueryFile("Plain"), buildPlanFile(items, more)];
		expect(await applyForErrors(ada, files)).toEqual([
			'plans/domains.yaml:5: items.1.query: There is no query "No such" that you can see.',
			'plans/domains.yaml:6: items.2.check: There is no check "None" that you can see.',
			'plans/domains.yaml:11: expectations.1.controller_connections: There is no connection "Nowhere" that you can see.',
		]);
		const plain = buildPlanFile("  - query: Bridges\n  - query: Plain\n", 'expectations: [{ dn: "a", item: 2 }]\n');
		expect(await applyForErrors(ada, [...files.slice(0, 2), plain])).toEqual([
			'plans/domains.yaml:5: items.1.query: Switch on snapshots for the query "Plain".',
		]);
		const bad = buildPlanFile("  - query: Bridges\n    when: [after]\n");
		expect(await applyForErrors(ada, [files[0] as File, bad])).toEqual([
			'plans/domains.yaml:5: There is no key "when".',
		]);
		expect((await ada.api.get(PLANS)).body.count).toBe(0);
	});

	it("refuses a plan file whose check prune would delete, or whose name two plans have", async () => {
		const files = listPlanFiles();
		await applyForChanges(ada, files);
		const withoutCheck = files.filter(({ path }) => !path.startsWith("checks/"));
		expect(await applyForErrors(ada, withoutCheck, { prune: true })).toEqual([
			'plans/domains.yaml:12: items.2.check: The check "Few" has no file and would be deleted. Add its file.',
		]);
		const [{ items }] = (await ada.api.get(PLANS)).body.results;
		const [{ query }] = items;
		expect((await ada.api.post(PLANS, { name: "Domains", items: [{ query }] })).status).toBe(201);
		expect(await applyForErrors(ada, files)).toEqual([
			'plans/domains.yaml:2: name: You have 2 change plans "Domains". Rename or delete all but one.',
		]);
	});

	it("asks for the permission to add a plan for a plan file, not for the file of its check", async () => {
		const eve = await queryFiles.addUser(["Viewer"]);
		const files = [buildPlanFile("  - query: Shared\n")];
		await applyForChanges(ada, [buildQueryFile("Shared", `${SNAPSHOTS}is_public: true\n`)]);
		expect((await eve.api.post(VALIDATE, { files })).body.changes).toEqual([
			{ path: "plans/domains.yaml", kind: "change_plan", name: "Domains", action: "created" },
		]);
		const refused = await applyFiles(eve, files);
		expect([refused.status, refused.body.detail]).toEqual([
			403,
			'plans/domains.yaml: The change plan "Domains" would be created, which needs the permission add_changeplan.',
		]);
	});
});

describe("the file of a calendar entry", () => {
	it("makes an entry, changes it, and its export changes nothing", async () => {
		const group = { name: `Sites of ${ada.username}`, connection_ids: [fabric] };
		expect((await ada.api.post("/api/controller/connection-groups/", group)).status).toBe(201);
		const more = `connection_groups: [Sites of ${ada.username}]\nrrule: FREQ=WEEKLY\ntime_zone: Europe/Berlin\n`;
		const file = buildEntryFile(`${more}exdates: [2026-03-21T21:00:00Z]\nticket: { number: CHG1 }\n`);
		expect(await applyForChanges(ada, [file])).toEqual(["created calendar_entry Night"]);
		const [entry] = (await ada.api.get(ENTRIES)).body.results;
		expect(entry).toMatchObject({
			kind: "maintenance",
			title: "Night",
			controller_connection_ids: [fabric],
			starts_at: "2026-03-14T21:00:00.000Z",
			exdates: ["2026-03-21T21:00:00.000Z"],
			ticket: { number: "CHG1", url: null },
			source: "manual",
		});
		const exported = await exportFiles(ada);
		expect(exported.map(({ path }) => path)).toEqual(["calendar/night.yaml"]);
		expect(exported[0]?.content).toMatch(/^kind: calendar_entry\n/);
		expect(exported[0]?.content).toContain("entry_kind: maintenance\n");
		expect(await applyForChanges(ada, [file])).toEqual(["unchanged calendar_entry Night"]);
		expect(await applyForChanges(ada, exported)).toEqual(["unchanged calendar_entry Night"]);
		const moved = { ...file, content: file.content.replace("T03:00", "T04:00") };
		expect(await applyForChanges(ada, [moved])).toEqual(["updated calendar_entry Night"]);
		const after = (await ada.api.get(`${ENTRIES}${entry.id}/`)).body;
		expect([after.id, after.ends_at]).toEqual([entry.id, "2026-03-15T04:00:00.000Z"]);
	});

	it("keeps a deleted connection by its id instead of becoming an entry for all connections", async () => {
		await applyForChanges(ada, [buildEntryFile()]);
		expect((await ada.api.del(`/api/controller/connections/${fabric}/`)).status).toBe(204);
		const [file] = await exportFiles(ada);
		expect(file?.content).toContain(`controller_connections:\n  - ${fabric}\n`);
		expect(await applyForChanges(ada, [file as File])).toEqual(["unchanged calendar_entry Night"]);
		const eve = await queryFiles.addUser(["Operator"]);
		expect(await applyForErrors(eve, [file as File])).toEqual([
			expect.stringContaining(`controller_connections: There is no connection "${fabric}" that you can see.`),
		]);
	});

	it("refuses a calendar file with the line of its wrong field, and without the right to its connections", async () => {
		expect(
			await applyForErrors(ada, [
				buildEntryFile("connection_groups: [None]\nrrule: FREQ=HOURLY\n"),
				{ path: "calendar/again.yaml", content: buildEntryFile().content },
				{
					path: "calendar/rule.yaml",
					content: buildEntryFile("rrule: FREQ=HOURLY\n").content.replace("Night", "Rule"),
				},
				{
					path: "calendar/kind.yaml",
					content: buildEntryFile("colour: red\n").content.replace("maintenance", "party"),
				},
			]),
		).toEqual([
			expect.stringMatching(
				/^calendar\/again\.yaml:3: title: The file calendar\/night\.yaml has a calendar entry of this/,
			),
			expect.stringMatching(/^calendar\/kind\.yaml:2: entry_kind: /),
			'calendar/kind.yaml:7: There is no key "colour".',
			expect.stringMatching(/^calendar\/night\.yaml:7: connection_groups: There is no connection group "None"/),
			expect.stringMatching(/^calendar\/rule\.yaml:7: rrule: /),
		]);
		const freeze = { ...buildEntryFile(), content: buildEntryFile().content.replace("maintenance", "freeze") };
		await t.admin.api.patch(`/api/controller/connections/${fabric}/`, { is_public: true });
		const eve = await queryFiles.addUser(["Operator"]);
		const refused = await applyFiles(eve, [buildEntryFile()]);
		expect([refused.status, refused.body.detail]).toEqual([
			403,
			expect.stringMatching(/^calendar\/night\.yaml: You may not edit these connections: "Fabric of /),
		]);
		expect((await applyFiles(eve, [freeze])).status).toBe(403);
		expect((await eve.api.get(ENTRIES)).body.count).toBe(0);
	});

	it("leaves entries of imported calendars out", async () => {
		const day = "DTSTART:20260314T210000Z\r\nDTEND:20260314T220000Z\r\n";
		const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Of a file\r\n${day}END:VEVENT\r\nEND:VCALENDAR\r\n`;
		const import_ = { kind: "maintenance", content, controller_connection_ids: [fabric] };
		const { status, body } = await ada.api.post("/api/calendar/entries/import/", import_);
		expect([status, body.created]).toEqual([201, 1]);
		expect(await exportFiles(ada)).toEqual([]);
	});
});
