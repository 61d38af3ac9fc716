/** One object of a fabric: who changed it, which checks found it, and the fabric down. */
import { objectAnswer } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indexOutdated } from "../../src/areas/answers/find/jobs.ts";
import { listOutdatedIndexes } from "../../src/areas/answers/find/sql/object-index.ts";
import { addConnection } from "../support/canvases.ts";
import { createFeed } from "../support/changes.ts";
import { getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

const DN = "uni/tn-story/BD-web";
const MINUTE = 60_000;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
let query: string;
let checks: ReturnType<typeof getChecks>;
const feed = createFeed(() => t);
beforeAll(async () => {
	// The controller, its driver and the service have one clock, that of the service.
	const now = (): number => t?.clock.now() ?? Date.parse("2026-01-15T10:00:00Z");
	lab = await startController({ size: "small", now, users: [{ name: "carol", password: "carols" }] });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver({ clock: { now } }) } });
	ada = await t.user("story-ada", ["Editor"]);
	checks = getChecks(ada.api, () => t);
	connection = await addConnection(ada.api, lab, { name: "fab-story" });
	await writeDomain({ name: "web", arpFlood: "no" });
	query = await checks.query("fvBD", { enable_time_machine: true });
	await runQuery();
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

/** Carol writes the bridge domain on the controller. */
async function writeDomain(attributes: Record<string, string>): Promise<void> {
	const send = (path: string, content: unknown, cookie = "") =>
		fetch(`${lab.url}/api/${path}.json`, { method: "POST", headers: { cookie }, body: JSON.stringify(content) });
	const login = await send("aaaLogin", { aaaUser: { attributes: { name: "carol", pwd: "carols" } } });
	const answer = await send(
		"mo/uni",
		{ fvTenant: { attributes: { name: "story" }, children: [{ fvBD: { attributes } }] } },
		login.headers.get("set-cookie")?.split(";")[0],
	);
	expect(answer.status, await answer.text()).toBe(200);
}

/** Runs the query a minute later, until its snapshot is in the index and in the feed. */
async function runQuery(): Promise<void> {
	await t.clock.advance(MINUTE);
	await checks.run(query, connection);
	await waitUntil("every snapshot is in the index", async () => {
		await indexOutdated(t.app.context, new AbortController().signal);
		return (await listOutdatedIndexes(t.app.context.store.db, 1)).length === 0;
	});
	await feed.settle();
}

async function readObject(more = "") {
	const path = `/api/objects/?connection=${connection}&dn=${encodeURIComponent(DN)}${more}`;
	const { status, body, text } = await ada.api.get(path);
	expect(status, text).toBe(200);
	return objectAnswer.parse(body);
}

describe("an object of a fabric", () => {
	it("shows beside a change who made it, as soon as the controller's records have been read", async () => {
		await writeDomain({ name: "web", arpFlood: "yes" });
		await runQuery();
		const found = await waitUntil("the change has its person", async () => {
			await t.clock.advance(1_000);
			const { changes } = await readObject();
			return changes[0]?.changed_by.length === 1 ? changes[0] : null;
		});
		expect(found).toMatchObject({
			change: "modified",
			attributes: [{ name: "arpFlood", before: "no", after: "yes" }],
			changed_by: [{ user: "carol", action: "modified" }],
			changed_by_reason: null,
			saved_queries: [{ id: query }],
		});
	});

	it("lists the checks whose evidence holds it, and no other check", async () => {
		const conditions = [{ field: "fvBD.arpFlood", operator: "eq", value: "no" }];
		const violated = await checks.add({
			name: "No bridge domain floods",
			saved_query: query,
			type: "each_row",
			severity: "critical",
			config: { conditions },
		});
		const held = { name: "Any number", type: "row_count", config: { operator: "ge", value: 0 } };
		await checks.add({ ...held, saved_query: query });
		await runQuery();
		await checks.becomes(violated.id, connection, "failing");
		const evidence = await checks.evidence(violated.id, connection);
		expect(JSON.stringify(evidence.sample)).toContain(DN);
		expect((await readObject()).checks).toEqual([
			{ id: violated.id, name: "No bridge domain floods", state: "failing", severity: "critical" },
		]);
	});

	it("reads its attributes and children from the controller where that is asked for", async () => {
		await writeDomain({ name: "web", descr: "by hand" });
		const before = await readObject();
		const live = await readObject("&live=1");
		const getDescription = ({ attributes }: typeof live) => attributes.find(({ name }) => name === "descr")?.value;
		expect([getDescription(before), getDescription(live)]).toEqual(["", "by hand"]);
		expect(live).toMatchObject({ live: { is_present: true, error: null }, is_current: true });
	});

	it("shows the latest snapshot, and why, while the fabric is down", async () => {
		const before = await readObject();
		await lab.close();
		const down = await readObject("&live=1");
		const error = expect.stringContaining("refused the connection: nothing listens there");
		expect(down).toMatchObject({ live: { is_present: null, error }, is_current: true });
		expect(down.attributes).toEqual(before.attributes);
		expect(down.children).toEqual(before.children);
		expect(down.seen_at).toBe(before.seen_at);
		expect(down.changes).toEqual(before.changes);
	});
});
