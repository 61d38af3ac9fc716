/** Checks at the end of runs: states, transitions, evidence, alerts. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection, QUERIES } from "../support/canvases.ts";
import { type CheckRuns, useCheckRuns } from "../support/check-runs.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { refuseWrites } from "../support/failing-store.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const runs = useCheckRuns();
const { metrics, patchCheck, readTenantRows, failTenantQueries } = runs;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
let other: string;
let checks: CheckRuns["checks"];
beforeAll(() => {
	({ t, lab, ada, connection, other, checks } = runs);
});

describe("the end of a run", () => {
	it("evaluates the checks of its query, with evidence and one notification for all", async () => {
		const rows = await readTenantRows();
		const query = await checks.query();
		const count = await checks.add({
			saved_query: query,
			type: "row_count",
			config: { operator: "eq", value: rows.length },
		});
		const none = await checks.add({ saved_query: query, type: "no_rows", name: "No tenants", severity: "critical" });
		const each = await checks.add({
			saved_query: query,
			type: "each_row",
			name: "Named common",
			config: { conditions: [{ field: "name", value: "common" }] },
		});
		const elsewhere = await checks.add({ saved_query: query, type: "no_rows", controller_connection_ids: [other] });
		const inactive = await checks.add({ saved_query: query, type: "no_rows", is_active: false });
		const before = (await checks.notices()).length;
		const run = await checks.run(query, connection);
		expect(await checks.detail(count.id)).toMatchObject({
			state: "ok",
			states: [
				{
					controller_connection_id: connection,
					controller_connection_name: "fab-dc1",
					state: "ok",
					violations: 0,
					last_run: run,
					error: null,
				},
			],
		});
		expect(await checks.getState(none.id, connection)).toMatchObject({ state: "failing", violations: rows.length });
		expect((await checks.evidence(none.id, connection)).sample).toEqual(
			rows.map((row: object) => ({ connection: "fab-dc1", row, violating_fields: [] })),
		);
		expect(await checks.getState(each.id, connection)).toMatchObject({ state: "failing", violations: rows.length - 1 });
		expect((await checks.detail(elsewhere.id)).state).toBe("unknown");
		expect((await checks.detail(inactive.id)).states).toEqual([]);
		expect(await checks.events(none.id)).toMatchObject([
			{
				from_state: "unknown",
				to_state: "failing",
				run_id: run,
				violations: rows.length,
				controller_connection_name: "fab-dc1",
				acknowledged_by: null,
				muted_by: null,
				comment: "",
			},
		]);
		const notices = (await checks.notices()).slice(before);
		expect(notices).toMatchObject([
			{
				category: "scheduled_task",
				severity: "error",
				title: "Checks on fab-dc1: 2 failing",
				link: CHECKS,
			},
		]);
		const lines = notices[0]?.body.split("\n").sort() ?? [];
		expect(lines).toMatchObject([
			`"Named common" is failing: ${rows.length - 1} violations`,
			`"No tenants" is failing: ${rows.length} violations`,
			`- and ${rows.length - 4} more`,
			`- and ${rows.length - 3} more`,
			...Array.from({ length: 6 }, () => expect.stringMatching(/^- uni\/tn-[\w-]+: (descr|name) /)),
		]);
	});

	it("notifies of a transition once, and of the recovery", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows", name: "Told once" });
		const about = async () => (await checks.notices()).filter(({ link }) => link === `${CHECKS}${check.id}/`);
		await checks.run(query, connection);
		await checks.run(query, connection);
		expect(await about()).toMatchObject([{ title: 'Check "Told once" is failing on fab-dc1', severity: "warning" }]);
		await patchCheck(check.id, { type: "row_count", config: { operator: "gt", value: 0 } });
		expect(await checks.getState(check.id, connection)).toMatchObject({ state: "unknown", violations: 0 });
		await patchCheck(check.id, { config: { operator: "lt", value: 1 } });
		await checks.run(query, connection);
		await ada.api.patch(`${QUERIES}${query}/`, {
			flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "vnsAbsGraph" } }], edges: [] },
		});
		const run = await checks.run(query, connection);
		expect((await about()).map(({ title }) => title).slice(-1)).toEqual(['Check "Told once" is ok again on fab-dc1']);
		const events = await checks.events(check.id);
		expect(events.map(({ to_state }: { to_state: string }) => to_state)).toEqual([
			"ok",
			"failing",
			"unknown",
			"failing",
		]);
		expect(events[0]).toMatchObject({ run_id: run, from_state: "failing" });
		expect(await checks.events(check.id, "?to_state=unknown")).toHaveLength(1);
		expect((await checks.evidence(check.id, connection)).sample).toEqual([]);
	});

	it("makes a check pending until enough runs violate it", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows", for_runs: 3 });
		const seen: string[] = [];
		for (let i = 0; i < 4; i += 1) {
			await checks.run(query, connection);
			seen.push((await checks.getState(check.id, connection)).state);
		}
		expect(seen).toEqual(["pending", "pending", "failing", "failing"]);
	});

	it("of a run that failed makes it an error, never ok", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows", name: "Busy" });
		failTenantQueries();
		await checks.run(query, connection);
		const entry = await checks.getState(check.id, connection);
		expect(entry).toMatchObject({ state: "error", violations: 0 });
		expect(entry.error).not.toBe("");
		const last = (await checks.notices()).at(-1);
		expect(last).toMatchObject({ title: 'Check "Busy" could not be evaluated on fab-dc1', severity: "warning" });
	});

	it("leaves states alone when the run was recorded before", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows", for_runs: 2 });
		const run = await checks.run(query, connection);
		await t.pool.query("update query_runs set finished_at = null where job_id = $1", [run]);
		await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, "query_runs.record", { jobId: run }));
		await waitUntil("it is recorded again", async () => {
			const { rows } = await t.pool.query("select finished_at from query_runs where job_id = $1", [run]);
			return rows[0]?.finished_at !== null;
		});
		expect((await checks.getState(check.id, connection)).state).toBe("pending");
	});

	it("leaves states alone when a later run was evaluated", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows", for_runs: 2 });
		const first = await checks.run(query, connection);
		await t.pool.query("update check_states set run_ended_at = run_ended_at + interval '1 hour' where check_id = $1", [
			check.id,
		]);
		await checks.run(query, connection);
		expect(await checks.getState(check.id, connection)).toMatchObject({ state: "pending", last_run: first });
	});

	it("is recorded with the transitions or without any of them", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows" });
		const before = (await checks.notices()).length;
		const failures = await refuseWrites(t.pool, { table: "execution_logs", event: "insert", as: "checks_held" });
		const { body } = await ada.api.post(`${QUERIES}${query}/execute_background/`, {
			controller_connection_id: connection,
		});
		await waitUntil("the end could not be recorded", async () => (await failures.count("query_runs.record")) > 0);
		expect((await checks.detail(check.id)).states).toEqual([]);
		expect((await checks.notices()).length).toBe(before);
		await failures.stop();
		await checks.becomes(check.id, connection, "failing");
		expect(await checks.events(check.id)).toMatchObject([{ run_id: body.id }]);
		expect((await checks.notices()).length).toBe(before + 1);
	});

	it("does not count for a check whose owner does not see the connection", async () => {
		const query = await checks.query("fvTenant", { is_public: true });
		const check = await checks.add({ saved_query: query, type: "no_rows" });
		const bob = await t.user("bob", ["Editor"]);
		const hidden = await addConnection(bob.api, lab, { name: "hidden" });
		await getChecks(bob.api, () => t).run(query, hidden);
		expect((await checks.detail(check.id)).states).toEqual([]);
	});
});

describe("unchanged", () => {
	const typed = (query: string) => ({ saved_query: query, type: "unchanged" });

	it("is violated by what the snapshot changes, and ok when nothing does", async () => {
		const query = await checks.query("fvTenant", { enable_time_machine: true });
		const check = await checks.add({ ...typed(query), name: "As before" });
		expect(check.config).toEqual({ baseline: { kind: "previous" } });
		for (let i = 0; i < 2; i += 1) {
			await checks.run(query, connection);
			expect((await checks.getState(check.id, connection)).state).toBe("ok");
		}
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvCtx" } }], edges: [] };
		await ada.api.patch(`${QUERIES}${query}/`, { flow_data });
		await checks.run(query, connection);
		const entry = await checks.getState(check.id, connection);
		expect(entry.state).toBe("failing");
		const { sample } = await checks.evidence(check.id, connection);
		expect(entry.violations).toBeGreaterThanOrEqual(sample.length);
		expect(sample[0]).toMatchObject({
			connection: "fab-dc1",
			row: { change: expect.any(String), dn: expect.any(String) },
		});
		await checks.run(query, connection);
		expect((await checks.getState(check.id, connection)).state).toBe("ok");
	});

	it("needs snapshots", async () => {
		const query = await checks.query();
		const { status, body } = await ada.api.post(CHECKS, { name: "x", ...typed(query) });
		expect([status, Object.keys(body)]).toEqual([400, ["type"]]);
		const kept = await checks.query("fvTenant", { enable_time_machine: true });
		const check = await checks.add(typed(kept));
		await ada.api.patch(`${QUERIES}${kept}/`, { enable_time_machine: false });
		await checks.run(kept, connection);
		expect(await checks.getState(check.id, connection)).toMatchObject({
			state: "error",
			error: expect.stringContaining("Switch on snapshots"),
		});
	});
});

describe("a problem", () => {
	it("is acknowledged until the next transition", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows" });
		const acknowledge = (body: object) => ada.api.post(`${CHECKS}${check.id}/acknowledge/`, body);
		expect((await acknowledge({})).body.states).toEqual([]);
		expect((await acknowledge({ controller_connection_id: other })).body).toHaveProperty("controller_connection_id");
		await checks.run(query, connection);
		const { status, body } = await acknowledge({ comment: "A known case." });
		expect([status, body.states[0].acknowledged_by.username]).toEqual([200, "ada"]);
		expect(await checks.events(check.id)).toMatchObject([
			{ acknowledged_by: { username: "ada" }, comment: "A known case.", acknowledged_at: expect.any(String) },
		]);
		await checks.run(query, connection);
		expect((await checks.getState(check.id, connection)).acknowledged_by.username).toBe("ada");
		failTenantQueries();
		await checks.run(query, connection);
		expect((await checks.getState(check.id, connection)).acknowledged_by).toBeNull();
	});

	it("is silent and recorded while it is muted", async () => {
		const query = await checks.query();
		const check = await checks.add({ saved_query: query, type: "no_rows" });
		const mute = (body: object) => ada.api.post(`${CHECKS}${check.id}/mute/`, body);
		const until = new Date(t.clock.now() + 3_600_000).toISOString();
		expect((await mute({ until: new Date(t.clock.now()).toISOString() })).body).toHaveProperty("until");
		// It has run nowhere yet: the check says it, too.
		expect(await mute({ until })).toMatchObject({ status: 200, body: { states: [], muted_until: until } });
		const before = (await checks.notices()).length;
		await checks.run(query, connection);
		expect(await checks.getState(check.id, connection)).toMatchObject({ state: "failing", muted_until: until });
		expect(await checks.events(check.id)).toMatchObject([{ muted_by: { username: "ada" }, muted_until: until }]);
		expect((await checks.notices()).length).toBe(before);
		const unmuted = (await mute({ until: null, controller_connection_id: connection })).body;
		expect([unmuted.states[0].muted_until, unmuted.muted_until]).toEqual([null, until]);
		expect((await mute({ until: null })).body.muted_until).toBeNull();
		failTenantQueries();
		await checks.run(query, connection);
		// The failure when the mute ended, and the error.
		expect((await checks.notices()).slice(before).map(({ severity }) => severity)).toEqual(["warning", "warning"]);
	});
});

it("states are on /metrics", async () => {
	const query = await checks.query();
	const check = await checks.add({ saved_query: query, type: "no_rows", name: "Measured", severity: "critical" });
	await checks.run(query, connection);
	const { text } = await t.anonymous.get("/metrics", { authorization: `Bearer ${metrics.token}` });
	expect(text).toContain('weft_check_state{check="Measured",connection="fab-dc1",severity="critical"} 2');
	const { violations } = await checks.getState(check.id, connection);
	expect(text).toContain(`weft_check_violations{check="Measured",connection="fab-dc1"} ${violations}`);
});
