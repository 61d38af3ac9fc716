/** Findings of a change window, by connection, item and class, and reports of a given length. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, UNKNOWN } from "../support/canvases.ts";
import { addQuery } from "../support/tasks.ts";
import { TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, writeDomain } = windows;

const buildObject = (className: string, dn: string) => ({
	[className]: { attributes: { dn, name: dn.split("-").at(-1) ?? "" } },
});

let lab: RunningController;
let second: string;
let id: string;

beforeAll(async () => {
	lab = await startController({ size: "small", seed: 2, now: () => windows.t.clock.now() });
	second = await windows.addFabric(lab, "Second fabric");
	const flow_data = connectNodes(buildClassNode("fvAp"), output);
	const profiles = await addQuery(windows.ada.api, { flow_data, enable_time_machine: true });
	({ id } = await window(
		{ connection_ids: [windows.connection, second] },
		{ items: [{ query: windows.query }, { query: profiles }] },
	));
	const expectations = [
		{ change: "added", class_name: "fvBD", dn: `${TENANT}/BD-one`, connection_ids: [windows.connection] },
		{ change: "added", dn: `${TENANT}/BD-never`, item: 0, connection_ids: [second] },
	];
	const declared = await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations });
	expect(declared.status, declared.text).toBe(200);
	await open(id);
	for (const name of ["one", ...Array.from({ length: 40 }, (_, i) => `stray${i}`)]) await writeDomain(name);
	await windows.write(`${TENANT}/ap-first`, buildObject("fvAp", `${TENANT}/ap-first`));
	const objects = [buildObject("fvTenant", TENANT), buildObject("fvAp", `${TENANT}/ap-second`)];
	expect(lab.load({ imdata: objects })).toEqual({ loaded: 2, skipped: 0 });
	await judge(id);
});
afterAll(() => lab.close());

interface Finding {
	readonly class: string;
	readonly connection_id: string;
	readonly item: number | null;
	readonly dn: string;
}

const getPath = () => `${WINDOWS}${id}/findings/`;
const formatFinding = ({ class: kind, connection_id, item, dn }: Finding) =>
	`${kind} ${connection_id === second ? "second" : "first"} ${item} ${dn.replace(`${TENANT}/`, "")}`;

describe("the findings of a change window", () => {
	it.each([
		["of a connection", () => `connection=${second}`, ["undeclared second 1 ap-second", "missing second 0 BD-never"]],
		["of an item", () => "item=1", ["undeclared first 1 ap-first", "undeclared second 1 ap-second"]],
		["of a class", () => "class=expected", ["expected first 0 BD-one"]],
		["of a class that has none", () => "class=fixed", []],
		["of an unknown connection", () => `connection=${UNKNOWN}`, []],
		[
			"of a connection, an item and a class",
			() => `connection=${windows.connection}&item=1&class=undeclared`,
			["undeclared first 1 ap-first"],
		],
	])("are those %s, in pages and as NDJSON", async (_title, buildFilter, expected) => {
		const { body } = await windows.ada.api.get(`${getPath()}?${buildFilter()}`);
		expect(body.results.map(formatFinding).sort()).toEqual([...expected].sort());
		expect(body.count).toBe(expected.length);
		const { text } = await windows.ada.api.get(`${getPath()}?format=ndjson&${buildFilter()}`);
		const lines = text.split("\n").filter((line) => line !== "");
		expect(lines.map((line) => formatFinding(JSON.parse(line))).sort()).toEqual([...expected].sort());
	});

	it("are in pages with the undeclared ones first, and whole as NDJSON", async () => {
		const first = (await windows.ada.api.get(`${getPath()}?page_size=42`)).body;
		expect(first).toMatchObject({ count: 44, next: expect.stringContaining("page=2") });
		expect(new Set(first.results.map((one: Finding) => one.class))).toEqual(new Set(["undeclared"]));
		const last = (await windows.ada.api.get(`${getPath()}?page_size=42&page=2`)).body;
		expect(last.results.map((one: Finding) => one.class)).toEqual(["missing", "expected"]);
		const { text } = await windows.ada.api.get(`${getPath()}?format=ndjson`);
		expect(text.trim().split("\n")).toHaveLength(44);
	});

	it.each([
		["class", "class=bad"],
		["item", "item=-1"],
		["connection", "connection=fab-1"],
	])("name the filter %s of a wrong value", async (field, filter) => {
		const { status, body } = await windows.ada.api.get(`${getPath()}?${filter}`);
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});
});

describe("the report of a change window", () => {
	const readReport = (query: string) => windows.ada.api.get(`${WINDOWS}${id}/report/?${query}`);

	it.each([
		["md", 3_000, 60_000],
		["text", 1_000, 4_000],
	])("keeps to max_chars as %s, and says what it leaves out", async (format, max, usual) => {
		const short = await readReport(`format=${format}&max_chars=${max}`);
		expect(short.status, short.text).toBe(200);
		expect(short.text.length).toBeLessThanOrEqual(max);
		expect(short.text).toContain("JSON report");
		expect(short.text).toContain("failed");
		const whole = await readReport(`format=${format}&max_chars=99999999`);
		expect(whole.text).toContain("BD-stray39");
		expect(short.text).not.toContain("BD-stray39");
		const unbounded = await readReport(`format=${format}`);
		expect(unbounded.text.length).toBeLessThanOrEqual(usual);
		expect(unbounded.text.length).toBeGreaterThan(short.text.length);
		expect(new Set([short, whole, unbounded].map(({ headers }) => headers.etag)).size).toBe(format === "md" ? 2 : 3);
	});

	it.each(["99", "0", "many", "-500", "100000000"])("refuses %s characters", async (max) => {
		const { status, body } = await readReport(`format=md&max_chars=${max}`);
		expect([status, Object.keys(body)]).toEqual([400, ["max_chars"]]);
	});
});
