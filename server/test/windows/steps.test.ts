/** The moves of a change window: who may make them, when, and the edits that void an approval. */
import { describe, expect, it } from "vitest";
import { PLANS, TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, read, reach, writeDomain, listFindings } = windows;
const createApproved = () => window({ requires_approval: true });
const getKim = () => windows.kim.api;

describe("an approval of a change window", () => {
	it("comes from another person than the requester, and an edit voids it", async () => {
		const { id, state } = await createApproved();
		expect(state).toBe("waiting");
		expect((await move(id, "approve")).status).toBe(403);
		expect(await move(id, "start")).toMatchObject({ status: 409, body: { state: "waiting" } });
		expect(await move(id, "approve", {}, getKim())).toMatchObject({
			status: 200,
			body: { state: "planned", approved_by: "kim" },
		});
		const renamed = await windows.ada.api.patch(`${WINDOWS}${id}/`, { title: "Another title" });
		expect(renamed.body).toMatchObject({ state: "planned", approved_by: "kim" });
		const edited = await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, {
			expectations: [{ dn: `${TENANT}/BD-more` }],
		});
		expect(edited.status).toBe(200);
		expect(await read(id)).toMatchObject({ state: "draft", approved_by: null, approved_at: null });
	});

	it("is requested from those who may give it, and a rejection gives its reason", async () => {
		const { id } = await createApproved();
		const notices = "select * from notifications where user_id = $1 and link = $2";
		expect((await windows.t.pool.query(notices, [windows.kim.id, `/change-windows/${id}`])).rows).toMatchObject([
			{ severity: "info", facts: { event: "change_window_awaiting_approval" } },
		]);
		expect(await move(id, "reject", {}, getKim())).toMatchObject({
			status: 400,
			body: { reason: ["This field is required."] },
		});
		expect(await move(id, "reject", { reason: "Wrong rack" }, getKim())).toMatchObject({
			status: 200,
			body: { state: "draft" },
		});
		const { body } = await windows.ada.api.get(`${WINDOWS}${id}/events/`);
		expect(body.results.at(-1)).toMatchObject({ event: "reject", user: "kim", detail: "Wrong rack" });
	});

	it("is also requested from administrators without a superuser's rights if a connection is private", async () => {
		const connection = `/api/controller/connections/${windows.connection}/`;
		await windows.ada.api.patch(connection, { is_public: false });
		const { id } = await createApproved();
		const notices = "select user_id from notifications where link = $1";
		const { rows } = await windows.t.pool.query(notices, [`/change-windows/${id}`]);
		await windows.ada.api.patch(connection, { is_public: true });
		expect(rows).toContainEqual({ user_id: windows.kim.id });
	});

	it("answers 409 for a version that was edited since it was read", async () => {
		const { id, updated_at } = await createApproved();
		await windows.t.clock.advance(1_000);
		await windows.ada.api.patch(`${WINDOWS}${id}/`, { title: "Changed meanwhile" });
		expect(await move(id, "approve", { updated_at }, getKim())).toMatchObject({
			status: 409,
			body: { state: "waiting" },
		});
	});
});

