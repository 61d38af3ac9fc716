/** The list of change windows with its filters, and the windows that overlap another one. */
import { beforeAll, describe, expect, it } from "vitest";
import { UNKNOWN } from "../support/canvases.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, read } = windows;

const DAY_MS = 24 * 3_600_000;
const formatDay = (days: number) => new Date(windows.t.clock.now() + days * DAY_MS).toISOString();

/** A filter for planned windows that overlap a span of days. */
const filterSpan = (from: number, to: number) => `&state=planned&from=${formatDay(from)}&to=${formatDay(to)}`;

/** Titles of the listed windows in their order. */
async function listTitles(filter: string, api = windows.ada.api): Promise<string[]> {
	const { status, body, text } = await api.get(`${WINDOWS}?ordering=title${filter}`);
	expect(status, text).toBe(200);
	expect(body.count).toBe(body.results.length);
	return body.results.map(({ title }: { title: string }) => title);
}

describe("the list of change windows", () => {
	let second: string;

	beforeAll(async () => {
		second = await windows.addFabric(windows.lab, "Second fabric");
		const passed = await window({ title: "A passed", ticket: { number: "CHG-A-100%" } });
		await open(passed.id);
		await judge(passed.id);
		const failed = await window({ title: "B failed" });
		await open(failed.id);
		await windows.writeDomain("listed");
		await judge(failed.id);
		const both = [windows.connection, second];
		await window({ title: "C planned", connection_ids: both, starts_at: formatDay(2), ends_at: formatDay(3) });
		const { id } = await window({ title: "D cancelled", connection_ids: [second], starts_at: formatDay(10) });
		await move(id, "cancel");
		const plan = await windows.plan({ name: "Plan of Kim", is_public: true }, windows.kim.api);
		const fields = { title: "E of Kim", plan: plan.id, connection_ids: [second], starts_at: formatDay(10) };
		const made = await windows.kim.api.post(WINDOWS, fields);
		expect(made.status, made.text).toBe(201);
	});

	it.each([
		["all without a filter", () => "", "ABCDE"],
		["those in a state", () => "&state=judged", "AB"],
		["drafts", () => "&state=draft", "E"],
		["those with a verdict", () => "&verdict=failed", "B"],
		["those of a state and a verdict", () => "&state=judged&verdict=passed", "A"],
		["those of a connection", () => `&connection=${second}`, "CDE"],
		["those of another connection", () => `&connection=${windows.connection}`, "ABC"],
		["none of an unknown connection", () => `&connection=${UNKNOWN}`, ""],
		["those without an end for any time", () => `&state=draft&from=${formatDay(4)}`, "E"],
		["none that end before a time", () => `&state=planned&from=${formatDay(4)}`, ""],
		["those that end after a time", () => `&state=planned&from=${formatDay(2.5)}`, "C"],
		["those that start before a time, or were made before it", () => `&to=${formatDay(5)}`, "ABC"],
		["those that begin in a span", () => filterSpan(1.9, 2.1), "C"],
		["those that end in a span", () => filterSpan(2.9, 3.1), "C"],
		["none that begin after a span", () => filterSpan(1, 1.9), ""],
		["those whose title has the text in any case", () => "&search=PLAN", "C"],
		["those whose ticket has the text", () => "&search=chg-a", "A"],
		["those that have a % in the text itself", () => "&search=100%25", "A"],
		["none for a wildcard of the store", () => "&search=_%25_", ""],
		["one's own", () => "&mine=true", "ABCD"],
		["those of others", () => "&mine=false", "E"],
	])("has %s", async (_title, buildFilter, expected) => {
		const titles = await listTitles(buildFilter());
		expect(titles.map((title) => title[0]).join("")).toBe(expected);
	});

	it("shows the own windows of each viewer as theirs", async () => {
		expect(await listTitles("&mine=true", windows.kim.api)).toEqual(["E of Kim"]);
	});

	it("leaves out windows of connections that a viewer does not see, and their connections", async () => {
		const connection = `/api/controller/connections/${second}/`;
		await windows.ada.api.patch(connection, { is_public: false });
		const bob = await windows.t.user("bob-of-lists", ["Operator"]);
		const [all, filtered] = [await listTitles("", bob.api), await listTitles(`&connection=${second}`, bob.api)];
		const { results } = (await bob.api.get(`${WINDOWS}?search=planned`)).body;
		await windows.ada.api.patch(connection, { is_public: true });
		expect(all).toEqual(["A passed", "B failed", "C planned"]);
		expect(filtered).toEqual([]);
		expect(results).toMatchObject([{ connection_ids: [windows.connection], hidden_count: 1 }]);
	});

	it.each([
		["state", "state=over"],
		["verdict", "verdict=good"],
		["connection", "connection=fab-1"],
		["from", "from=yesterday"],
		["to", "to=1"],
		["mine", "mine=maybe"],
		["ordering", "ordering=verdict"],
	])("names the filter %s of a wrong value", async (field, filter) => {
		const { status, body } = await windows.ada.api.get(`${WINDOWS}?${filter}`);
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});
});

describe("the windows that overlap another one", () => {
	it("are on one of its connections at the same time, and are submitted and not over", async () => {
		const [own, other] = [
			await windows.addFabric(windows.lab, "Overlapped"),
			await windows.addFabric(windows.lab, "Apart"),
		];
		const plan = (await windows.plan()).id;
		const make = async (connection_ids: string[], from: number, to: number | null): Promise<string> => {
			const times = { starts_at: formatDay(from), ends_at: to === null ? null : formatDay(to) };
			return (await window({ plan, connection_ids, ...times })).id;
		};
		const id = await make([own], 20, 22);
		const during = await make([other, own], 21, 23);
		const endless = await make([own], 1, null);
		await make([other], 20, 22);
		await make([own], 22, 24);
		const cancelled = await make([own], 20, 22);
		await move(cancelled, "cancel");
		const draft = { title: "Draft", plan, connection_ids: [own], starts_at: formatDay(20), ends_at: formatDay(22) };
		expect((await windows.ada.api.post(WINDOWS, draft)).status).toBe(201);
		expect((await read(id)).overlaps.sort()).toEqual([during, endless].sort());
		expect((await read(during)).overlaps).toContain(id);
	});
});