describe("a change window", () => {
	it("exists once for an idempotency key, and names the field of a wrong value", async () => {
		const plan = (await windows.plan()).id;
		const body = { title: "Once", plan, connection_ids: [windows.connection], idempotency_key: "once" };
		const [one, other] = await Promise.all([windows.ada.api.post(WINDOWS, body), windows.ada.api.post(WINDOWS, body)]);
		expect(one.body.id).toBe(other.body.id);
		const refuse = async (more: object) => (await windows.ada.api.post(WINDOWS, { ...body, ...more })).body;
		const fresh = { idempotency_key: undefined };
		expect(await refuse({ ...fresh, connection_ids: [] })).toHaveProperty("connection_ids");
		expect(await refuse({ ...fresh, plan: windows.query })).toHaveProperty("plan");
		expect(await refuse({ ...fresh, ends_at: "2020-01-01T00:00:00Z" })).toHaveProperty("ends_at");
		expect(await refuse({ ...fresh, auto_start: true })).toHaveProperty("starts_at");
	});

	it("starts once and ends once for two concurrent requests", async () => {
		const { id } = await window();
		const starts = await Promise.all([move(id, "start"), move(id, "start")]);
		expect(starts.map(({ status }) => status).sort()).toEqual([200, 409]);
		await reach(id, "open");
		const ends = await Promise.all([move(id, "finish"), move(id, "finish")]);
		expect(ends.every(({ status }) => status === 200)).toBe(true);
		await reach(id, "judged");
		const rounds =
			"select count(*)::integer as count from change_window_rounds where window_id = $1 and phase = 'before'";
		expect((await windows.t.pool.query(rounds, [id])).rows[0].count).toBe(1);
	});

	it("starts at its time with auto_start, and expires if it has not opened before its end", async () => {
		const start = windows.t.clock.now() + 5_000;
		const times = { starts_at: new Date(start).toISOString(), ends_at: new Date(start + 3_600_000).toISOString() };
		const { id } = await window({ ...times, auto_start: true });
		await reach(id, "open");
		const late = await window({ ends_at: new Date(windows.t.clock.now() + 5_000).toISOString() });
		await reach(late.id, "expired");
		expect((await move(id, "cancel")).status).toBe(200);
		expect((await move(late.id, "start")).status).toBe(409);
	});

	it("does not start during a freeze: a request leaves it planned, auto_start blocks it", async () => {
		const now = windows.t.clock.now();
		const entry = {
			kind: "freeze",
			title: "End of the quarter",
			controller_connection_ids: [windows.connection],
			starts_at: new Date(now - 60_000).toISOString(),
			ends_at: new Date(now + 3_600_000).toISOString(),
			time_zone: "UTC",
		};
		const made = await getKim().post("/api/calendar/entries/", entry);
		expect(made.status, made.text).toBe(201);
		const { id } = await window();
		expect(await move(id, "start")).toMatchObject({ status: 409, body: { freeze: { title: "End of the quarter" } } });
		expect(await read(id)).toMatchObject({ state: "planned" });
		const auto = await window({ starts_at: new Date(now + 2_000).toISOString(), auto_start: true });
		expect((await reach(auto.id, "blocked")).gate.reasons).toMatchObject([{ kind: "freeze" }]);
		expect((await move(auto.id, "override", { reason: "Agreed" })).status).toBe(403);
		await getKim().del(`/api/calendar/entries/${made.body.id}/`);
		expect((await move(auto.id, "retry")).status).toBe(200);
		await reach(auto.id, "open");
		expect((await move(auto.id, "cancel")).status).toBe(200);
	});

	it("holds alerts of its connections from its opening to the verdict", async () => {
		const { id } = await window();
		await open(id);
		const check = await windows.ada.api.post("/api/checks/", {
			name: "No bridge domain",
			saved_query: windows.query,
			type: "no_rows",
			controller_connection_ids: [windows.connection],
		});
		expect(check.status, check.text).toBe(201);
		const readCheck = async () => (await windows.ada.api.get(`/api/checks/${check.body.id}/`)).body;
		expect(await readCheck()).toMatchObject({ held_by: { kind: "change_window", id, title: "VLANs of rack 7" } });
		await judge(id);
		expect((await readCheck()).held_by).toBeNull();
	});

	it("allows only title and ticket to change after the start, and marks new expectations as late", async () => {
		const { id } = await window();
		await open(id);
		const refused = await windows.ada.api.patch(`${WINDOWS}${id}/`, { ends_at: null, implementers: ["kim"] });
		expect(refused).toMatchObject({ status: 409, body: { state: "open" } });
		expect((await windows.ada.api.patch(`${WINDOWS}${id}/`, { title: "Renamed" })).status).toBe(200);
		const put = (expectations: object[]) => windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations });
		expect((await put([{ change: "added", dn: `${TENANT}/BD-late` }])).body.expectations).toMatchObject([
			{ late: true },
		]);
		expect((await put([{ change: "added", dn: `${TENANT}/BD-other` }])).status).toBe(409);
		await writeDomain("late");
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "passed_with_warnings" });
		expect(await listFindings(id)).toMatchObject([{ class: "expected", late: true }]);
	});

	it("keeps its verdict when findings are accepted, and closes with a report that does not change", async () => {
		const { id } = await createApproved();
		await move(id, "approve", {}, getKim());
		await open(id);
		await writeDomain("accepted");
		await judge(id);
		const [finding] = await listFindings(id);
		const path = `${WINDOWS}${id}/findings/${finding.id}/accept/`;
		expect((await windows.ada.api.post(path, { reason: "Known" })).status).toBe(403);
		expect((await getKim().post(path, { reason: "Known" })).body).toMatchObject({
			accepted_by: "kim",
			reason: "Known",
		});
		expect(await read(id)).toMatchObject({
			verdict: "failed",
			verdict_line: "failed; 1 of 1 finding accepted by kim",
		});
		expect((await move(id, "sign")).status).toBe(403);
		const signed = await move(id, "sign", { comment: "Seen" }, getKim());
		expect(signed.body).toMatchObject({ state: "closed", signed_by: "kim", sign_comment: "Seen" });
		const report = await windows.ada.api.get(`${WINDOWS}${id}/report/?format=json`);
		expect(report.headers.etag).toBe(`"${signed.body.report_sha256}"`);
		expect(report.body).toMatchObject({ verdict: "failed", exit_code: 1, reasons: ["undeclared:1"] });
		expect((await move(id, "recheck")).status).toBe(409);
		expect((await move(id, "sign", {}, getKim())).body).toMatchObject({ state: "closed" });
	});

	it("opens by an override of another person than the requester, with a reason that it shows", async () => {
		const { id } = await createApproved();
		await move(id, "approve", {}, getKim());
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		await move(id, "start");
		await reach(id, "blocked");
		windows.lab.clearFaults();
		expect((await move(id, "override", { reason: "Fabric is in a lab" })).status).toBe(403);
		expect((await move(id, "override", {}, getKim())).status).toBe(400);
		const opened = await move(id, "override", { reason: "Fabric is in a lab" }, getKim());
		expect(opened.body).toMatchObject({ state: "open", override: { by: "kim", reason: "Fabric is in a lab" } });
		expect((await judge(id)).verdict).toBe("inconclusive");
	});

	it("shows itself to users who see its connection, and answers 404 to others", async () => {
		const { id } = await window();
		const bob = await windows.t.user("bob-windows", ["Operator"]);
		expect((await bob.api.get(`${WINDOWS}${id}/`)).body).toMatchObject({ hidden_count: 0, can_start: true });
		await windows.ada.api.patch(`/api/controller/connections/${windows.connection}/`, { is_public: false });
		expect((await bob.api.get(`${WINDOWS}${id}/`)).status).toBe(404);
		await windows.ada.api.patch(`/api/controller/connections/${windows.connection}/`, { is_public: true });
	});

	it("writes its report in every format, and its findings as NDJSON", async () => {
		const { id } = await window();
		await open(id);
		await writeDomain("reported");
		await judge(id);
		const read = (format: string) => windows.ada.api.get(`${WINDOWS}${id}/report/?format=${format}`);
		expect((await read("md")).text).toContain("BD-reported");
		expect((await read("text")).text).toContain("failed");
		expect((await read("csv")).text).toContain("undeclared");
		expect((await read("junit")).text).toMatch(/<testsuite[^>]*failures="1"/);
		const html = await read("html");
		expect(html.text).not.toContain("<script");
		const lines = await windows.ada.api.get(`${WINDOWS}${id}/findings/?format=ndjson`);
		expect(
			lines.text
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line).dn),
		).toEqual([`${TENANT}/BD-reported`]);
	});
});

describe("a change plan", () => {
	it("counts its revisions, and makes none for equal values", async () => {
		const plan = await windows.plan({ name: "Counted" });
		expect(plan).toMatchObject({ revision: 1, items: [{ query: windows.query, compare: "exact", match: "dn" }] });
		const patch = (body: object) => windows.ada.api.patch(`${PLANS}${plan.id}/`, body);
		expect((await patch({ name: "Counted" })).body.revision).toBe(1);
		expect((await patch({ description: "More" })).body).toMatchObject({ revision: 2, description: "More" });
	});

	it("refuses items that cannot be compared, and names their index", async () => {
		const post = async (items: object[], more: object = {}) =>
			(await windows.ada.api.post(PLANS, { name: "Refused", items, ...more })).body;
		expect(await post([{ query: windows.connection }])).toHaveProperty(["items.0.query"]);
		expect(await post([{ query: windows.query, compare: "tolerance" }])).toHaveProperty(["items.0.tolerance"]);
		expect(await post([{ query: windows.query }], { settle: { interval_s: 1, timeout_s: 3_600 } })).toHaveProperty([
			"settle",
		]);
	});

	it("previews the differences between the two latest snapshots of its query", async () => {
		const plan = await windows.plan({ name: "Previewed" });
		const { body } = await windows.ada.api.post(`${PLANS}${plan.id}/preview/`, {
			connection_ids: [windows.connection],
		});
		expect(body.results).toMatchObject([{ item: 0, connection_id: windows.connection, error: null }]);
	});

	it("says that a preview does not compare the numbers of rows", async () => {
		const tolerance = { count: { max_loss_percent: 5 } };
		const plan = await windows.plan({
			name: "Counted rows",
			items: [{ query: windows.query, compare: "tolerance", group_by: [], tolerance }],
		});
		const path = `${PLANS}${plan.id}/preview/`;
		const { body } = await windows.ada.api.post(path, { connection_ids: [windows.connection] });
		expect(body.results).toMatchObject([
			{
				error: "The numbers of rows are not compared: only a change window counts them.",
				to: { at: expect.any(String) },
			},
		]);
	});
});
